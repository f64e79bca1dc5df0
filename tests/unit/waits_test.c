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

static void futexes_are_locks_or_the_interpreters(void **state)
{
    (void)state;
    assert_int_equal(cause(SYS_futex, RUNTIME - 4, 0), SC_WAIT_LOCK);
    assert_int_equal(cause(SYS_futex, RUNTIME, 0), SC_WAIT_GIL);
    assert_int_equal(cause(SYS_futex, RUNTIME + RUNTIME_SIZE - 4, 0), SC_WAIT_GIL);
    assert_int_equal(cause(SYS_futex, RUNTIME + RUNTIME_SIZE, 0), SC_WAIT_LOCK);
    assert_int_equal(cause(SYS_futex, 0, 0), SC_WAIT_LOCK);
}

static void waiting_for_nothing_but_time_is_sleep(void **state)
{
    (void)state;
    assert_int_equal(cause(SYS_clock_nanosleep, 1, 1), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_pselect6, 0, 0), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_pselect6, 4, 0), SC_WAIT_IO);
    assert_int_equal(cause(SYS_ppoll, 0x7000, 0), SC_WAIT_SLEEP);
    assert_int_equal(cause(SYS_ppoll, 0x7000, 2), SC_WAIT_IO);
}

static void the_rest(void **state)
{
    (void)state;
    assert_int_equal(cause(SYS_wait4, 0, 0), SC_WAIT_CHILD);
    assert_int_equal(cause(SYS_waitid, 0, 0), SC_WAIT_CHILD);
    assert_int_equal(cause(SYS_read, 3, 0), SC_WAIT_IO);
    assert_int_equal(cause(SYS_rt_sigtimedwait, 0, 0), SC_WAIT_OTHER);
    assert_int_equal(cause(-1, 0, 0), SC_WAIT_IO); /* a page that is being read */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(futexes_are_locks_or_the_interpreters),
        cmocka_unit_test(waiting_for_nothing_but_time_is_sleep),
        cmocka_unit_test(the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
