/*
 * render/terminal_units.c - part of the first screen: units of work, where the program has labels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "render/terminal.h"
#include "render/text.h"
#include "report/number.h"

enum {
    ROWS = 10,
    COUNT = 10, /* columns */
    NUMBER = 11,
    NAME_LEAST =
        12, /* of a name; columns of numbers for which there is no other room are left out */
};

struct column {
    const char *title;
    unsigned width;
};

/* The last one only where memory was measured. */
static const struct column columns[] = {
    {"count", COUNT}, {"total", NUMBER}, {"p50", NUMBER},
    {"p99", NUMBER},  {"CPU", NUMBER},   {"peak", NUMBER},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void paint_numbers(struct sc_painter *painter, const struct sc_unit_cost *unit, size_t shown)
{
    const struct sc_number numbers[COLUMNS] = {
        sc_number_count(unit->count),    sc_number_duration(unit->total_s),
        sc_number_duration(unit->p50_s), sc_number_duration(unit->p99_s),
        sc_number_duration(unit->cpu_s), sc_number_megabytes(unit->peak_mb)};
    for (size_t i = 0; i < shown; i++)
        sc_paint_right(painter, SC_STYLE_PLAIN, numbers[i].text, columns[i].width);
}

void sc_terminal_units(struct sc_painter *painter, const struct sc_render *render)
{
    const struct sc_profile *profile = render->report->profile;
    size_t width = render->options.width;
    size_t shown = profile->memory ? COLUMNS : COLUMNS - 1;
    size_t names = SC_TERMINAL_INDENT + NAME_LEAST;
    size_t rows = profile->units.count < ROWS ? profile->units.count : ROWS;
    size_t used = 0;
    if (profile->units.count == 0)
        return;
    for (size_t i = 0; i < rows; i++) {
        const char *name = profile->units.items[i].name;
        size_t wide = SC_TERMINAL_INDENT + sc_text_width(name, strlen(name), 0, painter->unicode);
        names = wide > names ? wide : names;
    }
    for (size_t i = 0; i < shown; i++) {
        if (SC_TERMINAL_INDENT + NAME_LEAST + used + columns[i].width > width)
            shown = i;
        else
            used += columns[i].width;
    }
    names = names + used < width ? names : width - used;
    sc_paint_heading(painter, "Units of work");
    sc_paint_to(painter, names);
    for (size_t i = 0; i < shown; i++)
        sc_paint_right(painter, SC_STYLE_DIM, columns[i].title, columns[i].width);
    sc_paint_newline(painter);
    for (size_t i = 0; i < rows; i++) {
        const struct sc_unit_cost *unit = &profile->units.items[i];
        sc_paint_space(painter, SC_TERMINAL_INDENT);
        sc_paint_cut(painter, SC_STYLE_PLAIN, unit->name, strlen(unit->name),
                     names - SC_TERMINAL_INDENT);
        sc_paint_to(painter, names);
        paint_numbers(painter, unit, shown);
        sc_paint_newline(painter);
    }
    sc_terminal_more_rows(painter, profile->units.count - rows);
}
