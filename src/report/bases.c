/*
 * report/bases.c - what the percents are shares of, where that is more than the time of one thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/number.h"
#include "report/report.h"

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
