/*
 * agent/hook_signal.c - one signal serves two masters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hook_signal.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/handler.h"
#include "agent/late.h"
#include "agent/real.h"
#include "agent/rules.h"

/* The program's disposition of the tick signal: two copies, so that a handler never reads one that
 * is being changed. */
static struct sigaction wanted[2];
static _Atomic unsigned wanted_now;
static _Atomic bool installed;

SC_SIGNAL_SAFE bool sc_tick_is_ours(const siginfo_t *info)
{
    if (info->si_code == SI_TIMER)
        return info->si_value.sival_ptr == &sc_agent;
    return sc_agent_thread.uses_perf && info->si_code >= POLL_IN && info->si_code <= POLL_HUP &&
           info->si_fd == sc_agent_thread.perf_fd;
}

/* What the kernel would have done for the program. */
SC_SIGNAL_SAFE static void deliver(int number, siginfo_t *info, void *context)
{
    if (sc_agent_thread.tick_blocked) {
        sc_agent_thread.tick_pending = true;
        sc_agent_thread.pending_code = info->si_code;
        sc_agent_thread.pending_pid = info->si_pid;
        sc_agent_thread.pending_uid = info->si_uid;
        return;
    }
    unsigned now = atomic_load_explicit(&wanted_now, memory_order_acquire);
    struct sigaction action = wanted[now & 1];
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
        return;
    if ((action.sa_flags & (int)SA_RESETHAND) != 0) {
        wanted[(now + 1) & 1] = (struct sigaction){.sa_handler = SIG_DFL};
        atomic_store_explicit(&wanted_now, now + 1, memory_order_release);
    }
    if ((action.sa_flags & SA_SIGINFO) != 0)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
}

SC_SIGNAL_SAFE static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    if (!sc_tick_is_ours(info))
        deliver(number, info, context);
    else if (sc_late_accepts(info))
        sc_tick(context);
    errno = saved_errno;
}

bool sc_hook_signal_init(void)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    /* nothing interrupts a sample but what a fault of our own would raise */
    (void)sigfillset(&action.sa_mask);
    (void)sigdelset(&action.sa_mask, SIGSEGV);
    (void)sigdelset(&action.sa_mask, SIGBUS);
    (void)sigdelset(&action.sa_mask, SIGILL);
    (void)sigdelset(&action.sa_mask, SIGFPE);
    if (sc_real()->sigaction(SC_TICK_SIGNAL, &action, &wanted[0]) != 0)
        return false;
    sigset_t tick;
    sigset_t before;
    (void)sigemptyset(&tick);
    (void)sigaddset(&tick, SC_TICK_SIGNAL);
    if (sc_real()->pthread_sigmask(SIG_UNBLOCK, &tick, &before) != 0)
        return false;
    sc_agent_thread.tick_blocked = sigismember(&before, SC_TICK_SIGNAL) == 1;
    atomic_store(&installed, true);
    return true;
}

void sc_hook_signal_after_fork(bool followed)
{
    sigset_t tick;
    sc_agent_thread.tick_pending = false;
    if (followed)
        return;
    (void)sigemptyset(&tick);
    (void)sigaddset(&tick, SC_TICK_SIGNAL);
    if (sc_agent_thread.tick_blocked)
        (void)sc_real()->pthread_sigmask(SIG_BLOCK, &tick, NULL);
    sc_agent_thread.tick_blocked = false;
}

static bool is_shared(int number)
{
    return number == SC_TICK_SIGNAL && atomic_load_explicit(&installed, memory_order_acquire);
}

static void set_wanted(const struct sigaction *action)
{
    unsigned now = atomic_load_explicit(&wanted_now, memory_order_relaxed);
    wanted[(now + 1) & 1] = *action;
    atomic_store_explicit(&wanted_now, now + 1, memory_order_release);
}

SC_EXPORT int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict before)
{
    if (!is_shared(number))
        return sc_real()->sigaction(number, action, before);
    struct sigaction old = wanted[atomic_load(&wanted_now) & 1];
    if (action != NULL)
        set_wanted(action);
    if (before != NULL)
        *before = old;
    return 0;
}

SC_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    if (!is_shared(number))
        return sc_real()->signal(number, handler);
    sighandler_t old = wanted[atomic_load(&wanted_now) & 1].sa_handler;
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    set_wanted(&action);
    return old;
}

SC_EXPORT int siginterrupt(int number, int interrupt)
{
    if (!is_shared(number))
        return sc_real()->siginterrupt(number, interrupt);
    struct sigaction action = wanted[atomic_load(&wanted_now) & 1];
    action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    set_wanted(&action);
    return 0;
}

typedef int set_mask(int how, const sigset_t *set, sigset_t *before);

/* The tick signal stays unblocked whatever the program asks; its wish is remembered instead. */
static int change_mask(set_mask *real, int how, const sigset_t *set, sigset_t *before)
{
    if (!atomic_load_explicit(&installed, memory_order_acquire) || !sc_agent_thread.registered)
        return real(how, set, before);
    sigset_t passed;
    bool named = false;
    if (set != NULL) {
        passed = *set;
        named = sigismember(set, SC_TICK_SIGNAL) == 1;
        (void)sigdelset(&passed, SC_TICK_SIGNAL);
    }
    sigset_t old;
    int code = real(how, set != NULL ? &passed : NULL, &old);
    if (code != 0)
        return code;
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (before != NULL) {
        *before = old;
        if (thread->tick_blocked)
            (void)sigaddset(before, SC_TICK_SIGNAL);
    }
    if (set == NULL)
        return 0;
    if (how == SIG_SETMASK)
        thread->tick_blocked = named;
    else if (named)
        thread->tick_blocked = how == SIG_BLOCK;
    if (!thread->tick_blocked && thread->tick_pending) {
        thread->tick_pending = false;
        (void)syscall(SYS_tgkill, sc_agent.pid, thread->tid, SC_TICK_SIGNAL);
    }
    return 0;
}

SC_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    return change_mask(sc_real()->pthread_sigmask, how, set, before);
}

SC_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    return change_mask(sc_real()->sigprocmask, how, set, before);
}

SC_EXPORT int sigpending(sigset_t *ret_set)
{
    int code = sc_real()->sigpending(ret_set);
    if (code == 0 && sc_agent_thread.tick_pending)
        (void)sigaddset(ret_set, SC_TICK_SIGNAL);
    return code;
}

/* A tick signal of somebody else's that waits for the program to accept it. */
static bool take_pending(const sigset_t *set, siginfo_t *ret_info)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (!thread->tick_pending || sigismember(set, SC_TICK_SIGNAL) != 1)
        return false;
    thread->tick_pending = false;
    *ret_info = (siginfo_t){.si_signo = SC_TICK_SIGNAL, .si_code = thread->pending_code};
    ret_info->si_pid = thread->pending_pid;
    ret_info->si_uid = thread->pending_uid;
    return true;
}

/* A program that waits for all signals must not be woken by a tick that came on its way in. */
SC_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout)
{
    siginfo_t local;
    int number = SC_TICK_SIGNAL;
    if (!take_pending(set, &local)) {
        do
            number = sc_real()->sigtimedwait(set, &local, timeout);
        while (number == SC_TICK_SIGNAL && sc_tick_is_ours(&local));
    }
    if (number > 0 && info != NULL)
        *info = local;
    return number;
}

SC_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return sigtimedwait(set, info, NULL);
}

SC_EXPORT int sigwait(const sigset_t *restrict set, int *restrict ret_number)
{
    for (;;) {
        int number = sigtimedwait(set, NULL, NULL);
        if (number > 0) {
            *ret_number = number;
            return 0;
        }
        if (errno != EINTR)
            return errno;
    }
}
