/*
 * page/search.c - api/search: places whose name or source holds a text, whatever its case.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "page/page.h"
#include "page/write.h"

/* The most results; each kind of place has its own limit, so that none pushes out the others. */
enum { FILES = 50, FUNCTIONS = 100, LINES = 250 };

/* A line of source is cut after this many bytes. */
#define TEXT_LIMIT 400

static void write_place(struct sc_json_out *out, size_t file, uint32_t lineno, const char *kind,
                        const char *text)
{
    text += strspn(text, " \t\f");
    size_t length = strcspn(text, "\r\n");
    sc_json_item(out);
    sc_json_begin(out, '{');
    sc_write_count(out, "file", file);
    sc_write_count(out, "lineno", lineno);
    sc_write_text(out, "kind", kind);
    sc_json_key(out, "text");
    sc_json_text(out, text, length < TEXT_LIMIT ? length : TEXT_LIMIT);
    sc_json_end(out, '}');
}

static void find_files(struct sc_json_out *out, const struct sc_page *page, const char *wanted)
{
    size_t left = FILES;
    for (size_t f = 0; f < page->report.files.count && left > 0; f++) {
        const char *name = page->report.files.items[f].short_name;
        if (strcasestr(name, wanted) == NULL)
            continue;
        write_place(out, f, 1, "file", name);
        left--;
    }
}

static void find_functions(struct sc_json_out *out, const struct sc_page *page, const char *wanted)
{
    size_t left = FUNCTIONS;
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        for (size_t i = 0; i < file->functions.count && left > 0; i++) {
            if (strcasestr(file->functions.items[i].name, wanted) == NULL)
                continue;
            write_place(out, f, file->functions.items[i].lineno, "function",
                        file->functions.items[i].name);
            left--;
        }
    }
}

static void find_lines(struct sc_json_out *out, const struct sc_page *page, const char *wanted)
{
    size_t left = LINES;
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        for (size_t i = 0; i < file->lines.count && left > 0; i++) {
            const struct sc_line *line = &file->lines.items[i];
            if (line->text == NULL || strcasestr(line->text, wanted) == NULL)
                continue;
            write_place(out, f, line->lineno, "line", line->text);
            left--;
        }
    }
}

enum sc_answer sc_page_search(struct sc_page *page, const struct sc_query *query,
                              struct sc_json_out *out, struct sc_err *err)
{
    SC_AUTO_FREE char *wanted = sc_query_text(query, "text");
    if (wanted == NULL) {
        (void)sc_fail(err, SC_ERR_USAGE, "the question must say which text");
        return SC_ANSWER_BAD;
    }
    sc_json_begin(out, '{');
    sc_json_key(out, "places");
    sc_json_begin(out, '[');
    if (*wanted != '\0') {
        find_files(out, page, wanted);
        find_functions(out, page, wanted);
        find_lines(out, page, wanted);
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
    return SC_ANSWER_OK;
}
