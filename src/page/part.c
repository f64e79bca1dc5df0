/*
 * page/part.c - "api/part": what a part of the run is, and what costs most in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "page/frames.h"
#include "page/overview.h"
#include "page/part_sums.h"
#include "page/write.h"

/* A file with less of the part is not listed, in %. */
#define LEAST_PERCENT 0.005

/* "files": [[file, % of the part]] of those that have any. */
static void write_files(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_page_part *part)
{
    sc_json_begin_under(out, "files", '[');
    for (size_t i = 0; i < page->report.files.count; i++) {
        const struct sc_part_time *time = sc_page_part_time(part, SC_PART_FILES, i, 0);
        double percent = 0;
        for (int kind = 0; time != NULL && kind < SC_KIND_COUNT_; kind++)
            percent += time->kinds[kind];
        if (!(percent >= LEAST_PERCENT))
            continue;
        sc_json_begin(out, '[');
        sc_json_count(out, i);
        sc_json_rounded(out, percent, 5);
        sc_json_end(out, ']');
    }
    sc_json_end(out, ']');
}

/* As in api/overview. */
#define LEAST_HOT_PERCENT 1.0

/* The line or the function of a file as one of the most expensive of the part. */
static void offer(const struct sc_page_part *part, enum sc_part_list list, size_t file,
                  size_t number, const struct sc_hot *place, struct sc_hots *hots)
{
    const struct sc_part_time *time = sc_page_part_time(part, list, file, number);
    struct sc_hot hot = *place;
    for (int kind = 0; time != NULL && kind < SC_KIND_COUNT_; kind++) {
        hot.kinds[kind] = time->kinds[kind];
        hot.percent += time->kinds[kind];
    }
    hot.heat = sc_heat_of(hot.percent);
    if (hot.percent >= LEAST_HOT_PERCENT)
        sc_hots_offer(hots, &hot);
}

/* The number that a place has in the list, by whose cost it is. */
static size_t number_of(enum sc_part_list list, const struct sc_hot *hot)
{
    size_t number = 0;
    if (list == SC_PART_LINES)
        return hot->lineno;
    while (&hot->file->functions.items[number].cost != hot->cost)
        number++;
    return number;
}

static void write_hots(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_page_part *part, enum sc_part_list list)
{
    struct sc_cost costs[SC_REPORT_HOT];
    SC_AUTO(sc_hots_done) struct sc_hots hots = {0};
    for (size_t i = 0; i < page->report.files.count; i++) {
        const struct sc_file *file = page->report.files.items[i].file;
        for (size_t k = 0; list == SC_PART_LINES && k < file->lines.count; k++) {
            const struct sc_line *line = &file->lines.items[k];
            struct sc_hot hot = {.file = file, .cost = &line->cost, .lineno = line->lineno};
            sc_hot_text(line->text, &hot);
            offer(part, list, i, line->lineno, &hot, &hots);
        }
        for (size_t k = 0; list == SC_PART_FUNCTIONS && k < file->functions.count; k++) {
            const struct sc_function *function = &file->functions.items[k];
            struct sc_hot hot = {.file = file, .cost = &function->cost, .lineno = function->lineno};
            sc_hot_text(function->name, &hot);
            offer(part, list, i, k, &hot, &hots);
        }
    }
    sc_hots_name(&page->profile, &hots);
    for (size_t i = 0; i < hots.count; i++) {
        struct sc_hot *hot = &hots.items[i];
        sc_page_part_cost(part, list, sc_page_number_of(page, hot->file), number_of(list, hot),
                          hot->cost, &costs[i]);
        hot->cost = &costs[i];
    }
    sc_overview_hots(out, page, list == SC_PART_LINES ? "hot_lines" : "hot_functions", SC_HOT_TIME,
                     &hots);
}

bool sc_page_of_part(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                     struct sc_err *err)
{
    const struct sc_page_part *part;
    if (!sc_page_part_of(page, query, &part, err))
        return false;
    if (part == NULL)
        return sc_fail(err, SC_ERR_USAGE, "the question must say which span, thread, unit or time");
    sc_json_begin(out, '{');
    sc_write_number(out, "from_s", part->choice.from_s);
    sc_write_number(out, "to_s", part->choice.to_s);
    sc_write_text(out, "unit", sc_page_stacks_of(page)->stacks.is_timed ? "s" : "samples");
    sc_json_key(out, "total");
    sc_json_rounded(out, part->whole, 7);
    double samples = part->of_run * (double)page->profile.samples_taken;
    sc_json_count_under(out, "samples", (uint64_t)fmin(round(samples), 1e15));
    write_files(out, page, part);
    sc_write_kinds(out, "kinds", part->kinds);
    write_hots(out, page, part, SC_PART_LINES);
    write_hots(out, page, part, SC_PART_FUNCTIONS);
    sc_json_end(out, '}');
    return true;
}
