/*
 * render/terminal_rows.c - what the parts of the first screen have in common: headings, and rows
 * about a place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"

enum { PROSE_WIDTH = 110 }; /* longer lines are hard to read */

size_t sc_terminal_prose_width(const struct sc_render *render)
{
    return render->options.width < PROSE_WIDTH ? render->options.width : PROSE_WIDTH;
}

void sc_terminal_note(struct sc_painter *painter, const struct sc_render *render, const char *text)
{
    if (text == NULL)
        return;
    sc_paint_space(painter, SC_TERMINAL_INDENT);
    sc_paint_paragraph(painter, SC_STYLE_DIM, text, sc_terminal_prose_width(render));
}

unsigned sc_terminal_heated(enum sc_heat heat)
{
    if (heat == SC_HEAT_HOT)
        return SC_STYLE_HOT;
    return heat == SC_HEAT_WARM ? SC_STYLE_BOLD : SC_STYLE_PLAIN;
}

void sc_terminal_hot_number(struct sc_painter *painter, const struct sc_hot *hot,
                            const char *number, size_t width)
{
    sc_paint(painter, hot->heat == SC_HEAT_HOT ? SC_STYLE_HOT : SC_STYLE_WARM,
             painter->signs->heat[hot->heat]);
    sc_paint_right(painter, sc_terminal_heated(hot->heat), number, width);
}

size_t sc_terminal_place_width(const struct sc_hots *hots, size_t limit)
{
    size_t widest = 0;
    for (size_t i = 0; i < hots->count; i++) {
        size_t width = sc_text_width(hots->items[i].place, strlen(hots->items[i].place), 0, true);
        if (width > widest)
            widest = width;
    }
    return widest < limit ? widest : limit;
}

void sc_terminal_more_rows(struct sc_painter *painter, size_t count)
{
    char text[64];
    if (count == 0)
        return;
    (void)snprintf(text, sizeof(text), "and %zu more", count);
    sc_paint_space(painter, SC_TERMINAL_INDENT);
    sc_paint(painter, SC_STYLE_DIM, text);
    sc_paint_newline(painter);
}

void sc_terminal_place_and_code(struct sc_painter *painter, const struct sc_hot *hot, size_t places,
                                size_t width)
{
    sc_paint_space(painter, 2);
    size_t next = painter->wanted + places + 2;
    sc_paint_cut_start(painter, SC_STYLE_PLAIN, hot->place, places);
    sc_paint_to(painter, next);
    sc_terminal_code(painter, hot->text, hot->text_length,
                     width > painter->wanted ? width - painter->wanted : 0);
    sc_paint_newline(painter);
}
