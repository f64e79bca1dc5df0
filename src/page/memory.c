/*
 * page/memory.c - api/memory: the lines that hold memory, each with its live memory over the run.
 *
 * With the curves the page says what was in memory at any moment, also without a server.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/sort.h"
#include "page/page.h"
#include "page/write.h"
#include "report/number.h"

#define LINES_MAX 300U  /* with curves of at most SC_CURVE_POINTS points: some hundred KB */
#define LEAST_MB  0.001 /* less is not listed */

struct holder {
    const struct sc_file *file;
    const struct sc_line *line;
    double mb; /* the most at any moment that is known */
};

static double limited(double mb)
{
    return sc_clamp(mb, 0.0, 1e12);
}

static double most_of(const struct sc_cost *cost)
{
    double most = limited(cost->peak_mb);
    if (cost->live_at_peak_mb > most)
        most = limited(cost->live_at_peak_mb);
    return most;
}

/* Highest first; then by place. */
SC_ORDERED_BY(compare, struct holder, SC_FALLING(mb), strcmp(a->file->name, b->file->name),
              SC_RISING(line->lineno));

static void write_holder(struct sc_json_out *out, const struct sc_page *page,
                         const struct holder *holder)
{
    const struct sc_cost *cost = &holder->line->cost;
    struct sc_hot hot = {.lineno = holder->line->lineno};
    sc_hot_text(holder->line->text, &hot);
    sc_json_begin(out, '{');
    sc_json_count_under(out, "file", sc_page_number_of(page, holder->file));
    sc_json_count_under(out, "lineno", hot.lineno);
    sc_json_key(out, "text");
    sc_write_source(out, hot.text, hot.text_length);
    sc_write_number(out, "peak_mb", limited(cost->peak_mb));
    sc_write_number(out, "at_peak_mb", limited(cost->live_at_peak_mb));
    sc_write_number(out, "at_exit_mb", limited(cost->live_at_exit_mb));
    sc_write_number(out, "allocated_mb", limited(cost->malloc_mb));
    sc_write_points(out, "curve", cost->memory_samples.items, cost->memory_samples.count);
    sc_json_end(out, '}');
}

bool sc_page_memory(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                    struct sc_err *err)
{
    (void)query;
    if (!page->report.overview.has_memory)
        return sc_fail(err, SC_ERR_FAILED, "the profile has no memory");
    SC_AUTO_FREE SC_VEC(struct holder) holders = {0};
    for (size_t f = 0; f < page->report.files.count; f++) {
        const struct sc_file *file = page->report.files.items[f].file;
        SC_EACH(const struct sc_line, line, &file->lines) {
            struct holder holder = {.file = file, .line = line, .mb = most_of(&line->cost)};
            if (holder.mb >= LEAST_MB)
                sc_vec_push(&holders, holder);
        }
    }
    sc_vec_sort(&holders, compare);
    sc_json_begin(out, '{');
    sc_json_count_under(out, "line_count", holders.count);
    sc_json_begin_under(out, "rows", '[');
    for (size_t i = 0; i < holders.count && i < LINES_MAX; i++)
        write_holder(out, page, &holders.items[i]);
    sc_json_end(out, ']');
    sc_json_end(out, '}');
    return true;
}
