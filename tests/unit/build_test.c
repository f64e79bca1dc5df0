/*
 * tests/unit/build_test.c - made-up stacks with costs, and the profile that must come of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/builder.h"
#include "build_world.h"
#include "costs/ledger.h"
#include "profile_lists.h"

TEST(every_kind_of_time_has_its_column)
{
    WORLD(world);
    uint32_t node = at(&world, "<module>@1:15");
    for (int kind = 0; kind < SC_TIME_COUNT_; kind++)
        spend(&world, node, (enum sc_time)kind, 1U << kind, 1);
    sc_collect_cost(&world.collect, node)->utilization_sum = 1.5;
    sc_collect_cost(&world.collect, node)->utilization_weight = 6;
    sc_collect_cost(&world.collect, node)->gc_ns = 500000000;
    sc_collect_cost(&world.collect, node)->freeing_ns = 2000000;
    sc_collect_cost(&world.collect, node)->wait_ns[SC_WAIT_LOCK] = 2000000000;
    build(&world, false);
    double total = (1 << SC_TIME_COUNT_) - 1;
    assert_cost(line(&world, 15), 100 * (1 + 16) / total, 100 * (2 + 8 + 32) / total,
                100 * (4 + 64 + 128 + 256 + 512) / total, 100);
    near(line(&world, 15)->core_utilization, 0.25);
    near(line(&world, 15)->time_s[SC_TIME_SLEEP], 0.256);
    near(line(&world, 15)->gc_s, 0.5);
    near(line(&world, 15)->freeing_s, 0.002);
    near(world.profile.freeing_s, 0.002);
    near(line(&world, 15)->wait_s[SC_WAIT_LOCK], 2);
    assert_cost(line(&world, 14), 0, 0, 0, 0);
    near(world.profile.files.items[0].percent_cpu_time, 100);
    near(world.profile.time_s[SC_TIME_OTHER_WAIT], 0.512);
    near(world.profile.wait_s[SC_WAIT_LOCK], 2);
    assert_int_equal(world.profile.files.items[0].functions.count, 0);

    build(&world, true);
    assert_cost(line(&world, 15), 100 * 1 / 11.0, 100 * (2 + 8) / 11.0, 0, 100);
    near(line(&world, 15)->time_s[SC_TIME_SLEEP], 0);
    near(world.profile.time_s[SC_TIME_IO], 0);
    near(world.profile.time_s[SC_TIME_PARALLEL], 0.008);
}

TEST(every_line_of_the_source_has_a_record)
{
    WORLD(world);
    spend_at(&world, "<module>@1:14", SC_TIME_PYTHON, 10, 1);
    spend_at(&world, "<module>@1:99", SC_TIME_PYTHON, 10, 1);
    build(&world, false);
    assert_int_equal(world.profile.files.count, 1);
    const struct sc_file *file = &world.profile.files.items[0];
    assert_string_equal(file->name, world.program);
    assert_int_equal(file->lines.count, 15);
    for (uint32_t i = 0; i < 15; i++)
        assert_int_equal(file->lines.items[i].lineno, i + 1);
    assert_string_equal(file->lines.items[0].text, "import sys\n");
    assert_string_equal(file->lines.items[13].text, "key = lambda x: x\n");
    assert_string_equal(file->lines.items[14].text, "Work.run(10) or fib(20)\n");
    assert_int_equal(file->lines.items[7].region.start_region_line, 7);
    assert_int_equal(file->lines.items[7].region.end_region_line, 8);
    assert_true(file->lines.items[7].region.start_function_line >= 5);
    assert_true(file->lines.items[7].region.start_function_line <= 6);
    assert_int_equal(file->lines.items[7].region.end_function_line, 9);
    assert_int_equal(file->lines.items[14].region.start_function_line, 0);
    /* line 99 is not in the source, but its time is the file's */
    near(file->percent_cpu_time, 100);
    near(line(&world, 14)->cpu_python_percent, 50);
    assert_int_equal(file->imports.count, 1);
    assert_string_equal(file->imports.items[0], "import sys");
}

#define DECODE "/usr/lib/python3.11/json/decoder.py JSONDecoder.decode@300:"

TEST(library_time_goes_to_the_caller_in_scope)
{
    WORLD(world);
    static const char *const libraries[] = {"/usr/lib/python3.11"};
    world.scope.library_dirs = libraries;
    world.scope.library_dir_count = 1;
    spend_at(&world, "<module>@1:8|" DECODE "310", SC_TIME_NATIVE, 30, 3);
    spend_at(&world, DECODE "311", SC_TIME_PYTHON, 50, 5);
    spend_at(&world, "<frozen importlib._bootstrap> _find@1000:1001", SC_TIME_PYTHON, 15, 1);
    spend(&world, 0, SC_TIME_NATIVE, 5, 1); /* a native thread */
    build(&world, false);
    assert_cost(line(&world, 8), 0, 30, 0, 30);
    near(world.profile.files.items[0].percent_cpu_time, 30);
    assert_int_equal(world.profile.hidden_files.count, 2);
    assert_hidden(&world, 0, "/usr/lib/python3.11/json/decoder.py", "library", 50);
    assert_hidden(&world, 1, "<frozen importlib._bootstrap>", "internal", 15);
}

TEST(functions_are_defs)
{
    WORLD(world);
    /* as before 3.11: names without their classes; the code of a decorated def begins at the @ */
    spend_at(&world, "<module>@1:15|Work@3:4", SC_TIME_PYTHON, 10, 1);
    spend_at(&world, "<module>@1:15|run@5:8", SC_TIME_NATIVE, 60, 6);
    spend_at(&world, "<module>@1:15|run@5:9|<listcomp>@9:9", SC_TIME_PYTHON, 20, 2);
    spend_at(&world, "<module>@1:15|<lambda>@14:14", SC_TIME_PYTHON, 10, 1);
    build(&world, false);
    assert_int_equal(world.profile.files.items[0].functions.count, 1);
    const struct sc_function *found = function(&world, "Work.run");
    assert_int_equal(found->lineno, 5);
    assert_cost(&found->cost, 20, 60, 0, 80);
    assert_int_equal(found->cost.samples, 8);
    assert_cost(line(&world, 9), 20, 0, 0, 20);
    assert_cost(line(&world, 15), 0, 0, 0, 100);
}

TEST(qualified_names_are_believed)
{
    WORLD(world);
    spend_at(&world, "Work.run@5:9|Work.run.<locals>.<listcomp>@9:9", SC_TIME_PYTHON, 30, 3);
    spend_at(&world, "make.<locals>.made@200:0", SC_TIME_PYTHON, 10, 1);
    build(&world, false);
    assert_cost(&function(&world, "Work.run")->cost, 75, 0, 0, 75);
    assert_cost(&function(&world, "make.<locals>.made")->cost, 25, 0, 0, 25);
    assert_int_equal(function(&world, "make.<locals>.made")->lineno, 200);
}

TEST(recursion_counts_once)
{
    WORLD(world);
    uint32_t fib = sc_collect_code(&world.collect, world.program, "fib", 11);
    uint32_t node = at(&world, "<module>@1:15");
    for (int depth = 0; depth < 20000; depth++) {
        node = sc_collect_frame(&world.collect, node, fib, 12);
        spend(&world, node, SC_TIME_PYTHON, 1, 1);
    }
    spend_at(&world, "Work.run@5:8|fib@11:12", SC_TIME_PYTHON, 20000, 1);
    build(&world, false);
    assert_cost(line(&world, 12), 100, 0, 0, 100);
    assert_cost(&function(&world, "fib")->cost, 100, 0, 0, 100);
    assert_cost(line(&world, 15), 0, 0, 0, 50);
    assert_cost(line(&world, 8), 0, 0, 0, 50);
    assert_cost(&function(&world, "Work.run")->cost, 0, 0, 0, 50);
}

TEST(small_files_are_hidden_and_named)
{
    WORLD(world);
    SC_AUTO_FREE char *small = sc_format("%s/small.py", world.directory);
    SC_AUTO_FREE char *in_small = sc_format("%s <module>@1:1", small);
    write_source(small, "pass\n");
    spend_at(&world, "<module>@1:1", SC_TIME_PYTHON, 991, 99);
    spend_at(&world, in_small, SC_TIME_PYTHON, 9, 1);
    build(&world, false);
    assert_int_equal(world.profile.files.count, 1);
    near(world.profile.files.items[0].percent_cpu_time, 99.1);
    assert_int_equal(world.profile.hidden_files.count, 1);
    assert_hidden(&world, 0, small, "threshold", 0.9);
    world.scope.cpu_percent_threshold = 0.9;
    build(&world, false);
    assert_int_equal(world.profile.files.count, 2);
    assert_string_equal(world.profile.files.items[0].name, world.program);
    assert_string_equal(world.profile.files.items[1].name, small);
    (void)unlink(small);
}

TEST(code_without_source_has_its_numbers_and_names)
{
    WORLD(world);
    SC_AUTO_FREE char *gone = sc_format("%s/gone.py", world.directory);
    SC_AUTO_FREE char *in_gone = sc_format("%s Work.run@4:7", gone);
    spend_at(&world, in_gone, SC_TIME_PYTHON, 91, 9);
    spend_at(&world, "<frozen x> <module>@1:1", SC_TIME_PYTHON, 9, 1);
    build(&world, false);
    assert_int_equal(world.profile.files.count, 1);
    assert_string_equal(world.profile.files.items[0].name, gone);
    assert_int_equal(world.profile.files.items[0].lines.count, 7);
    assert_string_equal(world.profile.files.items[0].lines.items[6].text, "\n");
    assert_cost(line(&world, 7), 91, 0, 0, 91);
    assert_cost(&function(&world, "Work.run")->cost, 91, 0, 0, 91);
    assert_int_equal(function(&world, "Work.run")->lineno, 4);
    assert_int_equal(world.profile.hidden_files.count, 1);
    assert_hidden(&world, 0, "<frozen x>", "internal", 9);
}

/* Each with a line that was met and has allocated: a look at all of them for each would take
 * minutes. */
TEST(files_without_end_are_no_danger)
{
    enum { FILES = 100000 };
    WORLD(world);
    struct sc_owners owners;
    struct sc_ledger ledger;
    sc_owners_init(&owners, &world.collect, &world.scope);
    sc_ledger_init(&ledger, &owners);
    struct sc_ledger_allocation allocation = {
        .size_bytes = 99, .weight_bytes = 99, .is_exact = true};
    for (uint32_t i = 1; i <= FILES; i++) {
        SC_AUTO_FREE char *stack = sc_format("[%u] <module>@1:%u", i, i == FILES ? 2 : 1);
        allocation.node = at(&world, stack);
        spend(&world, allocation.node, SC_TIME_PYTHON, i == FILES ? FILES : 1, 1);
        (void)sc_ledger_allocate(&ledger, &allocation, true);
    }
    struct sc_build_input input = {
        .collect = &world.collect, .scope = &world.scope, .ledger = &ledger};
    sc_ledger_finish(&ledger, 1);
    sc_profile_build(&input, &world.profile);
    assert_int_equal(world.profile.files.count, 1);
    assert_string_equal(world.profile.files.items[0].name, "[100000]");
    assert_int_equal(world.profile.files.items[0].lines.count, 2);
    assert_int_equal(world.profile.files.items[0].lines.items[1].cost.mallocs, 1);
    sc_ledger_done(&ledger);
    sc_owners_done(&owners);
}

/* The one after another is in what that one is in: a look at all before it would take minutes. */
TEST(functions_without_end_are_no_danger)
{
    enum { FUNCTIONS = 300000 };
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    struct sc_builder_file file = {0};
    for (int i = 1; i <= FUNCTIONS; i++)
        sc_str_add_format(&text, "def f%d(): 0\n", i);
    sc_str_add(&text, "class A:\n def f(self):\n  def g(): 0\n  return 1\n def h(self): 0\n");
    sc_source_init(&file.source, text.data, text.length);
    sc_builder_find_scopes(&file);
    assert_int_equal(file.scopes.count, FUNCTIONS + 4);
    const struct sc_builder_scope *last = file.scopes.items + FUNCTIONS;
    assert_string_equal(last[-1].name, "f300000");
    assert_string_equal(last[2].name, "A.f.<locals>.g");
    assert_string_equal(last[3].name, "A.h");
    sc_builder_file_done(&file);
}

TEST(at_most_twenty_hidden_files_are_named)
{
    WORLD(world);
    for (uint32_t i = 1; i <= 30; i++) {
        SC_AUTO_FREE char *stack = sc_format("/elsewhere/%u.py f@1:1", i);
        spend_at(&world, stack, SC_TIME_PYTHON, i, 1);
    }
    build(&world, false);
    assert_true(sc_profile_is_empty(&world.profile));
    assert_int_equal(world.profile.hidden_files.count, 20);
    assert_hidden(&world, 0, "/elsewhere/30.py", "outside", 100 * 30 / 465.0);
    assert_hidden(&world, 19, "/elsewhere/11.py", "outside", 100 * 11 / 465.0);
}

/* Samples of 10 ms each, of which every fourth is at the one node. */
static void sample_in_turn(struct world *world, uint32_t one, uint32_t others, int count)
{
    struct sc_sequence_thread thread = {0};
    for (int i = 0; i < count; i++) {
        uint32_t node = i % 4 == 0 ? one : others;
        spend(world, node, SC_TIME_PYTHON, 10, 1);
        sc_collect_sampled(&world->collect, &thread, node, 10000000);
    }
}

/* Wilson's half width for 25 of 100 samples is 8.408 points; half of the time is on the CPU. That
 * the one line is never met twice in a row says that it scatters more: by as much as the square of
 * its share. */
TEST(the_error_is_that_of_the_sampled_part)
{
    WORLD(world);
    sample_in_turn(&world, at(&world, "<module>@1:1"), at(&world, "<module>@1:4"), 100);
    spend_at(&world, "<module>@1:15", SC_TIME_SLEEP, 1000, 0);
    build(&world, false);
    double z = 1.959963984540054;
    double count = 100 * 0.75 * 24 / 25; /* 0.25 * 0.75 * 100^2 / 25, of 25 samples */
    double half = z * sqrt(0.25 * 0.75 / count + z * z / (4 * count * count));
    half /= 1 + z * z / count;
    near(line(&world, 1)->cpu_share_error, 100 * half / 2);
    near(line(&world, 15)->cpu_share_error, 0);
    assert_int_equal(line(&world, 1)->samples, 25);
}

/* 100 samples at the one, then 100 at the other: only the edge between them may be wrong. */
TEST(a_line_that_is_met_at_a_stretch_is_wrong_by_its_ends)
{
    WORLD(world);
    struct sc_sequence_thread thread = {0};
    for (int i = 0; i < 200; i++) {
        uint32_t node = at(&world, i < 100 ? "<module>@1:1" : "<module>@1:4");
        spend(&world, node, SC_TIME_PYTHON, 10, 1);
        sc_collect_sampled(&world.collect, &thread, node, 10000000);
    }
    build(&world, false);
    /* two ends of a twelfth of the square of 10 ms each, of 2 s */
    double expected = 100 * 1.959963984540054 * 0.01 * sqrt(2.0 / 12) / 2;
    assert_true(fabs(line(&world, 1)->cpu_share_error / expected - 1) < 0.01);
    assert_true(fabs(line(&world, 4)->cpu_share_error / expected - 1) < 0.01);
}

TEST(moments_are_sorted_and_at_most_500)
{
    WORLD(world);
    uint32_t one = at(&world, "<module>@1:1");
    uint32_t below = at(&world, "<module>@1:4|/usr/lib/x.py f@1:1");
    spend(&world, one, SC_TIME_PYTHON, 1, 1);
    spend(&world, below, SC_TIME_PYTHON, 1, 1);
    for (int i = 2000; i > 0; i--)
        sc_collect_moment(&world.collect, i, one);
    sc_collect_moment(&world.collect, 7.5, below);
    sc_collect_moment(&world.collect, 6.5, below);
    sc_collect_moment(&world.collect, 6.5, 0);
    build(&world, false);
    assert_int_equal(line(&world, 1)->cpu_samples.count, 500);
    for (size_t i = 1; i < 500; i++)
        assert_true(line(&world, 1)->cpu_samples.items[i - 1] <
                    line(&world, 1)->cpu_samples.items[i]);
    near(line(&world, 1)->cpu_samples.items[0], 1);
    assert_int_equal(line(&world, 4)->cpu_samples.count, 2);
    near(line(&world, 4)->cpu_samples.items[0], 6.5);
}

TEST(threads_are_copied)
{
    WORLD(world);
    uint32_t at = sc_collect_thread(&world.collect, 70, 77);
    struct sc_thread_cost *thread = &world.collect.threads.items[at];
    strcpy(thread->name, "MainThread");
    thread->is_main = thread->ended = true;
    thread->cpu_ns = 1500000000;
    thread->samples = 3;
    thread->time_ns[SC_TIME_NATIVE] = 1000000000;
    thread->time_ns[SC_TIME_SLEEP] = 1000000000;
    thread->wait_ns[SC_WAIT_GIL] = 250000000;
    build(&world, true);
    assert_int_equal(world.profile.threads.count, 1);
    assert_int_equal(world.profile.threads_ended, 1);
    assert_string_equal(world.profile.threads.items[0].name, "MainThread");
    near(world.profile.threads.items[0].cpu_s, 1.5);
    near(world.profile.threads.items[0].time_s[SC_TIME_NATIVE], 1);
    near(world.profile.threads.items[0].time_s[SC_TIME_SLEEP], 0); /* virtual time */
    near(world.profile.threads.items[0].wait_s[SC_WAIT_GIL], 0.25);
    assert_true(world.profile.threads.items[0].is_main);
}

TEST(a_source_changed_after_the_start_is_marked)
{
    WORLD(world);
    spend_at(&world, "<module>@1:1", SC_TIME_PYTHON, 1, 1);
    struct stat status;
    assert_int_equal(stat(world.program, &status), 0);
    uint64_t changed_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    for (uint64_t later = 0; later < 2; later++) {
        struct sc_build_input input = {.collect = &world.collect,
                                       .scope = &world.scope,
                                       .program_start_realtime_ns = changed_ns - 1 + later};
        sc_profile_done(&world.profile);
        sc_profile_build(&input, &world.profile);
        assert_int_equal(world.profile.files.items[0].source_changed, later == 0);
    }
}

TEST(nothing_collected_is_an_empty_profile)
{
    WORLD(world);
    build(&world, false);
    assert_true(sc_profile_is_empty(&world.profile));
    assert_int_equal(world.profile.hidden_files.count, 0);
}

static size_t two_names(void *context, const char *module, uint64_t offset,
                        struct sc_native_name ret_names[SC_NATIVE_NAMES_MAX])
{
    ret_names[0] = (struct sc_native_name){"alone", 0};
    if (strcmp(module, "/usr/lib/libz.so.1") != 0)
        return offset == 0x20 ? 0 : 1;
    ret_names[0] = (struct sc_native_name){"deflate", offset - 0x40};
    ret_names[1] = (struct sc_native_name){"longest_match", 0};
    return 2;
}

/* A native frame costs its line, is in no file, and stands where it was called. */
TEST(native_frames_belong_to_their_line)
{
    WORLD(world);
#define DEFLATE "Work.run@5:8|/usr/lib/python3/zlib.py work@1:2|/own.so+20|/usr/lib/libz.so.1+44"
    uint32_t run = at(&world, "Work.run@5:8");
    uint32_t kernel = at(&world, DEFLATE "|" SC_MODULE_KERNEL "+0");
    spend(&world, run, SC_TIME_PYTHON, 30, 3);
    spend_at(&world, DEFLATE, SC_TIME_NATIVE, 50, 5);
    spend(&world, kernel, SC_TIME_KERNEL, 20, 2);
    spend_at(&world, "/own.so+10", SC_TIME_PARALLEL, 100, 0);
    sc_timeline_add(&world.collect.timeline, 1000000000, 0, run, 30000000);
    sc_timeline_add(&world.collect.timeline, 1030000000, 0, kernel, 20000000);
    sc_collect_thread(&world.collect, 70, 77);
    struct sc_build_input input = {.collect = &world.collect,
                                   .scope = &world.scope,
                                   .stacks = true,
                                   .interval_ns = 10000000,
                                   .namer = two_names};
    sc_profile_build(&input, &world.profile);
    assert_int_equal(world.profile.files.count, 1);
    assert_cost(line(&world, 8), 15, 25, 10, 50);
    near(world.profile.stacks_percent, 100);
    /* heaviest first; a native frame of another file stands alone */
    static const char *const order[] = {
        "\"alone\"",     "\"native\"", "10]",      "\"Work.run\"", "\"deflate\"",
        "longest_match", "5]",         "Work.run", "\"line\":8",   "3]",
        "longest_match", "[kernel]",   "2]",
    };
    SC_AUTO_FREE char *combined = list_of(&world.profile, "combined_stacks");
    SC_AUTO_FREE char *stacks = list_of(&world.profile, "stacks");
    SC_AUTO_FREE char *runs = list_of(&world.profile, "combined_stacks_timeline");
    const char *at = combined;
    for (size_t i = 0; at != NULL && i < sizeof(order) / sizeof(order[0]); i++)
        at = strstr(at, order[i]);
    if (at == NULL)
        fail_msg("not in order: %s", combined);
    assert_non_null(strstr(stacks, "prog.py Work.run:8;\""));
    assert_non_null(strstr(stacks, "\"c_time\":0.25"));
    assert_non_null(strstr(runs, "\"t_sec\":0.03"));
    assert_non_null(strstr(runs, "\"thread_id\":77"));
}
