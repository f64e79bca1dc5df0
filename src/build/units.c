/*
 * build/units.c - units of work, with their hottest lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "build/builder.h"

#define MB        (1024.0 * 1024.0)
#define LINES_MAX 10U
#define SIGMAS    1.96 /* of a 95 % half width */

/* A sample that stands for w bytes has a variance of about w^2. */
static double error_mb(double squares)
{
    return SIGMAS * sqrt(squares) / MB;
}

static double quantile_s(const struct sc_labelled *unit, double share)
{
    uint64_t ns = unit->spread != NULL ? sc_spread_quantile(unit->spread, unit->left, share) : 0;
    ns = ns > unit->min_ns ? ns : unit->min_ns;
    return (double)(ns < unit->max_ns ? ns : unit->max_ns) / 1e9;
}

static struct sc_unit_cost shown(const struct sc_units *units, uint32_t number)
{
    const struct sc_labelled *unit = &units->items.items[number];
    return (struct sc_unit_cost){
        .name = sc_strdup(sc_intern_text(&units->names, number)),
        .count = unit->left,
        .running = unit->entered - unit->left,
        .total_s = (double)unit->total_ns / 1e9,
        .min_s = (double)unit->min_ns / 1e9,
        .max_s = (double)unit->max_ns / 1e9,
        .p50_s = quantile_s(unit, 0.5),
        .p99_s = quantile_s(unit, 0.99),
        .cpu_s = (double)unit->cpu_ns / 1e9,
        .peak_mb = unit->peak_bytes / MB,
        .peak_error_mb = error_mb(unit->peak_squares),
        .growth_mb = unit->growth_bytes / MB,
        .growth_error_mb = error_mb(unit->growth_squares),
    };
}

/* Adds a path's sums to every name on it. squares has those of allocations, by unit. */
static void add_path(const struct sc_units *units, const struct sc_unit_path *path,
                     struct sc_unit_cost *costs, double *squares)
{
    for (const struct sc_unit_path *at = path; at->depth > 0; at = &units->paths.items[at->outer]) {
        struct sc_unit_cost *cost = &costs[at->unit];
        for (size_t i = 0; i < SC_TIME_COUNT_; i++)
            cost->time_s[i] += (double)path->time_ns[i] / 1e9;
        for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
            cost->wait_s[i] += (double)path->wait_ns[i] / 1e9;
        cost->allocated_mb += (double)path->allocated_bytes / MB;
        cost->copied_mb += (double)path->copied_bytes / MB;
        squares[at->unit] += path->allocated_squares;
    }
}

/* Adds what paths spent at nodes to the pairs of a unit and a line. */
static void sum_lines(const struct sc_builder *builder, const struct sc_pair_sums *from,
                      struct sc_pair_sums *ret_sums)
{
    const struct sc_units *units = &builder->collect->units;
    SC_EACH(const struct sc_pair_sum, spent, &from->items) {
        uint32_t line = sc_builder_owner_line(builder, spent->second);
        for (uint32_t path = spent->first; path != 0 && line != SC_NONE;
             path = units->paths.items[path].outer)
            sc_pair_sums_add(ret_sums, units->paths.items[path].unit, line, spent->ns);
    }
}

static void add_lines(const struct sc_builder *builder, struct sc_unit_cost *costs)
{
    SC_AUTO(sc_pair_sums_done) struct sc_pair_sums sums = {0};
    sum_lines(builder, &builder->collect->units.spent, &sums);
    sum_lines(builder, &builder->collect->units.waited, &sums);
    sc_pair_sums_sort(&sums);
    for (size_t i = 0; i < sums.items.count; i++) {
        const struct sc_total *line = &builder->lines.items[sums.items.items[i].second];
        struct sc_unit_cost *cost = &costs[sums.items.items[i].first];
        if (cost->lines.count < LINES_MAX)
            sc_vec_push(&cost->lines, (struct sc_unit_line){
                                          .file = sc_strdup(builder->files.items[line->file].name),
                                          .lineno = line->line,
                                          .time_s = (double)sums.items.items[i].ns / 1e9});
    }
}

SC_ORDERED_BY(by_total, struct sc_unit_cost, SC_FALLING(total_s), strcmp(a->name, b->name));

void sc_builder_units(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_units *units = &builder->collect->units;
    SC_AUTO_FREE double *squares = sc_alloc(units->items.count + 1, sizeof(*squares));
    for (uint32_t i = 0; i < units->items.count; i++)
        sc_vec_push(&profile->units, shown(units, i));
    for (size_t i = 1; i < units->paths.count; i++)
        add_path(units, &units->paths.items[i], profile->units.items, squares);
    for (size_t i = 0; i < units->items.count; i++)
        profile->units.items[i].allocated_error_mb = error_mb(squares[i]);
    add_lines(builder, profile->units.items);
    sc_vec_sort(&profile->units, by_total);
}
