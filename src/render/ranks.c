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

/* How a rank is called: "rank 3", "host n7", or the name of its file. Owned. */
static char *name_of_rank(const struct sc_ranks *ranks, uint32_t rank)
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
        SC_AUTO_FREE char *most = name_of_rank(ranks, found->most);
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
    SC_AUTO_FREE char *name = name_of_rank(view->shown->ranks, one->rank);
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
        SC_AUTO_FREE char *name = name_of_rank(view->shown->ranks, one->rank);
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

/* -------- as JSON -------- */

#define FORMAT 1

static void place(struct sc_json_out *out, const struct sc_ranked_line *line)
{
    const char *text = line != NULL ? line->text + strspn(line->text, " \t") : "";
    SC_AUTO_FREE char *source = sc_strndup(text, strcspn(text, "\r\n"));
    sc_json_text_under(out, "file", line != NULL ? line->file : NULL);
    if (line != NULL)
        sc_json_count_under(out, "line", line->lineno);
    else
        sc_json_text_under(out, "line", NULL);
    sc_json_text_under(out, "source", line != NULL ? source : NULL);
}

static void rank_under(struct sc_json_out *out, const struct sc_ranks *ranks, uint32_t rank)
{
    sc_json_text_under(out, "rank", ranks->items.items[rank].name);
}

static void write_ranks(struct sc_json_out *out, const struct sc_ranks *ranks)
{
    sc_json_begin_under(out, "ranks", '[');
    for (uint32_t i = 0; i < ranks->items.count; i++) {
        const struct sc_one_rank *rank = &ranks->items.items[i];
        sc_json_begin(out, '{');
        rank_under(out, ranks, i);
        sc_json_text_under(out, "profile", rank->file);
        sc_json_count_under(out, "profiles", rank->profiles);
        sc_json_write_number(out, "elapsed_s", rank->elapsed_s);
        sc_json_write_number(out, "busy_s", rank->busy_s);
        sc_json_write_number(out, "waiting_s", rank->waiting_s);
        sc_json_write_number(out, "no_cpu_s", rank->left_out_s);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_straggler(struct sc_json_out *out, const struct sc_ranks *ranks,
                            const struct sc_straggler *one)
{
    rank_under(out, ranks, one->rank);
    place(out, one->line);
    sc_json_write_number(out, "seconds", one->gap.time_s);
    sc_json_write_number(out, "others_s", one->gap.others_s);
    sc_json_write_number(out, "more_s", one->gap.more_s);
    sc_json_write_number(out, "error_s", one->gap.error_s);
    sc_json_write_number(out, "cost_s", one->cost_s);
    SC_JSON_OBJECTS(out, "meanwhile", const struct sc_mirror, mirror, &one->mirrors) {
        place(out, mirror->line);
        sc_json_write_number(out, "seconds", mirror->time_s);
        sc_json_write_number(out, "others_s", mirror->others_s);
        sc_json_bool_under(out, "is_wait", mirror->is_wait);
    }
}

static void write_uneven(struct sc_json_out *out, const struct sc_ranks_view *shown)
{
    SC_JSON_OBJECTS(out, "uneven", const struct sc_uneven, one, &shown->stragglers->uneven) {
        rank_under(out, shown->ranks, one->rank);
        place(out, one->line);
        sc_json_write_number(out, "most_s", one->most_s);
        sc_json_write_number(out, "mean_s", one->mean_s);
    }
}

void sc_render_ranks_json(const struct sc_ranks_view *shown, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    const struct sc_stragglers *found = shown->stragglers;
    sc_json_begin(&out, '{');
    sc_json_count_under(&out, "format", FORMAT);
    sc_json_text_under(&out, "by", shown->ranks->by != NULL ? shown->ranks->by : "file");
    sc_json_texts_under(&out, "notes", shown->notes->items, shown->notes->count);
    sc_json_write_number(&out, "mean_busy_s", found->mean_s);
    sc_json_write_number(&out, "most_busy_s", found->most_s);
    write_ranks(&out, shown->ranks);
    SC_JSON_OBJECTS(&out, "stragglers", const struct sc_straggler, one, &found->items)
        write_straggler(&out, shown->ranks, one);
    write_uneven(&out, shown);
    sc_json_end(&out, '}');
    sc_str_add_char(ret_text, '\n');
}
