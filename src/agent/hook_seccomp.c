/*
 * agent/hook_seccomp.c - a program that restricts its own system calls.
 *
 * A filter that does not know ours would have the program killed at the next tick. So the agent
 * goes dormant for good before: no system call comes from it from then on, in any thread, whatever
 * the filter allows. The observer goes on reading from outside. Processes ask for no new privileges
 * right before they install a filter, so that is taken for the sign, also of those that install it
 * by another call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/hook_exec.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/timer.h"

/* Of the same shape for the caller: what is handed over lies in registers. */
SC_EXPORT int sc_prctl(int option, unsigned long one, unsigned long two, unsigned long three,
                       unsigned long four) __asm__("prctl");

SC_EXPORT int sc_prctl(int option, unsigned long one, unsigned long two, unsigned long three,
                       unsigned long four)
{
    if ((option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS) && sc_agent_is_active() &&
        getpid() == sc_agent.pid) {
        int saved_errno = errno;
        sc_timer_stop(&sc_agent_thread);
        atomic_store(&sc_agent.segment->sealed_ns, sc_clock_ns(CLOCK_MONOTONIC));
        sc_agent.is_sealed = true;
        sc_hook_exec_stop();
        sc_agent_detach();
        errno = saved_errno;
    }
    return sc_real()->prctl(option, one, two, three, four);
}
