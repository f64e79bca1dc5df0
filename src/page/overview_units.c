/*
 * page/overview_units.c - part of api/overview: units of work.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/overview.h"
#include "page/write.h"

#define UNITS_MAX 500U /* those that took longest */

static void write_lines(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_unit_cost *unit)
{
    sc_json_begin_under(out, "lines", '[');
    SC_EACH(const struct sc_unit_line, line, &unit->lines) {
        size_t number = sc_page_find_file(page, line->file);
        if (number == SIZE_MAX)
            continue;
        sc_json_begin(out, '{');
        sc_json_count_under(out, "file", number);
        sc_json_count_under(out, "lineno", line->lineno);
        sc_write_number(out, "time_s", line->time_s);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_unit(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_unit_cost *unit)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "name", unit->name);
    sc_json_count_under(out, "count", unit->count);
    sc_json_count_under(out, "running", unit->running);
    sc_write_number(out, "total_s", unit->total_s);
    sc_write_number(out, "p50_s", unit->p50_s);
    sc_write_number(out, "p99_s", unit->p99_s);
    sc_write_number(out, "cpu_s", unit->cpu_s);
    sc_write_number(out, "peak_mb", unit->peak_mb);
    sc_write_number(out, "growth_mb", unit->growth_mb);
    write_lines(out, page, unit);
    sc_json_end(out, '}');
}

void sc_overview_units(struct sc_json_out *out, const struct sc_page *page)
{
    const struct sc_profile *profile = &page->profile;
    size_t count = profile->units.count < UNITS_MAX ? profile->units.count : UNITS_MAX;
    if (count == 0)
        return;
    sc_json_begin_under(out, "units", '[');
    for (size_t i = 0; i < count; i++)
        write_unit(out, page, &profile->units.items[i]);
    sc_json_end(out, ']');
    sc_json_count_under(out, "units_left_out", profile->units.count - count);
}
