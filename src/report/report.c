/* report/report.c - see report.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "report/hots.h"
#include "report/number.h"

/* The short view has tables of so many files. */
#define FILES_SHORT 10U

const char *const sc_kind_names[SC_KIND_COUNT_] = {
    [SC_KIND_PYTHON] = "Python",
    [SC_KIND_NATIVE] = "native",
    [SC_KIND_SYSTEM] = "system",
};

SC_ORDERED_BY(compare_files, struct sc_report_file, SC_FALLING(file->percent_cpu_time),
              strcmp(a->file->name, b->file->name));

/* The top of all memory curves: the program's peak, or the highest point where it is not known. */
static double curve_top(const struct sc_profile *profile)
{
    double top = sc_clamp(profile->max_footprint_mb, 0.0, 1e12);
    for (size_t i = 0; i < profile->samples.count; i++)
        top = fmax(top, sc_clamp(profile->samples.items[i].mb, 0.0, 1e12));
    return top;
}

/* Whether any line of the file, whose rows are reduced, is warm, and whether it has any. */
static bool is_warm(const struct sc_report_file *file, bool *ret_has_line)
{
    bool found = false;
    *ret_has_line = false;
    SC_EACH(const struct sc_row, row, &file->rows) {
        *ret_has_line |= row->kind == SC_ROW_LINE;
        found |= row->time_heat >= SC_HEAT_WARM || row->memory_heat >= SC_HEAT_WARM;
    }
    return found;
}

/* Of the files beyond the first ones, and of those that no line makes worth a look, only files
 * with a warm line stay: a tool whose own package is shown may have hundreds. */
static void leave_out_files(struct sc_report *report)
{
    for (size_t i = 0; i < report->files.count; i++) {
        struct sc_report_file *file = &report->files.items[i];
        double percent = sc_clamp(file->file->percent_cpu_time, 0.0, 100.0);
        bool has_line = false;
        bool stays = is_warm(file, &has_line) || file->warnings.count > 0;
        bool matters = has_line || percent >= 1.0;
        file->is_left_out = !stays && (i >= FILES_SHORT || (i > 0 && !matters));
        report->files_left_out += file->is_left_out ? 1 : 0;
        report->files_left_out_percent += file->is_left_out ? percent : 0.0;
    }
}

void sc_report_init(struct sc_report *report, const struct sc_profile *profile, bool reduced)
{
    *report = (struct sc_report){.profile = profile, .parts = sc_parts_of(profile)};
    report->curve_top_mb = curve_top(profile);
    sc_report_overview(report);
    sc_report_threads(report);
    sc_report_processes(report);
    sc_report_fill_bases(report);
    sc_report_findings(report);
    sc_report_quality(report);
    for (size_t i = 0; i < profile->files.count; i++) {
        struct sc_report_file file = {0};
        sc_report_file(report, &profile->files.items[i], reduced, &file);
        sc_vec_push(&report->files, file);
    }
    sc_vec_sort(&report->files, compare_files);
    if (reduced)
        leave_out_files(report);
}

static void overview_done(struct sc_overview *overview)
{
    free(overview->command);
    free(overview->ending);
    free(overview->labels);
    sc_report_bases_done(&overview->bases);
    sc_hots_done(&overview->lines);
    sc_hots_done(&overview->functions);
    sc_hots_done(&overview->memory_lines);
    sc_hots_done(&overview->await_lines);
    sc_report_devices_done(&overview->gpu);
    for (size_t i = 0; i < overview->processes.count; i++)
        free(overview->processes.items[i].ending);
    sc_vec_done(&overview->processes);
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        sc_vec_done(&overview->kind_parts[i]);
    sc_vec_done(&overview->marks);
    for (size_t i = 0; i < overview->threads.count; i++) {
        free(overview->threads.items[i].name);
        sc_vec_done(&overview->threads.items[i].waits);
    }
    sc_vec_done(&overview->threads);
    for (size_t i = 0; i < overview->findings.count; i++) {
        free(overview->findings.items[i].text);
        free(overview->findings.items[i].evidence);
    }
    sc_vec_done(&overview->findings);
    sc_vec_free(&overview->quality);
}

void sc_report_done(struct sc_report *report)
{
    overview_done(&report->overview);
    SC_EACH(struct sc_report_file, file, &report->files) {
        free(file->short_name);
        free(file->source);
        sc_vec_done(&file->rows);
        sc_vec_done(&file->functions);
        sc_vec_free(&file->warnings);
    }
    sc_vec_done(&report->files);
}

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
