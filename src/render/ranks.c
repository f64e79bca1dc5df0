/* render/ranks.c - see ranks.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/ranks.h"

#include <string.h>

#include "render/paint.h"
#include "report/number.h"

enum { INDENT = 2, DEEPER = 4, RATIO = 6, COST = 12 };

struct view {
    struct sc_painter painter;
    const struct sc_ranks_view *shown;
    size_t width;
};

char *sc_name_of_rank(const struct sc_ranks *ranks, uint32_t rank)
{
    const char *name = ranks->items.items[rank].name;
    return ranks->by != NULL ? sc_format("%s %s", ranks->by, name) : sc_strdup(name);
}

static void paragraph(struct view *view, unsigned style, size_t indent, const char *text)
{
    sc_paint_space(&view->painter, indent);
    sc_paint_paragraph(&view->painter, style, text, view->width);
}

static void heading(struct view *view, const char *text)
{
    sc_paint_newline(&view->painter);
    paragraph(view, SC_STYLE_HEADING, 0, text);
}

/* The source, cut, in a line of its own. */
static void code(struct view *view, const struct sc_ranked_line *line)
{
    const char *text = line->text + strspn(line->text, " \t");
    size_t length = strcspn(text, "\r\n");
    if (length == 0)
        return;
    sc_paint_space(&view->painter, DEEPER);
    sc_paint_cut(&view->painter, SC_STYLE_DIM, text, length, view->width - DEEPER);
    sc_paint_newline(&view->painter);
}

static void summary(struct view *view)
{
    const struct sc_ranks *ranks = view->shown->ranks;
    const struct sc_stragglers *found = view->shown->stragglers;
    size_t count = ranks->items.count;
    double elapsed_s = 0.0;
    for (size_t i = 0; i < count; i++)
        elapsed_s = elapsed_s > ranks->items.items[i].elapsed_s ? elapsed_s
                                                                : ranks->items.items[i].elapsed_s;
    const char *what = ranks->by != NULL ? ranks->by : "profile";
    SC_AUTO_FREE char *first = sc_format("%zu %s%s, %s elapsed.", count, what,
                                         count == 1 ? "" : "s", sc_number_duration(elapsed_s).text);
    paragraph(view, SC_STYLE_HEADING, 0, first);
    if (sc_ranks_with_data(ranks) > 1 && found->mean_s > 0.0) {
        SC_AUTO_FREE char *most = sc_name_of_rank(ranks, found->most);
        SC_AUTO_FREE char *text =
            sc_format("On a CPU: %s at most (%s), %s in the mean, %.2f times as long.",
                      sc_number_duration(found->most_s).text, most,
                      sc_number_duration(found->mean_s).text, found->most_s / found->mean_s);
        paragraph(view, SC_STYLE_PLAIN, 0, text);
    }
    for (size_t i = 0; i < view->shown->notes->count; i++)
        paragraph(view, SC_STYLE_NOTICE, 0, view->shown->notes->items[i]);
}

static void mirror(struct view *view, const struct sc_mirror *one)
{
    SC_AUTO_FREE char *text =
        sc_format("meanwhile the others %s %s:%u: %s, %s for it",
                  one->is_wait ? "wait at" : "are longer at", one->line->file, one->line->lineno,
                  sc_number_duration(one->others_s).text, sc_number_duration(one->time_s).text);
    paragraph(view, SC_STYLE_PLAIN, INDENT, text);
    code(view, one->line);
}

static void straggler(struct view *view, const struct sc_straggler *one)
{
    SC_AUTO_FREE char *name = sc_name_of_rank(view->shown->ranks, one->rank);
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add_format(&text, "%s ", name);
    if (one->line != NULL)
        sc_str_add_format(&text, "is slow at %s:%u", one->line->file, one->line->lineno);
    else
        sc_str_add(&text, "lacked a CPU: its machine was busy");
    sc_str_add_format(&text, ": %s, the others %s (", sc_number_duration(one->gap.time_s).text,
                      sc_number_duration(one->gap.others_s).text);
    sc_str_add_format(&text, "%s more ± %s). ", sc_number_duration(one->gap.more_s).text,
                      sc_number_duration(one->gap.error_s).text);
    sc_str_add_format(&text, "It costs each of them %s.", sc_number_duration(one->cost_s).text);
    paragraph(view, SC_STYLE_BOLD, 0, sc_str_text(&text));
    if (one->line != NULL)
        code(view, one->line);
    for (size_t i = 0; i < one->mirrors.count; i++)
        mirror(view, &one->mirrors.items[i]);
}

static void stragglers(struct view *view)
{
    const struct sc_stragglers *found = view->shown->stragglers;
    if (view->shown->ranks->items.count < 2)
        return;
    heading(view, found->items.count > 0 ? "Stragglers" : "No straggler");
    if (found->items.count == 0)
        paragraph(view, SC_STYLE_PLAIN, 0,
                  "No rank is longer than the others at a line, beyond the error of sampling and "
                  "their own spread, so that others would wait for it.");
    for (size_t i = 0; i < found->items.count; i++)
        straggler(view, &found->items.items[i]);
}

static void uneven(struct view *view)
{
    const struct sc_stragglers *found = view->shown->stragglers;
    struct sc_painter *painter = &view->painter;
    if (found->uneven.count == 0)
        return;
    heading(view, "Uneven lines: the longest rank, how many times the mean, and how much more");
    SC_EACH(const struct sc_uneven, one, &found->uneven) {
        SC_AUTO_FREE char *name = sc_name_of_rank(view->shown->ranks, one->rank);
        SC_AUTO_FREE char *ratio = sc_format("%.2fx", one->most_s / one->mean_s);
        SC_AUTO_FREE char *cost =
            sc_format("+%s", sc_number_duration(one->most_s - one->mean_s).text);
        SC_AUTO_FREE char *place =
            sc_format("  %s  %s:%u", name, one->line->file, one->line->lineno);
        sc_paint_right(painter, SC_STYLE_BOLD, ratio, RATIO);
        sc_paint_right(painter, SC_STYLE_PLAIN, cost, COST);
        sc_paint_cut(painter, SC_STYLE_PLAIN, place, strlen(place), view->width - RATIO - COST);
        sc_paint_newline(painter);
        code(view, one->line);
    }
}

void sc_render_ranks(const struct sc_ranks_view *shown, const struct sc_render_options *options,
                     struct sc_str *ret_text)
{
    struct view view = {.shown = shown, .width = options->width};
    if (view.width < SC_RENDER_MIN_WIDTH)
        view.width = SC_RENDER_MIN_WIDTH;
    view.painter = sc_painter_of(ret_text, options->color, options->unicode);
    summary(&view);
    stragglers(&view);
    uneven(&view);
}
