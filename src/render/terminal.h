/*
 * render/terminal.h - the parts of the terminal renderer, one file each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "render/paint.h"
#include "render/render.h"
#include "source/source.h"

enum { SC_TERMINAL_INDENT = 2 };

/* terminal_overview.c */
void sc_terminal_overview(struct sc_render *render);

/* The program, its times and its end: the first lines of every view. */
void sc_terminal_facts(struct sc_painter *painter, const struct sc_render *render);

/* terminal_rows.c: how wide sentences may be. */
size_t sc_terminal_prose_width(const struct sc_render *render);

/* A sentence below a heading, or nothing for NULL. */
void sc_terminal_note(struct sc_painter *painter, const struct sc_render *render, const char *text);

/* The style of a number by the heat of its line. */
unsigned sc_terminal_heated(enum sc_heat heat);

/* The begin of a row: the sign of its heat, and its number. */
void sc_terminal_hot_number(struct sc_painter *painter, const struct sc_hot *hot,
                            const char *number, size_t width);

/* Columns of the widest place, at most limit. */
size_t sc_terminal_place_width(const struct sc_hots *hots, size_t limit);

/* "and 3 more"; nothing for 0. */
void sc_terminal_more_rows(struct sc_painter *painter, size_t count);

/* The end of a row: where the line is, and its source as far as it fits. */
void sc_terminal_place_and_code(struct sc_painter *painter, const struct sc_hot *hot, size_t places,
                                size_t width);

/* terminal_gpu.c */
void sc_terminal_gpu(struct sc_painter *painter, const struct sc_render *render);

/* terminal_details.c */
void sc_terminal_native_functions(struct sc_painter *painter, const struct sc_render *render);
void sc_terminal_memory(struct sc_painter *painter, const struct sc_render *render);
void sc_terminal_awaits(struct sc_painter *painter, const struct sc_render *render);
void sc_terminal_blocks(struct sc_painter *painter, const struct sc_render *render);
void sc_terminal_threads(struct sc_painter *painter, const struct sc_render *render);
void sc_terminal_processes(struct sc_painter *painter, const struct sc_render *render);

void sc_terminal_units(struct sc_painter *painter, const struct sc_render *render);

/* terminal_table.c */
void sc_terminal_file(struct sc_render *render, const struct sc_report_file *file);

/* terminal_rows.c: one line of highlighted source in at most limit columns. */
void sc_terminal_source(struct sc_painter *painter, const struct sc_source *source, size_t line,
                        bool bold, size_t limit);

/* A line that stands alone. */
void sc_terminal_code(struct sc_painter *painter, const char *text, size_t length, size_t limit);

/* A number column as it is placed in a table. */
struct sc_placed_column {
    const struct sc_column *column;
    const char *header;
    size_t width;
    bool first_of_group;
};

/* The columns of a file's table. */
struct sc_table_layout {
    struct sc_placed_column columns[SC_COLUMN_COUNT_];
    size_t column_count;
    size_t left_out; /* columns for which there is no room */
    bool narrow;
    size_t number_width; /* of line numbers */
    size_t source_width;
};

/* terminal_table.c: the widest form of the table that leaves room for source in width columns.
 * Number columns are never narrower than their numbers. */
struct sc_table_layout sc_table_layout_for(const struct sc_parts *parts, unsigned width,
                                           unsigned last_lineno);

/* terminal_gpu.c: below a table, which of its numbers are of whole devices, with all processes that
 * use them. */
void sc_terminal_gpu_notes(struct sc_painter *painter, const struct sc_report *report,
                           const struct sc_table_layout *layout, size_t width);
