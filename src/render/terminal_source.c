/*
 * render/terminal_source.c - a line of Python source in colour, cut to a width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"

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
