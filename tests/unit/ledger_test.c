/*
 * tests/unit/ledger_test.c - memory by line over time: peaks, what was alive at the peak of all,
 * curves, leaks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/mem.h"
#include "costs/leak.h"
#include "sc_test.h"

#define MB     ((uint64_t)1 << 20)
#define SECOND ((uint64_t)1000000000)

struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_ledger ledger;
    uint32_t here;  /* a line in scope */
    uint32_t there; /* another one */
    uint32_t deep;  /* a library that the first one calls */
    uint32_t in_c;  /* a native function that the first one calls */
};

static void world_init(struct world *world)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    sc_collect_init(&world->collect, 0, 0);
    uint32_t code = sc_collect_code(&world->collect, "/nowhere/a.py", "<module>", 1);
    uint32_t library = sc_collect_code(&world->collect, "/elsewhere/b.py", "f", 1);
    world->here = sc_collect_frame(&world->collect, 0, code, 10);
    world->there = sc_collect_frame(&world->collect, 0, code, 20);
    world->deep = sc_collect_frame(&world->collect, world->here, library, 5);
    uint32_t native = sc_collect_native(&world->collect, "/elsewhere/c.so", 16);
    world->in_c = sc_collect_frame(&world->collect, world->here, native, 0);
    sc_owners_init(&world->owners, &world->collect, &world->scope);
    sc_ledger_init(&world->ledger, &world->owners);
}

static void world_done(struct world *world)
{
    sc_ledger_done(&world->ledger);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->collect);
}

static struct sc_ledger_block give(struct world *world, uint32_t node, uint64_t bytes,
                                   uint64_t time_ns)
{
    struct sc_ledger_allocation allocation = {.time_ns = time_ns,
                                              .node = node,
                                              .size_bytes = bytes,
                                              .weight_bytes = bytes,
                                              .is_pythons = node == world->here,
                                              .is_exact = true};
    return sc_ledger_allocate(&world->ledger, &allocation, true);
}

static void copy(struct world *world, uint32_t node, uint64_t bytes)
{
    struct sc_ledger_copied copied = {.node = node, .bytes = bytes};
    sc_ledger_copy(&world->ledger, &copied);
}

TEST(peaks_are_sums_of_what_lives_at_once)
{
    WORLD(world);
    struct sc_ledger_block first = give(&world, world.here, 10 * MB, 1 * SECOND);
    struct sc_ledger_block second = give(&world, world.deep, 5 * MB, 2 * SECOND);
    struct sc_ledger_block third = give(&world, world.there, 1 * MB, 3 * SECOND);
    assert_int_equal(first.line, second.line); /* the library's is its caller's */
    sc_ledger_free(&world.ledger, &first, 4 * SECOND);
    struct sc_ledger_block fourth = give(&world, world.there, 8 * MB, 5 * SECOND);
    sc_ledger_finish(&world.ledger, 6 * SECOND);
    const struct sc_ledger_account *here = &world.ledger.lines.items[first.line];
    const struct sc_ledger_account *there = &world.ledger.lines.items[third.line];
    assert_int_equal(fourth.line, third.line);
    assert_int_equal(here->peak_bytes, 15 * MB);
    assert_int_equal(there->peak_bytes, 9 * MB);
    assert_int_equal(world.ledger.all.peak_bytes, 16 * MB);
    assert_int_equal(here->at_peak_bytes, 15 * MB);
    assert_int_equal(there->at_peak_bytes, 1 * MB);
    assert_int_equal(here->live_bytes, 5 * MB);
    assert_int_equal(there->live_bytes, 9 * MB);
    /* the library's stack is its own */
    const uint64_t at_peak[] = {10 * MB, 5 * MB, 1 * MB};
    const uint64_t at_exit[] = {0, 5 * MB, 9 * MB};
    assert_int_equal(world.ledger.stacks.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(world.ledger.stacks.items[i].at_peak_bytes, at_peak[i]);
        assert_int_equal(world.ledger.stacks.items[i].live_bytes, at_exit[i]);
    }
    assert_int_equal(world.ledger.peak_line, third.line);
    assert_int_equal(world.ledger.peak_python_bytes, 10 * MB);
    /* 10 MB for one second, 15 for two, 5 for two */
    assert_true(here->mean_live_bytes == 50.0 * (double)MB / 5);
}

TEST(what_was_touched_is_seen_late_and_leaves_the_peak_to_its_line)
{
    WORLD(world);
    struct sc_ledger_allocation array = {.time_ns = 1 * SECOND,
                                         .node = world.here,
                                         .size_bytes = 200 * MB,
                                         .untouched_bytes = 195 * MB,
                                         .weight_bytes = 200 * MB,
                                         .is_exact = true};
    struct sc_ledger_block early = sc_ledger_allocate(&world.ledger, &array, true);
    struct sc_ledger_block peak = give(&world, world.there, 50 * MB, 3 * SECOND);
    assert_int_equal(world.ledger.peak_line, peak.line);
    sc_ledger_touch(&world.ledger, &early, 16 * MB, 2 * SECOND, 4 * SECOND);
    assert_int_equal(world.ledger.all.peak_bytes, 66 * MB);
    assert_int_equal(world.ledger.peak_line, peak.line);
    /* more than the other has allocated */
    sc_ledger_touch(&world.ledger, &early, 67 * MB, 2 * SECOND, 5 * SECOND);
    assert_int_equal(world.ledger.peak_line, early.line);
    /* what came after it, however little */
    (void)give(&world, world.there, 50 * MB, 6 * SECOND);
    sc_ledger_touch(&world.ledger, &early, 68 * MB, 7 * SECOND, 8 * SECOND);
    assert_int_equal(world.ledger.peak_line, early.line);
}

static uint64_t whole_of(const struct sc_live_moment *moment)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < moment->parts.count; i++)
        sum += moment->parts.items[i].bytes;
    return sum;
}

TEST(stacks_are_noted_at_some_moments)
{
    WORLD(world);
    const struct sc_live_moments *moments = &world.ledger.moments;
    struct sc_ledger_block first = give(&world, world.here, 10 * MB, 1 * SECOND);
    (void)give(&world, world.deep, 5 * MB, 2 * SECOND);
    sc_ledger_free(&world.ledger, &first, 4 * SECOND);
    /* each moment is what was so since the change before */
    assert_int_equal(moments->items.count, 2);
    assert_int_equal(moments->items.items[0].time_ns, 1 * SECOND);
    assert_int_equal(whole_of(&moments->items.items[0]), 10 * MB);
    assert_int_equal(moments->items.items[1].time_ns, 2 * SECOND);
    assert_int_equal(moments->items.items[1].parts.count, 2);
    assert_int_equal(whole_of(&moments->items.items[1]), 15 * MB);
    struct sc_live_moment now;
    sc_live_moment_of(moments, &world.ledger.stacks, &now);
    assert_int_equal(now.parts.count, 1);
    assert_int_equal(whole_of(&now), 5 * MB);
    assert_int_equal(now.time_ns, 4 * SECOND);
    sc_live_moment_done(&now);
    /* of a longer run not more of them, still from its whole length, and no small parts */
    (void)give(&world, world.here, 1000, 5 * SECOND);
    for (uint64_t i = 6; i < 1000; i++)
        (void)give(&world, world.there, MB, i * SECOND);
    assert_in_range(moments->items.count, SC_LIVE_MOMENTS / 2, SC_LIVE_MOMENTS);
    assert_int_equal(moments->items.items[0].time_ns, 1 * SECOND);
    for (size_t i = 1; i < moments->items.count; i++) {
        const struct sc_live_moment *moment = &moments->items.items[i];
        uint64_t since_ns = moment->time_ns - moments->items.items[i - 1].time_ns;
        assert_in_range(since_ns, 1, 100 * SECOND);
        assert_int_equal(whole_of(moment), (5 + moment->time_ns / SECOND - 5) * MB);
    }
}

TEST(what_is_in_no_scope_is_kept_apart)
{
    WORLD(world);
    struct sc_ledger_block native = give(&world, 0, 3 * MB, 1);
    copy(&world, 0, 7);
    copy(&world, world.there, 9);
    assert_int_equal(native.line, 0);
    assert_int_equal(world.ledger.native_bytes, 3 * MB);
    assert_int_equal(world.ledger.lines.items[0].copied_bytes, 7);
    assert_int_equal(world.ledger.all.copied_bytes, 16);
}

/* Each of them is met for the first time by its copy; so accounts move while they are charged. */
TEST(copies_of_many_lines_are_all_charged)
{
    WORLD(world);
    for (uint32_t i = 0; i < 1000; i++) {
        SC_AUTO_FREE char *name = sc_format("f%u", i);
        uint32_t code = sc_collect_code(&world.collect, "/nowhere/a.py", name, i);
        copy(&world, sc_collect_frame(&world.collect, 0, code, i + 1), i);
    }
    assert_int_equal(world.ledger.lines.count, 1001);
    assert_int_equal(world.ledger.functions.count, 1001);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(world.ledger.lines.items[i + 1].copied_bytes, i);
        assert_int_equal(world.ledger.functions.items[i + 1].copied_bytes, i);
    }
}

/* A line that allocates 1 MB every 100 ms for 10 s and keeps it for so many rounds. */
static double leak_of(struct world *world, int kept_rounds, int until_round, double *ret_mb_s)
{
    struct sc_ledger_block blocks[100];
    for (int i = 0; i < 100; i++) {
        uint64_t now_ns = (uint64_t)i * SECOND / 10;
        if (i < until_round)
            blocks[i] = give(world, world->here, MB, now_ns);
        if (i >= kept_rounds && i - kept_rounds < until_round)
            sc_ledger_free(&world->ledger, &blocks[i - kept_rounds], now_ns);
    }
    sc_ledger_finish(&world->ledger, 10 * SECOND);
    return sc_leak_of(&world->ledger, &world->ledger.lines.items[1], 0, 10 * SECOND, ret_mb_s);
}

TEST(only_a_line_that_keeps_and_goes_on_leaks)
{
    static const struct {
        int kept_rounds;
        int until_round;
        bool leaks;
    } cases[] = {
        {100, 100, true}, /* keeps everything */
        {1, 100, false},  /* frees at once */
        {40, 100, false}, /* a queue: grows, then stays */
        {100, 40, false}, /* a cache that fills and stops */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double mb_s = 0;
        WORLD(world);
        double likelihood = leak_of(&world, cases[i].kept_rounds, cases[i].until_round, &mb_s);
        assert_int_equal(likelihood > 0, cases[i].leaks);
        if (cases[i].leaks) {
            assert_true(likelihood >= 0.95 && likelihood <= 1);
            assert_true(mb_s > 9 && mb_s < 11);
        }
    }
}

/* Each round gives temporaries that live for so many rounds, and keeps one block. */
static double leak_beside(struct world *world, int temporaries, int rounds_alive, double *ret_mb_s)
{
    struct sc_ledger_block blocks[100][10];
    for (int i = 0; i < 100; i++) {
        uint64_t now_ns = (uint64_t)i * SECOND / 10;
        give(world, world->here, MB, now_ns);
        for (int j = 0; j < temporaries; j++)
            blocks[i][j] = give(world, world->here, MB, now_ns);
        for (int j = 0; i >= rounds_alive && j < temporaries; j++)
            sc_ledger_free(&world->ledger, &blocks[i - rounds_alive][j], now_ns);
    }
    sc_ledger_finish(&world->ledger, 10 * SECOND);
    return sc_leak_of(&world->ledger, &world->ledger.lines.items[1], 0, 10 * SECOND, ret_mb_s);
}

TEST(temporaries_do_not_hide_a_leak)
{
    OWN(world, world);
    double mb_s = 0;
    world_init(&world);
    assert_true(leak_beside(&world, 10, 1, &mb_s) >= 0.95);
    assert_true(mb_s > 9 && mb_s < 11);
    world_done(&world);
    world_init(&world); /* what lives for seconds is no temporary */
    assert_true(leak_beside(&world, 10, 30, &mb_s) == 0);
}

/* Each round makes everything anew, and more of it. */
/* A process keeps 1 MB every 200 ms; then it ends, and another goes on for a second. */
TEST(the_end_of_a_worker_does_not_hide_its_leak)
{
    WORLD(world);
    struct sc_ledger_block blocks[125];
    double mb_s = 0;
    for (uint64_t i = 0; i < 125; i++)
        blocks[i] = give(&world, world.here, MB, (5 + i) * SECOND / 5);
    sc_leaks_of_worker(&world.ledger, 7 * SECOND, 26 * SECOND);
    assert_true(world.ledger.lines.items[1].worker_leak == 0); /* a job, which keeps its result */
    sc_leaks_of_worker(&world.ledger, SECOND, 26 * SECOND);
    for (size_t i = 0; i < 125; i++)
        sc_ledger_free(&world.ledger, &blocks[i], 26 * SECOND);
    sc_ledger_finish(&world.ledger, 27 * SECOND);
    const struct sc_ledger_account *line = &world.ledger.lines.items[1];
    assert_int_equal(line->live_bytes, 0);
    assert_true(sc_leak_of(&world.ledger, line, 0, 27 * SECOND, &mb_s) >= 0.95);
    assert_true(mb_s > 4.5 && mb_s < 6);
}

TEST(what_is_made_anew_is_no_leak)
{
    struct sc_ledger_block blocks[100];
    double mb_s = 0;
    WORLD(world);
    for (int i = 1; i <= 100; i++) {
        uint64_t now_ns = (uint64_t)i * SECOND / 10;
        for (int j = 0; j < i - 1; j++)
            sc_ledger_free(&world.ledger, &blocks[j], now_ns);
        for (int j = 0; j < i; j++)
            blocks[j] = give(&world, world.here, MB, now_ns);
    }
    sc_ledger_finish(&world.ledger, 10 * SECOND + 1);
    assert_int_equal(world.ledger.lines.items[1].live_bytes, 100 * MB);
    assert_true(
        sc_leak_of(&world.ledger, &world.ledger.lines.items[1], 0, 10 * SECOND + 1, &mb_s) == 0);
}

/* In a short run, a program that keeps most of what it allocates builds what it will use. */
TEST(a_short_run_shows_a_leak_where_most_is_given_back)
{
    static const struct {
        double run_s;
        int temporaries; /* for each block that is kept */
        bool leaks;
    } cases[] = {{2.4, 3, true}, {2.4, 1, false}, {3.2, 1, true}, {1.4, 3, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double mb_s = 0;
        uint64_t end_ns = (uint64_t)(cases[i].run_s * (double)SECOND);
        WORLD(world);
        for (uint64_t j = 0; j < 100; j++) {
            uint64_t now_ns = j * end_ns / 100;
            give(&world, world.here, MB, now_ns);
            for (int k = 0; k < cases[i].temporaries; k++) {
                struct sc_ledger_block block = give(&world, world.there, MB, now_ns);
                sc_ledger_free(&world.ledger, &block, now_ns);
            }
        }
        sc_ledger_finish(&world.ledger, end_ns);
        const struct sc_ledger_account *line = &world.ledger.lines.items[1];
        assert_int_equal(sc_leak_of(&world.ledger, line, 0, end_ns, &mb_s) > 0, cases[i].leaks);
    }
}

/* A document that one call parses looks like a leak; only a long run shows whether it is one. */
TEST(what_a_library_keeps_is_judged_later)
{
    static const struct {
        unsigned run_s;
        unsigned own_of_ten; /* blocks that the line itself allocates */
        bool leaks;
    } cases[] = {{10, 0, false}, {10, 4, false}, {10, 6, true}, {10, 10, true}, {20, 0, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        double mb_s = 0;
        uint64_t end_ns = cases[i].run_s * SECOND;
        WORLD(world);
        for (unsigned j = 0; j < 100; j++) {
            uint32_t own = j % 2 == 0 ? world.here : world.in_c;
            give(&world, j % 10 < cases[i].own_of_ten ? own : world.deep, MB, j * end_ns / 100);
        }
        sc_ledger_finish(&world.ledger, end_ns);
        assert_int_equal(world.ledger.lines.count, 2);
        assert_int_equal(sc_leak_of(&world.ledger, &world.ledger.lines.items[1], 0, end_ns, &mb_s) >
                             0,
                         cases[i].leaks);
    }
}

/* A small object that a sample of one point was taken of. */
static struct sc_ledger_block sample(struct world *world, struct sc_succession *succession,
                                     uint32_t node, uint64_t time_ns)
{
    struct sc_ledger_allocation allocation = {.time_ns = time_ns,
                                              .node = node,
                                              .size_bytes = 100,
                                              .weight_bytes = 8000,
                                              .is_pythons = true,
                                              .points = 1,
                                              .succession = succession};
    return sc_ledger_allocate(&world->ledger, &allocation, true);
}

static void assert_scatter(const struct sc_scatter *scatter, double samples, double next,
                           double next_but_one)
{
    double square = 8000.0 * 8000.0;
    assert_true(scatter->samples == samples && scatter->squares == samples * square);
    assert_true(scatter->same_squares[0] == next * square);
    assert_true(scatter->same_squares[1] == next_but_one * square);
}

/* What was freed at once is of no line, and what came after it follows nothing of the line. */
TEST(samples_follow_those_that_stay)
{
    struct sc_succession succession = {0};
    WORLD(world);
    struct sc_ledger_block blocks[5];
    for (uint64_t i = 0; i < 5; i++)
        blocks[i] = sample(&world, &succession, i == 1 ? world.there : world.here, SECOND + i);
    uint32_t line = blocks[0].line;
    uint32_t function = blocks[0].function;
    assert_int_not_equal(line, blocks[1].line);
    assert_int_equal(function, blocks[1].function);
    assert_scatter(&world.ledger.lines.items[line].scatter, 4, 2, 2);
    assert_scatter(&world.ledger.functions.items[function].scatter, 5, 4, 3);
    sc_ledger_free(&world.ledger, &blocks[3], SECOND + 10);
    assert_scatter(&world.ledger.lines.items[line].scatter, 3, 0, 2);
    assert_scatter(&world.ledger.functions.items[function].scatter, 4, 2, 2);
    sc_ledger_free(&world.ledger, &blocks[2], SECOND + 20);
    assert_scatter(&world.ledger.lines.items[line].scatter, 2, 0, 0);
    for (uint64_t i = 0; i < SC_SUCCESSION_KEPT; i++)
        (void)sample(&world, &succession, world.there, SECOND + 30);
    sc_ledger_free(&world.ledger, &blocks[4], SECOND + 40); /* too long ago to know its number */
    assert_scatter(&world.ledger.lines.items[line].scatter, 1, 0, 0);
    sc_ledger_free(&world.ledger, &blocks[0], 3 * SECOND); /* that was not at once */
    assert_scatter(&world.ledger.lines.items[line].scatter, 1, 0, 0);
}

/* Points of one block follow each other. */
TEST(a_block_of_three_points_is_three_samples)
{
    struct sc_succession succession = {0};
    struct sc_sampled_bytes block = {.line = 1, .function = 2, .points = 3, .square = 1};
    struct sc_sampled_bytes other = {.line = 7, .function = 2, .points = 1, .square = 1};
    (void)sc_succession_add(&succession, &other);
    const struct sc_sampled_bytes *first =
        sc_succession_at(&succession, sc_succession_add(&succession, &block));
    assert_int_equal(first->same_lines[0], 2);
    assert_int_equal(first->same_lines[1], 1);
    assert_int_equal(first->same_functions[0], 3);
    assert_int_equal(first->same_functions[1], 2);
    const struct sc_sampled_bytes *second =
        sc_succession_at(&succession, sc_succession_add(&succession, &block));
    assert_int_equal(second->same_lines[0], 3);
    assert_int_equal(second->same_lines[1], 3);
}

/* realloc at another line: the bytes that were there before are no request of it. */
TEST(a_block_that_another_line_resizes_counts_there_with_its_growth)
{
    WORLD(world);
    struct sc_ledger_block first = give(&world, world.here, 40 * MB, 1 * SECOND);
    struct sc_ledger_allocation resized = {.time_ns = 2 * SECOND,
                                           .node = world.there,
                                           .size_bytes = 45 * MB,
                                           .old_bytes = 40 * MB,
                                           .weight_bytes = 45 * MB,
                                           .moved_bytes = first.weight_bytes,
                                           .moved_line = first.line,
                                           .is_exact = true};
    sc_ledger_free(&world.ledger, &first, 2 * SECOND);
    struct sc_ledger_block second = sc_ledger_allocate(&world.ledger, &resized, true);
    const struct sc_ledger_account *there = &world.ledger.lines.items[second.line];
    assert_int_equal(there->allocated_bytes, 5 * MB);
    assert_int_equal(there->live_bytes, 45 * MB);
    assert_int_equal(world.ledger.all.allocated_bytes, 45 * MB);
    /* of a block that was not sampled before, all is new */
    resized.moved_bytes = 0;
    (void)sc_ledger_allocate(&world.ledger, &resized, true);
    assert_int_equal(there->allocated_bytes, 50 * MB);
}
