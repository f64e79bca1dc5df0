/*
 * agent/hook_seccomp.c - a program that restricts its own system calls.
 *
 * A filter that does not know ours would have the program killed at the next tick. So the agent
 * goes dormant for good before: no system call comes from it from then on, in any thread, whatever
 * the filter allows, not even the one that a handler of signals ends with. The observer goes on
 * reading from outside. Processes ask for no new privileges right before they install a filter, so
 * that is taken for the sign, also of those that install it by a call that is not seen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/hook_exec.h"
#include "agent/hook_signal.h"
#include "agent/lifecycle.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/timer.h"
#include "agent/timers.h"

/* Of the same shape for the caller: what is handed over lies in registers and, of the last one of
 * syscall, where the caller has put it. */
SC_EXPORT int sc_prctl(int option, unsigned long one, unsigned long two, unsigned long three,
                       unsigned long four) __asm__("prctl");
SC_EXPORT long sc_syscall(long number, unsigned long one, unsigned long two, unsigned long three,
                          unsigned long four, unsigned long five,
                          unsigned long six) __asm__("syscall");

/* Also when no profile is under way: threads may have timers of one that is over. */
static __attribute__((cold, noinline)) void seal(void)
{
    if (sc_agent.is_sealed || getpid() != sc_agent.pid)
        return;
    int saved_errno = errno;
    bool was_active = sc_agent_is_active();
    if (was_active)
        atomic_store(&sc_agent.segment->sealed_ns, sc_clock_ns(CLOCK_MONOTONIC));
    sc_timer_stop(&sc_agent_thread);
    if (was_active) {
        sc_hook_exec_stop();
        sc_agent_detach();
    }
    sc_agent.is_sealed = true;
    sc_hook_signal_give_back();
    sc_timers_delete_all();
    errno = saved_errno;
}

static bool is_restriction(unsigned long option)
{
    return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
}

/* Not one of those that only ask what the kernel knows, which libseccomp begins with. */
static bool is_filter(unsigned long operation, unsigned long flags, unsigned long filter)
{
    return operation == SECCOMP_SET_MODE_STRICT ? flags == 0
                                                : operation == SECCOMP_SET_MODE_FILTER && filter;
}

int sc_prctl(int option, unsigned long one, unsigned long two, unsigned long three,
             unsigned long four)
{
    if (is_restriction((unsigned long)option))
        seal();
    return sc_real()->prctl(option, one, two, three, four);
}

/* Passed on by a jump, as it came. */
long sc_syscall(long number, unsigned long one, unsigned long two, unsigned long three,
                unsigned long four, unsigned long five, unsigned long six)
{
    if (SC_UNLIKELY(number == SYS_seccomp && is_filter(one, two, three)) ||
        SC_UNLIKELY(number == SYS_prctl && is_restriction(one)))
        seal();
    return sc_real()->syscall(number, one, two, three, four, five, six);
}
