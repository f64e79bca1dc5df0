/*
 * render/terminal_details.c - part of the first screen: memory, tasks, threads, processes and units
 * of work, where there is something to say.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"
#include "report/async.h"
#include "report/native_functions.h"
#include "report/number.h"

#define LEAST_ERROR_MB       0.05 /* that is shown */
#define NATIVE_LEAST_PERCENT 2.0

enum {
    CURVE_CELLS = 27,
    WAITS_LEAST = 20,    /* columns for the waits of a thread beside its name */
    AWAIT_LEAST = 24,    /* of a row about tasks, without their number and the place */
    NATIVE_NAME_AT = 10, /* columns before the name, and between it and the library */
    INDENT = SC_TERMINAL_INDENT,
    ROWS = 10, /* of threads, of processes, and of units of work */
};

static size_t shown_rows(size_t count)
{
    return count < ROWS ? count : ROWS;
}

void sc_terminal_native_functions(struct sc_painter *painter, const struct sc_render *render)
{
    SC_AUTO(sc_stacks_done) struct sc_stacks stacks = {0};
    SC_AUTO_FREE struct sc_native_functions functions = {0};
    sc_stacks_init(&stacks, render->report->profile);
    sc_native_functions_find(&functions, &stacks, render->report->overview.total_s,
                             NATIVE_LEAST_PERCENT);
    if (functions.count > 0)
        sc_paint_heading(painter, "Which native functions?");
    for (size_t i = 0; i < functions.count && i < SC_REPORT_HOT; i++) {
        const struct sc_native_function *function = &functions.items[i];
        size_t half = (render->options.width - NATIVE_NAME_AT) / 2;
        sc_paint_right(painter, SC_STYLE_PLAIN, sc_number_percent(function->percent).text, 6);
        sc_paint_space(painter, 2);
        sc_paint_cut(painter, SC_STYLE_CODE_DEFINITION, function->name, strlen(function->name),
                     half);
        sc_paint_space(painter, 2);
        sc_paint_cut(painter, SC_STYLE_DIM, sc_after_last(function->module, '/'),
                     strlen(sc_after_last(function->module, '/')), half);
        sc_paint_newline(painter);
    }
}

static void memory_curve(struct sc_painter *painter, const struct sc_report *report)
{
    unsigned char levels[CURVE_CELLS];
    const struct sc_profile *profile = report->profile;
    if (!sc_curve_levels(profile->samples.items, profile->samples.count, report->curve_top_mb, 7,
                         levels, CURVE_CELLS))
        return;
    for (size_t i = 0; i < CURVE_CELLS; i++)
        sc_paint(painter, SC_STYLE_MEMORY, painter->signs->curve[levels[i]]);
    sc_paint_space(painter, 2);
}

/* "of 512.0 MB" where a line has touched less than it had allocated; only if some line has. */
static void paint_allocated(struct sc_painter *painter, const struct sc_hots *hots,
                            const struct sc_hot *hot)
{
    struct sc_number text = {""};
    bool has_any = false;
    for (size_t i = 0; i < hots->count; i++)
        has_any = has_any || hots->items[i].cost->peak_allocated_mb > 0.0;
    if (!has_any)
        return;
    if (hot->cost->peak_allocated_mb > 0.0)
        text = sc_number_format("of %s", sc_number_megabytes(hot->cost->peak_allocated_mb).text);
    sc_paint_right(painter, SC_STYLE_PLAIN, text.text, 13);
}

static void memory_rows(struct sc_painter *painter, const struct sc_hots *hots, size_t width)
{
    size_t places = sc_terminal_place_width(hots, width / 3);
    SC_EACH(const struct sc_hot, hot, hots) {
        sc_terminal_hot_number(painter, hot, sc_number_megabytes(hot->percent).text, 10);
        paint_allocated(painter, hots, hot);
        struct sc_number share = sc_number_percent(100.0 * hot->cost->python_fraction);
        sc_paint_right(painter, SC_STYLE_MEMORY, sc_number_format("%s Python", share.text).text,
                       13);
        sc_terminal_place_and_code(painter, hot, places, width);
    }
}

void sc_terminal_memory(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    const struct sc_profile *profile = render->report->profile;
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    if (!overview->has_memory)
        return;
    sc_paint_heading(painter, "Where does the memory go?");
    sc_str_add_format(&text, "peak %s", sc_number_megabytes(profile->max_footprint_mb).text);
    if (profile->max_footprint_error_mb >= LEAST_ERROR_MB)
        sc_str_add_format(&text, " \u00b1 %s",
                          sc_number_megabytes(profile->max_footprint_error_mb).text);
    if (profile->max_footprint_allocated_mb > 0.0)
        sc_str_add_format(&text, " touched of %s allocated",
                          sc_number_megabytes(profile->max_footprint_allocated_mb).text);
    sc_str_add_format(&text, ", growth rate %s", sc_number_percent(profile->growth_rate).text);
    if (profile->max_rss_mb > 0.0)
        sc_str_add_format(&text, ", resident with the interpreter up to %s",
                          sc_number_megabytes(profile->max_rss_mb).text);
    if (overview->native_threads_mb > 0.0)
        sc_str_add_format(&text, ", %s allocated in all by native threads",
                          sc_number_megabytes(overview->native_threads_mb).text);
    sc_paint_space(painter, INDENT);
    memory_curve(painter, render->report);
    sc_paint_paragraph(painter, SC_STYLE_PLAIN, sc_str_text(&text),
                       sc_terminal_prose_width(render));
    memory_rows(painter, &overview->memory_lines, render->options.width);
}

/* "7 tasks", or "1988 tasks (peak 2000)" where their number went up and down; "" where it is not
 * known. */
static struct sc_number tasks_text(const struct sc_cost *cost)
{
    double mean = sc_clamp(cost->async_concurrency_mean, 0.0, 1e9);
    double peak = sc_clamp(cost->async_concurrency_peak, 0.0, 1e9);
    if (mean <= 0.0)
        return (struct sc_number){""};
    int digits = mean < 9.95 && fabs(mean - round(mean)) >= 0.05 ? 1 : 0;
    struct sc_number tasks =
        sc_number_format("%.*f task%s", digits, mean, digits == 0 && round(mean) == 1.0 ? "" : "s");
    return peak >= mean + 0.5 ? sc_number_format("%s (peak %.0f)", tasks.text, peak) : tasks;
}

static void await_row(struct sc_painter *painter, const struct sc_hot *hot, size_t places,
                      size_t tasks, size_t width)
{
    sc_terminal_hot_number(painter, hot, sc_number_percent(hot->percent).text, 6);
    if (tasks > 0)
        sc_paint_right(painter, SC_STYLE_PLAIN, tasks_text(hot->cost).text, tasks + 2);
    sc_terminal_place_and_code(painter, hot, places, width);
}

void sc_terminal_awaits(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_hots *hots = &render->report->overview.await_lines;
    size_t width = render->options.width;
    size_t places = sc_terminal_place_width(hots, width / 3);
    size_t widest = 0;
    if (hots->count == 0)
        return;
    sc_paint_heading(painter, "Where do tasks wait?");
    for (size_t i = 0; i < hots->count; i++) {
        size_t length = strlen(tasks_text(hots->items[i].cost).text);
        widest = length > widest ? length : widest;
    }
    if (AWAIT_LEAST + widest + places > width)
        widest = 0; /* no room for the number of tasks */
    for (size_t i = 0; i < hots->count; i++)
        await_row(painter, &hots->items[i], places, widest, width);
}

void sc_terminal_blocks(struct sc_painter *painter, const struct sc_render *render)
{
    size_t width = render->options.width;
    SC_AUTO(sc_stacks_done) struct sc_stacks stacks = {0};
    SC_AUTO(sc_async_done) struct sc_async async = {0};
    if (!render->report->parts.await)
        return;
    sc_stacks_init(&stacks, render->report->profile);
    sc_async_init(&async, render->report, &stacks);
    const struct sc_hots *hots = &async.block_lines;
    size_t places = sc_terminal_place_width(hots, width / 3);
    if (hots->count > 0)
        sc_paint_heading(painter, "What blocks the event loop?");
    SC_EACH(const struct sc_hot, hot, hots) {
        sc_terminal_hot_number(painter, hot, sc_number_percent(hot->percent).text, 6);
        sc_terminal_place_and_code(painter, hot, places, width);
    }
}

/* "no Python; waits: I/O 2.10 s, locks 300 ms" */
static void thread_text(const struct sc_report_thread *thread, struct sc_str *ret_text)
{
    if (thread->is_native)
        sc_str_add(ret_text, "no Python");
    for (size_t i = 0; i < thread->waits.count; i++) {
        const char *separator = ", ";
        if (i == 0)
            separator = thread->is_native ? "; waits: " : "waits: ";
        sc_str_add_format(ret_text, "%s%s %s", separator, thread->waits.items[i].name,
                          sc_number_duration(thread->waits.items[i].seconds).text);
    }
}

static void thread_row(struct sc_painter *painter, const struct sc_report_thread *thread,
                       size_t names, size_t width)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_paint_space(painter, INDENT);
    sc_paint_cut(painter, SC_STYLE_PLAIN, thread->name, strlen(thread->name), names);
    sc_paint_to(painter, INDENT + names);
    sc_paint_right(painter, SC_STYLE_PLAIN, sc_number_duration(thread->cpu_s).text, 12);
    sc_paint(painter, SC_STYLE_PLAIN, " CPU");
    sc_paint_right(painter, SC_STYLE_BOLD, sc_number_percent(thread->cpu_percent).text, 6);
    sc_paint_space(painter, 3);
    thread_text(thread, &text);
    if (text.length > 0 && painter->wanted + WAITS_LEAST > width) {
        sc_paint_newline(painter);
        sc_paint_space(painter, INDENT + INDENT);
    }
    sc_paint_paragraph(painter, SC_STYLE_PLAIN, sc_str_text(&text), width);
}

void sc_terminal_threads(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    size_t limit = render->options.width / 3;
    size_t names = 0;
    if (!overview->has_threads)
        return;
    sc_paint_heading(painter, "Which threads?");
    sc_terminal_note(painter, render, overview->bases.threads);
    size_t count = shown_rows(overview->threads.count);
    for (size_t i = 0; i < count; i++) {
        const char *name = overview->threads.items[i].name;
        size_t width = sc_text_width(name, strlen(name), 0, painter->unicode);
        names = width > names ? width : names;
    }
    names = names < limit ? names : limit;
    for (size_t i = 0; i < count; i++)
        thread_row(painter, &overview->threads.items[i], names, sc_terminal_prose_width(render));
    sc_terminal_more_rows(painter, overview->threads.count - count + overview->threads_left_out);
    if (overview->native_threads_cpu_s > 0.0) {
        char text[80];
        (void)snprintf(text, sizeof(text), "%s CPU by threads that run no Python",
                       sc_number_duration(overview->native_threads_cpu_s).text);
        sc_terminal_note(painter, render, text);
    }
}

static void process_row(struct sc_painter *painter, const struct sc_report_process *process,
                        size_t width)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_paint_right(painter, SC_STYLE_PLAIN,
                   sc_number_format("%llu", (unsigned long long)process->pid).text, INDENT + 6);
    sc_paint_right(painter, SC_STYLE_PLAIN, sc_number_duration(process->cpu_s).text, 11);
    sc_paint(painter, SC_STYLE_PLAIN, " CPU");
    sc_paint_right(painter, SC_STYLE_BOLD, sc_number_percent(process->cpu_percent).text, 6);
    sc_paint_right(painter, SC_STYLE_PLAIN, sc_number_megabytes(process->max_rss_mb).text, 10);
    sc_paint_space(painter, 3);
    if (painter->wanted + WAITS_LEAST > width) {
        sc_paint_newline(painter);
        sc_paint_space(painter, INDENT + INDENT);
    }
    if (process->ending != NULL)
        sc_str_add_format(&text, "%s: ", process->ending);
    sc_str_add(&text, process->command);
    sc_paint_cut(painter, SC_STYLE_PLAIN, sc_str_text(&text), text.length,
                 width > painter->wanted ? width - painter->wanted : 0);
    sc_paint_newline(painter);
}

void sc_terminal_processes(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_overview *overview = &render->report->overview;
    if (overview->processes.count == 0)
        return;
    sc_paint_heading(painter, "Which processes?");
    sc_terminal_note(painter, render, overview->bases.processes);
    size_t count = shown_rows(overview->processes.count);
    for (size_t i = 0; i < count; i++)
        process_row(painter, &overview->processes.items[i], render->options.width);
    sc_terminal_more_rows(painter,
                          overview->processes.count - count + overview->processes_left_out);
}

/* -------- units of work -------- */

enum {
    COUNT = 10, /* columns */
    NUMBER = 11,
    NAME_LEAST =
        12, /* of a name; columns of numbers for which there is no other room are left out */
};

struct column {
    const char *title;
    unsigned width;
};

/* The last one only where memory was measured. */
static const struct column columns[] = {
    {"count", COUNT}, {"total", NUMBER}, {"p50", NUMBER},
    {"p99", NUMBER},  {"CPU", NUMBER},   {"peak", NUMBER},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void paint_numbers(struct sc_painter *painter, const struct sc_unit_cost *unit, size_t shown)
{
    const struct sc_number numbers[COLUMNS] = {
        sc_number_count(unit->count),    sc_number_duration(unit->total_s),
        sc_number_duration(unit->p50_s), sc_number_duration(unit->p99_s),
        sc_number_duration(unit->cpu_s), sc_number_megabytes(unit->peak_mb)};
    for (size_t i = 0; i < shown; i++)
        sc_paint_right(painter, SC_STYLE_PLAIN, numbers[i].text, columns[i].width);
}

void sc_terminal_units(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_profile *profile = render->report->profile;
    size_t width = render->options.width;
    size_t shown = profile->memory ? COLUMNS : COLUMNS - 1;
    size_t names = SC_TERMINAL_INDENT + NAME_LEAST;
    size_t rows = shown_rows(profile->units.count);
    size_t used = 0;
    if (profile->units.count == 0)
        return;
    for (size_t i = 0; i < rows; i++) {
        const char *name = profile->units.items[i].name;
        size_t wide = SC_TERMINAL_INDENT + sc_text_width(name, strlen(name), 0, painter->unicode);
        names = wide > names ? wide : names;
    }
    for (size_t i = 0; i < shown; i++) {
        if (SC_TERMINAL_INDENT + NAME_LEAST + used + columns[i].width > width)
            shown = i;
        else
            used += columns[i].width;
    }
    names = names + used < width ? names : width - used;
    sc_paint_heading(painter, "Units of work");
    sc_paint_to(painter, names);
    for (size_t i = 0; i < shown; i++)
        sc_paint_right(painter, SC_STYLE_DIM, columns[i].title, columns[i].width);
    sc_paint_newline(painter);
    for (size_t i = 0; i < rows; i++) {
        const struct sc_unit_cost *unit = &profile->units.items[i];
        sc_paint_space(painter, SC_TERMINAL_INDENT);
        sc_paint_cut(painter, SC_STYLE_PLAIN, unit->name, strlen(unit->name),
                     names - SC_TERMINAL_INDENT);
        sc_paint_to(painter, names);
        paint_numbers(painter, unit, shown);
        sc_paint_newline(painter);
    }
    sc_terminal_more_rows(painter, profile->units.count - rows);
}
