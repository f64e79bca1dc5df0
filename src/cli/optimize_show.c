/* cli/optimize_show.c - see optimize_show.h. SPDX-License-Identifier: Apache-2.0 */
#include "cli/optimize_show.h"

#include <stdio.h>
#include <string.h>

#include "base/visible.h"

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define CYAN  "\033[36m"
#define PLAIN "\033[0m"

static void print(struct sc_str *text)
{
    (void)fwrite(sc_str_text(text), 1, text->length, stdout);
    (void)fflush(stdout);
    sc_str_done(text);
}

void sc_optimize_show_prompt(const struct sc_ai_prompt *prompt)
{
    struct sc_str text = {0};
    sc_str_add(&text, "--- instructions ---\n");
    sc_visible_add(&text, sc_str_text(&prompt->system), prompt->system.length, SC_VISIBLE_LINES);
    sc_str_add(&text, "\n--- question ---\n");
    sc_visible_add(&text, sc_str_text(&prompt->user), prompt->user.length, SC_VISIBLE_LINES);
    print(&text);
}

static const char *style_of(const char *line)
{
    if (sc_starts_with(line, "@@"))
        return CYAN;
    return line[0] == '+' ? GREEN : line[0] == '-' ? RED : NULL;
}

static void add_diff(struct sc_str *text, const char *diff, bool color)
{
    while (*diff != '\0') {
        size_t length = strcspn(diff, "\n");
        const char *style = color ? style_of(diff) : NULL;
        if (style != NULL)
            sc_str_add(text, style);
        /* with its newline, which says whether a \r is the end of the line */
        size_t whole = length + (diff[length] == '\n' ? 1 : 0);
        SC_AUTO(sc_str_done) struct sc_str line = {0};
        sc_visible_add(&line, diff, whole, SC_VISIBLE_LINES);
        sc_str_add_bytes(text, sc_str_text(&line), strcspn(sc_str_text(&line), "\n"));
        if (style != NULL)
            sc_str_add(text, PLAIN);
        sc_str_add_char(text, '\n');
        diff += length + (diff[length] == '\n' ? 1 : 0);
    }
}

static void add_sentences(struct sc_str *text, const char *title, const struct sc_texts *sentences)
{
    for (size_t i = 0; i < sentences->count; i++) {
        sc_str_add(text, i == 0 ? title : "");
        sc_str_add(text, "  ");
        sc_visible_add(text, sentences->items[i], strlen(sentences->items[i]), SC_VISIBLE_LINE);
        sc_str_add_char(text, '\n');
    }
}

void sc_optimize_show_proposal(const struct sc_ai_place *place,
                               const struct sc_ai_proposal *proposal, bool color)
{
    struct sc_str text = {0};
    SC_AUTO(sc_str_done) struct sc_str diff = {0};
    sc_diff_unified(&proposal->diff, proposal->name, &diff);
    add_diff(&text, sc_str_text(&diff), color);
    const char *remarks = sc_str_text(&proposal->remarks);
    remarks += strspn(remarks, " \r\n\t");
    if (remarks[0] != '\0') {
        sc_str_add_char(&text, '\n');
        sc_visible_add(&text, remarks, strlen(remarks), SC_VISIBLE_LINES);
        while (text.length > 1 && text.data[text.length - 1] == '\n' &&
               text.data[text.length - 2] == '\n')
            text.data[--text.length] = '\0';
    }
    add_sentences(&text, "\nOther code may notice, and fail:\n", &proposal->interface_changes);
    add_sentences(&text, "\nWARNING: this is not what it looks like:\n", &proposal->unseen);
    if (place->is_changed)
        sc_str_add(&text,
                   "\nThe file has changed since the run, or is inside an archive: the proposal "
                   "is for the text that ran.\n");
    print(&text);
}

static void add_status(struct sc_str *text, int status)
{
    if (status < 0)
        sc_str_add_format(text, "signal %d", -status);
    else
        sc_str_add_format(text, "status %d", status);
}

static void add_row(struct sc_str *text, const char *name, const struct sc_ai_compared *row,
                    const char *unit, int digits)
{
    sc_str_add_format(text, "  %-12s %9.*f ± %-8.*f %9.*f ± %-8.*f %+7.1f ± %.1f %%  (%s)\n", name,
                      digits, row->original, digits, row->original_error, digits, row->changed,
                      digits, row->changed_error, row->change_percent, row->change_error_percent,
                      unit);
}

void sc_optimize_show_measured(const struct sc_ai_measured *measured)
{
    struct sc_str text = {0};
    SC_AUTO(sc_str_done) struct sc_str verdict = {0};
    sc_str_add_format(&text, "\nMeasured in %u run%s of each version:\n", measured->rounds,
                      measured->rounds == 1 ? "" : "s");
    sc_str_add_format(&text, "  %-12s %20s %20s %s\n", "", "original", "proposal", "    change");
    add_row(&text, "time", &measured->time_s, "s", 3);
    add_row(&text, measured->peak_is_footprint ? "peak memory" : "peak RSS", &measured->peak_mb,
            "MB", 1);
    sc_str_add(&text, "  exit         ");
    add_status(&text, measured->original_status);
    sc_str_add(&text, ", ");
    add_status(&text, measured->changed_status);
    sc_str_add_char(&text, '\n');
    if (measured->output_difference != NULL) {
        sc_str_add(&text, "  output       ");
        sc_visible_add(&text, measured->output_difference, strlen(measured->output_difference),
                       SC_VISIBLE_LINE);
        sc_str_add_char(&text, '\n');
    }
    sc_str_add(&text, "  result:      ");
    sc_ai_measured_verdict(measured, &verdict);
    sc_visible_add(&text, sc_str_text(&verdict), verdict.length, SC_VISIBLE_LINE);
    sc_str_add(&text, "\n");
    print(&text);
}
