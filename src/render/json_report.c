/*
 * render/json_report.c - a report for scripts: the findings, and the lines, functions and files
 * with their numbers, as JSON.
 *
 * The keys are documented in docs/terminal-view.md. A key is always there, whatever was measured:
 * what was not is 0, or null where 0 would be a statement.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/json_report.h"

#include <string.h>

#include "base/sort.h"
#include "render/render.h"
#include "report/number.h"

enum { DIGITS = 6 };

struct item {
    const struct sc_file *file;
    const struct sc_cost *cost;
    uint32_t lineno;
    const char *text; /* the source line, or the function's name */
    const struct sc_line *line;
    const struct sc_function *function;
};

struct items SC_VEC_OF(struct item);

void sc_json_write_number(struct sc_json_out *out, const char *key, double number)
{
    sc_json_key(out, key);
    sc_json_rounded(out, number, DIGITS);
}

void sc_json_write_lineno(struct sc_json_out *out, const char *key, uint32_t lineno)
{
    if (lineno == 0)
        sc_json_text_under(out, key, NULL);
    else
        sc_json_count_under(out, key, lineno);
}

void sc_json_write_summary(struct sc_json_out *out, const struct sc_report *report)
{
    const struct sc_overview *overview = &report->overview;
    const struct sc_profile *profile = report->profile;
    sc_json_begin_under(out, "summary", '{');
    sc_json_text_under(out, "command", overview->command);
    sc_json_text_under(out, "program", profile->program);
    sc_json_text_under(out, "python_version", profile->python_version);
    sc_json_text_under(out, "ending", overview->ending);
    sc_json_begin_under(out, "labels", '{');
    for (size_t i = 0; i < profile->labels.count; i++)
        sc_json_text_under(out, profile->labels.items[i].name, profile->labels.items[i].value);
    sc_json_end(out, '}');
    sc_json_write_number(out, "elapsed_s", overview->elapsed_s);
    sc_json_write_number(out, "cpu_s", overview->cpu_s);
    sc_json_write_number(out, "total_s", overview->total_s);
    sc_json_write_number(out, "python_percent", overview->kinds[SC_KIND_PYTHON]);
    sc_json_write_number(out, "native_percent", overview->kinds[SC_KIND_NATIVE]);
    sc_json_write_number(out, "system_percent", overview->kinds[SC_KIND_SYSTEM]);
    if (profile->memory)
        sc_json_write_number(out, "peak_mb", sc_clamp(profile->max_footprint_mb, 0.0, 1e12));
    else
        sc_json_text_under(out, "peak_mb", NULL);
    sc_json_end(out, '}');
}

void sc_json_write_finding(struct sc_json_out *out, const struct sc_finding *finding)
{
    sc_json_begin(out, '{');
    sc_json_text_under(out, "id", finding->id);
    sc_json_text_under(out, "file", finding->file != NULL ? finding->file->name : NULL);
    sc_json_write_lineno(out, "line", finding->lineno);
    sc_json_write_lineno(out, "end_line", finding->end_lineno);
    sc_json_write_number(out, "percent", finding->percent);
    sc_json_text_under(out, "text", finding->text);
    sc_json_text_under(out, "why", finding->evidence);
    sc_json_end(out, '}');
}

static void write_findings(struct sc_json_out *out, const struct sc_report *report)
{
    sc_json_begin_under(out, "findings", '[');
    for (size_t i = 0; i < report->overview.findings.count; i++)
        sc_json_write_finding(out, &report->overview.findings.items[i]);
    sc_json_end(out, ']');
}

SC_ORDERED_BY(compare_items, struct item,
              SC_ORDER(sc_cost_time_percent(b->cost), sc_cost_time_percent(a->cost)),
              SC_FALLING(cost->peak_mb), strcmp(a->file->name, b->file->name), SC_RISING(lineno),
              strcmp(a->text, b->text));

void sc_json_write_cost(struct sc_json_out *out, const struct sc_report *report,
                        const struct sc_cost *cost)
{
    double percent = sc_cost_time_percent(cost);
    double kinds[SC_KIND_COUNT_];
    sc_cost_kinds(cost, kinds);
    sc_json_write_number(out, "percent", percent);
    sc_json_write_number(out, "seconds", percent / 100.0 * report->overview.total_s);
    sc_json_write_number(out, "python_percent", kinds[SC_KIND_PYTHON]);
    sc_json_write_number(out, "native_percent", kinds[SC_KIND_NATIVE]);
    sc_json_write_number(out, "system_percent", kinds[SC_KIND_SYSTEM]);
    sc_json_write_number(out, "await_percent", sc_clamp(cost->async_await_percent, 0.0, 100.0));
    sc_json_write_number(out, "gpu_s", sc_clamp(cost->gpu_s, 0.0, 1e10));
    sc_json_write_number(out, "peak_mb", sc_clamp(cost->peak_mb, 0.0, 1e12));
    sc_json_write_number(out, "allocated_percent",
                         100.0 * sc_clamp(cost->usage_fraction, 0.0, 1.0));
    sc_json_write_number(out, "copy_mb_s", sc_clamp(cost->copy_mb_s, 0.0, 1e12));
    enum sc_heat time = sc_cost_time_heat(&report->parts, cost);
    enum sc_heat memory = sc_cost_memory_heat(&report->parts, cost);
    sc_json_count_under(out, "heat", (uint64_t)(time > memory ? time : memory));
}

void sc_json_write_line(struct sc_json_out *out, const struct sc_report *report,
                        const struct sc_file *file, const struct sc_line *line)
{
    struct sc_hot source = {0};
    sc_hot_text(line->text, &source);
    sc_json_begin(out, '{');
    sc_json_text_under(out, "file", file->name);
    sc_json_write_lineno(out, "line", line->lineno);
    sc_json_key(out, "source");
    sc_json_text(out, source.text, source.text_length);
    sc_json_write_cost(out, report, &line->cost);
    sc_json_end(out, '}');
}

void sc_json_write_function(struct sc_json_out *out, const struct sc_report *report,
                            const struct sc_file *file, const struct sc_function *function)
{
    double self = sc_cost_time_percent(&function->cost);
    double total = sc_clamp(function->cost.cumulative_percent, 0.0, 100.0);
    total = total > self ? total : self;
    sc_json_begin(out, '{');
    sc_json_text_under(out, "file", file->name);
    sc_json_write_lineno(out, "line", function->lineno);
    sc_json_text_under(out, "name", function->name);
    sc_json_write_number(out, "total_percent", total);
    sc_json_write_number(out, "total_seconds", total / 100.0 * report->overview.total_s);
    sc_json_write_cost(out, report, &function->cost);
    sc_json_end(out, '}');
}

static void write_lines(struct sc_json_out *out, const struct sc_report *report)
{
    SC_AUTO_FREE struct items lines = {0};
    SC_EACH(const struct sc_report_file, file, &report->files) {
        for (size_t i = 0; i < file->rows.count; i++) {
            const struct sc_line *line = file->rows.items[i].line;
            if (line == NULL)
                continue;
            sc_vec_push(&lines, (struct item){file->file, &line->cost, line->lineno,
                                              line->text != NULL ? line->text : "", line, NULL});
        }
    }
    sc_vec_sort(&lines, compare_items);
    sc_json_begin_under(out, "lines", '[');
    for (size_t i = 0; i < lines.count; i++)
        sc_json_write_line(out, report, lines.items[i].file, lines.items[i].line);
    sc_json_end(out, ']');
}

static void write_functions(struct sc_json_out *out, const struct sc_report *report)
{
    SC_AUTO_FREE struct items functions = {0};
    SC_EACH(const struct sc_report_file, file, &report->files) {
        for (size_t i = 0; i < file->functions.count; i++) {
            const struct sc_function *function = file->functions.items[i].function;
            sc_vec_push(&functions, (struct item){file->file, &function->cost, function->lineno,
                                                  function->name, NULL, function});
        }
    }
    sc_vec_sort(&functions, compare_items);
    sc_json_begin_under(out, "functions", '[');
    for (size_t i = 0; i < functions.count; i++)
        sc_json_write_function(out, report, functions.items[i].file, functions.items[i].function);
    sc_json_end(out, ']');
}

static void write_files(struct sc_json_out *out, const struct sc_report *report)
{
    sc_json_begin_under(out, "files", '[');
    SC_EACH(const struct sc_report_file, file, &report->files) {
        sc_json_begin(out, '{');
        sc_json_text_under(out, "file", file->file->name);
        sc_json_write_number(out, "percent", sc_clamp(file->file->percent_cpu_time, 0.0, 100.0));
        sc_json_write_number(out, "seconds", file->seconds);
        sc_json_write_number(out, "peak_mb", file->peak_mb);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

void sc_render_json(const struct sc_report *report, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", SC_JSON_REPORT_FORMAT);
    sc_json_write_summary(&out, report);
    write_findings(&out, report);
    write_lines(&out, report);
    write_functions(&out, report);
    write_files(&out, report);
    sc_json_texts_under(&out, "notes", report->overview.quality.items,
                        report->overview.quality.count);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
