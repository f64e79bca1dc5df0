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
