/*
 * tests/unit/waits_test.c - why a thread is blocked, by its system call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/waits.h"

#include <sys/syscall.h>

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
