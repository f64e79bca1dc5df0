/*
 * tests/unit/on_cpu_test.c - a thread that is kept from its CPU is looked at later; how many
 * processors there are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/sample/on_cpu.h"

#include "observer/system/procfs.h"
#include "observer/waiting/watch.h"
#include "watched_process.h"

enum { LINE = 5 };

static void *wait_for_byte(void *pipe_end)
{
    char byte = 0;
    (void)read(*(int *)pipe_end, &byte, 1);
    return NULL;
}

/* A thread of this process that waits. */
struct waiting {
    int ends[2];
    pthread_t thread;
    pid_t tid;
};

static void start(struct waiting *waiting)
{
    pid_t tids[2];
    assert_int_equal(pipe(waiting->ends), 0);
    assert_int_equal(pthread_create(&waiting->thread, NULL, wait_for_byte, &waiting->ends[0]), 0);
    assert_int_equal(sc_threads_list(getpid(), tids, 2), 2);
    waiting->tid = tids[0] == gettid() ? tids[1] : tids[0];
    while (sc_cpu_run_number(getpid(), waiting->tid) != 0)
        (void)usleep(1000);
}

static void end(struct waiting *waiting)
{
    assert_int_equal(write(waiting->ends[1], "x", 1), 1);
    assert_int_equal(pthread_join(waiting->thread, NULL), 0);
    assert_int_equal(close(waiting->ends[0]), 0);
    assert_int_equal(close(waiting->ends[1]), 0);
}

struct row {
    const char *name;
    int processors;
    uint64_t unseen_ns;
    unsigned looks;
};

static const struct row rows[] = {
    {"it has no CPU, and what is read may be anything", 2, 299 * MS, 0},
    {"after so long anything will do", 2, 300 * MS, 1},
    {"it has none because the one that there is looks at it", 1, 299 * MS, 1},
};

/* The thread's counters say that it runs, and /proc that it has no CPU. */
TEST(a_thread_without_a_cpu_is_looked_at_later)
{
    FOR_EACH_ROW(row, rows) {
        cpu_set_t before = watched_use_processors(row->processors);
        unsigned looks = CPU_COUNT(&before) == 1 ? 1 : row->looks;
        struct waiting waiting;
        start(&waiting);
        WATCHED(watched);
        struct sc_watched_thread *thread = watched_thread(watched, gettid());
        thread->proc_tid = waiting.tid;
        thread->has_no_ticks = true;
        (void)watched_frame(watched, LINE, 0);
        watched_counters(thread, row->unseen_ns, 0, 7);
        watched_write(thread->blocked_fd, "running\n");
        (void)sc_watch_look(&watched->process, thread, NOW);
        assert_int_equal(watched->process.looks.outside, looks);
        assert_int_equal(thread->charge.charged_cpu_ns, looks * row->unseen_ns);
        end(&waiting);
        assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    }
}

TEST(a_thread_that_looks_may_use_its_processors_afterwards)
{
    cpu_set_t before;
    cpu_set_t after;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    assert_true(sc_cpu_leave(getpid(), gettid()) == (CPU_COUNT(&before) > 1));
    assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

TEST(a_process_has_the_processors_that_it_may_use)
{
    cpu_set_t before = watched_use_processors(1);
    unsigned processors = sc_process_processors(getpid());
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(processors, 1);
    assert_int_equal(sc_process_processors(getpid()), CPU_COUNT(&before));
}

TEST(a_thread_has_a_turn_while_it_has_a_cpu)
{
    while (sc_cpu_run_number(getpid(), gettid()) == 0)
        (void)usleep(1000); /* it lost its CPU between the two files that are read */
    assert_int_equal(sc_cpu_run_number(getpid(), 0), 0);
}
