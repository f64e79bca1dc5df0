/*
 * export/export_markdown.c - a short summary, such as the page of a CI run shows (GitHub Flavored
 * Markdown).
 *
 * Names, source and findings come from the program: every character that could mean something is
 * escaped, and what is code stands in an element of code, where nobody is mentioned either.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <string.h>

#include "base/visible.h"
#include "export/writers.h"
#include "report/number.h"
#include "report/report.h"

/* Of a source line in a table. */
#define CODE_MAX 120

static void add_escaped(struct sc_str *text, const char *words, size_t length)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    sc_visible_add(&shown, words, length, SC_VISIBLE_LINE);
    char before = '\0';
    for (const char *at = sc_str_text(&shown); *at != '\0'; before = *at++) {
        bool is_plain = strchr(".,;'/()%?+-=", *at) != NULL;
        bool is_address = *at == '.' && tolower((unsigned char)before) == 'w'; /* "www." is one */
        if (ispunct((unsigned char)*at) && (!is_plain || is_address))
            sc_str_add_char(text, '\\');
        sc_str_add_char(text, *at);
    }
}

static void add_code(struct sc_str *text, const char *code, size_t length)
{
    size_t shown = 0;
    while (shown < length && (shown < CODE_MAX || ((unsigned char)code[shown] & 0xc0) == 0x80))
        shown++; /* not within a character */
    sc_str_add(text, "<code>");
    add_escaped(text, code, shown);
    sc_str_add(text, shown < length ? "...</code>" : "</code>");
}

static void add_cell(struct sc_str *text, const char *number)
{
    sc_str_add_char(text, ' ');
    add_escaped(text, number, strlen(number)); /* "<1%" */
    sc_str_add(text, " |");
}

/* What the two columns of numbers have. */
enum measure { OF_TIME, OF_MEMORY };

static void add_hots(struct sc_str *text, const struct sc_report *report,
                     const struct sc_hots *hots, const char *title, const char *what,
                     enum measure measure)
{
    if (hots->count == 0)
        return;
    sc_str_add_format(text, "\n### %s\n\n| %s | Where | %s |\n| ---: | ---: | --- | --- |\n", title,
                      measure == OF_TIME ? "Time | Share" : "Peak | Allocated", what);
    SC_EACH(const struct sc_hot, hot, hots) {
        double seconds = hot->percent / 100 * report->overview.total_s;
        sc_str_add_char(text, '|');
        add_cell(text, measure == OF_TIME ? sc_number_duration(seconds).text
                                          : sc_number_megabytes(hot->cost->peak_mb).text);
        add_cell(text, measure == OF_TIME ? sc_number_fine_percent(hot->percent).text
                                          : sc_number_megabytes(hot->cost->malloc_mb).text);
        sc_str_add_char(text, ' ');
        add_code(text, hot->place, strlen(hot->place));
        sc_str_add(text, " | ");
        add_code(text, hot->text, hot->text_length);
        sc_str_add(text, " |\n");
    }
}

static void add_totals(struct sc_str *text, const struct sc_report *report)
{
    const struct sc_overview *overview = &report->overview;
    const struct sc_profile *profile = report->profile;
    sc_str_add(text, "## Profile of ");
    add_code(text, sc_report_name(profile, profile->program),
             strlen(sc_report_name(profile, profile->program)));
    sc_str_add_format(text, "\n\n| | |\n| --- | --- |\n| Elapsed | %s |\n",
                      sc_number_duration(overview->elapsed_s).text);
    if (overview->cpu_s > 0)
        sc_str_add_format(text, "| On CPUs | %s |\n", sc_number_duration(overview->cpu_s).text);
    for (int kind = 0; kind < SC_KIND_COUNT_; kind++) {
        if (!(overview->kinds[kind] > 0))
            continue;
        sc_str_add_format(text, "| Time: %s |", sc_kind_names[kind]);
        add_cell(text, sc_number_fine_percent(overview->kinds[kind]).text);
        sc_str_add_char(text, '\n');
    }
    if (profile->max_footprint_mb > 0)
        sc_str_add_format(text, "| Peak memory | %s |\n",
                          sc_number_megabytes(profile->max_footprint_mb).text);
    if (profile->max_rss_mb > 0)
        sc_str_add_format(text, "| Peak resident | %s |\n",
                          sc_number_megabytes(profile->max_rss_mb).text);
    if (profile->copied_mb > 0)
        sc_str_add_format(text, "| Copied | %s |\n", sc_number_megabytes(profile->copied_mb).text);
    if (profile->threads.count > 1)
        sc_str_add_format(text, "| Threads | %zu |\n", profile->threads.count);
    if (profile->processes.count > 1)
        sc_str_add_format(text, "| Processes | %zu |\n", profile->processes.count);
    if (overview->ending != NULL) {
        sc_str_add(text, "| Ended |");
        add_cell(text, overview->ending);
        sc_str_add_char(text, '\n');
    }
}

void sc_export_markdown(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    SC_AUTO(sc_report_done) struct sc_report report = {0};
    sc_report_init(&report, profile, true);
    add_totals(ret_bytes, &report);
    const struct sc_overview *overview = &report.overview;
    if (overview->findings.count > 0)
        sc_str_add(ret_bytes, "\n### Findings\n\n");
    for (size_t i = 0; i < overview->findings.count; i++) {
        const char *finding = overview->findings.items[i].text;
        sc_str_add(ret_bytes, "- ");
        add_escaped(ret_bytes, finding, strlen(finding));
        sc_str_add_char(ret_bytes, '\n');
    }
    add_hots(ret_bytes, &report, &overview->lines, "Hottest lines", "Code", OF_TIME);
    add_hots(ret_bytes, &report, &overview->functions, "Hottest functions", "Function", OF_TIME);
    add_hots(ret_bytes, &report, &overview->memory_lines, "Most memory", "Code", OF_MEMORY);
}
