/*
 * report/activity.c - which processes and threads used the CPUs, how they ended and what they
 * waited for; and what the percents are shares of, where that is more than the time of one thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "report/number.h"
#include "report/report.h"

/* -------- what percents are shares of -------- */

/* Threads that together took this much more than the run have a base of their own. */
#define MORE_THAN_THE_RUN 1.05

static char *all_of(size_t count, const char *nouns)
{
    return count == 2 ? sc_format("both %s", nouns) : sc_format("all %zu %s", count, nouns);
}

/* The last entry of the list may stand for any number of them. */
static char *all_threads(const struct sc_profile *profile)
{
    const struct sc_thread *last = &profile->threads.items[profile->threads.count - 1];
    bool is_sum = last->tid == 0 && last->name != NULL && strcmp(last->name, "other threads") == 0;
    return is_sum ? sc_strdup("all threads") : all_of(profile->threads.count, "threads");
}

static void add_time(const struct sc_profile *profile, const struct sc_overview *overview,
                     struct sc_bases *bases)
{
    if (profile->processes.count > 1)
        bases->time_of = all_of(profile->processes.count, "processes");
    else if (profile->threads.count > 1 &&
             overview->total_s > MORE_THAN_THE_RUN * overview->elapsed_s)
        bases->time_of = all_threads(profile);
    else
        return;
    bases->time = sc_format("100%% is %s: the time of %s together, in %s of the clock.",
                            sc_number_duration(overview->total_s).text, bases->time_of,
                            sc_number_duration(overview->elapsed_s).text);
}

static char *cpu_base(double cpu_s, const char *of)
{
    return sc_format("Shares are of the CPU time of %s, %s.", of, sc_number_duration(cpu_s).text);
}

void sc_report_fill_bases(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_bases *bases = &report->overview.bases;
    double cpu_s = 0.0;
    add_time(profile, &report->overview, bases);
    for (size_t i = 0; i < profile->processes.count; i++)
        cpu_s += sc_clamp(profile->processes.items[i].cpu_s, 0.0, 1e9);
    SC_AUTO_FREE char *processes = all_of(profile->processes.count, "processes");
    if (profile->processes.count > 1)
        bases->processes = cpu_base(cpu_s, processes);
    if (profile->threads.count < 2)
        return;
    cpu_s = 0.0;
    for (size_t i = 0; i < profile->threads.count; i++)
        cpu_s += sc_clamp(profile->threads.items[i].cpu_s, 0.0, 1e9);
    SC_AUTO_FREE char *names = all_threads(profile);
    SC_AUTO_FREE char *threads = sc_format("%s%s%s", names, bases->processes != NULL ? " of " : "",
                                           bases->processes != NULL ? processes : "");
    bases->threads = cpu_base(cpu_s, threads);
}

void sc_report_bases_done(struct sc_bases *bases)
{
    free(bases->time_of);
    free(bases->time);
    free(bases->processes);
    free(bases->threads);
}

/* -------- processes -------- */

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

/* -------- threads -------- */

/* Native threads are mentioned from this share of the program's CPU time on. */
#define NATIVE_MIN_SHARE 0.005

/* Words for the causes, short enough for a table. */
static const char *const wait_texts[SC_WAIT_COUNT_] = {
    [SC_WAIT_IO] = "I/O",      [SC_WAIT_LOCK] = "locks",      [SC_WAIT_GIL] = "GIL",
    [SC_WAIT_SLEEP] = "sleep", [SC_WAIT_CHILD] = "processes", [SC_WAIT_OTHER] = "other",
};

const char *sc_io_text(const double wait_s[SC_WAIT_COUNT_])
{
    bool has_io = wait_s[SC_WAIT_IO] > 0.0;
    bool has_child = wait_s[SC_WAIT_CHILD] > 0.0;
    if (has_child == has_io)
        return "input, output or other processes";
    return has_child ? "other processes" : "input and output";
}

SC_POINTERS_ORDERED_BY(compare_threads, struct sc_thread, SC_FALLING(cpu_s), SC_RISING(tid));

static struct sc_report_thread thread_row(const struct sc_thread *thread, bool has_processes,
                                          double cpu_sum_s, double elapsed_s)
{
    const char *name = thread->name != NULL && thread->name[0] != '\0' ? thread->name : "(no name)";
    struct sc_report_thread row = {
        .name = has_processes && thread->pid != 0
                    ? sc_format("%llu %s", (unsigned long long)thread->pid, name)
                    : sc_strdup(name),
        .thread = thread,
        .cpu_s = sc_clamp(thread->cpu_s, 0.0, 1e9),
        .is_native = !thread->has_python,
    };
    if (cpu_sum_s > 0.0)
        row.cpu_percent = 100.0 * row.cpu_s / cpu_sum_s;
    for (int i = 0; i < SC_WAIT_COUNT_; i++) {
        double seconds = sc_clamp(thread->wait_s[i], 0.0, 1e9);
        if (elapsed_s > 0.0)
            sc_shares_add(&row.waits, wait_texts[i], 100.0 * seconds / elapsed_s, seconds);
    }
    sc_shares_sort(&row.waits);
    return row;
}

void sc_report_threads(struct sc_report *report)
{
    const struct sc_profile *profile = report->profile;
    struct sc_overview *overview = &report->overview;
    size_t count = profile->threads.count;
    if (count == 0)
        return;
    SC_AUTO_FREE const struct sc_thread **sorted =
        sc_alloc(count, sizeof(const struct sc_thread *));
    bool has_processes = profile->processes.count > 1;
    double cpu_sum_s = 0.0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &profile->threads.items[i];
        cpu_sum_s += sc_clamp(sorted[i]->cpu_s, 0.0, 1e9);
    }
    qsort(sorted, count, sizeof(*sorted), compare_threads);
    for (size_t i = 0; i < count && i < SC_REPORT_ROWS; i++)
        sc_vec_push(&overview->threads,
                    thread_row(sorted[i], has_processes, cpu_sum_s, overview->elapsed_s));
    overview->threads_left_out = count - overview->threads.count;
    double native_s = sc_clamp(profile->native_threads_cpu_s, 0.0, 1e9);
    if (native_s > NATIVE_MIN_SHARE * overview->cpu_s)
        overview->native_threads_cpu_s = native_s;
    overview->has_threads = count > 1 || overview->native_threads_cpu_s > 0.0;
}
