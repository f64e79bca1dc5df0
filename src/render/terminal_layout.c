/*
 * render/terminal_layout.c - which columns fit beside the source, and how wide they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "render/terminal.h"

/* Source columns below which a smaller form of the table is tried. */
enum { SOURCE_COMFORT = 40, SOURCE_ENOUGH = 22, SOURCE_LEAST = 12 };

enum { MARK_WIDTH = 1, LINE_NUMBER_LEAST = 4 };

static size_t digits_of(unsigned number)
{
    size_t digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static void place(struct sc_table_layout *layout, const struct sc_parts *parts, int rank_max)
{
    layout->column_count = 0;
    layout->left_out = 0;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++) {
        const struct sc_column *column = &sc_columns[i];
        int width = layout->narrow ? column->short_width : column->width;
        if (sc_column_is_of_page(column) || (column->shown != NULL && !column->shown(parts)))
            continue;
        if (width == 0 || column->drop_rank > rank_max) {
            /* a curve adds little to the peak, so it is not counted as left out */
            layout->left_out += column->unit != SC_UNIT_CURVE;
            continue;
        }
        struct sc_placed_column *placed = &layout->columns[layout->column_count];
        placed->column = column;
        placed->header = layout->narrow ? column->short_header : column->header;
        placed->width = (size_t)width;
        placed->first_of_group =
            layout->column_count == 0 || placed[-1].column->group != column->group;
        layout->column_count++;
    }
}

/* Columns of the terminal left of the source. */
static size_t taken_by(const struct sc_table_layout *layout)
{
    size_t separator = layout->narrow ? 1 : 3;
    size_t taken = MARK_WIDTH + layout->number_width;
    for (size_t i = 0; i < layout->column_count; i++) {
        taken += layout->columns[i].first_of_group ? separator : 1;
        taken += layout->columns[i].width;
    }
    return taken + (layout->narrow ? 2 : 3);
}

static bool leaves(struct sc_table_layout *layout, unsigned width, size_t source_width)
{
    size_t taken = taken_by(layout);
    layout->source_width = width > taken ? width - taken : 0;
    return layout->source_width >= source_width;
}

static int highest_rank(void)
{
    int highest = 0;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++)
        highest = sc_columns[i].drop_rank > highest ? sc_columns[i].drop_rank : highest;
    return highest;
}

struct sc_table_layout sc_table_layout_for(const struct sc_parts *parts, unsigned width,
                                           unsigned last_lineno)
{
    struct sc_table_layout layout = {.number_width = digits_of(last_lineno)};
    if (layout.number_width < LINE_NUMBER_LEAST)
        layout.number_width = LINE_NUMBER_LEAST;
    int highest = highest_rank();
    int without_curve = sc_columns[SC_COLUMN_MEMORY_CURVE].drop_rank - 1;
    for (int rank = highest; rank >= without_curve; rank--) {
        place(&layout, parts, rank);
        if (leaves(&layout, width, SOURCE_COMFORT))
            return layout;
    }
    layout.narrow = true;
    place(&layout, parts, highest);
    if (leaves(&layout, width, SOURCE_ENOUGH))
        return layout;
    for (int rank = highest; rank >= 0; rank--) {
        place(&layout, parts, rank);
        if (leaves(&layout, width, SOURCE_LEAST))
            break;
    }
    if (layout.source_width < SOURCE_LEAST)
        layout.source_width = SOURCE_LEAST;
    return layout;
}
