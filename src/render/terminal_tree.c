/*
 * render/terminal_tree.c - a profile as a tree of calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"
#include "report/call_tree.h"
#include "report/number.h"

enum {
    SELF_SECONDS_FROM = 100, /* with fewer columns, names have their room */
    PERCENT = 5,
    SECONDS = 11,
    LEVEL = 3,       /* columns */
    NAME_LEAST = 24, /* columns that names have behind the deepest branches */
    PLACE_LEAST = 10,
    NAME_BESIDE = 8, /* columns of a name beside its place */
    HIDDEN_LEAST = 16,
};

struct view {
    struct sc_painter painter;
    const struct sc_call_tree *tree;
    size_t width;
    bool has_self_seconds;
    size_t levels;     /* of branches that are drawn */
    bool *has_sibling; /* by depth: more rows of that caller follow */
};

static void headings(struct view *view)
{
    struct sc_painter *painter = &view->painter;
    size_t total = PERCENT + (view->tree->is_timed ? SECONDS : 0);
    size_t self = 2 + PERCENT + (view->has_self_seconds ? SECONDS : 0);
    sc_paint_newline(painter);
    sc_paint_right(painter, SC_STYLE_DIM, "total", 1 + total);
    sc_paint_right(painter, SC_STYLE_DIM, "self", self);
    sc_paint_space(painter, 2);
    sc_paint(painter, SC_STYLE_DIM, "function");
    sc_paint_newline(painter);
}

/* "31%", and what is too little for a number stays blank. */
static void percent(struct sc_painter *painter, unsigned style, double value, size_t width)
{
    sc_paint_right(painter, style, value >= 0.5 ? sc_number_percent(value).text : "", width);
}

static void numbers(struct view *view, const struct sc_call_row *row)
{
    struct sc_painter *painter = &view->painter;
    enum sc_heat heat = sc_heat_of(row->self_percent);
    unsigned total = sc_heat_of(row->total_percent) >= SC_HEAT_WARM ? SC_STYLE_BOLD : 0U;
    sc_paint(painter, heat == SC_HEAT_HOT ? SC_STYLE_HOT : SC_STYLE_WARM,
             painter->signs->heat[heat]);
    percent(painter, total | SC_STYLE_PLAIN, row->total_percent, PERCENT);
    if (view->tree->is_timed)
        sc_paint_right(painter, SC_STYLE_PLAIN, sc_number_duration(row->total_s).text, SECONDS);
    sc_paint_space(painter, 2);
    percent(painter, sc_terminal_heated(heat), row->self_percent, PERCENT);
    if (view->has_self_seconds)
        sc_paint_right(painter, SC_STYLE_PLAIN,
                       row->self_percent >= 0.5 ? sc_number_duration(row->self_s).text : "",
                       SECONDS);
    sc_paint_space(painter, 2);
}

/* Outermost frames stand at the margin. Of branches for which there is no room, the innermost are
 * drawn, behind an ellipsis. */
static void paint_branches(struct view *view, const struct sc_call_row *row)
{
    struct sc_painter *painter = &view->painter;
    const struct sc_signs *signs = painter->signs;
    size_t from = row->depth > view->levels ? row->depth - view->levels + 1 : 1;
    if (from > 1) {
        sc_paint(painter, SC_STYLE_FRAME, signs->ellipsis);
        sc_paint_space(painter,
                       LEVEL - sc_text_width(signs->ellipsis, strlen(signs->ellipsis), 0, true));
        from++;
    }
    for (size_t i = from; i < row->depth; i++)
        sc_paint(painter, SC_STYLE_FRAME, view->has_sibling[i] ? signs->pass : "   ");
    if (row->depth > 0)
        sc_paint(painter, SC_STYLE_FRAME, row->is_last ? signs->last : signs->branch);
}

static unsigned name_style(const struct sc_call_row *row)
{
    if (row->is_rest)
        return SC_STYLE_DIM;
    switch (row->kind) {
    case SC_FRAME_PYTHON:
        return SC_STYLE_CODE_DEFINITION | (unsigned)SC_STYLE_BOLD;
    case SC_FRAME_LIBRARY:
        return SC_STYLE_PLAIN;
    case SC_FRAME_NATIVE:
    case SC_FRAME_PLUMBING:
        return SC_STYLE_NATIVE;
    case SC_FRAME_KERNEL:
        break;
    }
    return SC_STYLE_SYSTEM;
}

/* Name, place, and what is folded: the last gives way first, then the start of the place. */
static void paint_name(struct view *view, const struct sc_call_row *row)
{
    struct sc_painter *painter = &view->painter;
    size_t room = view->width > painter->wanted ? view->width - painter->wanted : 0;
    size_t name = sc_text_width(row->name, strlen(row->name), 0, painter->unicode);
    size_t place = sc_text_width(row->place, strlen(row->place), 0, painter->unicode);
    if (place == 0 && name > room)
        name = room;
    if (place > 0 && name + 2 + place > room) {
        size_t beside = room > name + 2 ? room - name - 2 : 0;
        size_t least = place < PLACE_LEAST ? place : PLACE_LEAST;
        place = beside > least ? beside : least;
        if (room < place + 2 + NAME_BESIDE) /* the name alone */
            place = 0;
        name = place > 0 ? room - place - 2 : room;
    }
    sc_paint_cut(painter, name_style(row), row->name, strlen(row->name), name);
    if (place > 0) {
        sc_paint_space(painter, 2);
        sc_paint_cut_start(painter, SC_STYLE_DIM, row->place, place);
    }
    room = view->width > painter->wanted ? view->width - painter->wanted : 0;
    if (row->hidden == NULL || room < HIDDEN_LEAST)
        return;
    sc_paint_space(painter, 2);
    sc_paint(painter, SC_STYLE_FRAME, "[");
    sc_paint_cut(painter, SC_STYLE_FRAME, row->hidden, strlen(row->hidden), room - 4);
    sc_paint(painter, SC_STYLE_FRAME, "]");
}

static size_t deepest(const struct sc_call_tree *tree)
{
    size_t depth = 0;
    for (size_t i = 0; i < tree->rows.count; i++)
        depth = tree->rows.items[i].depth > depth ? tree->rows.items[i].depth : depth;
    return depth;
}

static void paint_rows(struct view *view)
{
    view->has_sibling = sc_alloc(deepest(view->tree) + 1, sizeof(*view->has_sibling));
    SC_EACH(const struct sc_call_row, row, &view->tree->rows) {
        numbers(view, row);
        paint_branches(view, row);
        paint_name(view, row);
        sc_paint_newline(&view->painter);
        view->has_sibling[row->depth] = !row->is_last;
    }
    free(view->has_sibling);
}

static void notice(struct sc_painter *painter, const struct sc_render *render, unsigned style,
                   const char *text)
{
    sc_paint_newline(painter);
    sc_paint_paragraph(painter, style, text, sc_terminal_prose_width(render));
}

void sc_render_terminal_tree(const struct sc_report *report,
                             const struct sc_render_options *options, bool is_all, uint32_t unit,
                             struct sc_str *ret_text)
{
    struct sc_render render = {.report = report, .options = *options, .out = ret_text};
    if (render.options.width < SC_RENDER_MIN_WIDTH)
        render.options.width = SC_RENDER_MIN_WIDTH;
    SC_AUTO(sc_call_tree_done) struct sc_call_tree tree = {0};
    sc_call_tree_init(&tree, report->profile, is_all, unit);
    struct view view = {.tree = &tree, .width = render.options.width};
    view.has_self_seconds = tree.is_timed && view.width >= SELF_SECONDS_FROM;
    size_t taken = 1U + PERCENT + 2U + PERCENT + 2U;
    taken += (tree.is_timed ? SECONDS : 0U) + (view.has_self_seconds ? SECONDS : 0U);
    view.levels = view.width > taken + NAME_LEAST ? (view.width - taken - NAME_LEAST) / LEVEL : 0;
    view.levels = view.levels < 2 ? 2 : view.levels;
    view.painter = sc_painter_of(ret_text, options->color, options->unicode);
    sc_terminal_facts(&view.painter, &render);
    if (unit != SC_NONE) {
        SC_AUTO_FREE char *text =
            sc_format("Only the unit of work %s: 100%% is what its threads spent.",
                      report->profile->units.items[unit].name);
        notice(&view.painter, &render, SC_STYLE_PLAIN, text);
    }
    if (tree.rows.count == 0) {
        notice(&view.painter, &render, SC_STYLE_NOTICE,
               "This profile has no call stacks: it was made with --no-stacks, by another version, "
               "or is too short.");
    } else {
        headings(&view);
        paint_rows(&view);
        if (!is_all)
            notice(&view.painter, &render, SC_STYLE_DIM,
                   "What libraries and native code do inside is part of their callers here, as are "
                   "calls below 1% of the time; --all shows every frame.");
    }
    if (tree.is_cut)
        notice(&view.painter, &render, SC_STYLE_DIM,
               "Stacks that are deeper, or more than the profile has room for, are cut.");
}
