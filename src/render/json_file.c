/*
 * render/json_file.c - one file of a report for editors, as JSON: its text as it was profiled,
 * every line that cost something, its functions, and what was found there.
 *
 * The keys are documented in docs/terminal-view.md. An editor compares the text with its own, to
 * know which of its lines the numbers still belong to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/json_report.h"
#include "render/render.h"

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
            sc_json_write_line(out, report, file, &file->lines.items[i]);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "functions", '[');
    for (size_t i = 0; i < file->functions.count; i++)
        if (is_all || sc_cost_is_listed(&report->parts, &file->functions.items[i].cost))
            sc_json_write_function(out, report, file, &file->functions.items[i]);
    sc_json_end(out, ']');
}

void sc_render_json_file(const struct sc_report *report, const struct sc_file *file, bool is_all,
                         struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", SC_JSON_REPORT_FORMAT);
    sc_json_text_under(&out, "file", file->name);
    sc_json_bool_under(&out, "source_changed", file->source_changed);
    sc_json_write_summary(&out, report);
    write_source(&out, file);
    write_rows(&out, report, file, is_all);
    sc_json_begin_under(&out, "findings", '[');
    for (size_t i = 0; i < report->overview.findings.count; i++)
        if (report->overview.findings.items[i].file == file)
            sc_json_write_finding(&out, &report->overview.findings.items[i]);
    sc_json_end(&out, ']');
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
