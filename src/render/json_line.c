/*
 * render/json_line.c - one line of a report for scripts and coding agents, as JSON: all its
 * numbers, the source around it, who calls it and what it calls, and what was found there.
 *
 * The keys are documented in docs/terminal-view.md. What is 0 is left out: a reader of one line
 * wants what it has.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/json_report.h"
#include "render/render.h"
#include "report/calls.h"
#include "report/number.h"

/* Lines of source before and after, and callers and callees, at most. */
enum { AROUND = 5, EDGES_MAX = 10 };

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
    sc_json_write_cost(out, report, cost);
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

static void write_source(struct sc_json_out *out, const struct sc_file *file, uint32_t lineno)
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
static void write_function(struct sc_json_out *out, const struct sc_report *report,
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
    sc_json_write_cost(out, report, &within->cost);
    write_if(out, "total_percent", within->cost.cumulative_percent);
    sc_json_end(out, '}');
}

static void write_shares(struct sc_json_out *out, const char *key,
                         const struct sc_call_graph *graph, const struct sc_call_shares *shares)
{
    const struct sc_stacks *stacks = graph->stacks;
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < shares->items.count && i < EDGES_MAX; i++) {
        const struct sc_call_share *share = &shares->items.items[i];
        const struct sc_frame *frame = &stacks->frames.items[share->frame];
        sc_json_begin(out, '{');
        sc_json_text_under(out, "name", sc_intern_text(&stacks->texts, frame->name));
        sc_json_text_under(out, "file", sc_intern_text(&stacks->texts, frame->path));
        sc_json_write_lineno(out, "line", frame->line);
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
    write_shares(out, "callers", &graph, &callers);
    write_shares(out, "callees", &graph, &callees);
}

static void write_findings(struct sc_json_out *out, const struct sc_report *report,
                           const struct sc_file *file, uint32_t lineno)
{
    sc_json_begin_under(out, "findings", '[');
    SC_EACH(const struct sc_finding, finding, &report->overview.findings)
        if (finding->file == file && finding->lineno <= lineno && lineno <= finding->end_lineno)
            sc_json_write_finding(out, finding);
    sc_json_end(out, ']');
}

void sc_render_json_line(const struct sc_report *report, const struct sc_file *file,
                         const struct sc_line *line, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", SC_JSON_REPORT_FORMAT);
    sc_json_text_under(&out, "file", file->name);
    sc_json_count_under(&out, "line", line->lineno);
    write_source(&out, file, line->lineno);
    sc_json_bool_under(&out, "source_changed", file->source_changed);
    write_line_cost(&out, report, &line->cost);
    write_function(&out, report, file, line);
    write_calls(&out, report, file, line->lineno);
    write_findings(&out, report, file, line->lineno);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
