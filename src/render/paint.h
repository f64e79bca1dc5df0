/*
 * render/paint.h - coloured text with known columns: what the terminal renderer writes with.
 *
 * Everything goes through the rules of render/text.h, so nothing a profile holds can write an
 * escape sequence. Spaces at the end of a line are never written, and colours begin and end at
 * text. Lines may be collected in a block, to be put beside another one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"

/* name in code, parameters of the SGR sequence (ECMA-48 8.3.117): the 16 colours only, because
 * terminals let people choose them to suit their background */
#define SC_STYLES(X)                                                                               \
    X(PLAIN, "")                                                                                   \
    X(DIM, "90")                                                                                   \
    X(FRAME, "90")                                                                                 \
    X(HEADING, "1")                                                                                \
    X(PYTHON, "94")                                                                                \
    X(NATIVE, "36")                                                                                \
    X(SYSTEM, "35")                                                                                \
    X(GPU, "33")                                                                                   \
    X(AWAIT, "96")                                                                                 \
    X(MEMORY, "32")                                                                                \
    X(COPY, "33")                                                                                  \
    X(HOT, "1;31")                                                                                 \
    X(WARM, "33")                                                                                  \
    X(NOTICE, "33")                                                                                \
    X(CODE_KEYWORD, "95")                                                                          \
    X(CODE_BUILTIN, "36")                                                                          \
    X(CODE_STRING, "32")                                                                           \
    X(CODE_NUMBER, "33")                                                                           \
    X(CODE_COMMENT, "90")                                                                          \
    X(CODE_DECORATOR, "33")                                                                        \
    X(CODE_DEFINITION, "94")

#define X_ENUM(name, sgr) SC_STYLE_##name,
enum sc_style { SC_STYLES(X_ENUM) SC_STYLE_COUNT_ };
#undef X_ENUM

enum { SC_STYLE_BOLD = 0x100 }; /* may be added to any style */

/* The signs a view is drawn with. */
struct sc_signs {
    const char *heat[4];  /* enum sc_heat */
    const char *bar[3];   /* enum sc_kind: one pattern each */
    const char *curve[8]; /* low to high */
    const char *vertical; /* between groups of columns */
    const char *horizontal;
    const char *cross;
    const char *tee_down;
    const char *tee_up;
    const char *ellipsis;
    const char *bullet;
    const char *dot;    /* between facts */
    const char *branch; /* to a row of a tree, to its last one, and past it to a later one */
    const char *last;
    const char *pass;
};

extern const struct sc_signs sc_signs_unicode;
extern const struct sc_signs sc_signs_ascii;

struct sc_painted_line {
    size_t end; /* offset in the text behind the line */
    size_t width;
};

struct sc_painter {
    struct sc_str *out;
    bool color;
    bool unicode;
    const struct sc_signs *signs;
    size_t column;                 /* where the last text ended */
    size_t wanted;                 /* where the next text begins, at least column */
    size_t tab_origin;             /* tab stops count from this column */
    unsigned style;                /* of what was written last; the end of a line makes it plain */
    struct sc_painted_line *lines; /* of a block */
    size_t line_count;
    size_t line_capacity;
    bool is_block;
};

struct sc_painter sc_painter_of(struct sc_str *out, bool color, bool unicode);

/* A painter whose lines are kept apart for sc_paint_beside; frees with sc_block_done. */
struct sc_painter sc_block_like(const struct sc_painter *painter);
void sc_block_done(struct sc_painter *block);

/* style: enum sc_style, with or without SC_STYLE_BOLD. */
void sc_paint(struct sc_painter *painter, unsigned style, const char *text);
void sc_paint_text(struct sc_painter *painter, unsigned style, const char *bytes, size_t length);

/* At most limit columns, cut with an ellipsis at its end, or at its start. */
void sc_paint_cut(struct sc_painter *painter, unsigned style, const char *bytes, size_t length,
                  size_t limit);
void sc_paint_cut_start(struct sc_painter *painter, unsigned style, const char *text, size_t limit);

/* Right-aligned in width columns. */
void sc_paint_right(struct sc_painter *painter, unsigned style, const char *text, size_t width);

/* The text count times. */
void sc_paint_repeat(struct sc_painter *painter, unsigned style, const char *text, size_t count);

void sc_paint_space(struct sc_painter *painter, size_t count);

/* The next text begins at this column of the line, or behind what is there. */
void sc_paint_to(struct sc_painter *painter, size_t column);
void sc_paint_newline(struct sc_painter *painter);

/* An empty line, and the heading in a line of its own. */
void sc_paint_heading(struct sc_painter *painter, const char *text);

/* Words, wrapped at width columns, and the end of the line; lines after the first are indented to
 * the column of the first word. */
void sc_paint_paragraph(struct sc_painter *painter, unsigned style, const char *text, size_t width);

/* Blocks side by side, the second one beginning at the given column. */
void sc_paint_beside(struct sc_painter *painter, const struct sc_painter *left,
                     const struct sc_painter *right, size_t column);
