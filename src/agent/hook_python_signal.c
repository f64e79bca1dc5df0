/* agent/hook_python_signal.c - see hook_python_signal.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/hook_python_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

enum {
    FIRST_VERSION = 0x0309,
    LAST_VERSION = 0x030c,
    NUMBERS = 31, /* signals in the field below: those of real time stay where they are */
    STAT_BYTES = 512,
    BLOCKED_FIELD = 32, /* of /proc/PID/stat: the first thread's (proc(5)) */
    FIELD_AFTER_NAME = 3,
};

#define BIT(number) (UINT32_C(1) << ((number)-1))
/* The program has handlers in front of which nothing may be: of faults, and our own switches. */
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP) | BIT(SIGSYS))
/* What is blocked while our handler runs (hook_signal.c). */
#define IN_OUR_HANDLER                                                                             \
    (~(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGKILL) | BIT(SIGSTOP)) &     \
     (BIT(NUMBERS + 1) - 1))

/* CPython has one handler for all signals that it handles in Python. */
static _Atomic(sighandler_t) pythons;
static _Atomic uint32_t blocked_at_tick; /* by the first thread, at its last tick */

SC_SIGNAL_SAFE void sc_python_signal_note(const void *context)
{
    const ucontext_t *machine = context;
    uint32_t blocked;
    __builtin_memcpy(&blocked, &machine->uc_sigmask, sizeof(blocked));
    if (sc_agent_thread.tid == sc_agent.pid)
        atomic_store_explicit(&blocked_at_tick, blocked, memory_order_relaxed);
}

/* A field of /proc/PID/stat behind the name, which ends at the last parenthesis. */
SC_SIGNAL_SAFE static bool read_number(const char *text, size_t length, int field,
                                       uint32_t *ret_number)
{
    size_t at = length;
    while (at > 0 && text[at - 1] != ')')
        at--;
    for (int i = FIELD_AFTER_NAME - 1; at < length && i < field; at++)
        i += text[at] == ' ';
    uint32_t number = 0;
    size_t first = at;
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        number = number * 10 + (uint32_t)(text[at] - '0');
    *ret_number = number;
    return first > 0 && at > first && at < length;
}

/* The signals up to 31 that the first thread blocks, but for a tick of ours. */
SC_SIGNAL_SAFE static bool blocked_by_first(uint32_t *ret_blocked)
{
    char text[STAT_BYTES];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? syscall(SYS_read, fd, text, sizeof(text)) : 0;
    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    if (length <= 0 || !read_number(text, (size_t)length, BLOCKED_FIELD, ret_blocked))
        return false;
    if (*ret_blocked == IN_OUR_HANDLER)
        *ret_blocked = atomic_load_explicit(&blocked_at_tick, memory_order_relaxed);
    return true;
}

/* Sends a signal that was meant for the process on to the first thread, which would have had it. */
SC_SIGNAL_SAFE static bool send_on(int number, const siginfo_t *info)
{
    uint32_t blocked = 0;
    long process = syscall(SYS_getpid);
    if (info->si_code == SI_TKILL || process != sc_agent.pid || syscall(SYS_gettid) == process ||
        !blocked_by_first(&blocked) || (blocked & BIT(number)) != 0)
        return false;
    return syscall(SYS_tgkill, process, process, number) == 0; /* CPython reads no siginfo */
}

SC_SIGNAL_SAFE static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    bool is_sent = false;
    (void)context;
    sc_agent_enter();
    if (!sc_agent.is_sealed && sc_agent_is_active())
        is_sent = send_on(number, info);
    sc_agent_leave();
    errno = saved_errno;
    if (!is_sent)
        atomic_load (&pythons)(number);
}

bool sc_python_signal_wraps(int number, const struct sigaction *action, struct sigaction *ret_ours)
{
    uint64_t handler = (uint64_t)(uintptr_t)action->sa_handler;
    sighandler_t known = NULL;
    if (number < 1 || number > NUMBERS || (BIT(number) & FAULTS) != 0 || !sc_agent_is_active() ||
        getpid() != sc_agent.pid || sc_agent.layout.version < FIRST_VERSION ||
        sc_agent.layout.version > LAST_VERSION || handler < sc_agent.python_start ||
        handler >= sc_agent.python_end || (action->sa_flags & SA_SIGINFO) != 0)
        return false;
    /* with one of these flags come faulthandler's, which may be the first of the library */
    if ((action->sa_flags & (SA_NODEFER | SA_RESTART)) == 0)
        (void)atomic_compare_exchange_strong(&pythons, &known, action->sa_handler);
    if (atomic_load(&pythons) != action->sa_handler)
        return false;
    *ret_ours = *action;
    ret_ours->sa_sigaction = on_signal;
    ret_ours->sa_flags |= SA_SIGINFO;
    return true;
}

void sc_python_signal_begin_late(void)
{
    for (int number = 1; number <= NUMBERS; number++) {
        struct sigaction now;
        struct sigaction ours;
        if (sc_real()->sigaction(number, NULL, &now) == 0 &&
            sc_python_signal_wraps(number, &now, &ours))
            (void)sc_real()->sigaction(number, &ours, NULL);
    }
}

void sc_python_signal_hide(struct sigaction *action)
{
    if ((action->sa_flags & SA_SIGINFO) == 0 || action->sa_sigaction != on_signal)
        return;
    action->sa_flags &= ~SA_SIGINFO;
    action->sa_handler = atomic_load(&pythons);
}
