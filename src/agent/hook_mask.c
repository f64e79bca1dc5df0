/* agent/hook_mask.c - see hook_mask.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/hook_mask.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/handler.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/timer.h"

static _Atomic bool has_descriptor; /* a signalfd exists that returns the tick signal */

static sigset_t tick_alone(void)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SC_TICK_SIGNAL);
    return set;
}

/* False in a child of vfork, which shares the thread's memory but has none of its timers. */
static bool is_this_thread(const struct sc_agent_thread *thread)
{
    return (pid_t)syscall(SYS_gettid) == thread->tid;
}

SC_SIGNAL_SAFE bool sc_mask_accepts(void)
{
    if (!atomic_load_explicit(&has_descriptor, memory_order_relaxed))
        return true;
    sc_timer_stop(&sc_agent_thread);
    sc_agent_thread.tick_held = true;
    return false;
}

bool sc_mask_is_blocked(void)
{
    sigset_t now;
    return atomic_load(&has_descriptor) ||
           (sc_real()->pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 &&
            sigismember(&now, SC_TICK_SIGNAL) == 1);
}

static void suspend_ticks(struct sc_agent_thread *thread)
{
    thread->tick_held = true;
    sc_timer_suspend(thread);
}

static void resume_ticks(struct sc_agent_thread *thread)
{
    if (atomic_load(&has_descriptor) || !sc_agent_is_active())
        return;
    thread->tick_held = false;
    if (!sc_timer_resume(thread))
        sc_agent_lose(SC_AGENT_LOSS_NO_TIMER);
}

typedef int set_mask(int how, const sigset_t *set, sigset_t *before);

/* The timer is stopped only if this call is the one that blocks the signal. If the signal was
 * blocked already, without a hooked call, that is mostly for the duration of a signal handler, and
 * no hooked call would show when it is unblocked. */
static int change_mask(set_mask *real, int how, const sigset_t *set, sigset_t *before)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (set == NULL || !thread->registered || sc_agent.is_sealed)
        return real(how, set, before);
    bool named = sigismember(set, SC_TICK_SIGNAL) == 1;
    bool blocks = named && how != SIG_UNBLOCK;
    bool lets = how == SIG_SETMASK ? !named : how == SIG_UNBLOCK && named;
    if (blocks ? thread->tick_held : !(lets && thread->tick_held))
        return real(how, set, before);
    int saved_errno = errno;
    bool is_ours = is_this_thread(thread);
    sigset_t old;
    if (is_ours && blocks)
        suspend_ticks(thread);
    errno = saved_errno;
    int code = real(how, set, &old);
    if (code == 0 && before != NULL)
        *before = old;
    saved_errno = errno;
    bool keeps = code == 0 && blocks && sigismember(&old, SC_TICK_SIGNAL) == 0;
    if (is_ours && !keeps && (blocks || code == 0))
        resume_ticks(thread);
    errno = saved_errno;
    return code;
}

SC_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    return change_mask(sc_real()->pthread_sigmask, how, set, before);
}

int sc_hook_mask_change(int how, const sigset_t *set, sigset_t *ret_before)
{
    return change_mask(sc_real()->sigprocmask, how, set, ret_before);
}

SC_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
    return sc_hook_mask_change(how, set, before);
}

/* Removes a tick that is pending for this thread. Another signal of that number is put back. */
static void drop_stray_tick(void)
{
    const struct timespec now = {0};
    sigset_t tick = tick_alone();
    siginfo_t info;
    if (sc_real()->sigtimedwait(&tick, &info, &now) == SC_TICK_SIGNAL && !sc_tick_is_ours(&info))
        (void)syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SC_TICK_SIGNAL, &info);
}

SC_EXPORT int sigpending(sigset_t *ret_set)
{
    int code = sc_real()->sigpending(ret_set);
    if (code != 0 || !sc_agent_is_active() || sc_agent_thread.tick_held ||
        sigismember(ret_set, SC_TICK_SIGNAL) != 1)
        return code;
    int saved_errno = errno;
    drop_stray_tick();
    errno = saved_errno;
    return sc_real()->sigpending(ret_set);
}

/* A program that waits for all signals must not be woken by a tick that was already pending. */
SC_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict timeout)
{
    siginfo_t local;
    int number;
    do
        number = sc_real()->sigtimedwait(set, &local, timeout);
    while (number == SC_TICK_SIGNAL && sc_tick_is_ours(&local));
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

/* Reading the descriptor returns pending signals, ticks too, so there must be no ticks. */
SC_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    if (sc_agent_is_active() && sigismember(set, SC_TICK_SIGNAL) == 1) {
        int saved_errno = errno;
        atomic_store(&has_descriptor, true);
        if (sc_agent_thread.registered && is_this_thread(&sc_agent_thread))
            (void)sc_mask_accepts();
        errno = saved_errno;
    }
    return sc_real()->signalfd(fd, set, flags);
}
