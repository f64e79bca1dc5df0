/*
 * tests/unit/overdue_test.c - ticks that fall due in a system call, and what they make of shares.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/overdue.h"

#include "observer/charge/charge.h"
#include "sc_test.h"

#define US ((uint64_t)1000)
#define MS (1000 * US)

struct row {
    const char *name;
    uint64_t due_ago_us;
    uint64_t tick_ago_us;
    uint64_t mean_us;
    uint64_t late_us;
};

static const struct row rows[] = {
    {"due in user code: at the tick itself", 1000, 0, 4000, 0},
    {"one tick in the call", 1000, 300, 4000, 300},
    {"due just behind the tick before", 4299, 300, 4000, 300},
    {"each tick of three counts where all are taken", 9000, 300, 4000, 300},
    {"and of very many", 60000000, 300, 4000, 300},
    {"one tick at a larger interval", 3000, 2900, 10000, 2900},
    {"where the next interval is longer than the call the second tick does not count", 8000, 3900,
     14000, 7900},
    {"a tick that is said to have been before the timer was due", 200, 300, 4000, 200},
    {"due at the tick", 300, 300, 4000, 300},
};

TEST(rows_of_calls)
{
    FOR_EACH_ROW(row, rows) {
        struct sc_overdue overdue = {.due_ago_ns = row->due_ago_us * US,
                                     .tick_ago_ns = row->tick_ago_us * US,
                                     .jiffy_ns = 4 * MS,
                                     .mean_ns = row->mean_us * US};
        for (uint64_t seed = 1; seed < 200; seed++) {
            uint64_t random = seed;
            assert_int_equal(sc_overdue_ns(&overdue, &random), row->late_us * US);
        }
    }
}

TEST(without_jiffies_nothing_is_drawn_for_ever)
{
    struct sc_overdue overdue = {.due_ago_ns = 9 * MS, .tick_ago_ns = 0, .mean_ns = MS};
    uint64_t random = 1;
    assert_int_equal(sc_overdue_ns(&overdue, &random), 0);
    overdue.tick_ago_ns = 10 * MS;
    assert_int_equal(sc_overdue_ns(&overdue, &random), 9 * MS);
}

/* The interval that begins at the tick that counts ends behind the call. */
TEST(the_next_interval_ends_outside)
{
    uint64_t random = 7;
    for (uint64_t i = 0; i < 10000; i++) {
        struct sc_overdue overdue = {.due_ago_ns = i * 10 * US,
                                     .tick_ago_ns = i * 7 * US % (4 * MS),
                                     .jiffy_ns = 4 * MS,
                                     .mean_ns = 10 * MS};
        uint64_t late_ns = sc_overdue_ns(&overdue, &random);
        assert_true(late_ns <= overdue.due_ago_ns);
        if (overdue.due_ago_ns >= overdue.tick_ago_ns)
            assert_int_equal(late_ns % (4 * MS), overdue.tick_ago_ns);
        if (late_ns <= overdue.tick_ago_ns)
            continue;
        uint64_t again = random;
        uint64_t drawn_ns = sc_budget_interval_ns(10 * MS, 2 * MS, 0, sc_stream_random(&again));
        assert_true(drawn_ns > late_ns - overdue.tick_ago_ns);
    }
}

TEST(two_samples_that_agree_show_where_ticks_are)
{
    static const struct {
        uint64_t time_us;
        uint64_t place_us;
    } steps[] = {
        {8000, 0},                    /* nothing is known: at the beginning */
        {13500, 0},                   /* one alone says nothing */
        {17516, 1500},                /* the second agrees, and comes later */
        {22900, 1500},                /* a busy machine */
        {25500, 1500},                /* alone again */
        {29532, 1500}, {33532, 1502}, /* where all come later the place does, in time */
        {37499, 1499},                /* an earlier one */
        {43990, 1499},                /* elsewhere from now on */
        {48010, 3990},                /* where a jiffy ends */
        {51980, 3980}, {56012, 3980}, {60012, 3982},
    };
    struct sc_overdue_place place = {0};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        sc_overdue_note(&place, steps[i].time_us * US, 4 * MS);
        uint64_t since_ns =
            sc_overdue_since_tick_ns(&place, (4000 + steps[i].place_us) * US + MS, 4 * MS);
        assert_in_range(since_ns, MS + 15 * US, MS + 17 * US);
    }
    sc_overdue_note(&place, MS, 0);
    assert_int_equal(sc_overdue_since_tick_ns(&place, MS, 0), 0);
}

/* A thread that works and makes a call in turn, on a kernel that looks at timers once a jiffy. */
struct world {
    uint64_t random;
    uint64_t call_begin_ns;
    uint64_t call_end_ns;
    uint64_t call_us;
    uint64_t called_ns; /* in all */
};

enum { WORK = 1, CALL = 2 };

static void go_on_to(struct world *world, uint64_t now_ns)
{
    while (world->call_end_ns <= now_ns) {
        uint64_t work_ns = sc_stream_random(&world->random) % (2 * world->call_us) * US;
        world->call_begin_ns = world->call_end_ns + work_ns;
        world->call_end_ns = world->call_begin_ns + world->call_us * US;
        world->called_ns += world->call_us * US;
    }
}

/* The share of calls that is charged, less the true one, in percent. */
static double error_of(uint64_t call_us, uint64_t mean_ns, bool is_corrected)
{
    const uint64_t jiffy_ns = 4 * MS;
    struct world world = {.random = 5, .call_us = call_us};
    struct sc_charge_process process = {.interval_ns = mean_ns, .begun = true};
    struct sc_charge_thread thread = {.is_main = true};
    uint64_t random = 3;
    uint64_t charged_ns = 0;
    uint64_t due_ns = 1;
    uint64_t armed_ns = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t from_ns = due_ns > armed_ns ? due_ns : armed_ns + 1;
        uint64_t tick_ns = (from_ns + jiffy_ns - 1) / jiffy_ns * jiffy_ns;
        go_on_to(&world, tick_ns);
        bool is_call = tick_ns >= world.call_begin_ns;
        uint64_t now_ns = is_call ? world.call_end_ns : tick_ns;
        struct sc_overdue overdue = {.due_ago_ns = now_ns - due_ns,
                                     .tick_ago_ns = now_ns % jiffy_ns,
                                     .jiffy_ns = jiffy_ns,
                                     .mean_ns = mean_ns};
        struct sc_charge_sample sample = {
            .time_ns = now_ns,
            .cpu_ns = now_ns,
            .late_ns = is_call && is_corrected ? sc_overdue_ns(&overdue, &random) : 0,
            .kind = is_call ? SC_SAMPLE_KERNEL : SC_SAMPLE_PYTHON,
            .has_frames = true,
            .node = is_call ? CALL : WORK};
        struct sc_charges charges = sc_charge_sample(&process, &thread, &sample);
        charged_ns += is_call ? charges.cpu_ns : 0;
        armed_ns = now_ns;
        due_ns = now_ns - sample.late_ns +
                 sc_budget_interval_ns(mean_ns, jiffy_ns / 2, 0, sc_stream_random(&random));
    }
    return 100.0 * ((double)charged_ns - (double)world.called_ns) / (double)world.call_end_ns;
}

TEST(calls_have_what_they_cost)
{
    static const uint64_t lengths_us[] = {100, 1200, 4000, 8000, 12000, 13700};
    static const uint64_t means_ns[] = {4 * MS, 10 * MS};
    for (size_t i = 0; i < sizeof(lengths_us) / sizeof(lengths_us[0]); i++) {
        for (size_t j = 0; j < sizeof(means_ns) / sizeof(means_ns[0]); j++) {
            double corrected = error_of(lengths_us[i], means_ns[j], true);
            double uncorrected = error_of(lengths_us[i], means_ns[j], false);
            (void)printf("  calls of %5.1f ms, ticks of %2.0f ms: %+.2f points, else %+.2f\n",
                         (double)lengths_us[i] / 1e3, (double)means_ns[j] / 1e6, corrected,
                         uncorrected);
            assert_true(corrected > -0.5 && corrected < 0.5);
            if (lengths_us[i] >= 4000)
                assert_true(uncorrected > 4);
        }
    }
}
