/*
 * agent/switches.c - signals that switch profiling on and off.
 *
 * The kernel sends the same signals for faults of the program. Those end it as they would without
 * us: the default comes back, and the instruction that failed is executed again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/switches.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

/* libc's, looked up beforehand: nothing may be looked up in a handler. */
static int (*change_action)(int number, const struct sigaction *action, struct sigaction *before);

/* A child of vfork, or one of fork that is not profiled, has no profile to switch. */
SC_SIGNAL_SAFE static bool has_profile(void)
{
    return sc_agent_is_active() && getpid() == sc_agent.pid;
}

SC_SIGNAL_SAFE static void on_switch(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    bool is_fault = info->si_code > 0; /* sigaction(2): the codes of processes are 0 or less */
    (void)context;
    if (!is_fault && has_profile()) {
        atomic_store(&sc_agent.segment->switched,
                     number == SIGILL ? SC_SWITCHED_ON : SC_SWITCHED_OFF);
    } else {
        struct sigaction standard = {.sa_handler = SIG_DFL};
        (void)change_action(number, &standard, NULL);
        if (!is_fault) /* it is blocked until the handler returns */
            (void)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    }
    errno = saved_errno;
}

void sc_switches_init(void)
{
    const int numbers[] = {SIGILL, SIGBUS};
    change_action = sc_real()->sigaction;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction action = {.sa_sigaction = on_switch,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
        struct sigaction before;
        if (change_action(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            (void)change_action(numbers[i], &action, NULL);
    }
}

bool sc_switches_is(sighandler_t handler)
{
    const struct sigaction ours = {.sa_sigaction = on_switch};
    return handler == ours.sa_handler;
}
