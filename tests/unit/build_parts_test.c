/*
 * tests/unit/build_parts_test.c - what of a line's time was used for what: worker threads, imports,
 * waiting for the interpreter lock.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build_world.h"
#include "costs/ledger.h"

TEST(waits_for_the_lock_are_of_lines)
{
    WORLD(world);
    struct sc_pair_sums *waits = &world.collect.lock_waits;
    uint32_t line8 = at(&world, "Work.run@5:8"), line9 = at(&world, "Work.run@5:9");
    uint32_t below8 = at(&world, "Work.run@5:8|/usr/lib/json.py loads@3:7");
    uint32_t alone = at(&world, "/usr/lib/json.py loads@3:7");
    spend(&world, line8, SC_TIME_PYTHON, 10, 1);
    spend(&world, line9, SC_TIME_PYTHON, 10, 1);
    sc_pair_sums_add(waits, line9, line8, 1000000);
    sc_pair_sums_add(waits, line9, below8, 2000000); /* the line that calls it */
    sc_pair_sums_add(waits, line9, line8, 4000000);
    sc_pair_sums_add(waits, line8, line9, 9000000);
    sc_pair_sums_add(waits, line9, alone, 500000); /* of no line */
    sc_pair_sums_add(waits, 0, line9, 500000);
    assert_int_equal(waits->items.count, 5);
    build(&world, false);
    assert_int_equal(world.profile.gil_waits.count, 2);
    const struct sc_gil_wait *first = &world.profile.gil_waits.items[0];
    assert_int_equal(first[0].lineno, 8);
    assert_int_equal(first[0].holder_lineno, 9);
    near(first[0].wait_s, 0.009);
    assert_int_equal(first[1].lineno, 9);
    assert_int_equal(first[1].holder_lineno, 8);
    assert_string_equal(first[1].holder_file, world.program);
    near(first[1].wait_s, 0.007);
}

/* The lock of workers was waited for before a line was found that they work for. */
TEST(waits_for_the_lock_of_workers_are_of_the_line_they_work_for)
{
    WORLD(world);
    struct sc_pair_sums *waits = &world.collect.lock_waits;
    uint32_t line8 = at(&world, "Work.run@5:8"), line9 = at(&world, "Work.run@5:9");
    uint32_t held =
        sc_collect_worker(&world.collect, 0, 1, at(&world, "/usr/lib/json.py loads@3:7"));
    spend(&world, line8, SC_TIME_PYTHON, 10, 1);
    spend(&world, line9, SC_TIME_PYTHON, 10, 1);
    spend(&world, held, SC_TIME_PYTHON, 10, 1);
    sc_pair_sums_add(waits, line9, held, 3000000);
    sc_collect_move(&world.collect, held, line8);
    build(&world, false);
    assert_int_equal(world.profile.gil_waits.count, 1);
    assert_int_equal(world.profile.gil_waits.items[0].holder_lineno, 8);
}

TEST(imports_are_of_the_line_that_imports)
{
    WORLD(world);
#define FINDS "Work.run@5:8|<frozen importlib._bootstrap> _find_and_load@1:2"
    spend_at(&world, "Work.run@5:8", SC_TIME_PYTHON, 10, 1);
    spend_at(&world, FINDS, SC_TIME_PYTHON, 20, 2);
    spend_at(&world, FINDS "|/usr/lib/json.py <module>@3:7", SC_TIME_NATIVE, 30, 3);
    spend_at(&world, FINDS "|Work.run@5:9", SC_TIME_PYTHON, 40, 4); /* the program's module */
    build(&world, false);
    near(line(&world, 8)->importing_s, 0.05);
    near(line(&world, 9)->importing_s, 0);
    near(world.profile.importing_s, 0.05);
}

TEST(the_end_of_the_interpreter_is_at_no_line)
{
    WORLD(world);
    uint32_t ending = sc_collect_ending(&world.collect);
    uint32_t library = sc_collect_native(&world.collect, "/usr/lib/libzmq.so", 64);
    uint32_t closes = sc_collect_frame(&world.collect, ending, library, 0);
    assert_int_equal(sc_collect_ending(&world.collect), ending);
    spend_at(&world, "Work.run@5:8", SC_TIME_PYTHON, 50, 5);
    spend(&world, ending, SC_TIME_PYTHON, 20, 2);
    spend(&world, closes, SC_TIME_IO, 20, 2);
    spend_at(&world, "/usr/lib/libzmq.so+40", SC_TIME_NATIVE, 10, 1);
    sc_collect_cost(&world.collect, ending)->gc_ns = 5000000;
    build(&world, false);
    near(world.profile.ending_s, 0.04);
    near(world.profile.gc_s, 0.005);
    near(world.profile.files.items[0].percent_cpu_time, 50);
    assert_int_equal(world.profile.hidden_files.count, 0);
}

TEST(work_of_other_threads_is_distinguished)
{
    WORLD(world);
    uint32_t run = sc_collect_code(&world.collect, world.program, "Work.run", 5);
    uint32_t line8 = at(&world, "Work.run@5:8");
    uint32_t loads = at(&world, "/usr/lib/json.py loads@3:7");
    uint32_t handed = sc_collect_worker(&world.collect, line8, 0, loads);
    uint32_t own = sc_collect_frame(&world.collect, handed, run, 9);
    assert_true(sc_collect_is_workers(&world.collect, world.collect.nodes.items[handed].parent));
    assert_false(sc_collect_is_workers(&world.collect, handed));
    spend(&world, loads, SC_TIME_NATIVE, 30, 3);
    sc_collect_move(&world.collect, loads, handed);
    sc_collect_move(&world.collect, loads, handed); /* nothing is left */
    spend(&world, line8, SC_TIME_PYTHON, 10, 1);
    spend(&world, own, SC_TIME_PYTHON, 60, 6);
    build(&world, false);
    near(line(&world, 8)->cpu_native_percent, 30);
    near(line(&world, 8)->cpu_python_percent, 10);
    near(line(&world, 8)->worker_threads_s, 0.03);
    assert_int_equal(line(&world, 8)->samples, 4);
    /* what is in scope is its own line's, wherever it runs */
    near(line(&world, 9)->cpu_python_percent, 60);
    near(line(&world, 9)->worker_threads_s, 0);
    near(function(&world, "Work.run")->cost.worker_threads_s, 0.03);
    near(function(&world, "Work.run")->cost.cumulative_percent, 100);
}

/* Its text is compared with the names of its functions, and native code has none. */
TEST(a_script_without_a_suffix_has_its_text)
{
    WORLD(world);
    free(world.program);
    world.program = sc_format("%s/prog", world.directory);
    char *suffixed = sc_format("%s.py", world.program);
    assert_int_equal(rename(suffixed, world.program), 0);
    free(suffixed);
    spend_at(&world, "fib@11:12|/usr/lib/libz.so+40", SC_TIME_NATIVE, 10, 1);
    build(&world, false);
    assert_string_equal(world.profile.files.items[0].lines.items[10].text, "def fib(n):\n");
    near(line(&world, 12)->cpu_native_percent, 100);
}

/* What is resident is looked at now and then: the last look is not at the end of the run, and a
 * block may be seen to be touched after a look at which it was. */
TEST(only_what_looks_agree_on_is_not_accounted_for)
{
    enum { MB = 1 << 20 };
    static const struct {
        uint64_t allocated_ns;
        uint64_t look_ns[2]; /* of 40 MB; 0: none */
        double unaccounted_mb;
    } cases[] = {
        {.allocated_ns = 2, .look_ns = {3}, .unaccounted_mb = 0},
        {.allocated_ns = 3, .look_ns = {2, 4}, .unaccounted_mb = 0},
        {.allocated_ns = 2, .look_ns = {3, 7}, .unaccounted_mb = 30}, /* kept by the allocator */
    };
    WORLD(world);
    SC_AUTO(sc_owners_done) struct sc_owners owners = {0};
    sc_owners_init(&owners, &world.collect, &world.scope);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SC_AUTO(sc_ledger_done) struct sc_ledger ledger = {0};
        struct sc_ledger_allocation block = {.time_ns = cases[i].allocated_ns,
                                             .node = at(&world, "Work.run@5:8"),
                                             .size_bytes = 30 * MB,
                                             .weight_bytes = 30 * MB,
                                             .is_exact = true};
        struct sc_build_input input = {.collect = &world.collect,
                                       .scope = &world.scope,
                                       .ledger = &ledger,
                                       .elapsed_ns = 8,
                                       .measured_to_ns = 8};
        sc_ledger_init(&ledger, &owners);
        sc_ledger_rss(&ledger, 1, 10 * MB);
        for (size_t k = 0; k < 2 && cases[i].look_ns[k] > 0; k++)
            sc_ledger_rss(&ledger, cases[i].look_ns[k], 40 * MB);
        struct sc_ledger_block held = sc_ledger_allocate(&ledger, &block, true);
        sc_ledger_free(&ledger, &held, 6);
        sc_ledger_finish(&ledger, 8);
        sc_profile_done(&world.profile);
        sc_profile_build(&input, &world.profile);
        near(world.profile.max_rss_mb, 40);
        near(world.profile.unaccounted_mb, cases[i].unaccounted_mb);
    }
}
