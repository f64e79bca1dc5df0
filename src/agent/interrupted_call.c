/* agent/interrupted_call.c - see interrupted_call.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/interrupted_call.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/rules.h"
#include "agent/safe_read.h"
#include "agent/state.h"
#include "unwind/unwind.h"

#define KERNEL_MASK_BYTES  8U /* size of the kernel's signal set */
#define SIGNALS            64
#define FIRST_OF_REAL_TIME 32 /* the kernel's, of which a C library keeps some */

/* What the program's handler may need in another thread. A call that returned earlier would find no
 * sign of the signal, and CPython would make it again. */
#define HANDLER_NS 200000

/* What rt_sigaction(2) fills: the kernel's own struct sigaction (asm/signal.h). */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* Whether the kernel notes that a CPU timer has expired and sends its signal when the thread
 * returns to the program: from Linux 5.11 on (CONFIG_POSIX_CPU_TIMERS_TASK_WORK). */
static bool sends_ticks_late;

void sc_interrupted_call_init(void)
{
    struct utsname name;
    unsigned major = 0;
    unsigned minor = 0;
    sends_ticks_late = uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
                       (major > 5 || (major == 5 && minor >= 11));
}

/* Whether SA_RESTART decides between a restart and EINTR: the calls named in signal(7). Others end
 * with EINTR whatever our flags say (poll, nanosleep), or are restarted for every handler (fork).
 */
SC_SIGNAL_SAFE static bool depends_on_flags(const struct sc_system_call *call)
{
    switch (call->number) {
#ifdef SYS_open /* processors that Linux came to later have openat alone */
    case SYS_open:
#endif
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_fcntl: /* a lock */
    case SYS_flock:
    case SYS_getrandom:
    case SYS_ioctl: /* of a terminal, for example */
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
    case SYS_openat: /* of a FIFO */
    case SYS_openat2:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmmsg:
    case SYS_recvmsg:
    case SYS_sendfile:
    case SYS_sendmmsg:
    case SYS_sendmsg:
    case SYS_sendto:
    case SYS_splice:
    case SYS_tee:
    case SYS_vmsplice:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_write:
    case SYS_writev:
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
#endif
        return true;
    case SYS_futex: {
        int operation = (int)call->second & FUTEX_CMD_MASK;
        return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
    }
    default:
        return false;
    }
}

/* Whether the program has a handler for the signal that ends calls. */
SC_SIGNAL_SAFE static bool ends_calls(int number)
{
    struct kernel_action action;
    return syscall(SYS_rt_sigaction, number, NULL, &action, KERNEL_MASK_BYTES) == 0 &&
           action.handler != SIG_DFL && action.handler != SIG_IGN &&
           (action.flags & SA_RESTART) == 0;
}

/* The signals other than a tick that will be delivered after it. */
SC_SIGNAL_SAFE static uint64_t other_signals(const ucontext_t *context)
{
    uint64_t pending = 0;
    uint64_t blocked;
    __builtin_memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
    if (syscall(SYS_rt_sigpending, &pending, KERNEL_MASK_BYTES) != 0)
        return 0;
    return pending & ~(blocked | UINT64_C(1) << (SC_TICK_SIGNAL - 1));
}

/* The first of the signals that ends calls, or 0. */
SC_SIGNAL_SAFE static int first_that_ends_calls(uint64_t signals)
{
    for (int number = 1; number <= SIGNALS && signals != 0; number++, signals >>= 1) {
        if ((signals & 1) != 0 && ends_calls(number))
            return number;
    }
    return 0;
}

SC_SIGNAL_SAFE static bool is_first_thread(void)
{
    return syscall(SYS_gettid) == syscall(SYS_getpid);
}

/* Makes a signal for the process one for this thread. The kernel prefers the first thread, too.
 * Returns false if another thread has taken it. Signals of real time may be lost where too many are
 * queued, so they stay what they are. */
SC_SIGNAL_SAFE static bool claim(int number)
{
    siginfo_t info;
    const struct timespec now = {0};
    uint64_t mask = UINT64_C(1) << (number - 1);
    bool is_job_control = number == SIGCONT || number == SIGTSTP || number == SIGTTIN ||
                          number == SIGTTOU; /* sent again, they would take back one another */
    if (number >= FIRST_OF_REAL_TIME || is_job_control)
        return true;
    if (syscall(SYS_rt_sigtimedwait, &mask, &info, &now, KERNEL_MASK_BYTES) != number)
        return false;
    long process = syscall(SYS_getpid);
    long thread = syscall(SYS_gettid);
    if (syscall(SYS_rt_tgsigqueueinfo, process, thread, number, &info) != 0)
        (void)syscall(SYS_tgkill, process, thread, number); /* a filter forbids the other */
    return true;
}

/* The list of threads has two links more than there are threads. */
SC_SIGNAL_SAFE static bool has_other_threads(void)
{
    struct stat list;
    return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &list, 0) == 0 && list.st_nlink > 3;
}

/* Whether a signal has ended the call that another thread has taken meanwhile. A timer's tick ends
 * none itself where the kernel sends it on the way back to the program. */
SC_SIGNAL_SAFE static bool was_taken(const siginfo_t *info)
{
    return sends_ticks_late && info->si_code == SI_TIMER && has_other_threads() &&
           first_that_ends_calls(UINT64_MAX) != 0;
}

/* A call that has not begun would not end: the program's handler runs before it. */
SC_SIGNAL_SAFE static bool is_made_again(const void *context)
{
    struct sc_system_call call;
    sc_context_system_call(context, &call);
    if (!depends_on_flags(&call) || !sc_context_has_begun_system_call(context))
        return false;
    struct sc_safe_reader reader = {0};
    const struct sc_target target = {.read = sc_safe_read, .context = &reader};
    return sc_context_makes_system_call(context, &target);
}

/* By one of these signals, which are pending. */
SC_SIGNAL_SAFE static enum sc_call_end is_ended_by(uint64_t signals)
{
    int number = first_that_ends_calls(signals);
    if (number == 0)
        return SC_CALL_GOES_ON;
    return !is_first_thread() || claim(number) ? SC_CALL_ENDED : SC_CALL_ENDED_ELSEWHERE;
}

SC_SIGNAL_SAFE enum sc_call_end sc_interrupted_call(const siginfo_t *info, const void *context)
{
    if (!is_made_again(context))
        return SC_CALL_GOES_ON;
    uint64_t signals = other_signals(context);
    if (signals == 0 && is_first_thread() && was_taken(info))
        return SC_CALL_ENDED_ELSEWHERE;
    return is_ended_by(signals);
}

SC_SIGNAL_SAFE enum sc_call_end sc_interrupted_call_meanwhile(const void *context)
{
    return is_made_again(context) ? is_ended_by(other_signals(context)) : SC_CALL_GOES_ON;
}

SC_SIGNAL_SAFE void sc_interrupted_call_end(void *context, enum sc_call_end end)
{
    if (end == SC_CALL_GOES_ON)
        return;
    if (end == SC_CALL_ENDED_ELSEWHERE)
        (void)syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = HANDLER_NS}, NULL);
    sc_context_fail_system_call(context, EINTR);
}
