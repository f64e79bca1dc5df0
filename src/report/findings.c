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

#include "base/sort.h"
#include "report/number.h"

SC_ORDERED_BY(compare_findings, struct sc_finding, SC_FALLING(percent), strcmp(a->text, b->text));

static void free_finding(struct sc_finding *finding)
{
    free(finding->text);
    free(finding->evidence);
}

/* What a finding from numbers alone was concluded from; NULL: its text says all. */
static char *evidence_of(const struct sc_report *report, const struct sc_finding *finding)
{
    static const char *const ways[][2] = {
        {"gil", "threads that are ready to run while another has the lock are seen from outside; "
                "this is the sum over all threads"},
        {"garbage_collection", "the time of the samples that were taken within the collector"},
        {"imports", "the time of the samples below an import, and of what was waited for there"},
        {"waiting", "what the kernel's clocks and states of the threads say they spent in the "
                    "system and waiting, while they were there"},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(finding->id, ways[i][0]) == 0)
            return sc_strdup(ways[i][1]);
    }
    uint64_t samples = 0;
    for (size_t i = 0; finding->file != NULL && i < finding->file->lines.count; i++) {
        const struct sc_line *line = &finding->file->lines.items[i];
        if (line->lineno >= finding->lineno && line->lineno <= finding->end_lineno)
            samples += line->cost.samples;
    }
    if (samples == 0 || samples > report->profile->samples_taken)
        return NULL;
    return sc_format("%s of the %s samples of running threads were taken at %s",
                     sc_number_count(samples).text,
                     sc_number_count(report->profile->samples_taken).text,
                     finding->lineno == finding->end_lineno ? "this line" : "these lines");
}

void sc_report_findings(struct sc_report *report)
{
    SC_AUTO_FREE struct sc_findings findings = {0};
    SC_AUTO(sc_advices_done) struct sc_advices advices = {0};
    sc_find_advice(report, &findings, &advices);
    sc_find_python(report, &advices, &findings);
    sc_find_lines(report, &advices, &findings);
    sc_find_growth(report, &findings);
    sc_find_memory(report, &findings);
    sc_find_peak(report, &findings);
    sc_find_imports(report, &findings);
    sc_find_program(report, &findings);
    sc_find_gpu(report, &findings);
    sc_vec_sort(&findings, compare_findings);
    for (size_t i = 0; i < findings.count; i++) {
        if (i < SC_REPORT_FINDINGS && findings.items[i].evidence == NULL)
            findings.items[i].evidence = evidence_of(report, &findings.items[i]);
        if (i < SC_REPORT_FINDINGS)
            sc_vec_push(&report->overview.findings, findings.items[i]);
        else
            free_finding(&findings.items[i]);
    }
}
