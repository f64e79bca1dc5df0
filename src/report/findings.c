/*
 * report/findings.c - what can be done: one sentence per finding, from the numbers alone.
 *
 * A finding names its place and its evidence first, then what usually helps. Nothing is said that
 * the profile does not show, and each thing is said once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/findings.h"

#include <stdlib.h>
#include <string.h>

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

static int compare_findings(const void *left, const void *right)
{
    const struct sc_finding *a = left;
    const struct sc_finding *b = right;
    if (a->percent > b->percent)
        return -1;
    if (a->percent < b->percent)
        return 1;
    return strcmp(a->text, b->text);
}

void sc_report_findings(struct sc_report *report)
{
    struct sc_findings findings = {0};
    sc_find_python(report, &findings);
    sc_find_lines(report, &findings);
    sc_find_memory(report, &findings);
    sc_find_imports(report, &findings);
    sc_find_program(report, &findings);
    sc_find_gpu(report, &findings);
    if (findings.count > 1)
        qsort(findings.items, findings.count, sizeof(*findings.items), compare_findings);
    for (size_t i = 0; i < findings.count; i++) {
        if (i < SC_REPORT_FINDINGS)
            sc_vec_push(&report->overview.findings, findings.items[i]);
        else
            free(findings.items[i].text);
    }
    sc_vec_done(&findings);
}

void sc_report_note_findings(struct sc_profile *profile)
{
    /* without the tables of files, which copy every source: this happens as a run ends */
    struct sc_report report = {.profile = profile, .parts = sc_parts_of(profile)};
    sc_report_overview(&report);
    sc_report_findings(&report);
    for (size_t i = 0; i < report.overview.findings.count; i++) {
        const struct sc_finding *finding = &report.overview.findings.items[i];
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
    sc_report_done(&report);
}
