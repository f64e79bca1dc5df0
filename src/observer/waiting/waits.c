/*
 * observer/waiting/waits.c - why a thread is blocked, from its system call.
 *
 * What is not listed is input or output: nearly every other call that can block waits for a file, a
 * socket, a pipe or a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/waits.h"

#include <sys/syscall.h>

enum sc_wait sc_wait_cause(const struct sc_blocked *blocked, uint64_t runtime,
                           uint64_t runtime_size)
{
    if (blocked->is_refused)
        return SC_WAIT_OTHER;
    switch (blocked->number) {
    case SYS_futex:
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
#endif
        return blocked->arguments[0] - runtime < runtime_size ? SC_WAIT_GIL : SC_WAIT_LOCK;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return SC_WAIT_SLEEP;
    case SYS_pselect6:
#ifdef SYS_select
    case SYS_select:
#endif
        /* time.sleep() up to 3.10 */
        return blocked->arguments[0] == 0 ? SC_WAIT_SLEEP : SC_WAIT_IO;
    case SYS_ppoll:
#ifdef SYS_poll
    case SYS_poll:
#endif
        return blocked->arguments[1] == 0 ? SC_WAIT_SLEEP : SC_WAIT_IO;
    case SYS_wait4:
    case SYS_waitid:
        return SC_WAIT_CHILD;
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
        return SC_WAIT_OTHER;
    default:
        return SC_WAIT_IO;
    }
}
