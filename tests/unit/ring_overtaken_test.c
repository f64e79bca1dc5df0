/*
 * tests/unit/ring_overtaken_test.c - writers of a ring that others overtake in the middle of a
 * call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/ptrace.h>
#include <sys/time.h>

#include "channel/writer.h"
#include "sc_test.h"

static struct sc_segment *shared;
static volatile sig_atomic_t interruptions;

static int make_ring(void)
{
    int fd = (int)syscall(SYS_memfd_create, "ring_overtaken_test", 0);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)sizeof(struct sc_segment)), 0);
    shared = mmap(NULL, sizeof(struct sc_segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(shared != MAP_FAILED);
    return fd;
}

/* Writes a record and reads everything. */
static bool pass_one(void)
{
    struct sc_record_free *record = sc_ring_reserve(shared, sizeof(*record));
    if (record == NULL)
        return false;
    sc_ring_commit(record, SC_RECORD_FREE, sizeof(*record));
    atomic_store(&shared->tail, atomic_load(&shared->head));
    return true;
}

static void pass_some(int number)
{
    for (int i = 0; i < 4; i++)
        (void)pass_one();
    interruptions++;
}

TEST(a_writer_that_is_overtaken_does_not_take_the_ring_for_full)
{
    struct sigaction action = {.sa_handler = pass_some};
    int fd = make_ring();
    struct itimerval fast = {{0, 50}, {0, 50}};
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    (void)setitimer(ITIMER_REAL, &fast, NULL);
    bool has_room = true;
    for (long i = 0; i < 100000000 && interruptions < 3000 && has_room; i++)
        has_room = pass_one();
    fast = (struct itimerval){0};
    (void)setitimer(ITIMER_REAL, &fast, NULL);
    (void)sigaction(SIGALRM, &before, NULL);
    assert_true(has_room);
    assert_int_equal(munmap(shared, sizeof(struct sc_segment)), 0);
    assert_int_equal(close(fd), 0);
}

/* What a writer that is stepped through has come to. */
struct steps {
    _Atomic uint64_t calls;
    _Atomic bool is_wrong; /* it took the ring for full */
};

/* Two calls of an idle ring, for as long as it is let. */
static void call_for_ever(struct steps *steps)
{
    (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    (void)raise(SIGSTOP);
    for (;;) {
        struct sc_record_free *record = sc_ring_reserve(shared, sizeof(*record));
        if (record == NULL || sc_ring_used(shared) > SC_RING_BYTES)
            atomic_store(&steps->is_wrong, true);
        else
            sc_ring_commit(record, SC_RECORD_FREE, sizeof(*record));
        atomic_fetch_add(&steps->calls, 1);
    }
}

static void step(pid_t pid)
{
    int status = 0;
    assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status));
}

/* As above, without chance: of the n-th call all others are at the ring after its n-th instruction,
 * and read all that they have written. */
TEST(a_writer_that_is_overtaken_anywhere_has_room)
{
#if defined(__aarch64__) && !defined(__ARM_FEATURE_ATOMICS)
    skip(); /* a store exclusive fails if there was a step since the load: its loop never ends */
#endif
    int fd = make_ring();
    struct steps *steps =
        mmap(NULL, sizeof(*steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(steps != MAP_FAILED);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        call_for_ever(steps);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), 0);
    bool was_last = false;
    for (uint64_t call = 1; !was_last && !atomic_load(&steps->is_wrong); call++) {
        uint64_t count = 0;
        for (; atomic_load(&steps->calls) < call; count++) {
            if (count == call) {
                for (int i = 0; i < 4; i++)
                    (void)pass_one();
            }
            step(pid);
        }
        atomic_store(&shared->tail, atomic_load(&shared->head));
        was_last = call > 10 && count < call;
    }
    assert_false(atomic_load(&steps->is_wrong));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(munmap(steps, sizeof(*steps)), 0);
    assert_int_equal(munmap(shared, sizeof(struct sc_segment)), 0);
    assert_int_equal(close(fd), 0);
}
