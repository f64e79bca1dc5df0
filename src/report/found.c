/*
 * report/found.c - a finding and its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/findings.h"

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
