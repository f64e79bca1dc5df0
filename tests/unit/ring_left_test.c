/*
 * tests/unit/ring_left_test.c - writers of a ring that a signal handler leaves by longjmp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/ptrace.h>

#include "channel/writer.h"
#include "sc_test.h"

#define SIZE sizeof(struct sc_record_free)

static struct sc_segment *segment;

/* All on one stack. */
static bool is_below(uint64_t frame, uint64_t here)
{
    return frame <= here;
}

static int begin(void **state)
{
    sc_ring_is_abandoned = is_below;
    sc_ring_after_fork();
    segment =
        mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return segment == MAP_FAILED ? -1 : 0;
}

static int end(void **state)
{
    return munmap(segment, sizeof(*segment));
}

/* Reads all that there is; the number of records, or -1 when one was never finished. */
static int drain(void)
{
    uint64_t tail = atomic_load(&segment->tail);
    int count = 0;
    while (tail != atomic_load(&segment->head)) {
        unsigned char *at = segment->ring + tail % SC_RING_BYTES;
        uint32_t word = atomic_load(&((struct sc_record_header *)(void *)at)->word);
        if (word == 0)
            return -1;
        memset(at, 0, word & 0xffffff);
        tail += word & 0xffffff;
        atomic_store(&segment->tail, tail);
        count += word >> 24 != SC_RECORD_PAD;
    }
    return count;
}

static __attribute__((noinline)) void write_one(void)
{
    void *record = sc_ring_reserve(segment, SIZE);
    if (record != NULL)
        sc_ring_commit(record, SC_RECORD_FREE, SIZE);
}

/* As deep in the stack as write_one. */
static __attribute__((noinline)) void *reserve_one(void)
{
    void *record = sc_ring_reserve(segment, SIZE);
    __asm__ volatile("" : : "r"(record) : "memory");
    return record;
}

static __attribute__((noinline)) void *reserve_further_in(void)
{
    unsigned char room[1024]; /* as between a writer and the signal handler that interrupts it */
    __asm__ volatile("" : : "r"(room) : "memory");
    void *record = reserve_one();
    __asm__ volatile("" : : "r"(room) : "memory");
    return record;
}

TEST_WITHIN(a_record_that_was_left_stops_nobody, begin, end)
{
    assert_non_null(reserve_one());
    assert_int_equal(drain(), -1);
    write_one();
    assert_int_equal(drain(), 1);
    for (int i = 0; i < 100; i++)
        assert_non_null(reserve_one());
    sc_ring_pad_abandoned(segment, (uint64_t)(uintptr_t)__builtin_frame_address(0));
    assert_int_equal(drain(), 0);
}

TEST_WITHIN(a_record_that_is_being_written_is_waited_for, begin, end)
{
    void *record = reserve_one();
    void *inner = reserve_further_in();
    sc_ring_commit(inner, SC_RECORD_FREE, SIZE);
    assert_int_equal(drain(), -1);
    sc_ring_commit(record, SC_RECORD_FREE, SIZE);
    assert_int_equal(drain(), 2);
    /* both are left */
    (void)reserve_one();
    (void)reserve_further_in();
    write_one();
    assert_int_equal(drain(), 1);
}

TEST_WITHIN(more_records_than_can_be_noted_are_refused, begin, end)
{
    sc_ring_is_abandoned = NULL;
    int count = 0;
    while (count < 1000 && reserve_one() != NULL)
        count++;
    assert_in_range(count, 8, 999);
    sc_ring_after_fork();
    assert_non_null(reserve_one());
}

TEST_WITHIN(a_record_of_an_earlier_segment_is_forgotten, begin, end)
{
    struct sc_segment *first = segment;
    write_one();
    assert_non_null(reserve_one());
    assert_int_equal(begin(NULL), 0);
    write_one();
    write_one();
    assert_int_equal(drain(), 2);
    assert_int_equal(munmap(first, sizeof(*first)), 0);
}

/* What a writer that is stepped through has come to. */
struct steps {
    _Atomic bool is_through; /* it was not left */
    _Atomic int drained;
};

static sigjmp_buf out;
static struct steps *steps;

static void jump(int number)
{
    siglongjmp(out, 1);
}

/* Leaves a record somewhere, writes another, and reads. start: where the ring stands. */
static void write_and_leave(uint64_t start)
{
    (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    (void)signal(SIGUSR1, jump);
    for (;;) {
        sc_ring_after_fork();
        atomic_store(&segment->head, start);
        atomic_store(&segment->tail, start);
        if (sigsetjmp(out, 1) == 0) {
            (void)raise(SIGSTOP);
            write_one();
            atomic_store(&steps->is_through, true);
        }
        write_one();
        atomic_store(&steps->drained, drain());
    }
}

static void resume(pid_t pid, enum __ptrace_request request, int signal_number)
{
    int status = 0;
    assert_int_equal(ptrace(request, pid, NULL, signal_number), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status));
}

static void leave_anywhere(uint64_t start)
{
    steps = mmap(NULL, sizeof(*steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(steps != MAP_FAILED);
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        write_and_leave(start);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), 0);
    uint64_t count = 0;
    for (; !atomic_load(&steps->is_through); count++) {
        for (uint64_t i = 0; i < count && !atomic_load(&steps->is_through); i++)
            resume(pid, PTRACE_SINGLESTEP, 0);
        resume(pid, PTRACE_CONT, SIGUSR1); /* to its next stop */
        assert_in_range(atomic_load(&steps->drained), 1, 2);
    }
    assert_true(count > 20);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(munmap(steps, sizeof(*steps)), 0);
}

TEST_WITHIN(a_writer_may_be_left_at_any_instruction, begin, end)
{
#if defined(__aarch64__) && !defined(__ARM_FEATURE_ATOMICS)
    skip(); /* a store exclusive fails if there was a step since the load: its loop never ends */
#endif
    leave_anywhere(0);
    leave_anywhere(SC_RING_BYTES - 8); /* with padding before the record */
}
