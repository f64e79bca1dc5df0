/*
 * tests/unit/threads_test.c - which of the threads that /proc lists are new ones: the
 * watched process is this very one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/threads.h"

#include <time.h>

#include "channel/format.h"
#include "observer/lifecycle/process_poll.h"
#include "observer/process/native_ids.h"
#include "watched_process.h"

#define LONG_LIFE (UINT64_C(3600000) * MS)

/* A thread that lives until its gate opens. */
struct other {
    pthread_t thread;
    pthread_barrier_t gate;
    pid_t tid;
    uint64_t works_ns; /* before it comes to the gate first */
    uint64_t cpu_ns;   /* used when it comes there */
};

static uint64_t thread_cpu_ns(void)
{
    struct timespec time;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
    return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

static void *live(void *argument)
{
    struct other *other = argument;
    other->tid = gettid();
    do
        other->cpu_ns = thread_cpu_ns();
    while (other->cpu_ns < other->works_ns);
    (void)pthread_barrier_wait(&other->gate);
    (void)pthread_barrier_wait(&other->gate);
    return NULL;
}

static void begin(struct other *other, uint64_t works_ns)
{
    *other = (struct other){.works_ns = works_ns};
    assert_int_equal(pthread_barrier_init(&other->gate, NULL, 2), 0);
    assert_int_equal(pthread_create(&other->thread, NULL, live, other), 0);
    (void)pthread_barrier_wait(&other->gate);
}

static void end(struct other *other)
{
    (void)pthread_barrier_wait(&other->gate);
    assert_int_equal(pthread_join(other->thread, NULL), 0);
    assert_int_equal(pthread_barrier_destroy(&other->gate), 0);
}

static struct watched *watch(void)
{
    struct watched *watched = watched_new();
    watched->process.reader.segment = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(watched->process.reader.segment != MAP_FAILED);
    return watched;
}

static void done(struct watched *watched)
{
    sc_reader_close(&watched->process.reader);
    sc_map_done(&watched->process.threads.index);
    watched_free(watched);
}

/* As its record of THREAD_END has it. */
static void say_end(struct sc_process *process, pid_t tid, uint64_t cpu_ns)
{
    struct sc_watched_thread *thread = sc_process_thread(process, tid);
    sc_process_thread_leaves(process, thread, cpu_ns);
    sc_process_thread_ended(process, thread);
}

TEST(who_was_not_reported_is_found)
{
    struct watched *watched = watch();
    struct other other;
    begin(&other, 0);
    sc_process_list_threads(&watched->process);
    assert_non_null(sc_process_find_thread(&watched->process, other.tid));
    assert_non_null(sc_process_find_thread(&watched->process, gettid()));
    end(&other);
    done(watched);
}

TEST(who_has_said_the_end_is_no_new_one)
{
    struct watched *watched = watch();
    struct other other;
    begin(&other, 0);
    say_end(&watched->process, other.tid, other.cpu_ns);
    for (int i = 0; i < 3; i++) {
        sc_process_list_threads(&watched->process);
        assert_null(sc_process_find_thread(&watched->process, other.tid));
        assert_int_equal(watched->process.threads.leaving.count, 1);
        assert_int_equal(sc_process_living_threads(&watched->process), 1);
    }
    end(&other);
    while (watched->process.threads.leaving.count > 0) /* a joined thread may still be listed */
        sc_process_list_threads(&watched->process);
    done(watched);
}

/* Destructors of its library may work for long after the agent has gone. */
TEST(who_works_after_the_end_is_continued)
{
    struct watched *watched = watch();
    struct other other;
    begin(&other, 50 * MS);
    say_end(&watched->process, other.tid, MS);
    sc_process_list_threads(&watched->process);
    const struct sc_watched_thread *thread = sc_process_find_thread(&watched->process, other.tid);
    assert_non_null(thread);
    assert_int_equal(thread->charge.charged_cpu_ns, MS);
    assert_int_equal(watched->process.threads.leaving.count, 0);
    end(&other);
    done(watched);
}

TEST(a_number_that_is_used_again_is_another_thread)
{
    struct watched *watched = watch();
    struct other other;
    begin(&other, 0);
    say_end(&watched->process, other.tid, LONG_LIFE);
    sc_process_list_threads(&watched->process);
    const struct sc_watched_thread *thread = sc_process_find_thread(&watched->process, other.tid);
    assert_non_null(thread);
    assert_int_equal(thread->charge.charged_cpu_ns, 0);
    end(&other);
    done(watched);
}

/* A server may start a thread for each request, for days. */
TEST(numbers_of_those_that_have_ended_take_no_room)
{
    enum { FIRST = 0x3f000000 };
    struct watched *watched = watch();
    size_t before = watched->process.threads.index.count;
    for (pid_t tid = FIRST; tid < FIRST + 1000; tid++)
        sc_process_thread_ended(&watched->process, sc_process_thread(&watched->process, tid));
    assert_int_equal(watched->process.threads.index.count, before);
    done(watched);
}

/* As when two looks have not found it in /proc. */
static void be_gone(struct sc_process *process, pid_t tid, uint64_t cpu_ns)
{
    struct sc_watched_thread *thread = sc_process_thread(process, tid);
    thread->charge.charged_cpu_ns = cpu_ns;
    thread->is_gone = true;
    sc_process_thread_ended(process, thread);
}

/* No process has such numbers. */
enum { GONE = 1 << 22, OTHER };

TEST(a_record_of_who_is_gone_continues_its_account)
{
    struct watched *watched = watch();
    struct sc_process *process = &watched->process;
    for (uint64_t i = 1; i <= 3; i++) {
        be_gone(process, GONE, i * 10 * MS);
        be_gone(process, OTHER, i * MS);
        assert_int_equal(sc_process_thread(process, GONE)->charge.charged_cpu_ns, i * 10 * MS);
        assert_int_equal(sc_process_thread(process, OTHER)->charge.charged_cpu_ns, i * MS);
        assert_int_equal(watched->collect.threads.count, 2);
    }
    done(watched);
}

TEST(who_begins_with_the_number_of_one_that_is_gone_is_another)
{
    struct watched *watched = watch();
    struct sc_process *process = &watched->process;
    be_gone(process, GONE, 10 * MS);
    const struct sc_watched_thread *thread = sc_process_new_thread(process, GONE);
    assert_int_equal(thread->charge.charged_cpu_ns, 0);
    assert_int_equal(watched->collect.threads.count, 2);
    done(watched);
}

/* It has the first one's number then, and its own clock. */
TEST(after_an_exec_in_another_thread_no_time_counts_twice)
{
    struct watched *watched = watch();
    struct sc_process *process = &watched->process;
    struct sc_charge_young young = {0};
    process->young = &young;
    process->charge.charged_cpu_ns = 780 * MS;
    struct sc_watched_thread *main = sc_process_thread(process, process->own_pid);
    sc_close(&main->schedstat_fd);
    main->schedstat_fd = memfd_create("schedstat", MFD_CLOEXEC);
    watched_counters(main, 510 * MS, 0, 9);
    main->charge.charged_cpu_ns = main->charge.looked.run_ns = 300 * MS;
    struct sc_watched_thread *other = sc_process_thread(process, 1);
    other->charge.charged_cpu_ns = 480 * MS;
    other->charge.looked.run_ns = 500 * MS;
    sc_process_close_books(process, NOW, 810 * MS);
    assert_int_equal(process->charge.charged_cpu_ns, 810 * MS);
    sc_charge_young_done(&young);
    done(watched);
}

enum { CROWD = 300, NUMBER_AT = 720 };

/* Each thread has the process's number in its structure, and its own one at NUMBER_AT. */
static bool read_number(void *context, uint64_t address, void *bytes, size_t length)
{
    size_t *reads = context;
    int32_t number = address % 4096 == NUMBER_AT ? (int32_t)(address / 4096) : 1000;
    assert_int_equal(length, sizeof(number));
    memcpy(bytes, &number, sizeof(number));
    ++*reads;
    return true;
}

TEST(a_few_threads_say_where_all_have_their_numbers)
{
    size_t reads = 0;
    uint32_t offset = 0;
    const struct sc_target target = {.read = read_number, .context = &reads};
    struct sc_thread_entry entries[CROWD] = {0};
    pid_t tids[CROWD];
    for (size_t i = 0; i < CROWD; i++) {
        tids[i] = (pid_t)(1000 + i);
        entries[CROWD - 1 - i].ident = (1000 + i) * 4096;
    }
    sc_native_ids_find(&target, entries, CROWD, tids, CROWD, &offset);
    assert_int_equal(offset, NUMBER_AT);
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(entries[CROWD - 1 - i].native_id, tids[i]);
    assert_true(reads <= 256 * 64 + CROWD);
}
