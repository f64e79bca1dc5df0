/* render/paint.c - see paint.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/paint.h"

#include <stdlib.h>
#include <string.h>

#include "render/text.h"

const struct sc_signs sc_signs_unicode = {
    .heat = {" ", "▏", "▌", "█"},
    .bar = {"█", "▓", "▒"},
    .curve = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .vertical = "│",
    .horizontal = "─",
    .cross = "┼",
    .tee_down = "┬",
    .tee_up = "┴",
    .ellipsis = "…",
    .bullet = "•",
    .dot = "·",
    .branch = "├─ ",
    .last = "└─ ",
    .pass = "│  ",
};

const struct sc_signs sc_signs_ascii = {
    .heat = {" ", ".", "+", "#"},
    .bar = {"#", "=", "."},
    .curve = {"_", ".", "-", ":", "=", "+", "*", "#"},
    .vertical = "|",
    .horizontal = "-",
    .cross = "+",
    .tee_down = "+",
    .tee_up = "+",
    .ellipsis = "...",
    .bullet = "*",
    .dot = "-",
    .branch = "|- ",
    .last = "`- ",
    .pass = "|  ",
};

#define X_SGR(name, sgr) sgr,
static const char *const sgr_of[SC_STYLE_COUNT_] = {SC_STYLES(X_SGR)};
#undef X_SGR

struct sc_painter sc_painter_of(struct sc_str *out, bool color, bool unicode)
{
    return (struct sc_painter){
        .out = out,
        .color = color,
        .unicode = unicode,
        .signs = unicode ? &sc_signs_unicode : &sc_signs_ascii,
    };
}

struct sc_painter sc_block_like(const struct sc_painter *painter)
{
    struct sc_painter block =
        sc_painter_of(sc_alloc(1, sizeof(struct sc_str)), painter->color, painter->unicode);
    block.is_block = true;
    return block;
}

void sc_block_done(struct sc_painter *block)
{
    sc_str_done(block->out);
    free(block->out);
    free(block->lines);
}

/* Styles are written when they change: a run of words in one style is one sequence. */
static void set_style(struct sc_painter *painter, unsigned style)
{
    const char *sgr = sgr_of[style & 0xFF];
    bool bold = (style & SC_STYLE_BOLD) != 0 && sgr[0] != '1';
    if (!painter->color || style == painter->style)
        return;
    if (painter->style != SC_STYLE_PLAIN)
        sc_str_add(painter->out, "\033[0m");
    painter->style = style;
    if (!bold && sgr[0] == '\0')
        return;
    sc_str_add(painter->out, "\033[");
    if (bold)
        sc_str_add(painter->out, sgr[0] != '\0' ? "1;" : "1");
    sc_str_add(painter->out, sgr);
    sc_str_add_char(painter->out, 'm');
}

/* Blanks carry no colour, so leading ones of the text are only moved over. */
void sc_paint_text(struct sc_painter *painter, unsigned style, const char *bytes, size_t length)
{
    while (length > 0) {
        struct sc_glyph glyph =
            sc_text_next(bytes, length, painter->wanted - painter->tab_origin, painter->unicode);
        bytes += glyph.used;
        length -= glyph.used;
        if (glyph.bytes[0] == ' ') {
            painter->wanted += glyph.width;
            continue;
        }
        if (glyph.bytes[0] == '\0')
            continue;
        bool is_apart = painter->column < painter->wanted;
        if (is_apart && painter->style != style)
            set_style(painter, SC_STYLE_PLAIN);
        for (; painter->column < painter->wanted; painter->column++)
            sc_str_add_char(painter->out, ' ');
        set_style(painter, style);
        sc_str_add(painter->out, glyph.bytes);
        painter->column += glyph.width;
        painter->wanted = painter->column;
    }
}

void sc_paint(struct sc_painter *painter, unsigned style, const char *text)
{
    sc_paint_text(painter, style, text, strlen(text));
}

void sc_paint_cut(struct sc_painter *painter, unsigned style, const char *bytes, size_t length,
                  size_t limit)
{
    const char *ellipsis = painter->signs->ellipsis;
    size_t mark = sc_text_width(ellipsis, strlen(ellipsis), 0, painter->unicode);
    size_t width = 0;
    size_t fits = sc_text_fit(bytes, length, painter->wanted - painter->tab_origin, limit,
                              painter->unicode, &width);
    if (fits < length)
        fits = sc_text_fit(bytes, length, painter->wanted - painter->tab_origin,
                           limit > mark ? limit - mark : 0, painter->unicode, &width);
    sc_paint_text(painter, style, bytes, fits);
    if (fits < length && limit >= mark)
        sc_paint(painter, SC_STYLE_DIM, ellipsis);
}

void sc_paint_cut_start(struct sc_painter *painter, unsigned style, const char *text, size_t limit)
{
    const char *ellipsis = painter->signs->ellipsis;
    size_t mark = sc_text_width(ellipsis, strlen(ellipsis), 0, painter->unicode);
    size_t length = strlen(text);
    size_t width = sc_text_width(text, length, 0, painter->unicode);
    if (width > limit && limit >= mark) {
        sc_paint(painter, SC_STYLE_DIM, ellipsis);
        while (length > 0 && width > limit - mark) {
            struct sc_glyph glyph = sc_text_next(text, length, 0, painter->unicode);
            text += glyph.used;
            length -= glyph.used;
            width -= glyph.width < width ? glyph.width : width;
        }
    }
    sc_paint_cut(painter, style, text, length, limit);
}

void sc_paint_right(struct sc_painter *painter, unsigned style, const char *text, size_t width)
{
    size_t length = strlen(text);
    size_t taken = sc_text_width(text, length, 0, painter->unicode);
    if (taken < width)
        sc_paint_space(painter, width - taken);
    sc_paint_text(painter, style, text, length);
}

void sc_paint_repeat(struct sc_painter *painter, unsigned style, const char *text, size_t count)
{
    SC_AUTO(sc_str_done) struct sc_str repeated = {0};
    for (size_t i = 0; i < count; i++)
        sc_str_add(&repeated, text);
    sc_paint_text(painter, style, sc_str_text(&repeated), repeated.length);
}

void sc_paint_space(struct sc_painter *painter, size_t count)
{
    painter->wanted += count;
}

void sc_paint_to(struct sc_painter *painter, size_t column)
{
    if (painter->wanted < column)
        painter->wanted = column;
}

void sc_paint_newline(struct sc_painter *painter)
{
    set_style(painter, SC_STYLE_PLAIN);
    if (painter->is_block) {
        if (painter->line_count == painter->line_capacity) {
            painter->line_capacity = painter->line_capacity ? 2 * painter->line_capacity : 16;
            painter->lines =
                sc_realloc(painter->lines, painter->line_capacity, sizeof(*painter->lines));
        }
        painter->lines[painter->line_count++] =
            (struct sc_painted_line){painter->out->length, painter->column};
    } else {
        sc_str_add_char(painter->out, '\n');
    }
    painter->column = painter->wanted = painter->tab_origin = 0;
}

/* A word that is wider than a whole line is broken where the line ends. */
static void paint_word(struct sc_painter *painter, unsigned style, const char *word, size_t length,
                       size_t indent, size_t width)
{
    while (length > 0) {
        size_t room = width > painter->wanted ? width - painter->wanted : 0;
        size_t taken = 0;
        size_t fits = sc_text_fit(word, length, 0, room, painter->unicode, &taken);
        if (fits == 0 && painter->wanted > indent) {
            sc_paint_newline(painter);
            sc_paint_to(painter, indent);
            continue;
        }
        if (fits == 0)
            fits = length; /* not even one character fits: ignore the width */
        sc_paint_text(painter, style, word, fits);
        word += fits;
        length -= fits;
    }
}

void sc_paint_heading(struct sc_painter *painter, const char *text)
{
    sc_paint_newline(painter);
    sc_paint(painter, SC_STYLE_HEADING, text);
    sc_paint_newline(painter);
}

void sc_paint_paragraph(struct sc_painter *painter, unsigned style, const char *text, size_t width)
{
    size_t indent = painter->wanted;
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        size_t taken = sc_text_width(text, length, 0, painter->unicode);
        if (!first && painter->wanted + 1 + taken > width) {
            sc_paint_newline(painter);
            sc_paint_to(painter, indent);
        } else if (!first) {
            sc_paint_space(painter, 1);
        }
        paint_word(painter, style, text, length, indent, width);
        first = false;
        text += length;
        text += strspn(text, " \n");
    }
    sc_paint_newline(painter);
}

static void copy_line(struct sc_painter *painter, const struct sc_painter *block, size_t index)
{
    size_t start = index > 0 ? block->lines[index - 1].end : 0;
    size_t end = block->lines[index].end;
    if (end == start)
        return;
    for (; painter->column < painter->wanted; painter->column++)
        sc_str_add_char(painter->out, ' ');
    sc_str_add_bytes(painter->out, block->out->data + start, end - start);
    painter->column += block->lines[index].width;
    painter->wanted = painter->column;
}

void sc_paint_beside(struct sc_painter *painter, const struct sc_painter *left,
                     const struct sc_painter *right, size_t column)
{
    for (size_t i = 0; i < left->line_count || i < right->line_count; i++) {
        if (i < left->line_count)
            copy_line(painter, left, i);
        if (i < right->line_count && right->lines[i].width > 0) {
            sc_paint_to(painter, column);
            copy_line(painter, right, i);
        }
        sc_paint_newline(painter);
    }
}
