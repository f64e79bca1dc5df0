/*
 * report/file.c - the table of one file: which lines, which functions, how hot they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "report/number.h"
#include "report/report.h"

/* A function without a number of its own is listed from this share of the time on, with its calls.
 */
#define TOTAL_SHOWN_PERCENT 1.0

/* The short view has so many functions of a file. */
#define FUNCTIONS_SHORT 10U

bool sc_cost_has_cell(const struct sc_parts *parts, const struct sc_cost *cost)
{
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        if (sc_column_is_of_page(column) || (column->shown != NULL && !column->shown(parts)))
            continue;
        if (sc_column_text(column, cost).text[0] != '\0')
            return true;
    }
    return false;
}

bool sc_cost_is_listed(const struct sc_parts *parts, const struct sc_cost *cost)
{
    /* main may take no time itself */
    return cost->cumulative_percent >= TOTAL_SHOWN_PERCENT || sc_cost_has_cell(parts, cost);
}

bool sc_cost_is_active(const struct sc_parts *parts, const struct sc_cost *cost)
{
    static const enum sc_column_id watched[] = {
        SC_COLUMN_PYTHON, SC_COLUMN_NATIVE, SC_COLUMN_SYSTEM,
        SC_COLUMN_GPU,    SC_COLUMN_AWAIT,  SC_COLUMN_MEMORY_USAGE,
    };
    for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++) {
        const struct sc_column *column = &sc_columns[watched[i]];
        if (column->shown != NULL && !column->shown(parts))
            continue;
        if (column->value(cost) >= column->blank_below)
            return true;
    }
    if (sc_cost_peak_percent(parts, cost) >= 1.0)
        return true;
    /* what launches the devices' work may take next to no time itself */
    return (parts->gpu_time && cost->gpu_s >= parts->gpu_least_s) ||
           (parts->neuron && cost->nrt_time_ms > 0.0);
}

/* One line per record whatever its text holds: the highlighter counts lines as Python does, and a
 * stray line ending within a record would shift all that follow. */
static void add_source(struct sc_str *source, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        sc_str_add_char(source, byte == '\n' || byte == '\r' ? ' ' : byte);
    }
    sc_str_add_char(source, '\n');
}

static void add_rows(const struct sc_report *report, bool reduced, struct sc_report_file *file,
                     struct sc_str *source)
{
    bool in_gap = false;
    for (size_t i = 0; i < file->file->lines.count; i++) {
        const struct sc_line *line = &file->file->lines.items[i];
        add_source(source, line->text);
        if (line->lineno > file->last_lineno)
            file->last_lineno = line->lineno;
        file->peak_mb = fmax(file->peak_mb, sc_clamp(line->cost.peak_mb, 0.0, 1e12));
        if (reduced && !sc_cost_is_active(&report->parts, &line->cost)) {
            in_gap = true;
            continue;
        }
        if (in_gap)
            sc_vec_push(&file->rows, (struct sc_row){.kind = SC_ROW_GAP});
        in_gap = false;
        sc_vec_push(&file->rows,
                    (struct sc_row){
                        .kind = SC_ROW_LINE,
                        .line = line,
                        .source_line = i,
                        .time_heat = sc_cost_time_heat(&report->parts, &line->cost),
                        .memory_heat = sc_cost_memory_heat(&report->parts, &line->cost),
                    });
    }
    if (in_gap)
        sc_vec_push(&file->rows, (struct sc_row){.kind = SC_ROW_GAP});
}

static double percent_of(const struct sc_function_row *row)
{
    return sc_cost_time_percent(&row->function->cost);
}

SC_ORDERED_BY(compare_functions, struct sc_function_row, SC_ORDER(percent_of(b), percent_of(a)),
              SC_RISING(function->lineno), strcmp(a->function->name, b->function->name));

/* Beyond the first ones only warm functions stay. */
static void leave_out_functions(struct sc_report_file *file)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->functions.count; i++) {
        const struct sc_function_row *row = &file->functions.items[i];
        if (i < FUNCTIONS_SHORT || row->time_heat >= SC_HEAT_WARM ||
            row->memory_heat >= SC_HEAT_WARM)
            file->functions.items[kept++] = *row;
    }
    file->functions_left_out = file->functions.count - kept;
    file->functions.count = kept;
}

static void add_functions(const struct sc_report *report, bool reduced, struct sc_report_file *file)
{
    SC_EACH(const struct sc_function, function, &file->file->functions) {
        if (sc_cost_is_listed(&report->parts, &function->cost))
            sc_vec_push(&file->functions,
                        (struct sc_function_row){
                            .function = function,
                            .time_heat = sc_cost_time_heat(&report->parts, &function->cost),
                            .memory_heat = sc_cost_memory_heat(&report->parts, &function->cost),
                        });
    }
    sc_vec_sort(&file->functions, compare_functions);
    if (reduced)
        leave_out_functions(file);
}

/* Whether no line has any text, as of a file whose source could not be read. */
static bool is_blank(const struct sc_file *file)
{
    for (size_t i = 0; i < file->lines.count; i++) {
        const char *text = file->lines.items[i].text;
        if (text != NULL && text[strspn(text, " \t\f\r\n")] != '\0')
            return false;
    }
    return file->lines.count > 0;
}

static void add_warnings(struct sc_report_file *file)
{
    if (is_blank(file->file))
        sc_vec_push(&file->warnings,
                    sc_strdup("no source that has its lines was found: they are shown by their "
                              "numbers alone"));
    if (file->file->source_changed)
        sc_vec_push(&file->warnings, sc_strdup("this file was changed after the program started: "
                                               "its lines may not match the numbers"));
    for (size_t i = 0; i < sc_file_leak_count(file->file); i++) {
        const struct sc_leak *leak = &file->file->leaks.items[i];
        sc_vec_push(&file->warnings,
                    sc_format("possible leak at line %u: likelihood %s, %s per second",
                              leak->lineno,
                              sc_number_percent(100.0 * sc_clamp(leak->likelihood, 0.0, 1.0)).text,
                              sc_number_megabytes(leak->velocity_mb_s).text));
    }
}

void sc_report_file(struct sc_report *report, const struct sc_file *file, bool reduced,
                    struct sc_report_file *ret_file)
{
    struct sc_str source = {0};
    ret_file->file = file;
    ret_file->short_name = sc_shown_name(report->profile, file->name);
    ret_file->seconds =
        sc_clamp(file->percent_cpu_time, 0.0, 100.0) / 100.0 * report->overview.total_s;
    sc_str_add(&source, "");
    add_rows(report, reduced, ret_file, &source);
    add_functions(report, reduced, ret_file);
    add_warnings(ret_file);
    ret_file->source_length = source.length;
    ret_file->source = source.data != NULL ? source.data : sc_strdup("");
}
