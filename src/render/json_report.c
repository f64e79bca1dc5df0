/*
 * render/json_report.c - a report for scripts, coding agents and editors: the findings, and the
 * lines, functions and files with their numbers, as JSON.
 *
 * The keys are documented in docs/terminal-view.md. A key is always there, whatever was measured:
 * what was not is 0, or null where 0 would be a statement.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "render/render.h"
#include "report/calls.h"
#include "report/number.h"

/* A change of the meaning of a key, or one that is taken away, raises FORMAT; new keys do not. */
enum { DIGITS = 6, FORMAT = 1 };

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

static void write_lineno(struct sc_json_out *out, const char *key, uint32_t lineno)
{
    if (lineno == 0)
        sc_json_text_under(out, key, NULL);
    else
        sc_json_count_under(out, key, lineno);
}

static void write_summary(struct sc_json_out *out, const struct sc_report *report)
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

static void write_finding(struct sc_json_out *out, const struct sc_finding *finding)
{
    sc_json_begin(out, '{');
    sc_json_text_under(out, "id", finding->id);
    sc_json_text_under(out, "file", finding->file != NULL ? finding->file->name : NULL);
    write_lineno(out, "line", finding->lineno);
    write_lineno(out, "end_line", finding->end_lineno);
    sc_json_write_number(out, "percent", finding->percent);
    sc_json_text_under(out, "text", finding->text);
    sc_json_text_under(out, "why", finding->evidence);
    sc_json_end(out, '}');
}

/* Those about the lines of a file from first to last; NULL: all there are. */
static void write_findings(struct sc_json_out *out, const struct sc_report *report,
                           const struct sc_file *file, uint32_t first, uint32_t last)
{
    sc_json_begin_under(out, "findings", '[');
    SC_EACH(const struct sc_finding, finding, &report->overview.findings)
        if (file == NULL ||
            (finding->file == file && finding->lineno <= last && finding->end_lineno >= first))
            write_finding(out, finding);
    sc_json_end(out, ']');
}

SC_ORDERED_BY(compare_items, struct item,
              SC_ORDER(sc_cost_time_percent(b->cost), sc_cost_time_percent(a->cost)),
              SC_FALLING(cost->peak_mb), strcmp(a->file->name, b->file->name), SC_RISING(lineno),
              strcmp(a->text, b->text));

static void write_cost(struct sc_json_out *out, const struct sc_report *report,
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

static void write_line(struct sc_json_out *out, const struct sc_report *report,
                       const struct sc_file *file, const struct sc_line *line)
{
    struct sc_hot source = {0};
    sc_hot_text(line->text, &source);
    sc_json_begin(out, '{');
    sc_json_text_under(out, "file", file->name);
    write_lineno(out, "line", line->lineno);
    sc_json_key(out, "source");
    sc_json_text(out, source.text, source.text_length);
    write_cost(out, report, &line->cost);
    sc_json_end(out, '}');
}

static void write_function(struct sc_json_out *out, const struct sc_report *report,
                           const struct sc_file *file, const struct sc_function *function)
{
    double self = sc_cost_time_percent(&function->cost);
    double total = sc_clamp(function->cost.cumulative_percent, 0.0, 100.0);
    total = total > self ? total : self;
    sc_json_begin(out, '{');
    sc_json_text_under(out, "file", file->name);
    write_lineno(out, "line", function->lineno);
    sc_json_text_under(out, "name", function->name);
    sc_json_write_number(out, "total_percent", total);
    sc_json_write_number(out, "total_seconds", total / 100.0 * report->overview.total_s);
    write_cost(out, report, &function->cost);
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
        write_line(out, report, lines.items[i].file, lines.items[i].line);
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
        write_function(out, report, functions.items[i].file, functions.items[i].function);
    sc_json_end(out, ']');
}

static void write_files(struct sc_json_out *out, const struct sc_report *report)
{
    SC_JSON_OBJECTS(out, "files", const struct sc_report_file, file, &report->files) {
        sc_json_text_under(out, "file", file->file->name);
        sc_json_write_number(out, "percent", sc_clamp(file->file->percent_cpu_time, 0.0, 100.0));
        sc_json_write_number(out, "seconds", file->seconds);
        sc_json_write_number(out, "peak_mb", file->peak_mb);
    }
}

void sc_render_json(const struct sc_report *report, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", FORMAT);
    write_summary(&out, report);
    write_findings(&out, report, NULL, 0, 0);
    write_lines(&out, report);
    write_functions(&out, report);
    write_files(&out, report);
    sc_json_texts_under(&out, "notes", report->overview.quality.items,
                        report->overview.quality.count);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}

/* -------- one line, with the source around it, who calls it and what it calls -------- */

/* Lines of source before and after, and callers and callees, at most. */
enum { AROUND = 5, EDGES_MAX = 10 };

/* What is 0 is left out here: a reader of one line wants what it has. */
static void write_if(struct sc_json_out *out, const char *key, double number)
{
    if (number > 0.0 || number < 0.0)
        sc_json_write_number(out, key, sc_clamp(number, -1e12, 1e12));
}

static void write_seconds(struct sc_json_out *out, const char *key, const double *seconds,
                          const char *const *names, size_t count)
{
    sc_json_begin_under(out, key, '{');
    for (size_t i = 0; i < count; i++)
        write_if(out, names[i], seconds[i]);
    sc_json_end(out, '}');
}

static void write_line_cost(struct sc_json_out *out, const struct sc_report *report,
                            const struct sc_cost *cost)
{
    sc_json_begin_under(out, "cost", '{');
    write_cost(out, report, cost);
    write_if(out, "total_percent", cost->cumulative_percent);
    write_if(out, "percent_error", cost->cpu_share_error);
    write_seconds(out, "time_s", cost->time_s, sc_time_names, SC_TIME_COUNT_);
    write_seconds(out, "wait_s", cost->wait_s, sc_wait_names, SC_WAIT_COUNT_);
    write_if(out, "gc_s", cost->gc_s);
    write_if(out, "freeing_s", cost->freeing_s);
    write_if(out, "importing_s", cost->importing_s);
    write_if(out, "worker_threads_s", cost->worker_threads_s);
    write_if(out, "allocated_mb", cost->malloc_mb);
    write_if(out, "allocated_error_mb", cost->malloc_error_mb);
    write_if(out, "freed_at_once_mb", cost->churn_mb);
    write_if(out, "peak_error_mb", cost->peak_error_mb);
    write_if(out, "average_mb", cost->avg_mb);
    write_if(out, "growth_mb", cost->growth_mb);
    write_if(out, "live_at_peak_mb", cost->live_at_peak_mb);
    write_if(out, "live_at_exit_mb", cost->live_at_exit_mb);
    write_if(out, "gpu_idle_s", cost->gpu_idle_s);
    sc_json_end(out, '}');
}

static void write_source_around(struct sc_json_out *out, const struct sc_file *file,
                                uint32_t lineno)
{
    sc_json_begin_under(out, "source", '[');
    SC_EACH(const struct sc_line, line, &file->lines) {
        if (line->lineno + AROUND < lineno || line->lineno > lineno + AROUND)
            continue;
        const char *text = line->text != NULL ? line->text : "";
        sc_json_begin(out, '{');
        sc_json_count_under(out, "line", line->lineno);
        sc_json_key(out, "text");
        sc_json_text(out, text, strcspn(text, "\r\n"));
        write_if(out, "percent", sc_cost_time_percent(&line->cost));
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

/* The function that the line is in: of those that begin before it the last, as far as the line
 * knows. */
static void write_function_of(struct sc_json_out *out, const struct sc_report *report,
                              const struct sc_file *file, const struct sc_line *line)
{
    const struct sc_function *within = NULL;
    for (size_t i = 0; i < file->functions.count; i++)
        if (line->region.start_function_line > 0 &&
            file->functions.items[i].lineno == line->region.start_function_line)
            within = &file->functions.items[i];
    if (within == NULL) {
        sc_json_text_under(out, "function", NULL);
        return;
    }
    sc_json_begin_under(out, "function", '{');
    sc_json_text_under(out, "name", within->name);
    sc_json_count_under(out, "line", within->lineno);
    write_cost(out, report, &within->cost);
    write_if(out, "total_percent", within->cost.cumulative_percent);
    sc_json_end(out, '}');
}

static void write_edges(struct sc_json_out *out, const char *key, const struct sc_call_graph *graph,
                        const struct sc_call_shares *shares)
{
    const struct sc_stacks *stacks = graph->stacks;
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < shares->items.count && i < EDGES_MAX; i++) {
        const struct sc_call_share *share = &shares->items.items[i];
        const struct sc_frame *frame = &stacks->frames.items[share->frame];
        sc_json_begin(out, '{');
        sc_json_text_under(out, "name", sc_intern_text(&stacks->texts, frame->name));
        sc_json_text_under(out, "file", sc_intern_text(&stacks->texts, frame->path));
        write_lineno(out, "line", frame->line);
        sc_json_write_number(out, "percent", 100.0 * share->weight / graph->total);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    if (shares->items.count > EDGES_MAX) {
        SC_AUTO_FREE char *rest = sc_format("%s_left_out", key);
        sc_json_count_under(out, rest, shares->items.count - EDGES_MAX);
    }
}

static void write_calls(struct sc_json_out *out, const struct sc_report *report,
                        const struct sc_file *file, uint32_t lineno)
{
    SC_AUTO(sc_stacks_done) struct sc_stacks stacks = {0};
    SC_AUTO(sc_call_graph_done) struct sc_call_graph graph = {0};
    SC_AUTO(sc_call_shares_done) struct sc_call_shares callers = {0};
    SC_AUTO(sc_call_shares_done) struct sc_call_shares callees = {0};
    sc_stacks_init(&stacks, report->profile);
    sc_call_graph_init(&graph, &stacks, NULL);
    uint32_t place = sc_call_graph_find(&graph, file->name, lineno);
    if (place != SC_NONE && graph.total > 0.0) {
        sc_call_graph_callers(&graph, place, &callers);
        sc_call_graph_callees(&graph, place, &callees);
    }
    write_edges(out, "callers", &graph, &callers);
    write_edges(out, "callees", &graph, &callees);
}

void sc_render_json_line(const struct sc_report *report, const struct sc_file *file,
                         const struct sc_line *line, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", FORMAT);
    sc_json_text_under(&out, "file", file->name);
    sc_json_count_under(&out, "line", line->lineno);
    write_source_around(&out, file, line->lineno);
    sc_json_bool_under(&out, "source_changed", file->source_changed);
    write_line_cost(&out, report, &line->cost);
    write_function_of(&out, report, file, line);
    write_calls(&out, report, file, line->lineno);
    write_findings(&out, report, file, line->lineno, line->lineno);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}

/* -------- one file -------- */

/* An editor compares the text with its own, to know which lines the numbers still belong to. */

/* Whether the profile has the file's whole text: where the source was not found, its lines have
 * none, and some profilers leave out lines that cost nothing. */
static bool has_text(const struct sc_file *file)
{
    bool is_blank = true;
    for (size_t i = 0; i < file->lines.count; i++) {
        const char *text = file->lines.items[i].text;
        if (file->lines.items[i].lineno != i + 1)
            return false;
        is_blank = is_blank && (text == NULL || text[strspn(text, " \t\f\r\n")] == '\0');
    }
    return !is_blank;
}

static void write_source(struct sc_json_out *out, const struct sc_file *file)
{
    if (!has_text(file)) {
        sc_json_text_under(out, "source", NULL);
        return;
    }
    sc_json_begin_under(out, "source", '[');
    for (size_t i = 0; i < file->lines.count; i++) {
        const char *text = file->lines.items[i].text;
        text = text != NULL ? text : "";
        sc_json_text(out, text, strcspn(text, "\r\n"));
    }
    sc_json_end(out, ']');
}

/* Copies alone make no line of the tables. */
static bool has_number(const struct sc_report *report, const struct sc_cost *cost)
{
    return sc_cost_is_active(&report->parts, cost) || sc_cost_has_cell(&report->parts, cost);
}

static void write_rows(struct sc_json_out *out, const struct sc_report *report,
                       const struct sc_file *file, bool is_all)
{
    sc_json_begin_under(out, "lines", '[');
    for (size_t i = 0; i < file->lines.count; i++)
        if (is_all || has_number(report, &file->lines.items[i].cost))
            write_line(out, report, file, &file->lines.items[i]);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "functions", '[');
    for (size_t i = 0; i < file->functions.count; i++)
        if (is_all || sc_cost_is_listed(&report->parts, &file->functions.items[i].cost))
            write_function(out, report, file, &file->functions.items[i]);
    sc_json_end(out, ']');
}

void sc_render_json_file(const struct sc_report *report, const struct sc_file *file, bool is_all,
                         struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", FORMAT);
    sc_json_text_under(&out, "file", file->name);
    sc_json_bool_under(&out, "source_changed", file->source_changed);
    write_summary(&out, report);
    write_source(&out, file);
    write_rows(&out, report, file, is_all);
    write_findings(&out, report, file, 0, UINT32_MAX);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
