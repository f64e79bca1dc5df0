/* observer/sample/on_cpu.c - see on_cpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/on_cpu.h"

#include <sched.h>

#include "observer/system/procfs.h"

bool sc_cpu_leave(pid_t pid, pid_t tid)
{
    cpu_set_t allowed;
    cpu_set_t others;
    struct sc_stat stat = sc_stat_read(pid, tid);
    uint64_t cpu = stat.numbers[SC_STAT_PROCESSOR];
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
        return false;
    others = allowed;
    if (stat.state != '\0' && cpu < CPU_SETSIZE)
        CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof(others), &others) != 0)
        return false;
    (void)sched_setaffinity(0, sizeof(allowed), &allowed); /* as the user has chosen */
    return true;
}

uint64_t sc_cpu_run_number(pid_t pid, pid_t tid)
{
    struct sc_schedstat stat;
    uint64_t switches = 0;
    if (sc_schedstat_read(pid, tid, -1, &stat) != SC_PROC_READ ||
        !sc_thread_switches(pid, tid, &switches))
        return 0;
    if (stat.slices == 0)
        return 1;
    return stat.slices > switches ? stat.slices : 0; /* each turn but the present one was ended */
}
