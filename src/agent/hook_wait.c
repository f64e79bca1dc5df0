/*
 * agent/hook_wait.c - records how a child ended, in the process that waits for it.
 *
 * A child that is killed cannot record its own end, and the kernel reports it only to the parent.
 * The hooks pass the calls through: the result, errno, and when a signal interrupts them are the
 * kernel's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/wait.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "channel/writer.h"

#define ANY_CHILD  (-1)
#define EXIT_SHIFT 8 /* in the status of wait(2), above the signal */

/* status: as in wait(2); a child that was stopped or continued has not ended. */
static void send_child_end(pid_t pid, int status)
{
    if (pid <= 0 || !(WIFEXITED(status) || WIFSIGNALED(status)) || !sc_agent_is_active() ||
        getpid() != sc_agent.pid) /* a child of vfork has no ring of its own */
        return;
    struct sc_record_child_end *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL)
        return; /* the profile then says that its end was not seen */
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->pid = (uint32_t)pid;
    record->status = status;
    sc_ring_commit(record, SC_RECORD_CHILD_END, sizeof(*record));
}

SC_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    int local = 0;
    int *used = status != NULL ? status : &local;
    pid_t ended = sc_real()->wait4(pid, used, options, usage);
    if (ended > 0)
        send_child_end(ended, *used);
    return ended;
}

SC_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(ANY_CHILD, status, options, usage);
}

SC_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    int local = 0;
    int *used = status != NULL ? status : &local;
    pid_t ended = sc_real()->waitpid(pid, used, options);
    if (ended > 0)
        send_child_end(ended, *used);
    return ended;
}

SC_EXPORT pid_t wait(int *status)
{
    return waitpid(ANY_CHILD, status, 0);
}

SC_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
    siginfo_t local = {0};
    siginfo_t *used = info != NULL ? info : &local;
    int result = sc_real()->waitid(kind, id, used, options);
    if (result != 0)
        return result;
    if (used->si_code == CLD_EXITED)
        send_child_end(used->si_pid, used->si_status << EXIT_SHIFT);
    else if (used->si_code == CLD_KILLED || used->si_code == CLD_DUMPED)
        send_child_end(used->si_pid, used->si_status);
    return 0;
}
