/*
 * tests/unit/waits_test.c - why a thread is blocked, by its system call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/waits.h"

#include <poll.h>

#include "sc_test.h"

#define RUNTIME      0x500000U
#define RUNTIME_SIZE 0x1000U

static enum sc_wait cause(long number, uint64_t first, uint64_t second)
{
    struct sc_blocked blocked = {.number = number, .arguments = {first, second}};
    return sc_wait_cause(&blocked, RUNTIME, RUNTIME_SIZE);
}

TEST(futexes_are_locks_or_the_interpreters)
{
    assert_int_equal(cause(SYS_futex, RUNTIME - 4, 0), SC_WAIT_LOCK);
    assert_int_equal(cause(SYS_futex, RUNTIME, 0), SC_WAIT_GIL);
    assert_int_equal(cause(SYS_futex, RUNTIME + RUNTIME_SIZE - 4, 0), SC_WAIT_GIL);
    assert_int_equal(cause(SYS_futex, RUNTIME + RUNTIME_SIZE, 0), SC_WAIT_LOCK);
    assert_int_equal(cause(SYS_futex, 0, 0), SC_WAIT_LOCK);
}

TEST(waiting_for_nothing_but_time_is_sleep)
{
    assert_int_equal(cause(SYS_clock_nanosleep, 1, 1), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_pselect6, 0, 0), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_pselect6, 4, 0), SC_WAIT_IO);
    assert_int_equal(cause(SYS_ppoll, 0x7000, 0), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_ppoll, 0x7000, 2), SC_WAIT_IO);
}

TEST(the_rest)
{
    assert_int_equal(cause(SYS_wait4, 0, 0), SC_WAIT_CHILD);
    assert_int_equal(cause(SYS_waitid, 0, 0), SC_WAIT_CHILD);
    assert_int_equal(cause(SYS_read, 3, 0), SC_WAIT_IO);
    assert_int_equal(cause(SYS_rt_sigtimedwait, 0, 0), SC_WAIT_OTHER);
    assert_int_equal(cause(-1, 0, 0), SC_WAIT_IO); /* a page that is being read */
}

static bool read_own(void *context, uint64_t address, void *bytes, size_t length)
{
    memcpy(bytes, (const void *)(uintptr_t)address, length);
    return true;
}

static bool polls_process(int descriptor, uint64_t count)
{
    const struct sc_target own = {.read = read_own};
    struct pollfd polled = {.fd = descriptor};
    const struct sc_blocked blocked = {.number = SYS_ppoll,
                                       .arguments = {(uint64_t)(uintptr_t)&polled, count}};
    return sc_wait_is_for_process(getpid(), &blocked, &own);
}

TEST(polling_the_descriptor_of_a_process_is_waiting_for_it)
{
    int ends[2];
    int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (process < 0)
        skip(); /* a sandbox may forbid it */
    assert_int_equal(pipe(ends), 0);
    assert_true(polls_process(process, 1));
    assert_false(polls_process(process, 2));
    assert_false(polls_process(ends[0], 1));
    assert_false(polls_process(-1, 1));
    for (int i = 0; i < 2; i++)
        (void)close(ends[i]);
    (void)close(process);
}
