/*
 * tests/unit/report_live_test.c - what a program does now, from two profiles of its run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/live.h"
#include "report_fixture.h"
#include "sc_test.h"

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%.12g is not %.12g", value, expected);
}

/* A run of so many seconds: f has computed for half of them and waited for the lock for a tenth, g
 * has slept for the other half; a child is there from the second second on. */
static void make(struct sc_profile *profile, double elapsed_s)
{
    *profile = (struct sc_profile){.program = sc_strdup("/w/prog.py"),
                                   .root_dir = sc_strdup("/w"),
                                   .entrypoint_dir = sc_strdup("/w"),
                                   .memory = true,
                                   .elapsed_s = elapsed_s,
                                   .target_cpu_s = elapsed_s * 0.75,
                                   .max_rss_mb = 90};
    sc_vec_push(&profile->args, sc_strdup("prog.py"));
    sc_vec_push(&profile->args, sc_strdup("--fast"));
    sc_vec_push(&profile->rss, (struct sc_footprint){.time_ns = 1, .mb = 90});
    sc_vec_push(&profile->rss, (struct sc_footprint){.time_ns = 2, .mb = 80});
    struct sc_file *file = fixture_file(profile, "/w/prog.py");
    struct sc_line *line = fixture_line(file, "  total += 1\n", 0, 0, 0);
    line->cost.time_s[SC_TIME_PYTHON] = elapsed_s * 0.25;
    line->cost.time_s[SC_TIME_PREEMPTED_NATIVE] = elapsed_s * 0.25;
    line->cost.wait_s[SC_WAIT_GIL] = elapsed_s * 0.1;
    line->cost.malloc_mb = 5;
    line->cost.live_at_exit_mb = 2;
    (void)fixture_line(file, "# costs nothing\n", 0, 0, 0);
    line = fixture_line(file, "sleep(1)\n", 0, 0, 0);
    line->cost.time_s[SC_TIME_SLEEP] = elapsed_s * 0.5;
    fixture_function(file, "f", 1, 0, 0);
    fixture_function(file, "g", 3, 0, 0);
    file->functions.items[0].cost = file->lines.items[0].cost;
    file->functions.items[1].cost = file->lines.items[2].cost;
    fixture_thread(profile, "Main", elapsed_s * 0.75);
    profile->threads.items[0].time_s[SC_TIME_PYTHON] = elapsed_s * 0.75;
    profile->threads.items[0].wait_s[SC_WAIT_GIL] = elapsed_s * 0.1;
    profile->threads.items[0].wait_s[SC_WAIT_SLEEP] = elapsed_s * 0.15;
    fixture_thread(profile, "Gone", 0);
    profile->threads_ended = 1;
    for (uint64_t pid = 7; pid < (elapsed_s < 2 ? 8U : 9U); pid++)
        sc_vec_push(&profile->processes,
                    (struct sc_process_cost){.pid = pid,
                                             .command = sc_strdup("python3"),
                                             .cpu_s = elapsed_s / 2,
                                             .max_rss_mb = 50,
                                             .exit_kind = sc_strdup("running")});
}

static void take(struct sc_live *live, double elapsed_s)
{
    struct sc_profile profile;
    make(&profile, elapsed_s);
    sc_live_take(live, &profile);
}

static void assert_row(const struct sc_live_row *row, const char *name, const char *place,
                       double now_s, double all_s)
{
    assert_string_equal(row->name, name);
    assert_string_equal(row->place, place);
    assert_near(row->numbers[SC_LIVE_NOW], now_s);
    assert_near(row->numbers[SC_LIVE_ALL], all_s);
}

TEST(the_interval_is_what_has_changed_since_the_profile_before)
{
    OWN(sc_live, live) = {0};
    OWN(sc_live_rows, rows) = {0};
    take(&live, 1);
    take(&live, 4);
    sc_live_list(&live, SC_LIVE_FUNCTIONS, SC_LIVE_NOW_PYTHON, NULL, &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.items[0], "f", "prog.py:1", 1.5, 2);
    const double *numbers = rows.items[0].numbers;
    assert_near(numbers[SC_LIVE_NOW_PYTHON], 0.75);
    assert_near(numbers[SC_LIVE_NOW_NATIVE], 0.75);
    assert_near(numbers[SC_LIVE_NOW_WAITING], 0);
    assert_near(numbers[SC_LIVE_NOW_GIL], 0.3);
    assert_near(numbers[SC_LIVE_ALL_GIL], 0.4);
    assert_near(numbers[SC_LIVE_MEMORY_MB], 2);
    assert_near(numbers[SC_LIVE_ALLOCATED_MB], 5);
    assert_row(&rows.items[1], "g", "prog.py:3", 1.5, 2);
    assert_near(rows.items[1].numbers[SC_LIVE_NOW_WAITING], 1.5);
}

TEST(code_outside_of_functions_is_that_of_the_module)
{
    OWN(sc_live, live) = {0};
    OWN(sc_live_rows, rows) = {0};
    struct sc_profile profile;
    make(&profile, 4);
    profile.files.items[0].functions.items[1].cost.time_s[SC_TIME_SLEEP] -= 0.5;
    sc_live_take(&live, &profile);
    sc_live_list(&live, SC_LIVE_FUNCTIONS, SC_LIVE_ALL, "<module>", &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.items[0], "<module>", "prog.py", 0.5, 0.5);
    assert_near(rows.items[0].numbers[SC_LIVE_ALL_WAITING], 0.5);
}

TEST(the_first_interval_is_the_run_so_far)
{
    OWN(sc_live, live) = {0};
    OWN(sc_live_rows, rows) = {0};
    take(&live, 4);
    sc_live_list(&live, SC_LIVE_LINES, SC_LIVE_NOW_WAITING, NULL, &rows);
    assert_int_equal(rows.count, 2);
    assert_row(&rows.items[0], "prog.py:3", "sleep(1)", 2, 2);
    assert_row(&rows.items[1], "prog.py:1", "total += 1", 2, 2);
}

TEST(a_profile_without_numbers_replaces_none_that_has_some)
{
    OWN(sc_live, live) = {0};
    struct sc_profile empty = {0};
    sc_live_take(&live, &empty);
    assert_true(live.has_profile);
    take(&live, 1);
    assert_false(live.has_before);
    sc_live_take(&live, &empty);
    assert_near(live.profile.elapsed_s, 1);
}

TEST(threads_and_processes_are_told_apart_by_their_numbers)
{
    OWN(sc_live, live) = {0};
    struct sc_live_rows threads = {0};
    OWN(sc_live_rows, processes) = {0};
    take(&live, 1);
    take(&live, 4);
    sc_live_list(&live, SC_LIVE_THREADS, SC_LIVE_ALL, NULL, &threads);
    assert_int_equal(threads.count, 2);
    assert_row(&threads.items[0], "100 Main", "process 0", 3, 4);
    assert_near(threads.items[0].numbers[SC_LIVE_NOW_WAITING], 0.75);
    sc_live_list(&live, SC_LIVE_PROCESSES, SC_LIVE_NOW, NULL, &processes);
    assert_int_equal(processes.count, 2);
    assert_row(&processes.items[0], "8 python3", "running", 2, 2);
    assert_row(&processes.items[1], "7 python3", "running", 1.5, 2);
    sc_live_rows_done(&threads);
}

TEST(a_task_is_where_it_waited_last)
{
    OWN(sc_live, live) = {0};
    OWN(sc_live_rows, rows) = {0};
    struct sc_profile profile;
    make(&profile, 4);
    sc_vec_push(&profile.task_places, (struct sc_task_place){.file = sc_strdup("/w/prog.py"),
                                                             .function = sc_strdup("h"),
                                                             .lineno = 9});
    struct sc_task_waits task = {.name = sc_strdup("Task-1"), .pid = 7};
    sc_vec_push(&task.runs, (struct sc_task_run){.start_s = 0, .length_s = 1});
    sc_vec_push(&task.runs, (struct sc_task_run){.start_s = 2, .length_s = 0.5, .place = 1});
    sc_vec_push(&profile.task_lanes, task);
    sc_live_take(&live, &profile);
    sc_live_list(&live, SC_LIVE_TASKS, SC_LIVE_NOW, NULL, &rows);
    assert_int_equal(rows.count, 1);
    assert_row(&rows.items[0], "Task-1", "prog.py:9 h", 1.5, 1.5);
}

TEST(the_head_says_what_the_program_as_a_whole_does)
{
    OWN(sc_live, live) = {0};
    take(&live, 1);
    take(&live, 4);
    OWN(sc_live_head, head) = sc_live_head_of(&live);
    assert_string_equal(head.command, "prog.py --fast");
    assert_int_equal(head.pid, 7);
    assert_near(head.elapsed_s, 4);
    assert_near(head.interval_s, 3);
    assert_near(head.cores, 0.75);
    assert_near(head.gil_percent, 10);
    assert_near(head.memory_mb, 80);
    assert_near(head.peak_mb, 90);
    assert_int_equal(head.threads, 1);
    assert_int_equal(head.processes, 2);
    assert_false(head.is_over);
}

TEST(a_filter_looks_at_names_and_places)
{
    static const struct {
        const char *filter;
        size_t count;
    } rows[] = {{NULL, 2}, {"", 2}, {"SLEEP", 1}, {"prog.py", 2}, {"py:1", 1}, {"none", 0}};
    OWN(sc_live, live) = {0};
    take(&live, 4);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sc_live_rows found = {0};
        sc_live_list(&live, SC_LIVE_LINES, SC_LIVE_NOW, rows[i].filter, &found);
        assert_int_equal(found.count, rows[i].count);
        sc_live_rows_done(&found);
    }
}
