/*
 * report/findings.c - what can be done, from the numbers and from what the lines do.
 *
 * A finding names its place and its evidence first, then what usually helps. Nothing is said that
 * the profile does not show, and each thing is said once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/findings.h"

#include <stdlib.h>
#include <string.h>

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

static void forget(struct sc_finding *finding)
{
    free(finding->text);
    free(finding->evidence);
}

void sc_report_findings(struct sc_report *report)
{
    struct sc_findings findings = {0};
    struct sc_advices advices = {0};
    sc_find_advice(report, &findings, &advices);
    sc_find_python(report, &advices, &findings);
    sc_find_lines(report, &advices, &findings);
    sc_find_growth(report, &findings);
    sc_find_memory(report, &findings);
    sc_find_peak(report, &findings);
    sc_find_imports(report, &findings);
    sc_find_program(report, &findings);
    sc_find_gpu(report, &findings);
    if (findings.count > 1)
        qsort(findings.items, findings.count, sizeof(*findings.items), compare_findings);
    for (size_t i = 0; i < findings.count; i++) {
        if (i < SC_REPORT_FINDINGS)
            sc_vec_push(&report->overview.findings, findings.items[i]);
        else
            forget(&findings.items[i]);
    }
    sc_vec_done(&findings);
    sc_advices_done(&advices);
}
