/*
 * render/history.c - versions in a table, and below it what has changed; or both as JSON.
 *
 * The keys are documented in docs/history.md; a change of the meaning of one raises FORMAT, new
 * ones do not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/history.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "render/comparison.h"
#include "render/paint.h"
#include "report/number.h"

enum { FORMAT = 1, NAME = 24, MOMENT = 18, RUNS = 6, NUMBER = 12 };

static const struct sc_difference *whole(const struct sc_comparison *comparison,
                                         enum sc_metric metric)
{
    return &comparison->tables[SC_COMPARE_RUN].items[0].differences[metric];
}

void sc_history_view_init(struct sc_history_view *view, const struct sc_history *history,
                          const struct sc_render_options *options, bool is_json)
{
    *view = (struct sc_history_view){.history = history, .options = *options, .is_json = is_json};
    view->json_versions.text = &view->versions;
    view->json_steps.text = &view->steps;
    if (is_json) {
        sc_json_begin(&view->json_versions, '[');
        sc_json_begin(&view->json_steps, '[');
        return;
    }
    struct sc_painter painter = sc_painter_of(&view->versions, options->color, options->unicode);
    sc_paint(&painter, SC_STYLE_HEADING, "version");
    sc_paint_to(&painter, NAME);
    sc_paint(&painter, SC_STYLE_HEADING, "first run (UTC)");
    sc_paint_to(&painter, NAME + MOMENT);
    sc_paint_right(&painter, SC_STYLE_HEADING, "runs", RUNS);
    sc_paint_right(&painter, SC_STYLE_HEADING, "time", NUMBER);
    sc_paint_right(&painter, SC_STYLE_HEADING, "peak", NUMBER);
    sc_paint_newline(&painter);
}

/* -------- as a table -------- */

static void add_change(struct sc_painter *painter, const struct sc_comparison *comparison,
                       enum sc_metric metric)
{
    const struct sc_difference *one = whole(comparison, metric);
    bool is_mb = sc_metric_is_mb(metric);
    bool is_more = one->change > 0.0;
    if (one->verdict != SC_VERDICT_CERTAIN)
        return;
    struct sc_number change =
        is_mb ? sc_number_megabytes(fabs(one->change)) : sc_number_duration(fabs(one->change));
    double half_width = sc_difference_error(one);
    struct sc_number error =
        is_mb ? sc_number_megabytes(half_width) : sc_number_duration(half_width);
    SC_AUTO_FREE char *text = sc_format("  %s%s \u00b1 %s%s", is_more ? "+" : "-", change.text,
                                        error.text, is_mb ? " of memory" : "");
    sc_paint(painter, is_more ? SC_STYLE_HOT : SC_STYLE_MEMORY, text);
}

/* before: the comparison's older version is meant, with which the table begins. */
static void add_row(struct sc_history_view *view, size_t version, bool is_before,
                    const struct sc_comparison *comparison)
{
    const struct sc_history_version *of = &view->history->versions.items[version];
    struct sc_painter painter =
        sc_painter_of(&view->versions, view->options.color, view->options.unicode);
    SC_AUTO_FREE char *name = sc_history_name(view->history, version);
    sc_paint_cut(&painter, SC_STYLE_PLAIN, name, strlen(name), NAME - 2);
    sc_paint_to(&painter, NAME);
    char moment[MOMENT] = "";
    time_t seconds = (time_t)sc_clamp(of->started_s, 0.0, 1e11);
    struct tm parts;
    if (gmtime_r(&seconds, &parts) != NULL)
        (void)strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M", &parts);
    sc_paint(&painter, SC_STYLE_DIM, moment);
    sc_paint_to(&painter, NAME + MOMENT);
    int side = is_before ? 0 : 1;
    sc_paint_right(&painter, SC_STYLE_DIM, sc_number_count(of->count).text, RUNS);
    sc_paint_right(&painter, SC_STYLE_PLAIN,
                   sc_number_duration(whole(comparison, SC_METRIC_TIME)->mean[side]).text, NUMBER);
    sc_paint_right(&painter, SC_STYLE_PLAIN,
                   comparison->has_memory
                       ? sc_number_megabytes(whole(comparison, SC_METRIC_PEAK)->mean[side]).text
                       : "",
                   NUMBER);
    if (!is_before) {
        add_change(&painter, comparison, SC_METRIC_TIME);
        if (comparison->has_memory)
            add_change(&painter, comparison, SC_METRIC_PEAK);
    }
    sc_paint_newline(&painter);
}

static void add_step(struct sc_history_view *view, size_t version,
                     const struct sc_comparison *comparison)
{
    const struct sc_limits no_limits = {0};
    struct sc_painter painter =
        sc_painter_of(&view->steps, view->options.color, view->options.unicode);
    SC_AUTO_FREE char *name = sc_history_name(view->history, version);
    SC_AUTO_FREE char *before = sc_history_name(view->history, version - 1);
    SC_AUTO_FREE char *title = sc_format("== %s, after %s ==", name, before);
    sc_paint_heading(&painter, title);
    sc_render_comparison(comparison, &no_limits, &view->options, false, &view->steps);
}

/* -------- as JSON -------- */

static void write_version(struct sc_history_view *view, size_t version, int side,
                          const struct sc_comparison *comparison)
{
    struct sc_json_out *out = &view->json_versions;
    const struct sc_history_version *of = &view->history->versions.items[version];
    const struct sc_history_run *runs = &view->history->runs.items[of->first];
    sc_json_begin(out, '{');
    sc_json_text_under(out, "commit", runs[0].commit);
    sc_json_key(out, "started_s");
    sc_json_number(out, of->started_s);
    sc_json_write_number(out, "time_s", whole(comparison, SC_METRIC_TIME)->mean[side]);
    if (comparison->has_memory)
        sc_json_write_number(out, "peak_mb", whole(comparison, SC_METRIC_PEAK)->mean[side]);
    else
        sc_json_text_under(out, "peak_mb", NULL);
    sc_json_begin_under(out, "profiles", '[');
    for (size_t i = 0; i < of->count; i++)
        sc_json_string(out, runs[i].path);
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

static void write_step(struct sc_history_view *view, size_t version,
                       const struct sc_comparison *comparison)
{
    const struct sc_limits no_limits = {0};
    struct sc_json_out *out = &view->json_steps;
    sc_json_begin(out, '{');
    sc_json_count_under(out, "before", version - 1);
    sc_json_count_under(out, "after", version);
    sc_json_bool_under(out, "changed", sc_comparison_is_changed(comparison));
    sc_json_key(out, "difference");
    sc_render_comparison_json(comparison, &no_limits, false, &view->steps);
    out->has_key = false; /* that was the value */
    sc_json_end(out, '}');
}

/* -------- both -------- */

void sc_history_view_add(struct sc_history_view *view, size_t version,
                         const struct sc_comparison *comparison)
{
    if (view->is_json) {
        if (version == 1)
            write_version(view, 0, 0, comparison);
        write_version(view, version, 1, comparison);
        write_step(view, version, comparison);
        return;
    }
    if (version == 1)
        add_row(view, 0, true, comparison);
    add_row(view, version, false, comparison);
    if (sc_comparison_is_changed(comparison))
        add_step(view, version, comparison);
}

void sc_history_view_end(struct sc_history_view *view, struct sc_str *ret_text)
{
    bool is_by_commit = view->history->is_by_commit;
    if (view->is_json) {
        sc_json_end(&view->json_versions, ']');
        sc_json_end(&view->json_steps, ']');
        sc_str_add_format(ret_text, "{\n    \"format\": %d,\n    \"order\": \"%s\",\n", FORMAT,
                          is_by_commit ? "commit" : "time");
        sc_str_add_format(ret_text, "    \"versions\": %s,\n    \"steps\": %s\n}\n",
                          sc_str_text(&view->versions), sc_str_text(&view->steps));
        return;
    }
    sc_str_add(ret_text, sc_str_text(&view->versions));
    struct sc_painter painter = sc_painter_of(ret_text, view->options.color, view->options.unicode);
    sc_paint(&painter, SC_STYLE_DIM,
             is_by_commit ? "In the order of the commits." : "In the order of the first runs.");
    sc_paint_newline(&painter);
    if (view->steps.length == 0) {
        sc_paint(&painter, SC_STYLE_PLAIN, "No version differs for certain from the one before.");
        sc_paint_newline(&painter);
    }
    sc_str_add(ret_text, sc_str_text(&view->steps));
}

void sc_history_view_done(struct sc_history_view *view)
{
    sc_str_done(&view->versions);
    sc_str_done(&view->steps);
}
