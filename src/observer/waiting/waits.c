/*
 * observer/waiting/waits.c - why a thread is blocked, from its system call.
 *
 * What is not listed is input or output: nearly every other call that can block waits for a file, a
 * socket, a pipe or a device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/waits.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static bool is_poll(long number)
{
#ifdef SYS_poll
    if (number == SYS_poll)
        return true;
#endif
    return number == SYS_ppoll;
}

bool sc_wait_is_for_process(pid_t pid, const struct sc_blocked *blocked,
                            const struct sc_target *target)
{
    struct pollfd polled;
    char path[48];
    char link[32] = ""; /* "anon_inode:[pidfd]", since Linux 6.9 "pidfd:[4711]" */
    if (blocked->is_refused || !is_poll(blocked->number) || blocked->arguments[1] != 1 ||
        !sc_target_read(target, blocked->arguments[0], &polled, sizeof(polled)))
        return false;
    (void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, polled.fd);
    return readlink(path, link, sizeof(link) - 1) > 0 && link[0] != '/' &&
           strstr(link, "pidfd") != NULL;
}
