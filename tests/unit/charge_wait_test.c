/*
 * tests/unit/charge_wait_test.c - what a thread has waited, and who pays while nothing runs, as
 * tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "charge_fixture.h"
#include "observer/charge/wait.h"

struct look_row {
    const char *name;
    struct sc_charge_thread thread;
    struct sc_schedstat stat;
    uint64_t now_ns;
    uint64_t delay_ns;
    int64_t pending_ns;
};

static const struct look_row look_rows[] = {
    ROW(.name = "a first look shows no waiting, but how long it waited for a CPU",
        .stat = {.run_ns = 3 * MS, .delay_ns = 2 * MS, .slices = 4}, .now_ns = NOW,
        .delay_ns = 2 * MS),
    ROW(.name = "what passed and was neither run nor waited for a CPU is pending",
        .thread = {.looked = {.run_ns = 3 * MS, .delay_ns = MS}, .looked_ns = NOW - 20 * MS},
        .stat = {.run_ns = 8 * MS, .delay_ns = 3 * MS}, .now_ns = NOW, .delay_ns = 2 * MS,
        .pending_ns = 13 * (int64_t)MS),
    ROW(.name = "it adds up",
        .thread = {.looked_ns = NOW - 20 * MS, .pending_wait_ns = 4 * (int64_t)MS}, .now_ns = NOW,
        .pending_ns = 24 * (int64_t)MS),
    ROW(.name = "waiting for a CPU that is reported late is taken back",
        .thread = {.looked_ns = NOW - 10 * MS, .pending_wait_ns = 4 * (int64_t)MS},
        .stat = {.delay_ns = 30 * MS}, .now_ns = NOW, .delay_ns = 30 * MS,
        .pending_ns = -16 * (int64_t)MS),
    ROW(.name = "a clock that goes back",
        .thread = {.looked_ns = NOW + MS, .pending_wait_ns = 4 * (int64_t)MS}, .now_ns = NOW,
        .pending_ns = 4 * (int64_t)MS),
};

TEST(looks)
{
    FOR_EACH_ROW(row, look_rows) {
        struct sc_charge_thread thread = row->thread;
        assert_int_equal(sc_wait_update(&thread, &row->stat, row->now_ns), row->delay_ns);
        assert_int_equal(thread.pending_wait_ns, row->pending_ns);
        assert_int_equal(thread.looked_ns, row->now_ns);
        assert_int_equal(thread.looked.run_ns, row->stat.run_ns);
        assert_int_equal(thread.looked.delay_ns, row->stat.delay_ns);
    }
}

TEST(counters_show_whether_a_thread_has_run)
{
    const struct sc_schedstat before = {.run_ns = 5, .delay_ns = 6, .slices = 7};
    assert_false(sc_wait_has_run(&before, &(struct sc_schedstat){5, 99, 7}));
    assert_true(sc_wait_has_run(&before, &(struct sc_schedstat){6, 6, 7}));
    assert_true(sc_wait_has_run(&before, &(struct sc_schedstat){5, 6, 8}));
}

struct left_row {
    const char *name;
    struct sc_charge_thread thread;
    uint64_t time_ns;
    uint64_t cpu_ns;
    bool woke;
    uint64_t left_wait_ns;
};

#define BLOCKED                                                                                    \
    .blocked = true, .blocked_node = WAITING, .blocked_cause = SC_WAIT_LOCK, .looked_ns = NOW,     \
    .looked = {.run_ns = 10 * MS}

static const struct left_row left_rows[] = {
    ROW(.name = "until it was sampled it waited, but for what it ran", .thread = {BLOCKED},
        .time_ns = NOW + 9 * MS, .cpu_ns = 12 * MS, .woke = true, .left_wait_ns = 7 * MS),
    ROW(.name = "it ran all the time", .thread = {BLOCKED}, .time_ns = NOW + 9 * MS,
        .cpu_ns = 30 * MS, .woke = true),
    ROW(.name = "a clock behind the look's", .thread = {BLOCKED}, .time_ns = NOW + 9 * MS,
        .cpu_ns = 9 * MS, .woke = true, .left_wait_ns = 9 * MS),
    ROW(.name = "one that was not blocked leaves nothing",
        .thread = {.looked_ns = NOW, .blocked_node = WAITING}, .time_ns = NOW + 9 * MS,
        .cpu_ns = 12 * MS),
};

TEST(what_a_thread_leaves)
{
    FOR_EACH_ROW(row, left_rows) {
        struct sc_charge_thread thread = row->thread;
        sc_wait_left(&thread, row->time_ns, row->cpu_ns);
        assert_false(thread.blocked);
        assert_int_equal(thread.woke, row->woke);
        assert_int_equal(thread.left_wait_ns, row->left_wait_ns);
        assert_int_equal(thread.left_node, row->woke ? WAITING : 0);
        assert_int_equal(thread.left_ns, row->woke ? NOW : 0);
        assert_int_equal(thread.left_cause, row->woke ? SC_WAIT_LOCK : SC_WAIT_IO);
    }
}

struct pending_row {
    const char *name;
    struct sc_charge_thread thread;
    struct sc_wait_charge own;  /* by sc_wait_charge_own */
    struct sc_wait_charge left; /* by sc_wait_charge_left */
};

#define PENDING .pending_wait_ns = 5 * (int64_t)MS
#define LEFT    .left_node = THERE, .left_cause = SC_WAIT_SLEEP

static const struct pending_row pending_rows[] = {
    ROW(.name = "where it is blocked", .thread = {BLOCKED, PENDING, LEFT},
        .own = {WAITING, SC_WAIT_LOCK, 5 * MS}, .left = {WAITING, SC_WAIT_LOCK, 5 * MS}),
    ROW(.name = "charged too early: nothing yet",
        .thread = {BLOCKED, LEFT, .pending_wait_ns = -5 * (int64_t)MS}),
    ROW(.name = "it woke: where it was blocked", .thread = {PENDING, LEFT, .woke = true},
        .left = {THERE, SC_WAIT_SLEEP, 5 * MS}),
    ROW(.name = "it was sampled since", .thread = {PENDING, LEFT, .left_wait_ns = 1},
        .left = {THERE, SC_WAIT_SLEEP, 5 * MS}),
    {.name = "it has long left that", .thread = {PENDING, LEFT}},
    {.name = "it woke, and nothing is pending", .thread = {LEFT, .woke = true}},
};

static void assert_wait(struct sc_wait_charge got, struct sc_wait_charge expected)
{
    assert_int_equal(got.node, expected.node);
    assert_int_equal(got.cause, expected.cause);
    assert_int_equal(got.ns, expected.ns);
}

TEST(what_is_pending_is_charged_once)
{
    FOR_EACH_ROW(row, pending_rows) {
        struct sc_charge_thread thread = row->thread;
        assert_wait(sc_wait_charge_own(&thread), row->own);
        assert_int_equal(thread.pending_wait_ns, row->own.ns > 0 ? 0 : row->thread.pending_wait_ns);
        thread = row->thread;
        assert_wait(sc_wait_charge_left(&thread), row->left);
        assert_int_equal(thread.pending_wait_ns,
                         row->left.ns > 0 ? 0 : row->thread.pending_wait_ns);
        assert_wait(sc_wait_charge_left(&thread), (struct sc_wait_charge){0});
    }
}

struct idle_row {
    const char *name;
    struct sc_charge_thread main;
    struct sc_charge_thread worker;
    bool has_no_main;
    bool has_no_worker;
    bool ran;
    size_t waited_for;
    uint64_t ns; /* 0: 12 ms */
    struct sc_idle idle;
};

#define JOINS                                                                                      \
    .is_main = true, .blocked = true, .blocked_node = WAITING, .blocked_cause = SC_WAIT_LOCK,      \
    .is_steady = true
#define WORKS .sampled_node = HERE

static const struct idle_row idle_rows[] = {
    {.name = "nobody is there", .has_no_main = true},
    {.name = "the main thread is not blocked, as far as known", .main = {.is_main = true}},
    ROW(.name = "nor for long: it waited where it works, too briefly to be seen",
        .main = {.is_main = true}, .worker = {WORKS}, .ns = 200 * MS,
        .idle = {.payer = SC_IDLE_UNSEEN}),
    ROW(.name = "one look or two may have missed it", .main = {.is_main = true}, .worker = {WORKS},
        .ns = 199 * MS),
    ROW(.name = "it sleeps", .main = {.blocked = true, .blocked_cause = SC_WAIT_SLEEP},
        .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "it slept until a moment ago", .main = {.woke = true},
        .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "it went from one wait to another", .main = {.woke = true, .blocked = true},
        .idle = {.payer = SC_IDLE_MAIN, .before_ns = 6 * MS}),
    ROW(.name = "it joins one that works, which was kept from a CPU", .main = {JOINS},
        .worker = {WORKS}, .ran = true, .idle = {.payer = SC_IDLE_PREEMPTED}),
    ROW(.name = "that waits for its turn", .main = {JOINS},
        .worker = {WORKS, .blocked = true, .blocked_cause = SC_WAIT_GIL}, .ran = true,
        .idle = {.payer = SC_IDLE_PREEMPTED}),
    ROW(.name = "that was asleep until a moment ago", .main = {JOINS},
        .worker = {WORKS, .left_node = THERE, .left_cause = SC_WAIT_SLEEP,
                   .left_ns = NOW - 999 * MS},
        .ran = true, .idle = {.payer = SC_IDLE_WORKER}),
    ROW(.name = "that was asleep long ago", .main = {JOINS},
        .worker = {WORKS, .left_node = THERE, .left_cause = SC_WAIT_SLEEP,
                   .left_ns = NOW - 1000 * MS},
        .ran = true, .idle = {.payer = SC_IDLE_PREEMPTED}),
    ROW(.name = "that waited for a lock until a moment ago", .main = {JOINS},
        .worker = {WORKS, .left_node = THERE, .left_cause = SC_WAIT_LOCK, .left_ns = NOW - MS},
        .ran = true, .idle = {.payer = SC_IDLE_PREEMPTED}),
    ROW(.name = "that was never seen asleep", .main = {JOINS},
        .worker = {WORKS, .left_cause = SC_WAIT_SLEEP, .left_ns = NOW - MS}, .ran = true,
        .idle = {.payer = SC_IDLE_PREEMPTED}),
    ROW(.name = "a wait that has just begun, while nothing ran",
        .main = {.is_main = true, .blocked = true, .blocked_cause = SC_WAIT_LOCK}, .waited_for = 2,
        .idle = {.payer = SC_IDLE_SHARED, .each_ns = 6 * MS}),
    ROW(.name = "it joins several that wait: each has its part", .main = {JOINS},
        .worker = {WORKS, .blocked = true, .blocked_cause = SC_WAIT_SLEEP}, .ran = true,
        .waited_for = 3, .idle = {.payer = SC_IDLE_SHARED, .each_ns = 4 * MS}),
    ROW(.name = "it joins nobody that is known", .main = {JOINS}, .has_no_worker = true,
        .ran = true, .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "the last that ran was the main thread itself", .main = {JOINS},
        .worker = {WORKS, .is_main = true}, .ran = true, .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "the last that ran never had a Python line", .main = {JOINS}, .ran = true,
        .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "nothing ran: nobody is held up by one that works", .main = {JOINS},
        .worker = {WORKS}, .waited_for = 1, .idle = {.payer = SC_IDLE_SHARED, .each_ns = 12 * MS}),
    ROW(.name = "a short wait for a lock is the waiting line's own",
        .main = {.is_main = true, .blocked = true, .blocked_cause = SC_WAIT_LOCK},
        .worker = {WORKS}, .ran = true, .waited_for = 2, .idle = {.payer = SC_IDLE_MAIN}),
    ROW(.name = "input is not what others are waited for",
        .main = {.is_main = true, .blocked = true, .blocked_cause = SC_WAIT_IO, .is_steady = true},
        .worker = {WORKS}, .ran = true, .waited_for = 2, .idle = {.payer = SC_IDLE_MAIN}),
};

TEST(who_pays_while_nothing_runs)
{
    FOR_EACH_ROW(row, idle_rows) {
        const struct sc_idle_books books = {
            .main = row->has_no_main ? NULL : &row->main,
            .worker = row->has_no_worker ? NULL : &row->worker,
            .waited_for = row->waited_for,
            .ran = row->ran,
            .polled_ns = NOW,
        };
        struct sc_idle idle = sc_wait_idle(&books, row->ns != 0 ? row->ns : 12 * MS);
        assert_int_equal(idle.payer, row->idle.payer);
        assert_int_equal(idle.before_ns, row->idle.before_ns);
        assert_int_equal(idle.each_ns, row->idle.each_ns);
    }
}

TEST(who_is_waited_for)
{
    const struct sc_charge_thread asleep = {
        .blocked = true, .blocked_node = HERE, .blocked_cause = SC_WAIT_SLEEP};
    struct sc_charge_thread thread = asleep;
    assert_true(sc_wait_may_block_others(&thread));
    thread.is_main = true;
    assert_false(sc_wait_may_block_others(&thread));
    thread = asleep;
    thread.ended = true;
    assert_false(sc_wait_may_block_others(&thread));
    thread = asleep;
    thread.blocked = false;
    assert_false(sc_wait_may_block_others(&thread));
    thread = asleep;
    thread.blocked_node = 0;
    assert_false(sc_wait_may_block_others(&thread));
    thread = asleep;
    thread.blocked_cause = SC_WAIT_GIL;
    assert_false(sc_wait_may_block_others(&thread));
}

TEST(a_wait_has_its_kind_of_time)
{
    assert_int_equal(sc_wait_time(SC_WAIT_IO), SC_TIME_IO);
    assert_int_equal(sc_wait_time(SC_WAIT_CHILD), SC_TIME_IO);
    assert_int_equal(sc_wait_time(SC_WAIT_SLEEP), SC_TIME_SLEEP);
    assert_int_equal(sc_wait_time(SC_WAIT_LOCK), SC_TIME_OTHER_WAIT);
    assert_int_equal(sc_wait_time(SC_WAIT_GIL), SC_TIME_OTHER_WAIT);
    assert_int_equal(sc_wait_time(SC_WAIT_OTHER), SC_TIME_OTHER_WAIT);
}
