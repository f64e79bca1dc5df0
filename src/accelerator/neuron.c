/* accelerator/neuron.c - see neuron.h. SPDX-License-Identifier: Apache-2.0 */
#include "accelerator/neuron.h"

#include <stdio.h>
#include <stdlib.h>

#include "accelerator/neuron_text.h"
#include "accelerator/tool.h"
#include "base/io.h"
#include "base/mem.h"

/* Where AWS's packages install the tools; AWS's own images have it on PATH. */
#define TOOL_DIRECTORY     "/opt/aws/neuron/bin"
#define LIST_LIMIT_MS      5000
#define LIST_LIMIT_BYTES   ((size_t)1 << 20U)
#define REPORT_LIMIT_BYTES ((size_t)4 << 20U)
#define NEWS_LIMIT_MS      100
/* Lines taken at a time; the rest waits for the next time. */
#define LINES_MAX        64U
#define SILENCE_LIMIT_NS 10000000000U

/* Asks for all that we use, of every process; keys as in the user guide of neuron-monitor. */
static const char configuration[] =
    "{\"period\": \"1s\", \"neuron_runtimes\": [{\"tag_filter\": \".*\", \"metrics\": "
    "[{\"type\": \"neuroncore_counters\"}, {\"type\": \"memory_used\"}]}]}\n";

struct neuron {
    struct sc_neuron_machine machine;
    struct sc_neuron_use use;
    struct sc_tool monitor;
    json_t *reports[LINES_MAX]; /* received and not read yet: from read_count on */
    unsigned read_count;
    unsigned report_count;
    bool is_asked;
    uint64_t last_report_ns;
};

/* False when there are no devices, with a note only when the tool does not work. */
static bool find_devices(const char *list_tool, struct sc_neuron_machine *ret_machine,
                         struct sc_str *notes)
{
    /* older tools print no JSON but only the table */
    const char *const lines[2][3] = {{list_tool, "--json-output", NULL}, {list_tool, NULL, NULL}};
    bool is_found = false;
    for (size_t i = 0; i < 2 && !is_found; i++) {
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        struct sc_err err = {0};
        int status = 0;
        bool has_run =
            sc_tool_output(lines[i], LIST_LIMIT_MS, LIST_LIMIT_BYTES, &text, &status, &err);
        if (!has_run)
            sc_accelerator_note(notes, "Neuron devices are not measured: %s", err.text);
        is_found = has_run && status == 0 &&
                   sc_neuron_read_machine(sc_str_text(&text), text.length, ret_machine);
        if (!has_run)
            return false;
    }
    return is_found;
}

static bool start_monitor(struct neuron *neuron, struct sc_str *notes)
{
    struct sc_err err = {0};
    SC_AUTO_FREE char *path = sc_tool_find("neuron-monitor", TOOL_DIRECTORY);
    const char *const words[] = {path, "-c", SC_TOOL_FILE, NULL};
    if (path == NULL)
        (void)sc_fail(&err, SC_ERR_FAILED, "there is neuron-ls, but no neuron-monitor");
    bool good = path != NULL &&
                sc_tool_start(&neuron->monitor, words, configuration, REPORT_LIMIT_BYTES, &err);
    if (!good)
        sc_accelerator_note(notes, "Neuron devices are not measured: %s", err.text);
    neuron->last_report_ns = sc_now_ns();
    return good;
}

static void *open_neuron(struct sc_str *notes)
{
    SC_AUTO_FREE char *list_tool = sc_tool_find("neuron-ls", TOOL_DIRECTORY);
    if (list_tool == NULL)
        return NULL;
    struct neuron *neuron = sc_alloc(1, sizeof(*neuron));
    neuron->monitor.fd = -1;
    if (find_devices(list_tool, &neuron->machine, notes) && start_monitor(neuron, notes))
        return neuron;
    free(neuron);
    return NULL;
}

static size_t list_devices(void *state, struct sc_device *ret, size_t limit)
{
    const struct neuron *neuron = state;
    const struct sc_neuron_machine *machine = &neuron->machine;
    size_t count = machine->device_count < limit ? machine->device_count : limit;
    for (size_t i = 0; i < count; i++) {
        ret[i] = (struct sc_device){.index = machine->devices[i].number,
                                    .total_bytes = machine->devices[i].total_bytes};
        (void)snprintf(ret[i].name, sizeof(ret[i].name), "AWS Neuron%s%s",
                       machine->instance[0] != '\0' ? " of " : "", machine->instance);
    }
    return count;
}

static void drop_reports(struct neuron *neuron)
{
    for (unsigned i = neuron->read_count; i < neuron->report_count; i++)
        json_decref(neuron->reports[i]);
    neuron->read_count = neuron->report_count = 0;
}

/* Takes the reports that have arrived, several where we are late; returns their number. Other lines
 * are none: what counts as a report covers time. */
static unsigned take_reports(struct neuron *neuron, struct sc_str *notes)
{
    const char *line;
    size_t length;
    unsigned limit_ms = NEWS_LIMIT_MS;
    drop_reports(neuron);
    for (unsigned i = 0; i < LINES_MAX && sc_tool_line(&neuron->monitor, limit_ms, &line, &length);
         i++) {
        json_t *report = sc_neuron_parse_report(line, length);
        if (report != NULL)
            neuron->reports[neuron->report_count++] = report;
        else if (length > 0)
            sc_accelerator_note(notes, "neuron-monitor has written something that is no report; "
                                       "such lines are not counted");
        limit_ms = 0;
    }
    return neuron->report_count;
}

static unsigned news(void *state, struct sc_str *notes)
{
    struct neuron *neuron = state;
    if (!neuron->is_asked) { /* the first call only starts the time that the first report covers */
        neuron->is_asked = true;
        return 1;
    }
    unsigned count = take_reports(neuron, notes);
    if (count > 0) {
        neuron->last_report_ns = sc_now_ns();
        return count;
    }
    if (sc_tool_has_ended(&neuron->monitor))
        sc_accelerator_note(notes, "neuron-monitor has ended, so the Neuron devices are not "
                                   "measured any more");
    else if (sc_now_ns() - neuron->last_report_ns > SILENCE_LIMIT_NS)
        sc_accelerator_note(notes, "neuron-monitor says nothing for ten seconds and more, so the "
                                   "Neuron devices are measured in part");
    return 0;
}

static void read_report(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                        size_t count, struct sc_str *notes)
{
    struct neuron *neuron = state;
    (void)notes;
    if (neuron->read_count < neuron->report_count) {
        json_auto_t *report = neuron->reports[neuron->read_count++];
        sc_neuron_read_report(report, &neuron->machine, watched->pids, watched->count,
                              &neuron->use);
    }
    for (size_t i = 0; i < count && i < SC_NEURON_DEVICES_MAX; i++)
        ret[i] = (struct sc_device_state){.is_used = neuron->use.cores[i] > 0 ||
                                                     neuron->use.used_bytes[i] > 0,
                                          .units = neuron->use.cores[i],
                                          .load = neuron->use.load[i],
                                          .used_bytes = neuron->use.used_bytes[i]};
}

static void close_neuron(void *state)
{
    SC_AUTO_FREE struct neuron *neuron = state;
    sc_tool_close(&neuron->monitor);
    drop_reports(neuron);
}

const struct sc_accelerator sc_neuron = {
    .kind = "Neuron",
    .open = open_neuron,
    .devices = list_devices,
    .news = news,
    .read = read_report,
    .close = close_neuron,
};
