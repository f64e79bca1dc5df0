/*
 * report/findings_memory.c - findings about memory: leaks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "report/findings.h"
#include "report/number.h"

#define LEAK_MIN_LIKELIHOOD 0.95
#define LEAK_WEIGHT_PERCENT 50.0 /* a leak is no part of the run's time */

/* Whether a leak of the file has been named with what keeps it. */
static bool is_named(const struct sc_findings *findings, const struct sc_file *file)
{
    SC_EACH(const struct sc_finding, each, findings)
        if (each->file == file && strcmp(each->id, "leak") == 0)
            return true;
    return false;
}

void sc_find_memory(const struct sc_report *report, struct sc_findings *findings)
{
    const struct sc_profile *profile = report->profile;
    SC_EACH(const struct sc_file, file, &profile->files) {
        SC_AUTO_FREE char *name = sc_shown_name(profile, file->name);
        if (is_named(findings, file))
            continue;
        SC_EACH(const struct sc_leak, leak, &file->leaks)
            if (leak->likelihood >= LEAK_MIN_LIKELIHOOD)
                sc_found(
                    findings, "leak", LEAK_WEIGHT_PERCENT, sc_finding_at(file, leak->lineno, true),
                    sc_format("%s:%u may leak %s per second (likelihood %s): look for what keeps "
                              "its objects alive",
                              name, leak->lineno, sc_number_megabytes(leak->velocity_mb_s).text,
                              sc_number_percent(100.0 * leak->likelihood).text));
    }
}
