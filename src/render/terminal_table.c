/*
 * render/terminal_table.c - a file's lines and functions as a table beside its source.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "render/terminal.h"
#include "report/number.h"

/* -------- which columns fit beside the source, and how wide they are -------- */

/* Source columns below which a smaller form of the table is tried. */
enum { SOURCE_COMFORT = 40, SOURCE_ENOUGH = 22, SOURCE_LEAST = 12 };

enum { MARK_WIDTH = 1, LINE_NUMBER_LEAST = 4 };

static size_t digits_of(unsigned number)
{
    size_t digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static void place(struct sc_table_layout *layout, const struct sc_parts *parts, int rank_max)
{
    layout->column_count = 0;
    layout->left_out = 0;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        int width = layout->narrow ? column->short_width : column->width;
        if (sc_column_is_of_page(column) || (column->shown != NULL && !column->shown(parts)))
            continue;
        if (width == 0 || column->drop_rank > rank_max) {
            /* a curve adds little to the peak, so it is not counted as left out */
            layout->left_out += column->unit != SC_UNIT_CURVE;
            continue;
        }
        struct sc_placed_column *placed = &layout->columns[layout->column_count];
        placed->column = column;
        placed->header = layout->narrow ? column->short_header : column->header;
        placed->width = (size_t)width;
        placed->first_of_group =
            layout->column_count == 0 || placed[-1].column->group != column->group;
        layout->column_count++;
    }
}

/* Columns of the terminal left of the source. */
static size_t taken_by(const struct sc_table_layout *layout)
{
    size_t separator = layout->narrow ? 1 : 3;
    size_t taken = MARK_WIDTH + layout->number_width;
    for (size_t i = 0; i < layout->column_count; i++) {
        taken += layout->columns[i].first_of_group ? separator : 1;
        taken += layout->columns[i].width;
    }
    return taken + (layout->narrow ? 2 : 3);
}

static bool leaves(struct sc_table_layout *layout, unsigned width, size_t source_width)
{
    size_t taken = taken_by(layout);
    layout->source_width = width > taken ? width - taken : 0;
    return layout->source_width >= source_width;
}

static int highest_rank(void)
{
    int highest = 0;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++)
        highest = sc_columns[i].drop_rank > highest ? sc_columns[i].drop_rank : highest;
    return highest;
}

struct sc_table_layout sc_table_layout_for(const struct sc_parts *parts, unsigned width,
                                           unsigned last_lineno)
{
    struct sc_table_layout layout = {.number_width = digits_of(last_lineno)};
    if (layout.number_width < LINE_NUMBER_LEAST)
        layout.number_width = LINE_NUMBER_LEAST;
    int highest = highest_rank();
    int without_curve = sc_columns[SC_COLUMN_MEMORY_CURVE].drop_rank - 1;
    for (int rank = highest; rank >= without_curve; rank--) {
        place(&layout, parts, rank);
        if (leaves(&layout, width, SOURCE_COMFORT))
            return layout;
    }
    layout.narrow = true;
    place(&layout, parts, highest);
    if (leaves(&layout, width, SOURCE_ENOUGH))
        return layout;
    for (int rank = highest; rank >= 0; rank--) {
        place(&layout, parts, rank);
        if (leaves(&layout, width, SOURCE_LEAST))
            break;
    }
    if (layout.source_width < SOURCE_LEAST)
        layout.source_width = SOURCE_LEAST;
    return layout;
}

/* -------- the table -------- */

enum { CURVE_CELLS = 9 };

struct table {
    struct sc_painter painter;
    struct sc_table_layout layout;
    const struct sc_report *report;
    const struct sc_report_file *file;
};

static const enum sc_style group_styles[SC_GROUP_COUNT_] = {
    [SC_GROUP_TIME] = SC_STYLE_PYTHON, [SC_GROUP_GPU] = SC_STYLE_GPU,
    [SC_GROUP_AWAIT] = SC_STYLE_AWAIT, [SC_GROUP_MEMORY] = SC_STYLE_MEMORY,
    [SC_GROUP_COPY] = SC_STYLE_COPY,
};

/* The three kinds of time keep their own colours. */
static enum sc_style style_of(const struct sc_column *column)
{
    if (column == &sc_columns[SC_COLUMN_NATIVE])
        return SC_STYLE_NATIVE;
    if (column == &sc_columns[SC_COLUMN_SYSTEM])
        return SC_STYLE_SYSTEM;
    return group_styles[column->group];
}

static enum sc_heat heat_of(const struct sc_column *column, enum sc_heat time_heat,
                            enum sc_heat memory_heat)
{
    if (column->group == SC_GROUP_TIME || column->group == SC_GROUP_GPU)
        return time_heat;
    /* Python's share of the memory does not depend on its amount */
    bool is_volume = column->group == SC_GROUP_MEMORY && column->value != NULL &&
                     column != &sc_columns[SC_COLUMN_MEMORY_PYTHON];
    return is_volume ? memory_heat : SC_HEAT_NONE;
}

/* The cells that make a line hot stand out, not every small number beside them. */
static unsigned heated(const struct sc_column *column, const struct sc_cost *cost,
                       enum sc_heat heat)
{
    enum sc_style style = style_of(column);
    if (column->unit == SC_UNIT_PERCENT && sc_heat_of(column->value(cost)) < SC_HEAT_WARM)
        return style;
    if (heat == SC_HEAT_HOT)
        return SC_STYLE_HOT;
    return heat == SC_HEAT_WARM ? style | SC_STYLE_BOLD : style;
}

static void separator(struct table *table, const char *sign)
{
    struct sc_painter *painter = &table->painter;
    bool is_rule = sign != painter->signs->vertical;
    const char *pad = is_rule ? painter->signs->horizontal : " ";
    if (!table->layout.narrow)
        sc_paint(painter, SC_STYLE_FRAME, pad);
    sc_paint(painter, SC_STYLE_FRAME, sign);
    if (!table->layout.narrow)
        sc_paint(painter, SC_STYLE_FRAME, pad);
}

/* The separator before the source keeps a blank in a narrow table too. */
static void source_separator(struct table *table, const char *sign)
{
    struct sc_painter *painter = &table->painter;
    bool is_rule = sign != painter->signs->vertical;
    separator(table, sign);
    if (table->layout.narrow)
        sc_paint(painter, SC_STYLE_FRAME, is_rule ? painter->signs->horizontal : " ");
}

static void paint_rule(struct table *table, const char *crossing)
{
    struct sc_painter *painter = &table->painter;
    const char *line = painter->signs->horizontal;
    sc_paint_repeat(painter, SC_STYLE_FRAME, line, 1 + table->layout.number_width);
    for (size_t i = 0; i < table->layout.column_count; i++) {
        const struct sc_placed_column *placed = &table->layout.columns[i];
        if (placed->first_of_group)
            separator(table, crossing);
        else
            sc_paint(painter, SC_STYLE_FRAME, line);
        sc_paint_repeat(painter, SC_STYLE_FRAME, line, placed->width);
    }
    source_separator(table, crossing);
    sc_paint_repeat(painter, SC_STYLE_FRAME, line, table->layout.source_width);
    sc_paint_newline(painter);
}

/* Devices that are not GPUs have their own name as heading, where there is room for it. */
static const char *group_text(const struct table *table, enum sc_group group, size_t width)
{
    const char *kind = table->report->overview.gpu.kind;
    if (group == SC_GROUP_GPU && strlen(kind) <= width)
        return kind;
    return table->layout.narrow ? sc_groups[group].short_heading : sc_groups[group].heading;
}

/* The headings of groups, each in the middle of its columns. */
static void group_headings(struct table *table)
{
    struct sc_painter *painter = &table->painter;
    const struct sc_table_layout *layout = &table->layout;
    sc_paint_space(painter, 1 + layout->number_width);
    for (size_t i = 0; i < layout->column_count;) {
        enum sc_group group = layout->columns[i].column->group;
        size_t width = layout->columns[i].width;
        size_t next = i + 1;
        for (; next < layout->column_count && !layout->columns[next].first_of_group; next++)
            width += 1 + layout->columns[next].width;
        separator(table, painter->signs->vertical);
        const char *text = group_text(table, group, width);
        size_t end = painter->wanted + width;
        size_t spare = width > strlen(text) ? width - strlen(text) : 0;
        sc_paint_space(painter, spare - spare / 2);
        sc_paint(painter, group_styles[group] | SC_STYLE_BOLD, text);
        sc_paint_to(painter, end);
        i = next;
    }
    source_separator(table, painter->signs->vertical);
    sc_paint_newline(painter);
}

static void column_headings(struct table *table)
{
    struct sc_painter *painter = &table->painter;
    sc_paint_right(painter, SC_STYLE_DIM, "Line", 1 + table->layout.number_width);
    for (size_t i = 0; i < table->layout.column_count; i++) {
        const struct sc_placed_column *placed = &table->layout.columns[i];
        if (placed->first_of_group)
            separator(table, painter->signs->vertical);
        else
            sc_paint_space(painter, 1);
        sc_paint_right(painter, style_of(placed->column), placed->header, placed->width);
    }
    source_separator(table, painter->signs->vertical);
    sc_paint_cut_start(painter, SC_STYLE_HEADING,
                       sc_report_name(table->report->profile, table->file->file->name),
                       table->layout.source_width);
    sc_paint_newline(painter);
}

static void curve_cell(struct table *table, const struct sc_cost *cost)
{
    struct sc_painter *painter = &table->painter;
    unsigned char levels[CURVE_CELLS];
    if (!sc_curve_levels(cost->memory_samples.items, cost->memory_samples.count,
                         table->report->curve_top_mb, 7, levels, CURVE_CELLS)) {
        sc_paint_space(painter, CURVE_CELLS);
        return;
    }
    for (size_t i = 0; i < CURVE_CELLS; i++)
        sc_paint(painter, SC_STYLE_MEMORY, painter->signs->curve[levels[i]]);
}

/* Everything of a row left of its source; cost is NULL in a gap. */
static void numbers(struct table *table, const struct sc_cost *cost, const char *number,
                    enum sc_heat time_heat, enum sc_heat memory_heat)
{
    struct sc_painter *painter = &table->painter;
    enum sc_heat heat = time_heat > memory_heat ? time_heat : memory_heat;
    unsigned style = heat == SC_HEAT_HOT ? SC_STYLE_HOT : SC_STYLE_DIM;
    unsigned mark = heat == SC_HEAT_HOT ? SC_STYLE_HOT : SC_STYLE_WARM;
    sc_paint(painter, mark, painter->signs->heat[heat]);
    sc_paint_right(painter, style, number, table->layout.number_width);
    for (size_t i = 0; i < table->layout.column_count; i++) {
        const struct sc_placed_column *placed = &table->layout.columns[i];
        if (placed->first_of_group)
            separator(table, painter->signs->vertical);
        else
            sc_paint_space(painter, 1);
        if (cost != NULL && placed->column->unit == SC_UNIT_CURVE) {
            curve_cell(table, cost);
            continue;
        }
        if (cost == NULL) {
            sc_paint_space(painter, placed->width);
            continue;
        }
        unsigned cell =
            heated(placed->column, cost, heat_of(placed->column, time_heat, memory_heat));
        sc_paint_right(painter, cell, sc_column_text(placed->column, cost).text, placed->width);
    }
    source_separator(table, painter->signs->vertical);
}

static void line_rows(struct table *table)
{
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    sc_source_init(&source, table->file->source, table->file->source_length);
    SC_EACH(const struct sc_row, row, &table->file->rows) {
        if (row->kind == SC_ROW_GAP) {
            numbers(table, NULL, "...", SC_HEAT_NONE, SC_HEAT_NONE);
        } else {
            numbers(table, &row->line->cost, sc_number_format("%u", row->line->lineno).text,
                    row->time_heat, row->memory_heat);
            sc_terminal_source(&table->painter, &source, row->source_line,
                               row->time_heat == SC_HEAT_HOT || row->memory_heat == SC_HEAT_HOT,
                               table->layout.source_width);
        }
        sc_paint_newline(&table->painter);
    }
}

static void function_rows(struct table *table)
{
    struct sc_painter *painter = &table->painter;
    if (table->file->functions.count == 0)
        return;
    paint_rule(table, painter->signs->cross);
    numbers(table, NULL, "", SC_HEAT_NONE, SC_HEAT_NONE);
    sc_paint(painter, SC_STYLE_HEADING, "functions");
    sc_paint_newline(painter);
    SC_EACH(const struct sc_function_row, row, &table->file->functions) {
        const struct sc_function *function = row->function;
        numbers(table, &function->cost, sc_number_format("%u", function->lineno).text,
                row->time_heat, row->memory_heat);
        size_t end = painter->wanted + table->layout.source_width;
        unsigned style = row->time_heat == SC_HEAT_HOT
                             ? SC_STYLE_CODE_DEFINITION | (unsigned)SC_STYLE_BOLD
                             : SC_STYLE_CODE_DEFINITION;
        sc_paint_cut(painter, style, function->name, strlen(function->name),
                     table->layout.source_width);
        if (sc_cost_calls_matter(&function->cost)) {
            struct sc_number total = sc_number_percent(function->cost.cumulative_percent);
            total = sc_number_format("total %s", total.text);
            if (painter->wanted + 2 + strlen(total.text) <= end) {
                sc_paint_space(painter, 2);
                sc_paint(painter, SC_STYLE_DIM, total.text);
            }
        }
        sc_paint_newline(painter);
    }
    if (table->file->functions_left_out > 0) {
        struct sc_number more = sc_number_format("and %zu more", table->file->functions_left_out);
        numbers(table, NULL, "...", SC_HEAT_NONE, SC_HEAT_NONE);
        sc_paint_cut(painter, SC_STYLE_DIM, more.text, strlen(more.text),
                     table->layout.source_width);
        sc_paint_newline(painter);
    }
}

static void title(struct table *table, unsigned width)
{
    struct sc_painter *painter = &table->painter;
    const struct sc_report_file *file = table->file;
    const char *name = file->file->name;
    char text[128];
    (void)snprintf(text, sizeof(text), "%s of time (%s of %s)",
                   sc_number_exact_percent(file->file->percent_cpu_time).text,
                   sc_number_duration(file->seconds).text,
                   sc_number_duration(table->report->overview.total_s).text);
    sc_paint_newline(painter);
    sc_paint_cut_start(painter, SC_STYLE_HEADING, name, width - 1);
    sc_paint(painter, SC_STYLE_PLAIN, ":");
    /* a long name has a line of its own */
    if (painter->wanted + 1 + strlen(text) > width)
        sc_paint_newline(painter);
    else
        sc_paint_space(painter, 1);
    sc_paint_paragraph(painter, SC_STYLE_PLAIN, text, width);
}

static void notes(struct table *table, unsigned width)
{
    struct sc_painter *painter = &table->painter;
    for (size_t i = 0; i < table->file->warnings.count; i++) {
        sc_paint(painter, SC_STYLE_NOTICE, painter->signs->bullet);
        sc_paint_space(painter, 1);
        sc_paint_paragraph(painter, SC_STYLE_PLAIN, table->file->warnings.items[i], width);
    }
    sc_terminal_gpu_notes(painter, table->report, &table->layout, width);
    if (table->layout.left_out > 0) {
        char text[96];
        (void)snprintf(text, sizeof(text), "%zu %s left out: too narrow", table->layout.left_out,
                       table->layout.left_out == 1 ? "column" : "columns");
        sc_paint(painter, SC_STYLE_DIM, text);
        sc_paint_newline(painter);
    }
}

void sc_terminal_file(struct sc_render *render, const struct sc_report_file *file)
{
    struct table table = {.report = render->report, .file = file};
    table.painter = sc_painter_of(render->out, render->options.color, render->options.unicode);
    table.layout =
        sc_table_layout_for(&render->report->parts, render->options.width, file->last_lineno);
    title(&table, render->options.width);
    paint_rule(&table, table.painter.signs->tee_down);
    group_headings(&table);
    column_headings(&table);
    paint_rule(&table, table.painter.signs->cross);
    line_rows(&table);
    function_rows(&table);
    paint_rule(&table, table.painter.signs->tee_up);
    notes(&table, render->options.width);
}
