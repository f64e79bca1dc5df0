/*
 * tests/unit/neuron_test.c - what neuron-ls and neuron-monitor print, and the two as scripts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/neuron.h"

#include <poll.h>

#include "accelerator/neuron_text.h"
#include "accelerator/poll.h"
#include "accelerator/readings.h"
#include "accelerator/tool.h"
#include "base/io.h"
#include "base/mem.h"
#include "sc_test.h"

#define OURS   100
#define OTHERS 200

static const char machine_text[] =
    "[{\"neuron_device\": 0, \"nc_count\": 2, \"memory_size\": 34359738368, "
    "\"neuroncore_ids\": [0, 1], \"instance_type\": \"trn1.2xlarge\"},"
    " {\"neuron_device\": 3, \"nc_count\": 2, \"memory_size\": 1024, "
    "\"neuroncore_ids\": [2, 3]}]";

static const char table_text[] = "instance-type: inf1.xlarge\n"
                                 "+--------+--------+\n"
                                 "| NEURON | NEURON |\n"
                                 "| DEVICE | CORES  |\n"
                                 "+--------+--------+\n"
                                 "| 0      | 4      |\n"
                                 "+--------+--------+\n";

#define CORE(number, percent) "\"" number "\": {\"neuroncore_utilization\": " percent "}"
#define MEMORY(number, a, b)  "\"" number "\": {\"constants\": " a ", \"tensors\": " b "}"
#define RUNTIME(pid, cores, all, memory)                                                           \
    "{\"pid\": " pid ", \"error\": \"\", \"report\": {\"neuroncore_counters\": {\"period\": 1.0, " \
    "\"neuroncores_in_use\": {" cores "}}, \"memory_used\": {\"neuron_runtime_used_bytes\": "      \
    "{\"host\": 77, \"neuron_device\": " all ", \"usage_breakdown\": "                             \
    "{\"neuroncore_memory_usage\": {" memory "}}}}}}"
#define REPORT(runtimes) "{\"neuron_runtime_data\": [" runtimes "], \"system_data\": {}}"

static struct sc_neuron_machine machine;

static char *path_before;

static int read_machine(void **state)
{
    path_before = getenv("PATH") != NULL ? sc_strdup(getenv("PATH")) : NULL;
    return sc_neuron_read_machine(machine_text, strlen(machine_text), &machine) ? 0 : -1;
}

static bool take(const char *line, struct sc_neuron_use *use)
{
    static const pid_t pids[] = {7, OURS};
    json_auto_t *report = sc_neuron_parse_report(line, strlen(line));
    if (report != NULL)
        sc_neuron_read_report(report, &machine, pids, 2, use);
    return report != NULL;
}

TEST(devices_have_numbers_memory_and_cores)
{
    assert_int_equal(machine.device_count, 2);
    assert_int_equal(machine.devices[1].number, 3);
    assert_int_equal(machine.devices[0].total_bytes, 34359738368);
    assert_int_equal(machine.device_of_core[1], 0);
    assert_int_equal(machine.device_of_core[2], 1);
    assert_string_equal(machine.instance, "trn1.2xlarge");
}

TEST(older_tools_report_less)
{
    static const char counts[] = "[{\"neuron_device\": 0, \"nc_count\": 4}, "
                                 "{\"neuron_device\": 1, \"nc_count\": 4}]";
    struct sc_neuron_machine other;
    assert_true(sc_neuron_read_machine(counts, strlen(counts), &other));
    assert_int_equal(other.device_of_core[3], 0);
    assert_int_equal(other.device_of_core[4], 1);
    assert_true(sc_neuron_read_machine(table_text, strlen(table_text), &other));
    assert_int_equal(other.device_count, 1);
    assert_string_equal(other.instance, "");
}

TEST(no_devices_is_no_machine)
{
    static const char *const texts[] = {
        "", "[]", "{}", "[3, null, \"x\"]", "No neuron devices found", "| NEURON |", "[[[[", "null",
    };
    struct sc_neuron_machine other;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_false(sc_neuron_read_machine(texts[i], strlen(texts[i]), &other));
}

TEST(numbers_of_a_machine_that_cannot_be_do_no_harm)
{
    static const char odd[] = "[{\"neuron_device\": -4, \"memory_size\": -1, \"nc_count\": 1e9, "
                              "\"neuroncore_ids\": [-1, 99999999999, \"x\", 1024]},"
                              "{\"neuron_device\": 99999999999999, \"memory_size\": 1e300, "
                              "\"nc_count\": 9223372036854775807}]";
    struct sc_neuron_machine other;
    assert_true(sc_neuron_read_machine(odd, strlen(odd), &other));
    assert_int_equal(other.devices[0].number, 0);
    assert_int_equal(other.devices[0].total_bytes, 0);
    assert_int_equal(other.devices[1].number, 1);
    assert_int_equal(other.devices[1].total_bytes, 0);
}

/* The report's use of both devices: cores, load and bytes. */
static void takes(struct sc_neuron_use *use, const char *report, const char *expected)
{
    assert_true(take(report, use));
    SC_AUTO_FREE char *found =
        sc_format("%u %g %llu, %u %g %llu", (unsigned)use->cores[0], use->load[0],
                  (unsigned long long)use->used_bytes[0], (unsigned)use->cores[1], use->load[1],
                  (unsigned long long)use->used_bytes[1]);
    assert_string_equal(found, expected);
}

TEST(only_our_processes_count)
{
    struct sc_neuron_use use = {0};
    takes(&use,
          REPORT(RUNTIME("100", CORE("0", "50"), "300", MEMORY("0", "100", "200")) "," RUNTIME(
              "200", CORE("1", "90"), "999", MEMORY("1", "999", "0"))),
          "1 0.5 300, 0 0 0");
}

TEST(cores_that_are_only_named_are_not_in_use)
{
    struct sc_neuron_use use = {0};
    takes(&use,
          REPORT(RUNTIME("100", CORE("0", "30") "," CORE("1", "0") "," CORE("3", "10"), "5",
                         MEMORY("0", "0", "0") "," MEMORY("3", "5", "0"))),
          "1 0.3 0, 1 0.1 5");
}

TEST(a_core_stays_in_use_as_long_as_its_process_names_it)
{
    struct sc_neuron_use use = {0};
    takes(&use, REPORT(RUNTIME("100", CORE("0", "80") "," CORE("1", "40"), "0", "")),
          "2 0.6 0, 0 0 0");
    takes(&use, REPORT(RUNTIME("100", CORE("0", "0") "," CORE("1", "40"), "0", "")),
          "2 0.2 0, 0 0 0");
    /* another of our processes has not used core 0 */
    takes(&use, REPORT(RUNTIME("7", CORE("0", "0") "," CORE("1", "40"), "0", "")),
          "1 0.4 0, 0 0 0");
    takes(&use, REPORT(""), "0 0 0, 0 0 0");
}

TEST(two_of_our_processes_share_a_core)
{
    struct sc_neuron_use use = {0};
    takes(
        &use,
        REPORT(RUNTIME("100", CORE("2", "70"), "1", "") "," RUNTIME("7", CORE("2", "60"), "2", "")),
        "0 0 3, 1 1 0");
}

TEST(memory_that_is_not_reported_by_core_counts_too)
{
    struct sc_neuron_use use = {0};
    takes(&use, REPORT(RUNTIME("100", CORE("2", "1"), "500", MEMORY("2", "100", "50"))),
          "0 0 0, 1 0.01 500");
}

TEST(a_report_without_processes_is_one)
{
    struct sc_neuron_use use = {0};
    assert_true(take("{\"system_data\": {}}", &use));
    assert_true(take("{\"neuron_runtime_data\": null}", &use));
}

TEST(odd_reports_do_no_harm)
{
    static const char *const good[] = {
        REPORT(
            "null, 3, [], {}, {\"pid\": 100}, {\"pid\": \"100\"}, {\"pid\": 100, \"report\": 5}"),
        REPORT(RUNTIME("100", CORE("-1", "50") "," CORE("1024", "50") "," CORE("x", "50"), "-3",
                       MEMORY("99999999999999999999", "1", "1") "," MEMORY("", "1", "1"))),
        REPORT(RUNTIME("100", CORE("0", "-5") "," CORE("1", "\"a\""), "null",
                       MEMORY("0", "-1", "\"x\""))),
        REPORT(RUNTIME("4294967396", CORE("0", "50"), "5", "")),
    };
    static const char *const bad[] = {"",     "{",        "[]",
                                      "null", "nonsense", "{\"neuron_runtime_data\": 5}"};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        struct sc_neuron_use use = {0};
        assert_true(take(good[i], &use));
        assert_int_equal(use.cores[0] + use.cores[1], 0);
        assert_int_equal(use.used_bytes[0] + use.used_bytes[1], 0);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct sc_neuron_use use = {.cores = {3}};
        assert_false(take(bad[i], &use));
        assert_int_equal(use.cores[0], 3);
    }
    struct sc_neuron_use use = {0};
    assert_true(take(REPORT(RUNTIME("100", CORE("0", "1e300"), "1e300", "")), &use));
    assert_true(use.load[0] == 1);
    assert_int_equal(use.used_bytes[0], 0);
}

TEST(load_is_the_mean_over_cores_not_over_devices)
{
    struct sc_readings *readings = sc_alloc(1, sizeof(*readings));
    struct sc_device devices[2] = {{.index = 0}, {.index = 1}};
    struct sc_device_reading reading;
    sc_readings_begin(readings, devices, 2);
    sc_readings_add(readings, 1, 2, 1,
                    (const struct sc_device_state[]){{.is_used = true, .units = 3, .load = 0.2},
                                                     {.is_used = true, .units = 1, .load = 1}});
    assert_int_equal(sc_readings_take(readings, &reading, 1), 1);
    assert_true(fabs(reading.load - 0.4) < 1e-9);
    free(readings);
}

static void write_script(const char *name, const char *text)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", sc_test_folder, name);
    SC_AUTO_FREE char *script = sc_format("#!/bin/sh\n%s\n", text);
    assert_true(sc_write_file(path, script, strlen(script), NULL));
    assert_int_equal(chmod(path, 0755), 0);
}

/* Scripts in front of everything on PATH; at first there is neuron-ls alone. */
static int make_scripts(void **state)
{
    SC_AUTO_FREE char *path = sc_format("%s:%s", sc_test_folder, path_before);
    SC_AUTO_FREE char *monitor = sc_format("%s/neuron-monitor", sc_test_folder);
    (void)unlink(monitor);
    write_script("neuron-ls", "cat <<'E'\n[{\"neuron_device\": 0, \"nc_count\": 2, "
                              "\"memory_size\": 4096, \"neuroncore_ids\": [0, 1]}]\nE");
    return setenv("PATH", path, 1);
}

/* Waits for a file of the scripts with a number in it. */
static pid_t number_in(const char *name)
{
    SC_AUTO_FREE char *path = sc_format("%s/%s", sc_test_folder, name);
    for (;;) {
        OWN(sc_str, bytes) = {0};
        bool is_there = sc_read_file(path, 64, &bytes, NULL) && bytes.length > 1;
        pid_t pid = is_there ? (pid_t)strtol(bytes.data, NULL, 10) : 0;
        if (pid > 0)
            return pid;
        (void)poll(NULL, 0, 5);
    }
}

static void await_end_of(pid_t pid)
{
    while (kill(pid, 0) == 0)
        (void)poll(NULL, 0, 5);
}

/* An orphan's end. It comes to this process, as a container's first process may collect nobody; or
 * its parent, about to die of the same signal, has collected it. */
static void collect_orphan(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    assert_int_equal(kill(pid, 0), -1);
}

/* Waits for a reading with a load. */
static struct sc_device_reading wait_for_load(struct sc_accelerators *accelerators)
{
    struct sc_device_reading reading = {0};
    while (reading.load == 0)
        if (sc_accelerators_take(accelerators, &reading, 1) == 0)
            (void)poll(NULL, 0, 5);
    return reading;
}

static const struct sc_accelerator *const neuron_alone[] = {&sc_neuron, NULL};

TEST_WITHIN(the_tools_feed_the_readings_and_are_gone_at_the_end, make_scripts, NULL)
{
    SC_AUTO_FREE char *monitor =
        sc_format("test \"$1 $2\" = '-c /proc/self/fd/0' || exit 1\n"
                  "grep -q '\"period\": \"1s\"' /proc/self/fd/0 || exit 1\n"
                  "echo quiet >&2\n"
                  "sleep 1000 & echo $! > %s/inner\n"
                  "echo $$ > %s/pid\n"
                  "while :; do\n"
                  "echo nonsense; echo\n"
                  "echo '" REPORT(RUNTIME("100", CORE("0", "40") "," CORE("1", "20"), "300",
                                          MEMORY("0", "100", "200"))) "'\n"
                                                                      "sleep 0.05; done",
                  sc_test_folder, sc_test_folder);
    write_script("neuron-monitor", monitor);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L), 0);
    struct sc_accelerators *accelerators = sc_accelerators_start_with(neuron_alone);
    sc_accelerators_watch(accelerators, (const pid_t[]){OURS}, 1);
    struct sc_device_reading reading = wait_for_load(accelerators);
    assert_true(fabs(reading.load - 0.3) < 1e-9);
    assert_int_equal(reading.used_bytes, 300);
    assert_true(reading.to_ns > reading.from_ns);
    assert_string_equal(sc_accelerators_kind(accelerators), "Neuron");
    struct sc_device device;
    assert_int_equal(sc_accelerators_devices(accelerators, &device, 1), 1);
    assert_string_equal(device.name, "AWS Neuron");
    assert_int_equal(device.total_bytes, 4096);
    pid_t pid = number_in("pid");
    pid_t inner = number_in("inner");
    sc_accelerators_finish(accelerators);
    sc_accelerators_free(accelerators);
    await_end_of(pid); /* which is so only once it was collected */
    collect_orphan(inner);
}

/* The notes of a driver that finds nothing to measure. To be freed. */
static char *notes_of_open(void)
{
    OWN(sc_str, notes) = {0};
    assert_null(sc_neuron.open(&notes));
    return sc_strdup(sc_str_text(&notes));
}

TEST_WITHIN(without_devices_there_is_nothing_to_say, make_scripts, NULL)
{
    write_script("neuron-ls", "echo 'No neuron devices found' >&2; exit 1");
    SC_AUTO_FREE char *failed = notes_of_open();
    assert_string_equal(failed, "");
    write_script("neuron-ls", "echo 'No neuron devices found'");
    SC_AUTO_FREE char *empty = notes_of_open();
    assert_string_equal(empty, "");
    write_script("neuron-ls", "yes | head -c 3000000");
    SC_AUTO_FREE char *endless = notes_of_open();
    assert_non_null(strstr(endless, "does not come to an end"));
    assert_null(strchr(endless, '\n'));
}

TEST_WITHIN(a_tool_without_json_is_asked_for_its_table, make_scripts, NULL)
{
    SC_AUTO_FREE char *script = sc_format("test $# = 0 || exit 2\ncat <<'E'\n%sE", table_text);
    write_script("neuron-ls", script);
    write_script("neuron-monitor", "sleep 1000");
    struct sc_str notes = {0};
    void *neuron = sc_neuron.open(&notes);
    assert_non_null(neuron);
    struct sc_device device;
    assert_int_equal(sc_neuron.devices(neuron, &device, 1), 1);
    sc_neuron.close(neuron);
    assert_int_equal(notes.length, 0);
}

TEST_WITHIN(a_missing_monitor_is_one_sentence, make_scripts, NULL)
{
    (void)setenv("PATH", sc_test_folder, 1);
    write_script("neuron-ls", "echo '[{}]'");
    SC_AUTO_FREE char *notes = notes_of_open();
    assert_string_equal(
        notes, "Neuron devices are not measured: there is neuron-ls, but no neuron-monitor");
}

TEST_WITHIN(a_monitor_that_ends_is_one_sentence, make_scripts, NULL)
{
    write_script("neuron-monitor", "exit 3");
    struct sc_str notes = {0};
    void *neuron = sc_neuron.open(&notes);
    assert_non_null(neuron);
    assert_int_equal(sc_neuron.news(neuron, &notes), 1); /* from here on */
    while (notes.length == 0)
        assert_int_equal(sc_neuron.news(neuron, &notes), 0);
    assert_non_null(strstr(notes.data, "has ended"));
    size_t length = notes.length;
    assert_int_equal(sc_neuron.news(neuron, &notes), 0);
    assert_int_equal(notes.length, length);
    sc_str_done(&notes);
    sc_neuron.close(neuron);
}

TEST_WITHIN(each_report_that_has_come_is_read, make_scripts, NULL)
{
    write_script("neuron-ls",
                 "echo '[{\"neuron_device\": 0, \"nc_count\": 2, \"memory_size\": 4096}]'");
    write_script("neuron-monitor",
                 "printf '%s\\n\\nnonsense\\n%s\\n' '" REPORT(RUNTIME(
                     "100", CORE("0", "80"), "5",
                     "")) "' '" REPORT(RUNTIME("100", CORE("0", "20"), "5", "")) "'\nexec sleep"
                                                                                 " 1000");
    struct sc_str notes = {0};
    void *neuron = sc_neuron.open(&notes);
    assert_non_null(neuron);
    struct sc_watched watched = {.pids = (const pid_t[]){OURS}, .count = 1};
    struct sc_device_state states[2] = {{0}};
    assert_int_equal(sc_neuron.news(neuron, &notes), 1);
    sc_neuron.read(neuron, &watched, &states[0], 1, &notes);
    assert_false(states[0].is_used); /* the first says nothing, whatever has come by then */
    unsigned count = 0;
    while ((count = sc_neuron.news(neuron, &notes)) == 0)
        continue;
    assert_int_equal(count, 2);
    sc_neuron.read(neuron, &watched, &states[0], 1, &notes);
    sc_neuron.read(neuron, &watched, &states[1], 1, &notes);
    assert_true(fabs(states[0].load - 0.8) < 1e-9 && fabs(states[1].load - 0.2) < 1e-9);
    assert_string_equal(sc_str_text(&notes),
                        "neuron-monitor has written something that is no report; such lines are "
                        "not counted");
    sc_str_done(&notes);
    sc_neuron.close(neuron);
}

TEST_WITHIN(lines_that_are_too_long_are_dropped, make_scripts, NULL)
{
    write_script("inner", "head -c 100000 /dev/zero | tr '\\0' x; echo; echo after; echo");
    SC_AUTO_FREE char *path = sc_tool_find("inner", "/nowhere");
    assert_non_null(path);
    const char *const words[] = {path, NULL};
    struct sc_tool tool = {.fd = -1};
    assert_true(sc_tool_start(&tool, words, NULL, 1000, NULL));
    const char *line = "";
    size_t length = 0;
    while (!sc_tool_line(&tool, 1000, &line, &length))
        assert_false(sc_tool_has_ended(&tool));
    assert_string_equal(line, "after");
    assert_true(sc_tool_line(&tool, 10000, &line, &length));
    assert_int_equal(length, 0);
    while (!sc_tool_has_ended(&tool))
        assert_false(sc_tool_line(&tool, 100, &line, &length));
    sc_tool_close(&tool);
    sc_tool_close(&tool);
}

TEST_WITHIN(programs_are_not_looked_for_in_the_current_directory, make_scripts, NULL)
{
    char before[4096];
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(sc_test_folder), 0);
    (void)setenv("PATH", ":.:", 1);
    assert_null(sc_tool_find("neuron-ls", "/nowhere"));
    SC_AUTO_FREE char *found = sc_tool_find("neuron-ls", sc_test_folder);
    assert_non_null(found);
    assert_int_equal(chdir(before), 0);
}

TESTS_IN_A_FOLDER(read_machine)
