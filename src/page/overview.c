/* page/overview.c - see overview.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/overview.h"

#include "page/page.h"
#include "page/stale.h"
#include "page/write.h"
#include "report/number.h"

static const char *unit_name(enum sc_unit unit)
{
    static const char *const names[] = {
        [SC_UNIT_PERCENT] = "percent", [SC_UNIT_MEGABYTES] = "megabytes",
        [SC_UNIT_SECONDS] = "seconds", [SC_UNIT_MB_PER_SECOND] = "mb_per_second",
        [SC_UNIT_CURVE] = "curve",
    };
    return names[unit];
}

static const char *group_name(enum sc_group group)
{
    static const char *const names[SC_GROUP_COUNT_] = {
        [SC_GROUP_TIME] = "time",     [SC_GROUP_GPU] = "gpu",   [SC_GROUP_AWAIT] = "await",
        [SC_GROUP_MEMORY] = "memory", [SC_GROUP_COPY] = "copy",
    };
    return names[group];
}

static void write_run(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    const struct sc_overview *overview = &page->report.overview;
    sc_write_text(out, "version", SC_VERSION);
    SC_AUTO_FREE char *title =
        sc_format("%s - scalene", overview->command[0] != '\0' ? overview->command : "profile");
    sc_write_text(out, "title", title);
    sc_write_text(out, "command", overview->command);
    sc_write_text(out, "path", page->path);
    sc_write_text(out, "program", profile->program);
    sc_write_number(out, "elapsed_s", overview->elapsed_s);
    if (overview->span_s > overview->elapsed_s)
        sc_write_number(out, "span_s", overview->span_s);
    sc_write_number(out, "cpu_s", overview->cpu_s);
    sc_write_number(out, "total_s", overview->total_s);
    sc_json_begin_under(out, "bases", '{');
    sc_write_text(out, "time_of", overview->bases.time_of);
    sc_write_text(out, "time", overview->bases.time);
    sc_write_text(out, "processes", overview->bases.processes);
    sc_write_text(out, "threads", overview->bases.threads);
    sc_json_end(out, '}');
    sc_write_number(out, "cores", overview->cores);
    sc_write_text(out, "mode", profile->mode);
    sc_write_number(out, "interval_s", profile->interval_s);
    sc_write_text(out, "python_version", profile->python_version);
    /* to the microsecond */
    sc_json_key(out, "started_s");
    sc_json_number(out, sc_clamp(profile->start_time_absolute_s, 0.0, 1e12));
    sc_json_bool_under(out, "foreign", profile->foreign);
    sc_write_text(out, "ending", overview->ending);
    sc_write_text(out, "labels", overview->labels);
    sc_json_bool_under(out, "served", page->served);
    if (page->notebook)
        sc_json_bool_under(out, "notebook", true);
    if (page->left_out.count > 0)
        sc_json_texts_under(out, "left_out", page->left_out.items, page->left_out.count);
    sc_json_bool_under(out, "virtual_time", overview->virtual_time);
    sc_json_count_under(out, "total_samples", profile->samples_taken);
    sc_json_count_under(out, "waiting_samples", profile->samples_waiting);
}

/* Whether any of the run's stacks have a time: then a part of the run can be chosen. */
static bool has_timeline(const struct sc_profile *profile)
{
    return profile->call_timeline.count > 0 || profile->combined_stacks_timeline.count > 0;
}

static void write_parts(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_report *report = &page->report;
    const struct sc_parts *parts = &report->parts;
    sc_json_begin_under(out, "parts", '{');
    sc_json_bool_under(out, "gpu",
                       parts->gpu || parts->gpu_time || parts->gpu_idle || parts->gpu_memory);
    sc_json_bool_under(out, "await", parts->await);
    sc_json_bool_under(out, "memory", parts->memory);
    sc_json_bool_under(out, "memory_curves", parts->memory_curves);
    sc_json_bool_under(out, "memory_stacks", page->profile.call_at_peak_mb.count > 0);
    sc_json_begin_under(out, "memory_moments_s", '[');
    for (size_t i = 0; i < page->profile.call_moments_s.count && i < SC_PAGE_MOMENTS_MAX; i++)
        sc_json_rounded(out, page->profile.call_moments_s.items[i], 6);
    sc_json_end(out, ']');
    sc_json_bool_under(out, "waiting_stacks", page->profile.call_waiting_s.count > 0);
    sc_json_bool_under(out, "unit_stacks",
                       page->profile.call_units.count > 0 ||
                           page->profile.call_unit_waits.count > 0);
    sc_json_bool_under(out, "timeline", has_timeline(&page->profile));
    sc_json_bool_under(out, "copies", parts->copies);
    sc_json_end(out, '}');
    sc_json_begin_under(out, "columns", '[');
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        if (column->shown != NULL && !column->shown(parts))
            continue;
        sc_json_begin(out, '{');
        sc_write_text(out, "id", column->id);
        sc_write_text(out, "group", group_name(column->group));
        sc_write_text(out, "group_title",
                      column->group == SC_GROUP_GPU ? report->overview.gpu.kind
                                                    : sc_groups[column->group].heading);
        sc_write_text(out, "title", column->header);
        sc_write_text(out, "unit", unit_name(column->unit));
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_where(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_overview *overview = &page->report.overview;
    sc_write_kinds(out, "kinds", overview->kinds);
    sc_json_begin_under(out, "kind_parts", '{');
    for (int i = 0; i < SC_KIND_COUNT_; i++)
        sc_write_shares(out, sc_columns[SC_COLUMN_PYTHON + i].id, &overview->kind_parts[i]);
    sc_json_end(out, '}');
    sc_write_shares(out, "marks", &overview->marks);
    sc_write_number(out, "no_cpu_percent", overview->no_cpu_percent);
    sc_overview_hots(out, page, "hot_lines", SC_HOT_TIME, &overview->lines);
    sc_overview_hots(out, page, "hot_functions", SC_HOT_TIME, &overview->functions);
    sc_overview_hots(out, page, "memory_lines", SC_HOT_MEMORY, &overview->memory_lines);
    sc_overview_hots(out, page, "await_lines", SC_HOT_AWAIT, &overview->await_lines);
}

static void write_findings(struct sc_json_out *out, const struct sc_page *page)
{
    SC_JSON_OBJECTS(out, "findings", const struct sc_finding, finding,
                    &page->report.overview.findings) {
        sc_write_text(out, "id", finding->id);
        sc_write_text(out, "text", finding->text);
        if (finding->evidence != NULL)
            sc_write_text(out, "why", finding->evidence);
        sc_write_number(out, "percent", finding->percent);
        if (finding->file != NULL) {
            sc_json_count_under(out, "file", sc_page_number_of(page, finding->file));
            sc_json_count_under(out, "lineno", finding->lineno);
            sc_json_count_under(out, "end_lineno", finding->end_lineno);
        }
        sc_json_bool_under(out, "can_ask", finding->can_ask);
    }
}

/* The most bytes of source files that are read to compare them with the profile; files beyond that
 * are not compared. */
#define COMPARED_BYTES_MAX ((size_t)64 << 20)

static void write_warnings(struct sc_json_out *out, const struct sc_report_file *file,
                           bool is_stale)
{
    static char text[] = "this file has changed since the run: what is shown is its text as it was "
                         "recorded";
    SC_AUTO_FREE SC_VEC(char *) warnings = {0};
    if (is_stale)
        sc_vec_push(&warnings, text);
    for (size_t i = 0; i < file->warnings.count; i++)
        sc_vec_push(&warnings, file->warnings.items[i]);
    sc_json_texts_under(out, "warnings", warnings.items, warnings.count);
}

static bool is_ending(const struct sc_page *page)
{
    return page->is_ending != NULL && *page->is_ending;
}

static void write_files(struct sc_json_out *out, const struct sc_page *page)
{
    size_t budget_bytes = COMPARED_BYTES_MAX;
    SC_JSON_OBJECTS(out, "files", const struct sc_report_file, file, &page->report.files) {
        sc_write_name(out, "name", file->file->name);
        sc_write_text(out, "short_name", file->short_name);
        sc_write_number(out, "percent", sc_clamp(file->file->percent_cpu_time, 0.0, 100.0));
        sc_write_number(out, "seconds", file->seconds);
        if (page->report.parts.memory)
            sc_write_number(out, "peak_mb", file->peak_mb);
        sc_json_count_under(out, "line_count", file->file->lines.count);
        sc_json_count_under(out, "function_count", file->functions.count);
        bool is_stale =
            page->served && !is_ending(page) && sc_file_is_stale(file->file, &budget_bytes);
        sc_json_bool_under(out, "changed", file->file->source_changed);
        if (is_stale)
            sc_json_bool_under(out, "stale", true);
        write_warnings(out, file, is_stale);
    }
}

bool sc_page_overview(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                      struct sc_err *err)
{
    (void)query;
    (void)err;
    sc_json_begin(out, '{');
    write_run(out, page);
    write_parts(out, page);
    write_where(out, page);
    write_findings(out, page);
    sc_overview_quality(out, page);
    sc_overview_memory(out, page);
    sc_overview_gpu(out, page);
    sc_overview_activity(out, page);
    sc_overview_units(out, page);
    write_files(out, page);
    sc_json_end(out, '}');
    return true;
}
