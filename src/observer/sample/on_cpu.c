/* observer/sample/on_cpu.c - see on_cpu.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/on_cpu.h"

#include <sched.h>

#include "observer/system/procfs.h"

static cpu_set_t chosen;  /* what we may use */
static cpu_set_t kept_to; /* the part of it that we keep to */

static bool keep_to(const cpu_set_t *some)
{
    bool is_set = CPU_COUNT(some) > 0 && sched_setaffinity(0, sizeof(*some), some) == 0;
    if (is_set)
        kept_to = *some;
    return is_set;
}

bool sc_cpu_avoid(pid_t pid, pid_t tid)
{
    struct sc_stat stat = sc_stat_read(pid, tid);
    uint64_t cpu = stat.numbers[SC_STAT_PROCESSOR];
    cpu_set_t now;
    if (sched_getaffinity(0, sizeof(now), &now) != 0)
        return false;
    if (!CPU_EQUAL(&now, &kept_to)) /* else it is what we have set */
        chosen = kept_to = now;
    cpu_set_t others = chosen;
    if (stat.state != '\0' && cpu < CPU_SETSIZE)
        CPU_CLR(cpu, &others);
    return keep_to(&others);
}

bool sc_cpu_leave(pid_t pid, pid_t tid)
{
    bool has_left = sc_cpu_avoid(pid, tid);
    (void)(has_left && keep_to(&chosen));
    return has_left;
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
