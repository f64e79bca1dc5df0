/*
 * page/functions.c - api/functions: functions of one file or of all, sorted by any column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "page/part_sums.h"
#include "page/write.h"
#include "report/number.h"

/* By value, highest first; then by place. */
SC_ORDERED_BY(compare, struct sc_page_function, SC_FALLING(key),
              strcmp(a->file->name, b->file->name), SC_RISING(function->lineno),
              strcmp(a->function->name, b->function->name));

/* Which function of its file it is. */
static size_t index_of(const struct sc_file *file, const struct sc_function *function)
{
    return (size_t)(function - file->functions.items);
}

static void add_function(const struct sc_page_part *part, const struct sc_file *file, size_t number,
                         const struct sc_function *function, const struct sc_column *column,
                         struct sc_page_functions *functions)
{
    struct sc_cost cost;
    sc_page_part_cost(part, SC_PART_FUNCTIONS, number, index_of(file, function), &function->cost,
                      &cost);
    double key =
        column != NULL ? sc_clamp(column->value(&cost), 0.0, 1e15) : sc_cost_time_percent(&cost);
    sc_vec_push(&functions->items, (struct sc_page_function){function, file, key});
}

/* The functions that the report lists; of a part of the run, those with a share of it. */
static void add_file(const struct sc_page *page, const struct sc_page_part *part, size_t number,
                     const struct sc_column *column, struct sc_page_functions *functions)
{
    const struct sc_report_file *file = &page->report.files.items[number];
    for (size_t i = 0; part == NULL && i < file->functions.count; i++)
        add_function(NULL, file->file, number, file->functions.items[i].function, column,
                     functions);
    for (size_t i = 0; part != NULL && i < file->file->functions.count; i++) {
        const struct sc_function *function = &file->file->functions.items[i];
        struct sc_cost cost;
        sc_page_part_cost(part, SC_PART_FUNCTIONS, number, i, &function->cost, &cost);
        if (sc_cost_is_listed(sc_page_parts(page, part), &cost))
            add_function(part, file->file, number, function, column, functions);
    }
}

const struct sc_page_functions *sc_page_function_list(struct sc_page *page,
                                                      const struct sc_page_part *part,
                                                      size_t number, const struct sc_column *column)
{
    struct sc_page_functions *functions =
        sc_page_cached_functions(page->cache, part != NULL ? part->serial : 0, number, column);
    if (functions->is_used)
        return functions;
    for (size_t i = 0; i < page->report.files.count; i++) {
        if (number == SIZE_MAX || number == i)
            add_file(page, part, i, column, functions);
    }
    sc_vec_sort(&functions->items, compare);
    functions->is_used = true;
    return functions;
}

/* The column named "sort"; NULL is the time of all kinds. */
static bool read_column(const struct sc_query *query, const struct sc_column **ret_column,
                        struct sc_err *err)
{
    SC_AUTO_FREE char *text = sc_query_text(query, "sort");
    *ret_column = NULL;
    if (text == NULL || *text == '\0' || strcmp(text, "time") == 0)
        return true;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        if (sc_columns[i].value != NULL && strcmp(text, sc_columns[i].id) == 0) {
            *ret_column = &sc_columns[i];
            return true;
        }
    }
    return sc_fail(err, SC_ERR_USAGE, "'sort' must be a column's id, or time");
}

static void write_function(struct sc_json_out *out, const struct sc_page *page,
                           const struct sc_page_part *part, const struct sc_page_function *row)
{
    const struct sc_function *function = row->function;
    size_t number = sc_page_number_of(page, row->file);
    struct sc_cost cost;
    sc_page_part_cost(part, SC_PART_FUNCTIONS, number, index_of(row->file, function),
                      &function->cost, &cost);
    sc_json_begin(out, '{');
    sc_write_name(out, "name", function->name);
    sc_json_count_under(out, "file", number);
    sc_json_count_under(out, "lineno", function->lineno);
    sc_json_count_under(out, "end_lineno", sc_function_end(row->file, function));
    sc_page_write_heats(out, page, part, &cost);
    sc_write_cells(out, &page->report.parts, &cost);
    if (sc_cost_calls_matter(&cost))
        sc_write_number(out, "cumulative_percent", sc_clamp(cost.cumulative_percent, 0.0, 100.0));
    if (page->report.parts.memory_curves)
        sc_write_curve(out, "curve", function->cost.memory_samples.items,
                       function->cost.memory_samples.count);
    sc_json_end(out, '}');
}

bool sc_page_functions(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                       struct sc_err *err)
{
    const struct sc_page_part *part;
    const struct sc_column *column;
    size_t number = SIZE_MAX;
    uint64_t first;
    uint64_t count;
    SC_AUTO_FREE char *file = sc_query_text(query, "file");
    bool is_all = file == NULL || strcmp(file, "all") == 0;
    if ((!is_all && !sc_page_file(page, query, &number, err)) ||
        !sc_page_part_of(page, query, &part, err) || !read_column(query, &column, err) ||
        !sc_query_count(query, "first", UINT32_MAX, 0, &first, err) ||
        !sc_query_count(query, "count", SC_PAGE_ROWS, SC_PAGE_ROWS, &count, err))
        return false;
    const struct sc_page_functions *functions = sc_page_function_list(page, part, number, column);
    sc_json_begin(out, '{');
    if (!is_all)
        sc_json_count_under(out, "file", number);
    sc_write_text(out, "sort", column != NULL ? column->id : "time");
    sc_json_count_under(out, "row_count", functions->items.count);
    sc_json_count_under(out, "first", first);
    sc_json_begin_under(out, "rows", '[');
    for (uint64_t i = first; i < functions->items.count && i - first < count; i++)
        write_function(out, page, part, &functions->items.items[i]);
    sc_json_end(out, ']');
    sc_json_end(out, '}');
    return true;
}
