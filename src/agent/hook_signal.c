/*
 * agent/hook_signal.c - our ticks and the program share one signal: its action and delivery.
 *
 * The kernel's action for the tick signal is always ours while the agent is here. A child of vfork,
 * or one of fork that is not profiled, has its own actions in the kernel but may share its parent's
 * memory: its requests go to the kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hook_signal.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/handler.h"
#include "agent/hook_mask.h"
#include "agent/hook_python_signal.h"
#include "agent/interrupted_call.h"
#include "agent/late.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/switches.h"

#define KERNEL_MASK_BYTES 8U  /* size of the kernel's signal set */
#define LOOKS_MAX         500 /* checks for ticks under way, before a filter is installed */

/* The program's disposition of the tick signal: two copies, so that a handler never reads one that
 * is being changed. */
static struct sigaction wanted[2];
static _Atomic unsigned wanted_now;
static _Atomic bool installed;
static _Atomic int ignoring; /* threads now starting a process that is to ignore the signal */

static struct sigaction wanted_action(void)
{
    return wanted[atomic_load_explicit(&wanted_now, memory_order_acquire) & 1];
}

/* Blocks the signals that would be blocked in the program's handler without us. */
SC_SIGNAL_SAFE static void set_handlers_mask(const struct sigaction *action, void *context)
{
    const ucontext_t *machine = context;
    uint64_t before;
    uint64_t more;
    __builtin_memcpy(&before, &machine->uc_sigmask, sizeof(before));
    __builtin_memcpy(&more, &action->sa_mask, sizeof(more));
    if ((action->sa_flags & SA_NODEFER) == 0)
        more |= UINT64_C(1) << (SC_TICK_SIGNAL - 1);
    before |= more;
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_MASK_BYTES);
}

/* Does what the kernel would have done for the program. Returns false if it has no handler. */
SC_SIGNAL_SAFE static bool deliver(int number, siginfo_t *info, void *context)
{
    unsigned now = atomic_load_explicit(&wanted_now, memory_order_acquire);
    struct sigaction action = wanted[now & 1];
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
        return false;
    if ((action.sa_flags & (int)SA_RESETHAND) != 0) {
        wanted[(now + 1) & 1] = (struct sigaction){.sa_handler = SIG_DFL};
        atomic_store_explicit(&wanted_now, now + 1, memory_order_release);
    }
    set_handlers_mask(&action, context);
    if ((action.sa_flags & SA_SIGINFO) != 0)
        action.sa_sigaction(number, info, context);
    else
        action.sa_handler(number);
    return true;
}

/* Without us there would have been no signal, or none that the program notices. */
SC_SIGNAL_SAFE static void take_unseen(siginfo_t *info, void *context, bool is_tick)
{
    enum sc_call_end end = SC_CALL_GOES_ON;
    sc_agent_enter();
    sc_python_signal_note(context);
    if (!sc_agent.is_sealed) /* a filter may forbid what this asks the kernel */
        end = sc_interrupted_call(info, context);
    if (is_tick && sc_late_accepts(info) && sc_mask_accepts())
        sc_tick(info, context);
    if (!sc_agent.is_sealed && end == SC_CALL_GOES_ON)
        end = sc_interrupted_call_meanwhile(context);
    sc_interrupted_call_end(context, end);
    sc_agent_leave();
}

SC_SIGNAL_SAFE static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    bool is_tick = sc_tick_is_ours(info);
    if (is_tick || !deliver(number, info, context))
        take_unseen(info, context, is_tick);
    errno = saved_errno;
}

/* System calls are restarted after a signal unless the program has a handler without SA_RESTART. */
static int restart_flag(const struct sigaction *program)
{
    bool has_handler = program->sa_handler != SIG_DFL && program->sa_handler != SIG_IGN;
    return has_handler ? program->sa_flags & SA_RESTART : SA_RESTART;
}

/* Installs our action. */
static int install_handler(const struct sigaction *program, struct sigaction *ret_before)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | restart_flag(program)};
    /* only a fault of our own may interrupt a sample */
    (void)sigfillset(&action.sa_mask);
    (void)sigdelset(&action.sa_mask, SIGSEGV);
    (void)sigdelset(&action.sa_mask, SIGBUS);
    (void)sigdelset(&action.sa_mask, SIGILL);
    (void)sigdelset(&action.sa_mask, SIGFPE);
    return sc_real()->sigaction(SC_TICK_SIGNAL, &action, ret_before);
}

bool sc_hook_signal_init(void)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    sc_interrupted_call_init();
    if (install_handler(&none, &wanted[0]) != 0)
        return false;
    atomic_store(&installed, true);
    if (wanted[0].sa_handler != SIG_DFL && wanted[0].sa_handler != SIG_IGN)
        (void)install_handler(&wanted[0], NULL); /* the program had set a handler before */
    return true;
}

static bool is_installed(void)
{
    return atomic_load_explicit(&installed, memory_order_acquire);
}

static void set_wanted(const struct sigaction *action)
{
    unsigned now = atomic_load_explicit(&wanted_now, memory_order_relaxed);
    int restart = restart_flag(&wanted[now & 1]);
    wanted[(now + 1) & 1] = *action;
    atomic_store_explicit(&wanted_now, now + 1, memory_order_release);
    if (restart != restart_flag(action) || action->sa_handler != SIG_IGN)
        (void)install_handler(action, NULL);
}

/* For a process other than the one that the agent profiles: changes the kernel's action. */
static int change_kernels(const struct sigaction *action, struct sigaction *before)
{
    struct sigaction kernels;
    int code = sc_real()->sigaction(SC_TICK_SIGNAL, action, &kernels);
    if (code == 0 && before != NULL)
        *before = kernels.sa_sigaction == on_signal ? wanted_action() : kernels;
    return code;
}

/* Does what sigaction does, for that signal. Either argument may be NULL. */
static int change_action(const struct sigaction *action, struct sigaction *before)
{
    if (sc_agent.is_sealed || getpid() != sc_agent.pid)
        return change_kernels(action, before);
    struct sigaction old = wanted_action();
    if (action != NULL)
        set_wanted(action);
    if (before != NULL)
        *before = old;
    return 0;
}

/* Whether it is the signal that we and the program share. */
static bool is_shared(int number)
{
    return number == SC_TICK_SIGNAL && is_installed();
}

SC_EXPORT int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict before)
{
    if (is_shared(number))
        return change_action(action, before);
    struct sigaction ours;
    bool wraps = action != NULL && sc_python_signal_wraps(number, action, &ours);
    int code = sc_real()->sigaction(number, wraps ? &ours : action, before);
    if (code == 0 && before != NULL && sc_switches_is(before->sa_handler))
        *before = (struct sigaction){.sa_handler = SIG_DFL};
    if (code == 0 && before != NULL)
        sc_python_signal_hide(before);
    return code;
}

/* The functions older than sigaction, for the shared signal: libc's own change the kernel's action
 * without calling a function that we hook. Sets the handler and returns the previous one. */
static sighandler_t set_handler(sighandler_t handler, unsigned flags)
{
    struct sigaction before = {0};
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)flags};
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (flags == SA_RESTART)
        (void)sigaddset(&action.sa_mask, SC_TICK_SIGNAL);
    return change_action(&action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/* The handler that libc says was there, as the program is to see it. */
static sighandler_t shown(sighandler_t handler)
{
    struct sigaction before = {.sa_handler = handler, .sa_flags = SA_SIGINFO};
    sc_python_signal_hide(&before);
    return sc_switches_is(before.sa_handler) ? SIG_DFL : before.sa_handler;
}

/* Not by their own names, which signal.h gives attributes that aliases would need, too. */
SC_EXPORT sighandler_t sc_signal(int number, sighandler_t handler) __asm__("signal");
SC_EXPORT sighandler_t sc_sysv_signal(int number, sighandler_t handler) __asm__("sysv_signal");

sighandler_t sc_signal(int number, sighandler_t handler)
{
    return is_shared(number) ? set_handler(handler, SA_RESTART)
                             : shown(sc_real()->signal(number, handler));
}

sighandler_t sc_sysv_signal(int number, sighandler_t handler)
{
    return is_shared(number) ? set_handler(handler, SA_RESETHAND | SA_NODEFER)
                             : shown(sc_real()->__sysv_signal(number, handler));
}

#define ALIAS(name, of)                                                                            \
    SC_EXPORT sighandler_t sc_alias_##name(int number, sighandler_t handler) __asm__(#name)        \
        __attribute__((alias(#of)))

ALIAS(ssignal, signal);
ALIAS(bsd_signal, signal);
ALIAS(__sysv_signal, sysv_signal); /* what signal means to strict XSI programs */

SC_EXPORT int sigignore(int number)
{
    if (!is_shared(number))
        return sc_real()->sigignore(number);
    return set_handler(SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

/* Sets a handler and unblocks the signal, or blocks it; returns SIG_HOLD if it was blocked. */
SC_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    if (!is_shared(number))
        return shown(sc_real()->sigset(number, handler));
    bool holds = handler == SIG_HOLD;
    struct sigaction now = {0};
    sigset_t set;
    sigset_t before;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)change_action(NULL, &now);
    if ((!holds && set_handler(handler, 0) == SIG_ERR) ||
        sc_hook_mask_change(holds ? SIG_BLOCK : SIG_UNBLOCK, &set, &before) != 0)
        return SIG_ERR;
    return sigismember(&before, number) == 1 ? SIG_HOLD : now.sa_handler;
}

SC_EXPORT int siginterrupt(int number, int interrupt)
{
    if (!is_shared(number))
        return sc_real()->siginterrupt(number, interrupt);
    struct sigaction action;
    if (change_action(NULL, &action) != 0)
        return -1;
    action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
    return change_action(&action, NULL);
}

/* Whether the kernel has our action and the program wants the signal to be ignored. */
static bool is_ignored_by_us(void)
{
    struct sigaction kernels;
    return is_installed() && wanted_action().sa_handler == SIG_IGN &&
           sc_real()->sigaction(SC_TICK_SIGNAL, NULL, &kernels) == 0 &&
           kernels.sa_sigaction == on_signal;
}

bool sc_hook_signal_before_exec(void)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    return is_ignored_by_us() && sc_real()->sigaction(SC_TICK_SIGNAL, &ignored, NULL) == 0;
}

void sc_hook_signal_exec_failed(bool changed)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    int saved_errno = errno;
    if (changed)
        (void)install_handler(&ignored, NULL);
    errno = saved_errno;
}

/* When several threads do this at once, the last one restores our action. */
bool sc_hook_signal_before_spawn(void)
{
    if (!is_installed() || wanted_action().sa_handler != SIG_IGN)
        return false;
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    (void)atomic_fetch_add(&ignoring, 1);
    (void)sc_real()->sigaction(SC_TICK_SIGNAL, &ignored, NULL);
    return true;
}

void sc_hook_signal_after_spawn(bool changed)
{
    if (changed && atomic_fetch_sub(&ignoring, 1) == 1)
        sc_hook_signal_exec_failed(true);
}

/* Waits until no tick is under way. A tick takes some ten microseconds, but its thread may wait for
 * a CPU. */
static void await_ticks(void)
{
    const struct timespec moment = {.tv_nsec = 200000};
    for (int i = 0; i < LOOKS_MAX; i++) {
        bool was_free = atomic_load(&sc_agent.busy) == 0;
        (void)syscall(SYS_nanosleep, &moment,
                      NULL); /* busy does not count a tick that begins or ends */
        if (was_free && atomic_load(&sc_agent.busy) == 0)
            return;
    }
}

void sc_hook_signal_give_back(void)
{
    struct sigaction program = wanted_action();
    bool has_handler = program.sa_handler != SIG_DFL && program.sa_handler != SIG_IGN;
    if (!is_installed())
        return;
    if (!has_handler && sc_real()->sigaction(SC_TICK_SIGNAL, &program, NULL) == 0)
        atomic_store(&installed, false);
    await_ticks();
}
