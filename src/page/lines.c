/*
 * page/lines.c - api/file: rows of a file's table, code and numbers beside each other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "page/part_sums.h"
#include "page/write.h"
#include "report/number.h"

const char *const sc_mode_names[SC_MODE_COUNT_] = {
#define X_NAME(name, text) [SC_MODE_##name] = text,
    SC_MODES(X_NAME)
#undef X_NAME
};

static bool read_mode(const struct sc_query *query, enum sc_mode *ret_mode, struct sc_err *err)
{
    SC_AUTO_FREE char *text = sc_query_text(query, "mode");
    if (text == NULL) {
        *ret_mode = SC_MODE_HOT;
        return true;
    }
    for (int i = 0; i < SC_MODE_COUNT_; i++) {
        if (strcmp(text, sc_mode_names[i]) == 0) {
            *ret_mode = (enum sc_mode)i;
            return true;
        }
    }
    return sc_fail(err, SC_ERR_USAGE, "'mode' must be hot, functions or all");
}

/* Marks every line of each function that has a line marked already. */
static void show_functions(const struct sc_file *file, bool *shown)
{
    uint32_t done = 0; /* last line of what has been marked */
    for (size_t i = 0; i < file->lines.count; i++) {
        const struct sc_line *line = &file->lines.items[i];
        bool is_inside = line->region.start_function_line <= line->lineno &&
                         line->lineno <= line->region.end_function_line;
        if (!shown[i] || line->region.start_function_line == 0 || line->lineno <= done ||
            !is_inside)
            continue;
        for (size_t back = i; back > 0; back--) {
            uint32_t lineno = file->lines.items[back - 1].lineno;
            if (lineno < line->region.start_function_line || lineno <= done)
                break;
            shown[back - 1] = true;
        }
        for (size_t on = i; on < file->lines.count; on++) {
            if (file->lines.items[on].lineno > line->region.end_function_line)
                break;
            shown[on] = true;
        }
        done = line->region.end_function_line;
    }
}

/* The cost of a line of a table. */
static void cost_of(const struct sc_page_part *part, size_t number, const struct sc_line *line,
                    struct sc_cost *ret_cost)
{
    sc_page_part_cost(part, SC_PART_LINES, number, line->lineno, &line->cost, ret_cost);
}

/* To be freed. */
static bool *choose_lines(const struct sc_page *page, const struct sc_page_part *part,
                          size_t number, enum sc_mode mode)
{
    const struct sc_file *file = page->report.files.items[number].file;
    size_t count = file->lines.count;
    bool *shown = sc_alloc(count + 1, sizeof(*shown));
    for (size_t i = 0; i < count; i++) {
        struct sc_cost cost;
        cost_of(part, number, &file->lines.items[i], &cost);
        shown[i] = mode == SC_MODE_ALL || sc_cost_is_active(sc_page_parts(page, part), &cost);
    }
    if (mode == SC_MODE_FUNCTIONS)
        show_functions(file, shown);
    return shown;
}

struct sc_page_table *sc_page_table(struct sc_page *page, const struct sc_page_part *part,
                                    size_t number, enum sc_mode mode)
{
    struct sc_page_table *table =
        sc_page_cached_table(page->cache, part != NULL ? part->serial : 0, number, mode);
    if (table->is_used)
        return table;
    const struct sc_report_file *file = &page->report.files.items[number];
    size_t count = file->file->lines.count;
    bool *shown = choose_lines(page, part, number, mode);
    for (size_t i = 0; i < count;) {
        size_t first = i++;
        while (!shown[first] && i < count && !shown[i])
            i++;
        sc_vec_push(&table->rows, (struct sc_page_row){first, shown[first] ? 0 : i - first});
    }
    free(shown);
    sc_source_init(&table->source, file->source, file->source_length);
    table->is_used = true;
    return table;
}

static void write_leak(struct sc_json_out *out, const struct sc_file *file, uint32_t lineno)
{
    for (size_t i = 0; i < sc_file_leak_count(file); i++) {
        const struct sc_leak *leak = &file->leaks.items[i];
        if (leak->lineno != lineno)
            continue;
        sc_json_begin_under(out, "leak", '{');
        sc_write_number(out, "likelihood", sc_clamp(leak->likelihood, 0.0, 1.0));
        sc_write_number(out, "velocity_mb_s", leak->velocity_mb_s);
        sc_json_end(out, '}');
        return;
    }
}

static void write_line(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_page_part *part, const struct sc_page_table *table,
                       size_t index)
{
    const struct sc_file *file = page->report.files.items[table->file].file;
    const struct sc_line *line = &file->lines.items[index];
    struct sc_cost cost;
    cost_of(part, table->file, line, &cost);
    sc_json_count_under(out, "lineno", line->lineno);
    sc_write_code(out, &table->source, index);
    sc_page_write_heats(out, page, part, &cost);
    sc_write_cells(out, &page->report.parts, &cost);
    if (page->report.parts.memory_curves)
        sc_write_curve(out, "curve", line->cost.memory_samples.items,
                       line->cost.memory_samples.count);
    sc_write_range(out, "region", line->region.start_region_line, line->region.end_region_line);
    sc_write_range(out, "loop", line->region.start_outermost_loop, line->region.end_outermost_loop);
    if (line->region.start_function_line > 0)
        sc_write_range(out, "function", line->region.start_function_line,
                       line->region.end_function_line);
    write_leak(out, file, line->lineno);
}

/* Marked lines have 3 % of something, of which there are few; those of devices are not shares of
 * one whole. */
#define MARKS_MAX 500U

/* [row, line, own time in %, heat of time, heat of memory] of the rows that cost something. */
static void write_marks(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_page_part *part, const struct sc_page_table *table)
{
    const struct sc_file *file = page->report.files.items[table->file].file;
    size_t left = MARKS_MAX;
    sc_json_begin_under(out, "marks", '[');
    for (size_t i = 0; i < table->rows.count && left > 0; i++) {
        const struct sc_page_row *row = &table->rows.items[i];
        const struct sc_line *line = &file->lines.items[row->index];
        struct sc_cost cost;
        cost_of(part, table->file, line, &cost);
        if (row->gap > 0 || !sc_cost_is_active(sc_page_parts(page, part), &cost))
            continue;
        sc_json_begin(out, '[');
        sc_json_count(out, i);
        sc_json_count(out, line->lineno);
        sc_json_rounded(out, sc_cost_time_percent(&cost), 4);
        sc_json_string(out, sc_heat_name(sc_page_heat(page, part, &cost)));
        sc_json_string(out, sc_heat_name(sc_page_memory_heat(page, part, &cost)));
        sc_json_end(out, ']');
        left--;
    }
    sc_json_end(out, ']');
}

bool sc_page_lines(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                   struct sc_err *err)
{
    const struct sc_page_part *part;
    size_t number;
    enum sc_mode mode = SC_MODE_HOT;
    uint64_t first = 0;
    uint64_t count = 0;
    if (!sc_page_file(page, query, &number, err) || !sc_page_part_of(page, query, &part, err) ||
        !read_mode(query, &mode, err) ||
        !sc_query_count(query, "first", UINT32_MAX, 0, &first, err) ||
        !sc_query_count(query, "count", SC_PAGE_ROWS, SC_PAGE_ROWS, &count, err))
        return false;
    const struct sc_page_table *table = sc_page_table(page, part, number, mode);
    sc_json_begin(out, '{');
    sc_json_count_under(out, "file", number);
    sc_write_text(out, "mode", sc_mode_names[mode]);
    sc_json_count_under(out, "row_count", table->rows.count);
    sc_json_count_under(out, "first", first);
    if (first == 0)
        write_marks(out, page, part, table);
    sc_json_begin_under(out, "rows", '[');
    for (uint64_t i = first; i < table->rows.count && i - first < count; i++) {
        const struct sc_page_row *row = &table->rows.items[i];
        sc_json_begin(out, '{');
        if (row->gap > 0)
            sc_json_count_under(out, "gap", row->gap);
        else
            write_line(out, page, part, table, row->index);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
    return true;
}
