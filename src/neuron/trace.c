/* neuron/trace.c - see trace.h. SPDX-License-Identifier: Apache-2.0 */
#include "neuron/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"

/* A line of the debug file. */
struct text {
    const char *start;
    size_t length;
};

static bool begins(const struct text *line, const char *prefix)
{
    size_t length = strlen(prefix);
    return line->length >= length && memcmp(line->start, prefix, length) == 0;
}

static char *rest_of(const struct text *line, const char *prefix)
{
    size_t from = strlen(prefix);
    size_t end = line->length;
    while (end > from && (line->start[end - 1] == ' ' || line->start[end - 1] == '\r'))
        end--;
    return sc_strndup(line->start + from, end - from);
}

/* "path:12" into its two parts; a path may hold colons. */
static void take_source(struct sc_neuron_call *call, char *source)
{
    char *colon = strrchr(source, ':');
    char *end = NULL;
    unsigned long line = colon != NULL ? strtoul(colon + 1, &end, 10) : 0;
    if (line > 0 && line <= UINT32_MAX && *end == '\0') {
        *colon = '\0';
        call->lineno = (uint32_t)line;
    }
    free(call->source);
    call->source = source;
}

static void end_part(struct sc_neuron_call *call, struct sc_neuron_calls *calls)
{
    if (call->source != NULL)
        sc_vec_push(calls, *call);
    else
        free(call->kernel);
    *call = (struct sc_neuron_call){0};
}

static void take_line(const struct text *line, struct sc_neuron_call *call,
                      struct sc_neuron_calls *calls)
{
    if (begins(line, "---")) {
        end_part(call, calls);
    } else if (begins(line, "SOURCE: ")) {
        take_source(call, rest_of(line, "SOURCE: "));
    } else if (begins(line, "KERNEL: ")) {
        free(call->kernel);
        call->kernel = rest_of(line, "KERNEL: ");
    } else if (begins(line, "PID: ") && !calls->has_pid) {
        char *end = NULL;
        long long pid = strtoll(line->start + strlen("PID: "), &end, 10);
        calls->has_pid = end != line->start + strlen("PID: ") && pid >= 0;
        calls->pid = pid;
    }
}

void sc_neuron_calls_read(const char *text, struct sc_neuron_calls *ret_calls)
{
    struct sc_neuron_calls calls = {0};
    struct sc_neuron_call call = {0};
    while (*text != '\0') {
        struct text line = {text, strcspn(text, "\n")};
        text += line.length + (text[line.length] == '\n');
        while (line.length > 0 && (*line.start == ' ' || *line.start == '\t')) {
            line.start++;
            line.length--;
        }
        take_line(&line, &call, &calls);
    }
    end_part(&call, &calls);
    *ret_calls = calls;
}

void sc_neuron_calls_done(struct sc_neuron_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        free(calls->items[i].source);
        free(calls->items[i].kernel);
    }
    sc_vec_done(calls);
}

/* A whole number of nanoseconds; 0 for what is none, or below. */
static json_int_t ns_of(const json_t *value)
{
    static const double beyond = 1ULL << 62U;
    if (json_is_real(value)) {
        double number = json_real_value(value);
        return number > 0 && number < beyond ? (json_int_t)number : 0;
    }
    json_int_t whole = json_integer_value(value);
    return whole > 0 && whole < (json_int_t)(1ULL << 62U) ? whole : 0;
}

/* The process may be written as a number or as text. */
static bool is_of(const json_t *event, const struct sc_neuron_calls *calls)
{
    const json_t *pid = json_object_get(event, "process_id");
    if (!calls->has_pid)
        return true;
    if (json_is_string(pid)) {
        char *end = NULL;
        const char *text = json_string_value(pid);
        return strtoll(text, &end, 10) == calls->pid && end != text && *end == '\0';
    }
    return json_is_integer(pid) && json_integer_value(pid) == calls->pid;
}

SC_ORDERED_BY(by_time, struct sc_neuron_event, SC_RISING(start_ns), SC_RISING(order));

static void sort_events(struct sc_neuron_events *events)
{
    sc_vec_sort(events, by_time);
}

static struct sc_neuron_events *events_of(struct sc_neuron_trace *trace, const char *name)
{
    if (name != NULL && strcmp(name, "nrt_execute") == 0)
        return &trace->executions;
    if (name != NULL && strcmp(name, "kbl_exec_pre") == 0)
        return &trace->starts;
    if (name != NULL && strcmp(name, "nc_exec_running") == 0)
        return &trace->runs;
    return NULL;
}

bool sc_neuron_trace_read(const json_t *root, const struct sc_neuron_calls *calls,
                          struct sc_neuron_trace *ret_trace, struct sc_err *err)
{
    const json_t *list = json_is_object(root) ? json_object_get(root, "trace_event") : root;
    if (!json_is_array(list))
        return sc_fail(err, SC_ERR_FAILED,
                       "it is no Neuron trace: neither a list of events nor an object with "
                       "\"trace_event\"");
    struct sc_neuron_trace trace = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *event = json_array_get(list, i);
        struct sc_neuron_events *events =
            events_of(&trace, json_string_value(json_object_get(event, "name")));
        if (events != NULL && is_of(event, calls))
            sc_vec_push(events, (struct sc_neuron_event){
                                    .event = event,
                                    .start_ns = ns_of(json_object_get(event, "timestamp")),
                                    .duration_ns = ns_of(json_object_get(event, "duration")),
                                    .order = i,
                                });
    }
    sort_events(&trace.executions);
    sort_events(&trace.starts);
    sort_events(&trace.runs);
    *ret_trace = trace;
    return true;
}

void sc_neuron_trace_done(struct sc_neuron_trace *trace)
{
    sc_vec_done(&trace->executions);
    sc_vec_done(&trace->starts);
    sc_vec_done(&trace->runs);
}

char *sc_neuron_event_id(const struct sc_neuron_event *event)
{
    const json_t *id = json_object_get(json_object_get(event->event, "args"), "exec_id");
    if (id == NULL || json_is_null(id))
        id = json_object_get(event->event, "exec_id");
    if (json_is_integer(id))
        return sc_format("%lld", (long long)json_integer_value(id));
    return sc_strdup(json_is_string(id) ? json_string_value(id) : "");
}
