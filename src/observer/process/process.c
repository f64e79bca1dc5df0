/* observer/process/process.c - see process.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/process/process.h"

#include <sys/wait.h>

#include "observer/system/exit_status.h"

#define EXECUTABLE_INTERVAL_NS 500000000U

void sc_process_note_ending(struct sc_process *process)
{
    int status = 0;
    bool is_lost = sc_exit_status_is_lost(process->ending.status_fd); /* by now, so asked first */
    if (!process->ending.has_status && process->ending.signal == 0 &&
        sc_exit_status_read(process->ending.status_fd, process->pid, &status))
        sc_process_note_status(process, status);
    if (is_lost || process->ending.has_status || process->ending.signal != 0 ||
        process->program.is_replaced)
        sc_close(&process->ending.status_fd);
}

bool sc_process_runs_another_file(const struct sc_process *process)
{
    struct sc_file_identity file = sc_process_file(process->pid);
    return file.inode != 0 && process->program.file.inode != 0 &&
           (file.inode != process->program.file.inode ||
            file.device != process->program.file.device);
}

/* No agent reports that it executes the same file again: but that has its stack elsewhere. */
static bool has_another_stack(const struct sc_process *process)
{
    if (!process->has_no_agent || process->stack_start == 0)
        return false;
    uint64_t now = sc_stat_read(process->pid, process->pid).numbers[SC_STAT_STACK_START];
    return now != 0 && now != process->stack_start;
}

bool sc_process_has_executed(struct sc_process *process, uint64_t now_ns)
{
    bool is_known = process->has_no_agent || atomic_load(&process->reader.segment->samples) > 0;
    bool is_due = now_ns >= process->program.checked_ns + EXECUTABLE_INTERVAL_NS;
    if (is_known && !is_due && !process->program.has_reported_exec)
        return false;
    process->program.checked_ns = now_ns;
    process->program.is_replaced =
        sc_process_runs_another_file(process) || has_another_stack(process);
    return process->program.is_replaced;
}

double sc_process_own_cpu_s(const struct sc_process *process)
{
    const struct sc_charge_process *charge = &process->charge;
    if (process->summed_count > 0)
        return process->summed_cpu_s;
    uint64_t charged_ns = charge->begun ? charge->charged_cpu_ns - charge->begun_cpu_ns : 0;
    uint64_t reported_ns = process->ending.cpu_ns - process->program.inherited_cpu_ns;
    reported_ns = process->ending.cpu_ns < process->program.inherited_cpu_ns ? 0 : reported_ns;
    return (double)(reported_ns > charged_ns ? reported_ns : charged_ns) /
           1e9; /* gone at the last look */
}

bool sc_process_is_passing(const struct sc_process *process)
{
    return process->is_forked && process->program.is_replaced && process->counts.samples == 0;
}

void sc_process_note_status(struct sc_process *process, int status)
{
    if (process->program.is_replaced || process->ending.signal != 0 || process->ending.has_outlived)
        return;
    /* a process that was killed while it exited counts as killed */
    process->ending.has_status = WIFEXITED(status);
    process->ending.status = process->ending.has_status ? WEXITSTATUS(status) : 0;
    process->ending.signal = process->ending.has_status ? 0 : WTERMSIG(status);
}
