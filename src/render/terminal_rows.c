/*
 * render/terminal_rows.c - what the parts of the first screen have in common: headings, and rows
 * about a place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"
#include "report/number.h"

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
    if (count == 0)
        return;
    sc_paint_space(painter, SC_TERMINAL_INDENT);
    sc_paint(painter, SC_STYLE_DIM, sc_number_format("and %zu more", count).text);
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

/* -------- source -------- */

static const enum sc_style styles[] = {
    [SC_TOKEN_TEXT] = SC_STYLE_PLAIN,
    [SC_TOKEN_KEYWORD] = SC_STYLE_CODE_KEYWORD,
    [SC_TOKEN_BUILTIN] = SC_STYLE_CODE_BUILTIN,
    [SC_TOKEN_STRING] = SC_STYLE_CODE_STRING,
    [SC_TOKEN_NUMBER] = SC_STYLE_CODE_NUMBER,
    [SC_TOKEN_COMMENT] = SC_STYLE_CODE_COMMENT,
    [SC_TOKEN_DECORATOR] = SC_STYLE_CODE_DECORATOR,
    [SC_TOKEN_DEFINITION] = SC_STYLE_CODE_DEFINITION,
    [SC_TOKEN_OPERATOR] = SC_STYLE_PLAIN,
};

static unsigned style_of(enum sc_token token, bool bold)
{
    unsigned style = (size_t)token < sizeof(styles) / sizeof(styles[0]) ? styles[token] : 0;
    return bold ? style | SC_STYLE_BOLD : style;
}

/* Paints bytes [from, to) of the line with the styles of its spans. */
static void paint_spans(struct sc_painter *painter, const struct sc_source *source, size_t line,
                        const char *text, size_t length, bool bold)
{
    SC_AUTO_FREE struct sc_spans spans = {0};
    sc_source_highlight(source, line, &spans);
    size_t done = 0;
    for (size_t i = 0; i < spans.count && done < length; i++) {
        const struct sc_span *span = &spans.items[i];
        size_t end = span->start + span->length;
        if (span->start != done || end < done)
            break;
        if (end > length)
            end = length;
        sc_paint_text(painter, style_of(span->token, bold), text + done, end - done);
        done = end;
    }
    /* whatever the spans left out is still shown */
    sc_paint_text(painter, style_of(SC_TOKEN_TEXT, bold), text + done, length - done);
}

void sc_terminal_source(struct sc_painter *painter, const struct sc_source *source, size_t line,
                        bool bold, size_t limit)
{
    if (line >= source->lines.count)
        return;
    const char *text = source->text + source->lines.items[line].start;
    size_t length = source->lines.items[line].length;
    while (length > 0 && strchr(" \t\r\n\f", text[length - 1]) != NULL)
        length--;
    painter->tab_origin = painter->wanted;
    const char *ellipsis = painter->signs->ellipsis;
    size_t mark = sc_text_width(ellipsis, strlen(ellipsis), 0, painter->unicode);
    size_t width = 0;
    size_t fits = sc_text_fit(text, length, 0, limit, painter->unicode, &width);
    if (fits < length)
        fits =
            sc_text_fit(text, length, 0, limit > mark ? limit - mark : 0, painter->unicode, &width);
    paint_spans(painter, source, line, text, fits, bold);
    if (fits < length && limit >= mark)
        sc_paint(painter, SC_STYLE_DIM, ellipsis);
    painter->tab_origin = 0;
}

void sc_terminal_code(struct sc_painter *painter, const char *text, size_t length, size_t limit)
{
    SC_AUTO(sc_source_done) struct sc_source source = {0};
    sc_source_init(&source, text, length);
    sc_terminal_source(painter, &source, 0, false, limit);
}
