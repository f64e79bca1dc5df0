/*
 * agent/hook_seccomp.c - goes dormant before the program restricts its own system calls.
 *
 * A filter that does not allow our system calls would have the program killed at the next tick. So
 * the agent goes dormant for good before that: from then on it makes no system call, in any thread,
 * whatever the filter allows, not even the one that ends a signal handler. The observer goes on
 * sampling from outside. Processes set PR_SET_NO_NEW_PRIVS right before they install a filter, so
 * that is taken as the sign, even if they install the filter by a call that we do not see.
 *
 * Where nothing is profiled, in a launcher of sandboxes, only the hooks of exec make system calls.
 * They stop before a filter that kills; of one that refuses, what is started can be followed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <linux/filter.h>
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

/* Compatible with the variadic originals: the arguments are in registers and, for the last one of
 * syscall, on the stack where the caller has put it. */
SC_EXPORT int sc_prctl(int option, unsigned long one, unsigned long two, unsigned long three,
                       unsigned long four) __asm__("prctl");
SC_EXPORT long sc_syscall(long number, unsigned long one, unsigned long two, unsigned long three,
                          unsigned long four, unsigned long five,
                          unsigned long six) __asm__("syscall");

/* Goes dormant for good, also when no profile is under way: threads may still have timers of an
 * earlier one. */
static __attribute__((cold, noinline)) void seal(void)
{
    if (sc_agent.is_sealed || sc_agent.pid == 0 || getpid() != sc_agent.pid)
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

/* Whether the process ends, or gets a signal, at a call that the filter does not allow. */
static bool may_kill(const struct sock_fprog *filter)
{
    for (size_t i = 0; i < filter->len; i++) {
        const struct sock_filter *one = &filter->filter[i];
        uint32_t action = one->k & SECCOMP_RET_ACTION_FULL;
        if (BPF_CLASS(one->code) == BPF_RET &&
            (BPF_RVAL(one->code) != BPF_K || action == SECCOMP_RET_KILL_PROCESS ||
             action == SECCOMP_RET_KILL_THREAD || action == SECCOMP_RET_TRAP))
            return true;
    }
    return false;
}

/* filter: NULL for the strict mode, which kills. */
static __attribute__((cold, noinline)) void seal_launcher(const struct sock_fprog *filter)
{
    if (sc_agent.is_sealed || sc_agent.pid != 0 || (filter != NULL && !may_kill(filter)))
        return;
    sc_hook_exec_stop();
    sc_agent.is_sealed = true;
}

static bool is_restriction(unsigned long option)
{
    return option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS;
}

/* Whether the call installs a filter, unlike those that only query the kernel, which libseccomp
 * makes first. */
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
    if (option == PR_SET_SECCOMP && (two != 0 || one == SECCOMP_MODE_STRICT))
        seal_launcher(one == SECCOMP_MODE_STRICT ? NULL : (const struct sock_fprog *)two);
    return sc_real()->prctl(option, one, two, three, four);
}

/* The call is passed on unchanged, by a jump. */
long sc_syscall(long number, unsigned long one, unsigned long two, unsigned long three,
                unsigned long four, unsigned long five, unsigned long six)
{
    if (SC_UNLIKELY(number == SYS_seccomp && is_filter(one, two, three)) ||
        SC_UNLIKELY(number == SYS_prctl && is_restriction(one)))
        seal();
    if (SC_UNLIKELY(number == SYS_seccomp && is_filter(one, two, three)))
        seal_launcher((const struct sock_fprog *)three);
    if (SC_UNLIKELY(number == SYS_prctl && one == PR_SET_SECCOMP && three != 0))
        seal_launcher((const struct sock_fprog *)three);
    return sc_real()->syscall(number, one, two, three, four, five, six);
}
