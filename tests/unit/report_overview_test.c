/*
 * tests/unit/report_overview_test.c - the answers of the first screen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

static bool any_contains(char *const *texts, size_t count, const char *part)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(texts[i], part) != NULL)
            return true;
    }
    return false;
}

static bool says(const struct sc_report *report, const char *part)
{
    return any_contains(report->overview.quality.items, report->overview.quality.count, part);
}

TEST(the_five_hottest_lines_come_first)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .root_dir = sc_strdup("/home/p")};
    struct sc_file *file = fixture_file(&profile, "/home/p/a.py");
    double shares[] = {2.0, 30.0, 0.5, 5.0, 5.0, 9.0, 4.0};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        (void)fixture_line(file, "    x = 1\n", shares[i], 0, 0);
    fixture_function(file, "outer", 1, 20.0, 80.0);
    fixture_function(file, "inner", 4, 40.0, 40.2);
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_hots *lines = &report.overview.lines;
    assert_int_equal(lines->count, SC_REPORT_HOT);
    assert_string_equal(lines->items[0].place, "a.py:2");
    assert_string_equal(lines->items[1].place, "a.py:6");
    /* equal ones in the order of the file */
    assert_string_equal(lines->items[2].place, "a.py:4");
    assert_string_equal(lines->items[3].place, "a.py:5");
    assert_string_equal(lines->items[4].place, "a.py:7");
    assert_int_equal(lines->items[0].text_length, strlen("x = 1"));
    assert_memory_equal(lines->items[0].text, "x = 1", 5);
    assert_string_equal(report.overview.functions.items[0].place, "a.py:4");
    assert_true(sc_cost_calls_matter(report.overview.functions.items[1].cost));
    assert_false(sc_cost_calls_matter(report.overview.functions.items[0].cost));
    /* a quarter of a line of 30 % */
    struct sc_cost handed = *lines->items[0].cost;
    handed.time_s[SC_TIME_NATIVE] = 3.0;
    handed.time_s[SC_TIME_PREEMPTED_NATIVE] = 1.0;
    assert_true(sc_cost_part(&handed).percent == 0.0);
    handed.worker_threads_s = 1.0;
    assert_true(fabs(sc_cost_part(&handed).percent - 7.5) < 1e-9);
    handed.freeing_s = 2.0; /* the largest is named */
    assert_true(fabs(sc_cost_part(&handed).percent - 15.0) < 1e-9);
    assert_string_equal(sc_cost_part(&handed).name, "freeing objects");
    handed.freeing_s = 0.0;
    handed.worker_threads_s = 0.06; /* 0.45 % are not worth a word */
    assert_true(sc_cost_part(&handed).percent == 0.0);
    handed.worker_threads_s = 1e300; /* as a hostile file may have it */
    assert_true(fabs(sc_cost_part(&handed).percent - 30.0) < 1e-9);
    assert_string_equal(sc_cost_part(&handed).name, "in worker threads");
}

TEST(the_kinds_of_time_come_from_the_causes)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .gc_s = 0.5};
    profile.time_s[SC_TIME_PYTHON] = 4.0;
    profile.time_s[SC_TIME_PREEMPTED_PYTHON] = 1.0;
    profile.time_s[SC_TIME_NATIVE] = 1.0;
    profile.time_s[SC_TIME_PARALLEL] = 1.0;
    profile.time_s[SC_TIME_KERNEL] = 0.5;
    profile.time_s[SC_TIME_PREEMPTED_KERNEL] = 0.5;
    profile.time_s[SC_TIME_SLEEP] = 2.0;
    (void)fixture_line(fixture_file(&profile, "a.py"), "x\n", 1.0, 2.0, 3.0);
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_overview *overview = &report.overview;
    assert_near(overview->total_s, 10.0);
    assert_near(overview->kinds[SC_KIND_PYTHON], 50.0);
    assert_near(overview->kinds[SC_KIND_NATIVE], 20.0);
    assert_near(overview->kinds[SC_KIND_SYSTEM], 30.0);
    const struct sc_shares *system = &overview->kind_parts[SC_KIND_SYSTEM];
    assert_int_equal(system->count, 2);
    assert_string_equal(system->items[0].name, "sleep");
    assert_string_equal(system->items[1].name, "system calls");
    assert_near(system->items[1].percent, 10.0);
    assert_int_equal(overview->marks.count, 1);
    assert_string_equal(overview->marks.items[0].name, "garbage collection");
    assert_near(overview->no_cpu_percent, 15.0);
}

TEST(a_foreign_profile_is_summed_from_its_lines)
{
    OWN(sc_profile, profile) = {.elapsed_s = 4.0, .foreign = true};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "x\n", 20.0, 10.0, 5.0);
    (void)fixture_line(file, "y\n", 10.0, 0.0, 5.0);
    OWN(sc_report, report) = report_of(&profile);
    assert_near(report.overview.kinds[SC_KIND_PYTHON], 30.0);
    assert_near(report.overview.unlisted_percent, 50.0);
    assert_near(report.files.items[0].seconds, 2.0);
    assert_true(says(&report, "50% of the time is in files that this profile does not list"));
    assert_true(says(&report, "original Scalene"));
}

TEST(next_to_nothing_is_no_memory_of_native_threads)
{
    OWN(sc_profile, profile) = {.allocated_mb = 10.0, .native_allocations_mb = 0.05};
    OWN(sc_report, report) = report_of(&profile);
    assert_near(report.overview.native_threads_mb, 0.0);
    profile.allocated_mb = 0.1; /* a program that only sleeps */
    report_again(&report, &profile);
    assert_near(report.overview.native_threads_mb, 0.0);
    profile.native_allocations_mb = 2.5;
    report_again(&report, &profile);
    assert_near(report.overview.native_threads_mb, 2.5);
}

TEST(endings_and_arguments_are_shown)
{
    OWN(sc_profile, profile) = {.args_known = true, .exit_value = 3};
    profile.program = sc_strdup("/w/a.py");
    profile.root_dir = sc_strdup("/w");
    profile.exit_kind = sc_strdup("exit");
    sc_vec_push(&profile.args, sc_strdup("a.py"));
    sc_vec_push(&profile.args, sc_strdup("--fast"));
    OWN(sc_report, report) = report_of(&profile);
    assert_string_equal(report.overview.command, "a.py --fast");
    assert_string_equal(report.overview.ending, "exit status 3");
    memcpy(profile.exit_kind, "exit", 5);
    profile.exit_value = 0;
    report_again(&report, &profile);
    assert_null(report.overview.ending);
    free(profile.exit_kind);
    profile.exit_kind = sc_strdup("signal");
    profile.exit_value = 11;
    report_again(&report, &profile);
    assert_string_equal(report.overview.ending, "ended by signal 11 (Segmentation fault)");
}

TEST(findings_name_libraries_as_modules)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .memory = true, .max_footprint_mb = 50.0};
    struct sc_file *file = fixture_file(&profile, "/usr/lib/python3.11/json/decoder.py");
    (void)fixture_line(file, "keep.append(x)\n", 5, 0, 0);
    sc_vec_push(&file->leaks, (struct sc_leak){1, 0.99, 2.0});
    OWN(sc_report, report) = report_of(&profile);
    assert_true(finds(&report, "json.decoder:1 may leak 2.0 MB per second"));
}

TEST(bases_are_named_where_there_are_several)
{
    OWN(sc_profile, profile) = {.elapsed_s = 2.0};
    fixture_thread(&profile, "MainThread", 1.5);
    profile.time_s[SC_TIME_PYTHON] = 1.5;
    OWN(sc_report, report) = report_of(&profile);
    assert_null(report.overview.bases.time_of);
    assert_null(report.overview.bases.time);
    assert_null(report.overview.bases.threads);
    assert_null(report.overview.bases.processes);
    fixture_thread(&profile, "worker", 1.5);
    report_again(&report, &profile);
    assert_null(report.overview.bases.time); /* they took turns */
    assert_string_equal(report.overview.bases.threads,
                        "Shares are of the CPU time of both threads, 3.00 s.");
    profile.time_s[SC_TIME_PYTHON] = 3.0;
    report_again(&report, &profile);
    assert_string_equal(
        report.overview.bases.time,
        "100% is 3.00 s: the time of both threads together, in 2.00 s of the clock.");
    sc_vec_push(&profile.processes, (struct sc_process_cost){.pid = 1, .cpu_s = 3.0});
    sc_vec_push(&profile.processes, (struct sc_process_cost){.pid = 2, .cpu_s = 1.0});
    report_again(&report, &profile);
    assert_string_equal(report.overview.bases.time_of, "both processes");
    assert_string_equal(report.overview.bases.processes,
                        "Shares are of the CPU time of both processes, 4.00 s.");
    assert_string_equal(report.overview.bases.threads,
                        "Shares are of the CPU time of both threads of both processes, 3.00 s.");
    fixture_thread(&profile, "other threads", 1.0); /* as many as the list has no room for */
    profile.threads.items[2].tid = 0;
    report_again(&report, &profile);
    assert_string_equal(report.overview.bases.threads,
                        "Shares are of the CPU time of all threads of both processes, 4.00 s.");
}

TEST(threads_are_sorted)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0};
    for (int i = 0; i < 15; i++)
        fixture_thread(&profile, "worker", i);
    profile.threads.items[14].wait_s[SC_WAIT_LOCK] = 2.0;
    profile.threads.items[14].wait_s[SC_WAIT_GIL] = 4.0;
    profile.threads.items[14].wait_s[SC_WAIT_IO] = 0.001;
    OWN(sc_report, report) = report_of(&profile);
    assert_true(report.overview.has_threads);
    assert_int_equal(report.overview.threads.count, 15);
    assert_int_equal(report.overview.threads_left_out, 0);
    const struct sc_report_thread *first = &report.overview.threads.items[0];
    assert_near(first->cpu_percent, 1400.0 / 105.0);
    assert_int_equal(first->waits.count, 2);
    assert_string_equal(first->waits.items[0].name, "GIL");
}

TEST(a_python_loop_is_found_once)
{
    OWN(sc_profile, profile) = {.elapsed_s = 1.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "for i in x:\n", 10.0, 0.0, 0.0);
    (void)fixture_line(file, "    y += a[i] * b[i]\n", 50.0, 2.0, 0.0);
    (void)fixture_line(file, "fib(n - 1) + fib(n - 2)\n", 0.0, 0.0, 0.0);
    file->lines.items[2].region.start_function_line = 1;
    file->lines.items[2].region.end_function_line = 3;
    file->lines.items[0].region.start_function_line = 1;
    file->lines.items[0].region.end_function_line = 3;
    for (size_t i = 0; i < 2; i++) {
        file->lines.items[i].region.start_outermost_loop = 1;
        file->lines.items[i].region.end_outermost_loop = 2;
    }
    OWN(sc_report, report) = report_of(&profile);
    assert_int_equal(report.overview.findings.count, 1);
    assert_true(finds(&report, "the loop at a.py:1-2 spends 97% of its time interpreting Python"));
    assert_true(finds(&report, "number by number: up to 62% of the run could be saved"));
    /* with the error of both lines */
    file->lines.items[0].cost.cpu_share_error = 3.0;
    file->lines.items[1].cost.cpu_share_error = 4.0;
    report_again(&report, &profile);
    assert_true(finds(&report, "up to 62 \u00b1 5% of the run could be saved"));
    assert_true(finds(&report, "most of it at line 2, which computes number by number"));
    /* with compiled functions of single numbers */
    file->lines.items[1].cost.cpu_native_percent = 25.0;
    report_again(&report, &profile);
    assert_true(finds(&report, "the loop at a.py:1-2 spends 71% of its time interpreting Python"));
    file->lines.items[1].cost.cpu_native_percent = 2.0;
    /* a loop that does something else may be as good as it can be */
    free(file->lines.items[1].text);
    file->lines.items[1].text = sc_strdup("    y.add(i)\n");
    report_again(&report, &profile);
    assert_int_equal(report.overview.findings.count, 0);
    free(file->lines.items[1].text);
    file->lines.items[1].text = sc_strdup("    y += a[i] * b[i]\n");
    /* the region of a block that is no loop is none */
    memcpy(file->lines.items[0].text, "if  ", 4);
    report_again(&report, &profile);
    assert_int_equal(report.overview.findings.count, 0);
    /* without a loop, the function is what can be named */
    fixture_function(file, "fib", 1, 70.0, 90.0);
    report_again(&report, &profile);
    assert_true(finds(&report, "fib (a.py:1) spends 100% of its own time interpreting Python"));
}

TEST(a_finding_says_what_it_rests_on)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .samples_taken = 1100};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "for i in x:\n", 10.0, 0.0, 0.0);
    (void)fixture_line(file, "    y += a[i] * b[i]\n", 50.0, 2.0, 0.0);
    (void)fixture_line(file, "sleep()\n", 0.0, 0.0, 30.0);
    for (size_t i = 0; i < 2; i++) {
        file->lines.items[i].region.start_outermost_loop = 1;
        file->lines.items[i].region.end_outermost_loop = 2;
        file->lines.items[i].cost.samples = 600 - 500 * i;
    }
    file->lines.items[2].cost.time_s[SC_TIME_SLEEP] = 3.0;
    OWN(sc_report, report) = report_of(&profile);
    assert_int_equal(report.overview.findings.count, 2);
    assert_string_equal(report.overview.findings.items[0].evidence,
                        "700 of the 1,100 samples of running threads were taken at these lines");
    assert_non_null(strstr(report.overview.findings.items[1].evidence, "waiting"));
    profile.samples_taken = 0; /* a profile of the original */
    report_again(&report, &profile);
    assert_null(report.overview.findings.items[0].evidence);
}

/* Of a loop or a function that takes 80 % of 10 s: this many seconds collecting, and freeing. */
static bool is_interpreting(double gc_s, double freeing_s, bool is_function)
{
    struct sc_profile profile = {.elapsed_s = 10.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, is_function ? "def f(n):\n" : "for i in x:\n", 0.0, 0.0, 0.0);
    (void)fixture_line(file, is_function ? "    f(n - 1) + f(n - 2)\n" : "    y += a[i] * b[i]\n",
                       80.0, 0.0, 0.0);
    for (size_t i = 0; i < 2; i++) {
        struct sc_line *line = &file->lines.items[i];
        line->region.start_function_line = line->region.start_outermost_loop = 1;
        line->region.end_function_line = line->region.end_outermost_loop = 2;
    }
    if (is_function)
        fixture_function(file, "f", 1, 80.0, 80.0);
    struct sc_cost *cost =
        is_function ? &file->functions.items[0].cost : &file->lines.items[1].cost;
    profile.time_s[SC_TIME_PYTHON] = 10.0;
    cost->time_s[SC_TIME_PYTHON] = 8.0;
    cost->gc_s = gc_s;
    cost->freeing_s = freeing_s;
    struct sc_report report = report_of(&profile);
    bool is_found = finds(&report, "time interpreting Python");
    if (is_found && gc_s > 0.0)
        assert_true(finds(&report, "up to 80% of the run could be saved") &&
                    finds(&report, "85% of its "));
    sc_report_done(&report);
    sc_profile_done(&profile);
    return is_found;
}

TEST(collecting_and_freeing_is_not_interpreting)
{
    for (int is_function = 0; is_function < 2; is_function++) {
        assert_true(is_interpreting(0.0, 0.0, is_function));
        assert_true(is_interpreting(0.8, 0.4, is_function));
        assert_int_equal(is_interpreting(0.0, 3.4, is_function), !is_function);
        assert_false(is_interpreting(4.4, 0.0, is_function));
        assert_false(is_interpreting(0.0, 4.4, is_function));
        assert_false(is_interpreting(2.2, 2.2, is_function));
        assert_false(is_interpreting(80.0, 80.0, is_function)); /* of a foreign profile */
    }
}

/* Whether the loop of three lines, all below its header and hot, is called one that computes. */
static bool is_computing(const char *header, const char *first, const char *second)
{
    struct sc_profile profile = {.elapsed_s = 1.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "seen = {}\n", 0.0, 0.0, 0.0);
    (void)fixture_line(file, header, 10.0, 0.0, 0.0);
    (void)fixture_line(file, first, 40.0, 0.0, 0.0);
    (void)fixture_line(file, second, 40.0, 0.0, 0.0);
    for (size_t i = 1; i < 4; i++) {
        file->lines.items[i].region.start_outermost_loop = 2;
        file->lines.items[i].region.end_outermost_loop = 4;
    }
    struct sc_report report = report_of(&profile);
    bool is_found = finds(&report, "which computes number by number");
    sc_report_done(&report);
    sc_profile_done(&profile);
    return is_found;
}

TEST(a_loop_that_no_array_would_hold_is_no_finding)
{
    static const char *const sum = "    y += a[i] * b[i]\n";
    assert_true(is_computing("for i in x:\n", sum, sum));
    assert_true(is_computing("for i in range(500):\n", sum, sum));
    assert_true(is_computing("for i in x:\n", sum, "    z = [c * 2 for c in a]\n"));
    /* few rounds: it is those who run it that are many */
    assert_false(is_computing("for dx, dy in ((1, 0), (-1, 0)):\n", sum, sum));
    assert_false(is_computing("for i in range(3):\n", sum, sum));
    /* a table that is searched */
    assert_false(is_computing("for i in x:\n", sum, "    if i + 1 not in a:\n"));
    assert_false(is_computing("for i in x:\n", sum, "    yield i * 2\n"));
    assert_false(is_computing("for i in x:\n", sum, "    seen[i] = seen[j] + 1\n"));
}

/* A cold start reads modules from the disk: that is no program that asks too often. The text says
 * it where no imports were measured. */
TEST(files_of_modules_are_no_waiting)
{
    static const struct {
        const char *text;
        double of_run_s, of_line_s; /* importing */
        size_t findings;
    } cases[] = {
        {"import torch\n", 0.0, 0.0, 0},
        {"    from torch import nn\n", 0.0, 0.0, 0},
        {"read()\n", 0.0, 0.0, 1},
        {"from here\n", 0.0, 0.0, 1},
        {"import_module('torch')\n", 2.4, 2.4, 0},
        {"import socket; read()\n", 0.1, 0.1, 1},
        {"read()\n", 2.4, 0.0, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        OWN(sc_profile, profile) = {.elapsed_s = 10.0, .importing_s = cases[i].of_run_s};
        struct sc_file *file = fixture_file(&profile, "a.py");
        struct sc_cost *cost = &fixture_line(file, cases[i].text, 5.0, 0.0, 20.0)->cost;
        cost->time_s[SC_TIME_IO] = 2.0;
        cost->importing_s = cases[i].of_line_s;
        sc_report_note_findings(&profile);
        assert_int_equal(profile.findings.count, cases[i].findings);
    }
}

/* Finds that they take 6.1 s, of which the second line has line_s. */
static void assert_imports(double line_s, const char *sentence)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .importing_s = 6.1};
    profile.time_s[SC_TIME_PYTHON] = 10.0;
    struct sc_file *file = fixture_file(&profile, "a.py");
    fixture_line(file, "import os\n", 3.0, 0.0, 0.0)->cost.importing_s = 0.3;
    /* whatever the text is: so do lazy loaders */
    fixture_line(file, "zeros = numpy.zeros\n", 57.0, 3.0, 0.0)->cost.importing_s = line_s;
    (void)fixture_line(file, "import time; work()\n", 30.0, 0.0, 0.0);
    sc_report_note_findings(&profile);
    assert_int_equal(profile.findings.count, 1);
    assert_string_equal(profile.findings.items[0].id, "imports");
    assert_string_equal(profile.findings.items[0].file, "a.py");
    assert_int_equal(profile.findings.items[0].lineno, 2);
    assert_near(profile.findings.items[0].percent, 61.0);
    assert_non_null(strstr(profile.findings.items[0].text, sentence));
}

TEST(imports_are_those_measured_and_noted_in_the_profile)
{
    assert_imports(5.8, "takes 61% of the time (6.10 s), most of it at a.py:2");
    /* the rest is below no line of the program's, as in workers */
    assert_imports(1.2, "takes 61% of the time (6.10 s), 1.20 s of it at a.py:2");
}

TEST(lines_that_import_and_work_are_no_imports)
{
    /* the whole time of the run below the limit, and a profile that does not say it */
    static const double measured_s[] = {4.9, 0.0};
    for (size_t i = 0; i < sizeof(measured_s) / sizeof(measured_s[0]); i++) {
        OWN(sc_profile, profile) = {.elapsed_s = 10.0, .importing_s = measured_s[i]};
        struct sc_file *file = fixture_file(&profile, "a.py");
        struct sc_line *line = fixture_line(file, "import time; work()\n", 100.0, 0.0, 0.0);
        profile.time_s[SC_TIME_PYTHON] = line->cost.time_s[SC_TIME_PYTHON] = 10.0;
        line->cost.importing_s = measured_s[i];
        sc_report_note_findings(&profile);
        assert_int_equal(profile.findings.count, 0);
    }
}

TEST(the_lock_and_the_collector_are_found)
{
    OWN(sc_profile, profile) = {.elapsed_s = 10.0, .gc_s = 2.0};
    profile.time_s[SC_TIME_PYTHON] = 8.0;
    profile.time_s[SC_TIME_PREEMPTED_PYTHON] = 2.0;
    profile.wait_s[SC_WAIT_GIL] = 25.0;
    OWN(sc_report, report) = report_of(&profile);
    assert_true(finds(&report, "garbage collection takes 20% of the time"));
    /* a quarter of the time of a line whose share may be 8 points off */
    struct sc_file *file = fixture_file(&profile, "a.py");
    struct sc_line *line = fixture_line(file, "x = f()\n", 80.0, 0.0, 0.0);
    line->cost.gc_s = 2.0;
    line->cost.cpu_share_error = 8.0;
    report_again(&report, &profile);
    assert_true(finds(&report, "garbage collection takes 20 \u00b1 4% of the time"));
    assert_true(finds(&report, "threads waited 25.00 s for the interpreter lock"));
    assert_true(says(&report, "20% of the time the program was ready to run but had no CPU"));
    /* of a process that is over at once */
    profile.gc_s = 0.05;
    profile.time_s[SC_TIME_PYTHON] = 0.1;
    profile.time_s[SC_TIME_PREEMPTED_PYTHON] = 0.0;
    profile.elapsed_s = 0.1;
    report_again(&report, &profile);
    assert_false(finds(&report, "garbage collection takes"));
}

TEST(losses_are_described_by_what_they_mean)
{
    OWN(sc_profile, profile) = {.samples_taken = 990, .interval_s = 0.01, .target_cpu_s = 10.0};
    profile.handler_cpu_s = 0.01;
    profile.observer_cpu_s = 0.03;
    OWN(sc_report, report) = report_of(&profile);
    assert_true(says(&report, "990 samples of running threads, one per 10 ms of CPU time"));
    assert_true(says(&report, "nothing was lost"));
    assert_true(says(&report, "profiling took 40 ms of CPU time, 0.4% of the program's"));
    profile.losses[SC_LOSS_RING_FULL] = 10;
    profile.losses[SC_LOSS_TOO_DEEP] = 1;
    profile.losses[SC_LOSS_TREE] = 2;
    profile.losses[SC_LOSS_SILENT_FILE] = 3;
    report_again(&report, &profile);
    assert_false(says(&report, "nothing was lost"));
    assert_true(says(&report, "10 samples were lost (1.0%): 10 times the buffer"));
    assert_true(says(&report, "1 stack is not whole: 1 time "));
    assert_true(says(&report, "not everything could be followed: 2 times a child"));
    assert_true(says(&report, "some files could not be read: 3 times a file did not answer"));
}

TEST(hidden_time_and_notes_are_shown)
{
    OWN(sc_profile, profile) = {0};
    sc_vec_push(&profile.notes, sc_strdup("too short"));
    sc_vec_push(&profile.hidden_files,
                (struct sc_hidden_file){sc_strdup("/l/json.py"), sc_strdup("library"), 37.0});
    OWN(sc_report, report) = report_of(&profile);
    assert_string_equal(report.overview.quality.items[0], "too short");
    assert_true(says(&report, "37% of the time is in files that are not shown: /l/json.py 37%"));
}

/* A profile is foreign input: no number of it may hurt. */
TEST(absurd_numbers_do_no_harm)
{
    double values[] = {NAN, INFINITY, -INFINITY, -1.0, 1e300};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        double value = values[i];
        OWN(sc_profile, profile) = {.elapsed_s = value, .gc_s = value, .memory = true};
        struct sc_file *file = fixture_file(&profile, "a.py");
        struct sc_line *line = fixture_line(file, "for x in y:\n", value, value, value);
        line->region.start_outermost_loop = 1;
        line->region.end_outermost_loop = UINT32_MAX;
        line->cost.peak_mb = line->cost.usage_fraction = line->cost.copy_mb_s = value;
        line->cost.time_s[SC_TIME_IO] = value;
        sc_vec_push(&file->leaks, (struct sc_leak){1, value, value});
        fixture_thread(&profile, "t", value);
        profile.target_cpu_s = profile.max_footprint_mb = value;
        profile.time_s[SC_TIME_PYTHON] = profile.wait_s[SC_WAIT_GIL] = value;
        OWN(sc_report, report) = report_of(&profile);
        assert_int_equal(report.files.count, 1);
        for (int kind = 0; kind < SC_KIND_COUNT_; kind++)
            assert_true(report.overview.kinds[kind] >= 0.0);
    }
}
