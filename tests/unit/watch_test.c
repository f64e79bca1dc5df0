/*
 * tests/unit/watch_test.c - looks at threads of a made-up process: who is blocked, where and on
 * what, what that has cost, and who pays while nothing runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/watch.h"

#include "observer/charge/wait.h"
#include "observer/process/threads.h"
#include "observer/sample/account.h"
#include "observer/waiting/blocked_stack.h"
#include "watched_process.h"

enum { LINE = 5, CALLER = 3, ELSEWHERE = 8 };

#define OWN_WAIT(watched, node, cause)                                                             \
    (sc_collect_cost(&(watched)->collect, (node))->wait_ns[(cause)] / MS)
#define TIME(watched, node, kind)                                                                  \
    (sc_collect_cost(&(watched)->collect, (node))->time_ns[(kind)] / MS)

/* What a look finds out about a thread that is there for the first time. */
struct found_row {
    const char *name;
    long call; /* of the system, -2: it is running, -1: blocked outside of one, -3: says nothing */
    uint64_t first;
    bool in_runtime; /* first is a place in _PyRuntime */
    bool is_foreign; /* no thread that Python's list knows */
    enum sc_life life;
    bool is_unreadable;
    bool is_forbidden;
    bool runs_meanwhile;
    bool is_looked_at_twice;
    bool blocked;
    bool runnable;
    enum sc_wait cause;
    uint32_t line;
    unsigned looks, unreadable, moved;
};

static const struct found_row found_rows[] = {
    ROW(.name = "it reads", .call = SYS_read, .first = 3, .blocked = true, .cause = SC_WAIT_IO,
        .line = LINE, .looks = 1),
    ROW(.name = "it sleeps", .call = SYS_clock_nanosleep, .blocked = true, .cause = SC_WAIT_SLEEP,
        .line = LINE, .looks = 1),
    ROW(.name = "it waits for a lock", .call = SYS_futex, .first = 0x1000, .blocked = true,
        .cause = SC_WAIT_LOCK, .line = LINE, .looks = 1),
    ROW(.name = "it waits for the interpreter's lock", .call = SYS_futex, .in_runtime = true,
        .first = FUTEX_GIL, .blocked = true, .cause = SC_WAIT_GIL, .line = LINE, .looks = 1),
    ROW(.name = "what stands right behind the runtime is another lock", .call = SYS_futex,
        .in_runtime = true, .first = RUNTIME_BYTES, .blocked = true, .cause = SC_WAIT_LOCK,
        .line = LINE, .looks = 1),
    ROW(.name = "it is blocked outside of a call", .call = -1, .blocked = true, .cause = SC_WAIT_IO,
        .line = LINE, .looks = 1),
    {.name = "it runs", .call = -2, .runnable = true},
    {.name = "it is gone", .call = -3},
    ROW(.name = "no thread of Python's waits, nowhere", .call = SYS_read, .is_foreign = true,
        .blocked = true, .cause = SC_WAIT_IO, .looks = 1),
    ROW(.name = "one that Python has just started is not in its list yet: the look is lost",
        .call = SYS_read, .is_foreign = true, .life = SC_LIFE_OF_THREAD, .looks = 1,
        .unreadable = 1),
    ROW(.name = "one that Python has started, but that runs no Python, is seen at the next look",
        .call = SYS_read, .is_foreign = true, .life = SC_LIFE_OF_THREAD, .is_looked_at_twice = true,
        .blocked = true, .cause = SC_WAIT_IO, .looks = 2),
    ROW(.name = "its frames cannot be read: the look is lost", .call = SYS_read,
        .is_unreadable = true, .looks = 1, .unreadable = 1),
    ROW(.name = "the system forbids that: it waits all the same", .call = SYS_read,
        .is_forbidden = true, .blocked = true, .cause = SC_WAIT_IO, .looks = 1, .unreadable = 1),
    ROW(.name = "it has run while it was read: the look is lost", .call = SYS_read,
        .runs_meanwhile = true, .looks = 1, .moved = 1),
};

static void it_runs(struct watched *watched)
{
    watched_counters(&watched->process.threads.items[0], 2 * MS, 0, 8);
}

static void set_call(const struct watched *watched, const struct sc_watched_thread *thread,
                     const struct found_row *row)
{
    if (row->call == -1)
        watched_write(thread->blocked_fd, "-1 0x7ffc0000 0x7f1200000000\n");
    else if (row->call == -2)
        watched_write(thread->blocked_fd, "running\n");
    else if (row->call >= 0)
        watched_call(thread, row->call, row->first + (row->in_runtime ? watched->runtime : 0));
}

TEST(a_look_finds_where_a_thread_is_blocked)
{
    FOR_EACH_ROW(row, found_rows) {
        WATCHED(watched);
        struct sc_process *process = &watched->process;
        struct sc_watched_thread *thread =
            watched_thread(watched, row->is_foreign ? gettid() + 1 : gettid());
        thread->charge.life = row->life;
        uint64_t outer = watched_frame(watched, CALLER, 0);
        (void)watched_frame(watched, LINE, outer);
        watched_counters(thread, MS, 0, 7);
        set_call(watched, thread, row);
        watched->python.process.hole = row->is_unreadable ? outer : 0;
        process->stacks.remote.forbidden = row->is_forbidden;
        watched->before_walk = row->runs_meanwhile ? it_runs : NULL;
        for (int looks = row->is_looked_at_twice ? 2 : 1; looks > 0; looks--)
            (void)sc_watch_look(process, thread, NOW);
        assert_int_equal(thread->charge.blocked, row->blocked);
        assert_int_equal(thread->charge.runnable, row->runnable);
        assert_int_equal(thread->charge.blocked_cause, row->cause);
        assert_int_equal(watched_line(watched, thread->charge.blocked_node), row->line);
        assert_string_equal(watched_stack(watched, thread->charge.blocked_node),
                            row->line != 0 ? "3>5" : "");
        assert_int_equal(thread->charge.has_python, row->line != 0 || row->runs_meanwhile);
        assert_int_equal(process->looks.waiting, row->looks);
        assert_int_equal(process->looks.unreadable, row->unreadable);
        assert_int_equal(process->looks.moved, row->moved);
    }
}

/* One thread that sleeps at a line, having run for 1 ms, and was looked at. */
static struct sc_watched_thread *asleep(struct watched *watched)
{
    struct sc_watched_thread *thread = watched_thread(watched, gettid());
    (void)watched_frame(watched, LINE, 0);
    watched_counters(thread, MS, 0, 7);
    watched_call(thread, SYS_clock_nanosleep, 0);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW), 0);
    assert_true(thread->charge.blocked);
    return thread;
}

TEST(a_wait_is_charged_where_it_was)
{
    WATCHED(watched);
    struct sc_watched_thread *thread = asleep(watched);
    uint32_t slept = thread->charge.blocked_node;
    assert_false(thread->charge.is_steady);
    /* it is still there: nothing is read again */
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 10 * MS), 0);
    assert_true(thread->charge.is_steady);
    assert_int_equal(watched->process.looks.waiting, 1);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 10);
    /* it has run for 1 ms after 2 without a CPU, and reads now at another line */
    (void)watched_frame(watched, ELSEWHERE, 0);
    watched_counters(thread, 2 * MS, 2 * MS, 8);
    watched_call(thread, SYS_read, 3);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 20 * MS), 2 * MS);
    assert_true(thread->charge.blocked);
    assert_true(thread->charge.woke);
    assert_false(thread->charge.is_steady);
    assert_int_equal(thread->charge.left_node, slept);
    assert_int_equal(watched_line(watched, thread->charge.blocked_node), ELSEWHERE);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 17);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 25 * MS), 0);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 17);
    assert_int_equal(OWN_WAIT(watched, thread->charge.blocked_node, SC_WAIT_IO), 5);
    const struct sc_thread_cost *account = &watched->collect.threads.items[thread->account];
    assert_int_equal(account->wait_ns[SC_WAIT_SLEEP] / MS, 17);
    assert_int_equal(account->wait_ns[SC_WAIT_IO] / MS, 5);
}

/* From now on /proc does not know it. */
/* Too many stacks were looked for in that poll, or the unwind records are still being read. */
TEST(what_was_not_found_at_once_is_found_while_the_wait_lasts)
{
    WATCHED(watched);
    struct sc_process *process = &watched->process;
    const struct sc_interpreter_facts none = {.version = 0x030b};
    process->stacks.native =
        (struct sc_native){.collect = &watched->collect, .symbols = sc_symbols_new(NULL)};
    process->classifier =
        sc_classifier_new((struct sc_subject){.pid = getpid()}, NULL, &none, NULL);
    process->stacks.blocked.polled_ns = process->gap.polled_ns;
    process->stacks.blocked.found_in_poll = UINT32_MAX / 2;
    struct sc_watched_thread *thread = asleep(watched);
    uint32_t part = thread->charge.blocked_node;
    assert_true(thread->charge.blocked_may_grow);
    (void)watched_frame(watched, ELSEWHERE, 0); /* stands for what is found then */
    process->gap.polled_ns++;
    (void)sc_watch_look(process, thread, NOW + 10 * MS);
    uint32_t whole = thread->charge.blocked_node;
    assert_int_not_equal(whole, part);
    assert_false(thread->charge.blocked_may_grow);
    assert_true(thread->charge.blocked && thread->charge.is_steady);
    assert_int_equal(thread->charge.blocked_since_ns, NOW);
    assert_int_equal(process->looks.waiting, 1);
    /* that is all, so nothing is read again */
    (void)watched_frame(watched, CALLER, 0);
    (void)sc_watch_look(process, thread, NOW + 20 * MS);
    assert_int_equal(thread->charge.blocked_node, whole);
    assert_int_equal(OWN_WAIT(watched, whole, SC_WAIT_SLEEP), 20);
    sc_blocked_stacks_done(&process->stacks.blocked);
    sc_native_done(&process->stacks.native);
    sc_symbols_free(process->stacks.native.symbols);
    sc_classifier_free(process->classifier);
}

static void be_gone(struct sc_watched_thread *thread)
{
    assert_int_equal(close(thread->schedstat_fd), 0);
    thread->schedstat_fd = -1;
    thread->proc_tid = 0;
}

TEST(a_thread_that_is_gone_has_waited_until_then)
{
    WATCHED(watched);
    struct sc_watched_thread *thread = asleep(watched);
    uint32_t slept = thread->charge.blocked_node;
    be_gone(thread);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 30 * MS), 0);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 30);
    /* what it has written may lie in the ring yet: its account is open to the next look */
    assert_false(thread->charge.ended);
    assert_false(thread->charge.blocked);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 40 * MS), 0);
    assert_true(thread->charge.ended);
    assert_true(watched->collect.threads.items[thread->account].ended);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 30);
    assert_int_equal(watched->collect.threads.items[thread->account].cpu_ns, MS);
}

TEST(a_look_that_fails_changes_nothing)
{
    WATCHED(watched);
    struct sc_watched_thread *thread = asleep(watched);
    struct sc_charge_thread before = thread->charge;
    watched_write(thread->schedstat_fd, "");
    for (uint64_t ms = 10; ms < 50; ms += 10)
        assert_int_equal(sc_watch_look(&watched->process, thread, NOW + ms * MS), 0);
    assert_memory_equal(&thread->charge, &before, sizeof(before));
    /* nor does one at a thread whose number in /proc is to be found yet */
    thread->proc_tid = 0;
    watched->process.threads.are_unlisted = true;
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 60 * MS), 0);
    assert_memory_equal(&thread->charge, &before, sizeof(before));
    thread->proc_tid = thread->tid;
    watched_counters(thread, MS, 0, 7);
    assert_int_equal(sc_watch_look(&watched->process, thread, NOW + 70 * MS), 0);
    assert_int_equal(OWN_WAIT(watched, thread->charge.blocked_node, SC_WAIT_SLEEP), 70);
}

TEST(what_it_ran_at_its_end_was_no_waiting)
{
    WATCHED(watched);
    struct sc_watched_thread *thread = asleep(watched);
    uint32_t slept = thread->charge.blocked_node;
    sc_watch_ended(&watched->process, thread, NOW + 30 * MS, MS + 12 * MS);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 18);
    /* it is over: that is not charged again */
    sc_watch_ended(&watched->process, thread, NOW + 50 * MS, MS + 12 * MS);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 18);
}

TEST(a_sample_ends_a_wait)
{
    WATCHED(watched);
    struct sc_watched_thread *thread = asleep(watched);
    uint32_t slept = thread->charge.blocked_node;
    sc_wait_left(&thread->charge, NOW + 8 * MS, 2 * MS);
    assert_false(thread->charge.blocked);
    assert_int_equal(thread->charge.left_wait_ns, 7 * MS);
    /* it runs on; what it has waited is where it slept, and nothing is left over */
    watched_counters(thread, 3 * MS, 0, 8);
    watched_write(thread->blocked_fd, "running\n");
    (void)sc_watch_look(&watched->process, thread, NOW + 9 * MS);
    assert_int_equal(OWN_WAIT(watched, slept, SC_WAIT_SLEEP), 7);
    assert_int_equal(thread->charge.left_wait_ns, 0);
    assert_int_equal(thread->charge.pending_wait_ns, 0);
}

/* A thread that blocks and has run since its last sample, which was at another line. */
struct unseen_row {
    const char *name;
    uint64_t run_ns;
    bool is_foreign;
    bool was_met; /* a tick has hit it after it had waited at this place */
    uint64_t here_ms;
    uint64_t owed_ms;
};

#define SLACK (2 * (MS + JIFFY))

static const struct unseen_row unseen_rows[] = {
    {.name = "a timer that works may let so much pass", .run_ns = SLACK},
    ROW(.name = "more was never sampled: it was where it blocks now", .run_ns = SLACK + MS,
        .here_ms = 11),
    ROW(.name = "or where ticks have hit it between waits here, which shows what it runs",
        .run_ns = SLACK + MS, .was_met = true, .owed_ms = 11),
    {.name = "but for a thread that has no line", .run_ns = SLACK + MS, .is_foreign = true},
};

TEST(what_was_never_sampled_was_near_where_it_blocks)
{
    FOR_EACH_ROW(row, unseen_rows) {
        WATCHED(watched);
        struct sc_watched_thread *thread =
            watched_thread(watched, row->is_foreign ? gettid() + 1 : gettid());
        uint32_t code = sc_collect_code(&watched->collect, "/w/b.py", "g", 1);
        uint32_t before = sc_collect_frame(&watched->collect, 0, code, ELSEWHERE);
        thread->charge.sampled_ns = NOW - 50 * MS;
        thread->charge.sampled_node = before;
        (void)watched_frame(watched, LINE, 0);
        watched_call(thread, SYS_read, 3);
        if (row->was_met) {
            watched_counters(thread, 0, 0, 6);
            (void)sc_watch_look(&watched->process, thread, NOW - MS);
            assert_true(thread->charge.blocked);
            thread->charge.met_node = thread->charge.blocked_node;
        }
        watched_counters(thread, row->run_ns, 0, 7);
        (void)sc_watch_look(&watched->process, thread, NOW);
        assert_true(thread->charge.blocked);
        assert_int_equal(TIME(watched, before, SC_TIME_PYTHON), 0);
        assert_int_equal(TIME(watched, thread->charge.blocked_node, SC_TIME_PYTHON), row->here_ms);
        assert_int_equal(thread->charge.owed_ns, row->owed_ms * MS);
        assert_int_equal(thread->charge.charged_cpu_ns, (row->here_ms + row->owed_ms) * MS);
    }
}

/* A thread that runs, without a sample for that long. */
struct deaf_row {
    const char *name;
    uint64_t run_ns;
    bool had_no_ticks;
    bool blocks_signal;
    bool is_unreadable;
    struct sc_cpu_ticks overdue; /* used since a sample was missing, when that was noticed */
    bool has_no_ticks;
    bool is_in_call;
    unsigned looks, unsampled;
    uint64_t here_ms;   /* charged to where it is found */
    uint64_t before_ms; /* to where it was sampled last */
};

#define PATIENCE (10 * MS + 100 * MS)

static const struct deaf_row deaf_rows[] = {
    {.name = "a timer that works may let so much pass", .run_ns = SLACK, .blocks_signal = true},
    {.name = "it is late, and can hear", .run_ns = PATIENCE},
    ROW(.name = "it blocks the signal", .run_ns = SLACK + MS, .blocks_signal = true,
        .has_no_ticks = true, .looks = 1, .here_ms = 11),
    ROW(.name = "nothing is as late as that", .run_ns = PATIENCE + MS, .overdue = {.user = 20},
        .has_no_ticks = true, .looks = 1, .here_ms = 111),
    {.name = "unless it is in the kernel, which nobody knows yet", .run_ns = PATIENCE + MS},
    ROW(.name = "it was in the kernel, and signals wait for the end of a call",
        .run_ns = PATIENCE + MS, .overdue = {.kernel = 20}, .has_no_ticks = true,
        .is_in_call = true, .looks = 1, .here_ms = 111),
    ROW(.name = "one that is known to be deaf is looked at each interval", .run_ns = 2 * MS,
        .had_no_ticks = true, .has_no_ticks = true, .looks = 1, .here_ms = 2),
    {.name = "no more often", .run_ns = MS, .had_no_ticks = true, .has_no_ticks = true},
    ROW(.name = "where it cannot be read the time is where it was last", .run_ns = PATIENCE + MS,
        .overdue = {.user = 20}, .is_unreadable = true, .has_no_ticks = true, .unsampled = 1,
        .before_ms = 111),
};

TEST(a_thread_without_ticks_is_read_while_it_runs)
{
    sigset_t urgent;
    cpu_set_t before_test = watched_use_processors(1); /* so that it keeps its CPU, by on_cpu.h */
    (void)sigemptyset(&urgent);
    (void)sigaddset(&urgent, SIGURG);
    FOR_EACH_ROW(row, deaf_rows) {
        WATCHED(watched);
        struct sc_watched_thread *thread = watched_thread(watched, gettid());
        uint32_t code = sc_collect_code(&watched->collect, "/w/b.py", "g", 1);
        uint32_t before = sc_collect_frame(&watched->collect, 0, code, ELSEWHERE);
        thread->charge.sampled_ns = NOW - 50 * MS;
        thread->charge.sampled_node = before;
        thread->has_no_ticks = row->had_no_ticks;
        struct sc_stat stat = sc_stat_read(getpid(), gettid());
        thread->is_overdue = row->overdue.user + row->overdue.kernel > 0;
        thread->overdue = sc_stat_ticks(&stat);
        thread->overdue.user -= row->overdue.user;
        thread->overdue.kernel -= row->overdue.kernel;
        uint64_t outer = watched_frame(watched, LINE, 0);
        watched->python.process.hole = row->is_unreadable ? outer : 0;
        watched_counters(thread, row->run_ns, 0, 7);
        watched_write(thread->blocked_fd, "running\n");
        (void)pthread_sigmask(row->blocks_signal ? SIG_BLOCK : SIG_UNBLOCK, &urgent, NULL);
        (void)sc_watch_look(&watched->process, thread, NOW);
        assert_int_equal(thread->has_no_ticks, row->has_no_ticks);
        assert_int_equal(watched->process.looks.outside, row->looks);
        assert_int_equal(watched->process.looks.outside_ns,
                         row->is_in_call ? 0 : row->here_ms * MS);
        assert_int_equal(watched->process.looks.failed, row->unsampled);
        assert_int_equal(TIME(watched, before, SC_TIME_PYTHON), row->before_ms);
        if (row->looks > 0) {
            assert_string_equal(watched_stack(watched, thread->charge.sampled_node), "5");
            enum sc_time time = row->is_in_call ? SC_TIME_KERNEL : SC_TIME_PYTHON;
            assert_int_equal(TIME(watched, thread->charge.sampled_node, time), row->here_ms);
        }
    }
    (void)pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof(before_test), &before_test), 0);
}

TEST(a_state_is_taken_again_while_it_names_the_thread)
{
    WATCHED(watched);
    struct fake_python *python = &watched->python;
    struct sc_watched_thread *thread = watched_thread(watched, gettid());
    assert_true(sc_process_find_state(&watched->process, thread));
    assert_int_equal(thread->thread_state, python->thread);
    /* no list is read for one that is known */
    fake_put_u64(&python->process, watched->runtime, python->layout->rt_interpreters_head, 0);
    assert_true(sc_process_find_state(&watched->process, thread));
    /* it has been freed, and is another thread's */
    fake_put_u64(&python->process, python->thread, python->layout->ts_native_thread_id, 1);
    assert_false(sc_process_find_state(&watched->process, thread));
    assert_int_equal(thread->thread_state, 0);
}

/* Else thousands of threads would be looked for in a list of thousands. */
TEST(states_are_listed_once_for_all_threads)
{
    WATCHED(watched);
    struct fake_python *python = &watched->python;
    const struct sc_layout *layout = python->layout;
    uint64_t second = fake_room(&python->process, RUNTIME_BYTES);
    fake_put_u64(&python->process, python->thread, layout->ts_next, second);
    fake_put_u64(&python->process, second, layout->ts_interp, watched->interpreter);
    fake_put_u64(&python->process, second, layout->ts_native_thread_id, 101);
    struct sc_watched_thread first = {.tid = gettid()};
    struct sc_watched_thread other = {.tid = 101};
    struct sc_watched_thread native = {.tid = 102};
    assert_true(sc_process_find_state(&watched->process, &first));
    fake_put_u64(&python->process, watched->interpreter, layout->is_threads_head, 0);
    assert_true(sc_process_find_state(&watched->process, &other));
    assert_int_equal(other.thread_state, second);
    assert_false(sc_process_find_state(&watched->process, &native));
    other.thread_state = 0;
    sc_process_forget_states(&watched->process);
    assert_false(sc_process_find_state(&watched->process, &other));
}

TEST(before_native_ids_threads_have_those_of_pthread)
{
    WATCHED(watched);
    struct fake_python *python = &watched->python;
    struct sc_watched_thread *thread = watched_thread(watched, gettid());
    watched->process.layout.ts_native_thread_id = -1;
    thread->pthread_self = 0x7f0012345678;
    assert_false(sc_process_find_state(&watched->process, thread));
    sc_process_forget_states(&watched->process);
    fake_put_u64(&python->process, python->thread, python->layout->ts_thread_id, 0x7f0012345678);
    assert_true(sc_process_find_state(&watched->process, thread));
    fake_put_u64(&python->process, watched->runtime, python->layout->rt_interpreters_head, 0);
    assert_true(sc_process_find_state(&watched->process, thread));
}

/* The main thread and two others while nothing is on a CPU for 12 ms. Nodes are places[i]. */
enum { MAIN, FIRST, SECOND, LEFT, PLACES };

struct idle_row {
    const char *name;
    struct sc_charge_thread main, first, second;
    uint64_t ms[PLACES][SC_TIME_COUNT_];
    uint64_t io_ms; /* that the track of input and output has got */
    bool is_charged;
};

#define BLOCKED_ON(why) .blocked = true, .blocked_cause = (why)

static const struct idle_row idle_rows[] = {
    ROW(.name = "the main thread waits for input", .main = {BLOCKED_ON(SC_WAIT_IO)},
        .ms = {[MAIN] = {[SC_TIME_IO] = 12}}, .io_ms = 12, .is_charged = true),
    ROW(.name = "it sleeps", .main = {BLOCKED_ON(SC_WAIT_SLEEP)},
        .ms = {[MAIN] = {[SC_TIME_SLEEP] = 12}}, .is_charged = true),
    ROW(.name = "it woke from a sleep, and waits for input now",
        .main = {BLOCKED_ON(SC_WAIT_IO), .woke = true, .left_cause = SC_WAIT_SLEEP},
        .ms = {[LEFT] = {[SC_TIME_SLEEP] = 6}, [MAIN] = {[SC_TIME_IO] = 6}}, .io_ms = 6,
        .is_charged = true),
    ROW(.name = "it joins two that sleep", .main = {BLOCKED_ON(SC_WAIT_LOCK), .is_steady = true},
        .first = {BLOCKED_ON(SC_WAIT_SLEEP)}, .second = {BLOCKED_ON(SC_WAIT_IO)},
        .ms = {[FIRST] = {[SC_TIME_SLEEP] = 6}, [SECOND] = {[SC_TIME_IO] = 6}}, .io_ms = 6,
        .is_charged = true),
    ROW(.name = "one that waits for another is not waited for",
        .main = {BLOCKED_ON(SC_WAIT_LOCK), .is_steady = true}, .first = {BLOCKED_ON(SC_WAIT_SLEEP)},
        .second = {BLOCKED_ON(SC_WAIT_LOCK)}, .ms = {[FIRST] = {[SC_TIME_SLEEP] = 12}},
        .is_charged = true),
    ROW(.name = "it joins one that works, and was kept from a CPU",
        .main = {BLOCKED_ON(SC_WAIT_LOCK), .is_steady = true},
        .first = {.runnable = true, .sampled_kind = SC_SAMPLE_NATIVE},
        .ms = {[FIRST] = {[SC_TIME_PREEMPTED_NATIVE] = 12}}, .is_charged = true),
    ROW(.name = "it joins one that slept until a moment ago",
        .main = {BLOCKED_ON(SC_WAIT_LOCK), .is_steady = true},
        .first = {.runnable = true, .left_cause = SC_WAIT_SLEEP, .left_ns = NOW - MS},
        .ms = {[LEFT] = {[SC_TIME_SLEEP] = 12}}, .is_charged = true),
    {.name = "nobody knows what the main thread does", .main = {.runnable = true}},
    {.name = "it is over", .main = {BLOCKED_ON(SC_WAIT_IO), .ended = true}},
};

static void put_thread(struct watched *watched, const struct sc_charge_thread *charge, bool is_main,
                       uint32_t node, uint32_t left)
{
    struct sc_watched_thread *thread =
        watched_thread(watched, gettid() + (pid_t)watched->process.threads.count);
    thread->charge = *charge;
    thread->charge.is_main = is_main;
    thread->charge.blocked_node = charge->blocked ? node : 0;
    thread->charge.sampled_node = node;
    thread->charge.left_node = charge->left_cause != SC_WAIT_IO ? left : 0;
}

static void assert_times(struct watched *watched, const uint32_t places[PLACES],
                         const struct idle_row *row)
{
    for (size_t place = 0; place < PLACES; place++) {
        for (size_t time = 0; time < SC_TIME_COUNT_; time++)
            assert_int_equal(TIME(watched, places[place], time), row->ms[place][time]);
    }
    uint64_t io_ns = 0;
    const struct sc_tracks *tracks = &watched->collect.tracks;
    for (size_t i = 0; i < tracks->slots.count; i++)
        io_ns += tracks->slots.items[i].spent_ns[SC_TRACK_OF_IO];
    assert_int_equal(io_ns / MS, row->io_ms);
}

TEST(time_without_a_cpu_goes_to_who_is_waited_for)
{
    FOR_EACH_ROW(row, idle_rows) {
        WATCHED(watched);
        uint32_t places[PLACES];
        for (uint32_t place = 0; place < PLACES; place++)
            places[place] =
                sc_collect_frame(&watched->collect, 0,
                                 sc_collect_code(&watched->collect, "/w/a.py", "f", 1), 10 + place);
        put_thread(watched, &row->main, true, places[MAIN], places[LEFT]);
        put_thread(watched, &row->first, false, places[FIRST], places[LEFT]);
        put_thread(watched, &row->second, false, places[SECOND], places[LEFT]);
        watched->process.gap.ran = true;
        bool is_charged = sc_watch_charge_idle(&watched->process,
                                               &watched->process.threads.items[FIRST], 12 * MS);
        assert_int_equal(is_charged, row->is_charged);
        assert_times(watched, places, row);
    }
}
