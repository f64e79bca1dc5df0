/*
 * report/threads.c - which threads used the CPUs, and what each of them waited for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "base/sort.h"
#include "report/number.h"
#include "report/report.h"

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
