/*
 * report/processes.c - which processes of the tree used the CPUs, and how they ended.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/number.h"
#include "report/report.h"

SC_POINTERS_ORDERED_BY(compare_processes, struct sc_process_cost, SC_FALLING(cpu_s),
                       SC_RISING(pid));

/* How the process ended, in words; NULL when it ended well. has_parent: that is profiled, too. */
static char *ending_of(const struct sc_process_cost *process, bool has_parent)
{
    if (process->exit_kind == NULL)
        return sc_strdup("end not seen");
    if (strcmp(process->exit_kind, "running") == 0)
        return sc_strdup("still running");
    if (strcmp(process->exit_kind, "exec") == 0)
        return sc_strdup("became another program");
    /* as the pools of multiprocessing end their workers */
    if (strcmp(process->exit_kind, "signal") == 0 && process->exit_value == SIGTERM && has_parent)
        return sc_strdup("stopped by its parent");
    if (strcmp(process->exit_kind, "signal") == 0)
        return sc_format("ended by signal %d", process->exit_value);
    return process->exit_value != 0 ? sc_format("exit %d", process->exit_value) : NULL;
}

static struct sc_report_process process_row(const struct sc_profile *profile,
                                            const struct sc_process_cost *process, double sum_s)
{
    bool has_parent =
        process->parent_pid != 0 &&
        sc_profile_has_process(profile, profile->processes.count, process->parent_pid);
    struct sc_report_process row = {
        .pid = process->pid,
        .parent_pid = process->parent_pid,
        .command = process->command != NULL ? process->command : "",
        .cpu_s = sc_clamp(process->cpu_s, 0.0, 1e9),
        .max_rss_mb = sc_clamp(process->max_rss_mb, 0.0, 1e12),
        .ending = ending_of(process, has_parent),
    };
    if (sum_s > 0.0)
        row.cpu_percent = 100.0 * row.cpu_s / sum_s;
    return row;
}

void sc_report_processes(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_overview *overview = &report->overview;
    size_t count = profile->processes.count;
    if (count < 2)
        return;
    SC_AUTO_FREE const struct sc_process_cost **sorted =
        sc_alloc(count, sizeof(const struct sc_process_cost *));
    double sum_s = 0.0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &profile->processes.items[i];
        sum_s += sc_clamp(sorted[i]->cpu_s, 0.0, 1e9);
    }
    qsort(sorted, count, sizeof(*sorted), compare_processes);
    for (size_t i = 0; i < count && i < SC_REPORT_ROWS; i++)
        sc_vec_push(&overview->processes, process_row(profile, sorted[i], sum_s));
    overview->processes_left_out = count - overview->processes.count;
}
