/*
 * report/findings_memory.c - findings about memory: leaks, churn, copies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/findings.h"
#include "report/number.h"

#define COPY_MIN_MB_S       100.0
#define LEAK_MIN_LIKELIHOOD 0.95
#define LEAK_WEIGHT_PERCENT 50.0 /* a leak is no part of the run's time */
#define CHURN_MIN_FRACTION  0.25 /* of all that was allocated */
#define CHURN_MIN_MB        100.0
#define CHURN_KEPT_FRACTION 0.1 /* of what a line allocates, alive at once at most */
#define CHURN_MIN_PERCENT   3.0 /* of the run's time */

/* A line that allocates much of everything and keeps next to nothing of it. */
static void find_churn(const struct sc_file *file, const struct sc_line *line, const char *name,
                       struct sc_findings *findings)
{
    const struct sc_cost *cost = &line->cost;
    double percent = sc_cost_time_percent(cost);
    double held_mb = fmax(cost->peak_mb, cost->peak_allocated_mb);
    if (cost->malloc_mb < CHURN_MIN_MB || cost->usage_fraction < CHURN_MIN_FRACTION ||
        held_mb > CHURN_KEPT_FRACTION * cost->malloc_mb || percent < CHURN_MIN_PERCENT)
        return;
    sc_found(
        findings, "churn", percent, sc_finding_at(file, line->lineno, true),
        sc_format("%s:%u allocates %s, %s of all, and never holds more than %s at once: work in "
                  "place, or use the same buffer again",
                  name, line->lineno, sc_number_megabytes(cost->malloc_mb).text,
                  sc_number_percent(100.0 * sc_clamp(cost->usage_fraction, 0.0, 1.0)).text,
                  sc_number_megabytes(held_mb).text));
}

void sc_find_memory(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    for (size_t f = 0; f < profile->files.count; f++) {
        const struct sc_file *file = &profile->files.items[f];
        const char *name = sc_report_name(profile, file->name);
        for (size_t i = 0; i < file->leaks.count; i++) {
            const struct sc_leak *leak = &file->leaks.items[i];
            if (leak->likelihood >= LEAK_MIN_LIKELIHOOD)
                sc_found(
                    findings, "leak", LEAK_WEIGHT_PERCENT, sc_finding_at(file, leak->lineno, true),
                    sc_format("%s:%u may leak %s per second (likelihood %s): look for what keeps "
                              "its objects alive",
                              name, leak->lineno, sc_number_megabytes(leak->velocity_mb_s).text,
                              sc_number_percent(100.0 * leak->likelihood).text));
        }
        for (size_t i = 0; i < file->lines.count; i++) {
            const struct sc_line *line = &file->lines.items[i];
            find_churn(file, line, name, findings);
            if (line->cost.copy_mb_s >= COPY_MIN_MB_S)
                sc_found(findings, "copies", sc_cost_time_percent(&line->cost),
                         sc_finding_at(file, line->lineno, true),
                         sc_format("%s:%u copies %s per second: use views or work in place", name,
                                   line->lineno, sc_number_megabytes(line->cost.copy_mb_s).text));
        }
    }
}
