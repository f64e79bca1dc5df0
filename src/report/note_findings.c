/*
 * report/note_findings.c - the findings of a run, noted in its profile as it is written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report.h"

void sc_report_note_findings(struct sc_profile *profile)
{
    /* without the tables of files, which copy every source: this happens as a run ends */
    SC_AUTO(sc_report_done)
    struct sc_report report = {.profile = profile, .parts = sc_parts_of(profile)};
    sc_report_overview(&report);
    sc_report_findings(&report);
    SC_EACH(const struct sc_finding, finding, &report.overview.findings) {
        sc_vec_push(&profile->findings,
                    (struct sc_noted_finding){
                        .id = sc_strdup(finding->id),
                        .text = sc_strdup(finding->text),
                        .file = finding->file != NULL ? sc_strdup(finding->file->name) : NULL,
                        .lineno = finding->lineno,
                        .end_lineno = finding->end_lineno,
                        .percent = finding->percent,
                    });
    }
}
