/*
 * page/search.c - api/search: places whose name or source holds a text, whatever its case.
 *
 * Functions come first, since a name that is typed is mostly one; then files and lines, each most
 * expensive first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "page/page.h"
#include "page/write.h"
#include "report/number.h"

/* The most results of each kind, so that none pushes out the others. */
enum { FUNCTIONS = 20, FILES = 10, LINES = 30 };

/* A line of source is cut after this many bytes. */
#define TEXT_LIMIT 400

struct found {
    size_t file;
    uint32_t lineno;
    const char *text; /* borrowed */
    double percent;   /* of the run's time */
    double further;   /* where that is the same: with what it calls, or memory, in % */
};

struct places {
    const char *kind;
    SC_VEC(struct found) items;
};

SC_ORDERED_BY(compare, struct found, SC_FALLING(percent), SC_FALLING(further), SC_RISING(file),
              SC_RISING(lineno));

static struct places find_functions(const struct sc_page *page, const char *wanted)
{
    struct places places = {.kind = "function"};
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        SC_EACH(const struct sc_function, function, &file->functions) {
            if (strcasestr(function->name, wanted) == NULL)
                continue;
            const struct sc_cost *cost = &function->cost;
            sc_vec_push(&places.items,
                        (struct found){.file = f,
                                       .lineno = function->lineno,
                                       .text = function->name,
                                       .percent = sc_cost_time_percent(cost),
                                       .further = sc_clamp(cost->cumulative_percent, 0.0, 100.0)});
        }
    }
    return places;
}

/* Those of libraries are shown by their module, and found by their path, too. What stands before
 * the others' shown path is the same for all, and would only find all of them. */
static bool is_file_of(const struct sc_report_file *file, const char *wanted)
{
    return strcasestr(file->short_name, wanted) != NULL ||
           (!sc_ends_with(file->file->name, file->short_name) &&
            strcasestr(file->file->name, wanted) != NULL);
}

static struct places find_files(const struct sc_page *page, const char *wanted)
{
    struct places places = {.kind = "file"};
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_report_file *file = &page->report.files.items[f];
        if (!is_file_of(file, wanted))
            continue;
        sc_vec_push(&places.items,
                    (struct found){.file = f,
                                   .lineno = 1,
                                   .text = file->short_name,
                                   .percent = sc_clamp(file->file->percent_cpu_time, 0.0, 100.0)});
    }
    return places;
}

static struct places find_lines(const struct sc_page *page, const char *wanted)
{
    struct places places = {.kind = "line"};
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        SC_EACH(const struct sc_line, line, &file->lines) {
            if (line->text == NULL || strcasestr(line->text, wanted) == NULL)
                continue;
            sc_vec_push(&places.items, (struct found){.file = f,
                                                      .lineno = line->lineno,
                                                      .text = line->text,
                                                      .percent = sc_cost_time_percent(&line->cost),
                                                      .further = sc_cost_peak_percent(
                                                          &page->report.parts, &line->cost)});
        }
    }
    return places;
}

static void write_place(struct sc_json_out *out, const char *kind, const struct found *found)
{
    const char *text = found->text + strspn(found->text, " \t\f");
    size_t length = strcspn(text, "\r\n");
    sc_json_begin(out, '{');
    sc_json_count_under(out, "file", found->file);
    sc_json_count_under(out, "lineno", found->lineno);
    sc_write_text(out, "kind", kind);
    sc_write_number(out, "percent", found->percent);
    sc_json_key(out, "text");
    sc_write_source(out, text, length < TEXT_LIMIT ? length : TEXT_LIMIT);
    sc_json_end(out, '}');
}

/* Writes the first of places, frees them, and returns how many were left out. */
static size_t write_places(struct sc_json_out *out, struct places places, size_t limit)
{
    size_t count = places.items.count < limit ? places.items.count : limit;
    size_t left_out = places.items.count - count;
    sc_vec_sort(&places.items, compare);
    for (size_t i = 0; i < count; i++)
        write_place(out, places.kind, &places.items.items[i]);
    sc_vec_done(&places.items);
    return left_out;
}

bool sc_page_search(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                    struct sc_err *err)
{
    SC_AUTO_FREE char *wanted = sc_query_text(query, "text");
    if (wanted == NULL)
        return sc_fail(err, SC_ERR_USAGE, "the question must say which text");
    sc_json_begin(out, '{');
    sc_json_begin_under(out, "places", '[');
    size_t left_out = 0;
    if (*wanted != '\0') {
        left_out += write_places(out, find_functions(page, wanted), FUNCTIONS);
        left_out += write_places(out, find_files(page, wanted), FILES);
        left_out += write_places(out, find_lines(page, wanted), LINES);
    }
    sc_json_end(out, ']');
    sc_json_count_under(out, "left_out", left_out);
    sc_json_end(out, '}');
    return true;
}
