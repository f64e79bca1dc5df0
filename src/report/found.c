/*
 * report/found.c - a finding, its place, and the error of its share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "report/findings.h"
#include "report/number.h"

char *sc_share_text(double percent, double error)
{
    if (error < 0.5)
        return sc_strdup(sc_number_percent(percent).text);
    return sc_format("%.0f \u00b1 %.0f%%", percent, error);
}

char *sc_memory_saving(const struct sc_profile *profile, const struct sc_memory_amount *amount)
{
    double error_mb = sqrt(amount->squares);
    return sc_format("up to %s%s%s of the %s at the peak could be saved",
                     sc_number_megabytes(amount->mb).text, error_mb >= 0.05 ? " \u00b1 " : "",
                     error_mb >= 0.05 ? sc_number_megabytes(error_mb).text : "",
                     sc_number_megabytes(profile->max_footprint_mb).text);
}

void sc_memory_amount_add(struct sc_memory_amount *amount, const struct sc_cost *cost, double mb)
{
    double error_mb = sc_clamp(cost->peak_error_mb, 0.0, 1e9);
    amount->mb += mb;
    /* the variance of what is sampled grows with it */
    amount->squares +=
        cost->peak_mb > mb ? error_mb * error_mb * mb / cost->peak_mb : error_mb * error_mb;
}

double sc_lines_error(const struct sc_file *file, uint32_t first, uint32_t last)
{
    double squares = 0.0;
    for (uint32_t n = first; n <= last && n <= file->lines.count; n++) {
        double error = sc_clamp(file->lines.items[n - 1].cost.cpu_share_error, 0.0, 100.0);
        squares += error * error;
    }
    return sqrt(squares);
}

void sc_found(struct sc_findings *findings, const char *id, double percent,
              struct sc_finding_place place, char *text)
{
    sc_vec_push(findings, (struct sc_finding){.id = id,
                                              .percent = percent,
                                              .text = text,
                                              .file = place.file,
                                              .lineno = place.lineno,
                                              .end_lineno = place.end_lineno,
                                              .can_ask = place.can_ask});
}

struct sc_finding_place sc_finding_at(const struct sc_file *file, uint32_t lineno, bool can_ask)
{
    return (struct sc_finding_place){file, lineno, lineno, can_ask};
}
