/*
 * page/async.c - api/async: what tasks wait for, and what blocks their event loop.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/async.h"

#include "page/frames.h"
#include "page/page.h"
#include "page/write.h"
#include "report/number.h"

#define ROWS_MAX  200U
#define LINES_MAX 20U /* of one function */

static void write_source(struct sc_json_out *out, const char *text)
{
    struct sc_hot hot = {0};
    sc_hot_text(text, &hot);
    sc_json_key(out, "text");
    sc_write_source(out, hot.text, hot.text_length);
}

static size_t least(size_t count, size_t most)
{
    return count < most ? count : most;
}

/* -------- waits -------- */

static void write_tasks(struct sc_json_out *out, const struct sc_cost *cost, double percent,
                        double seconds, const char *tasks)
{
    sc_write_number(out, "percent", percent);
    if (seconds > 0.0)
        sc_write_number(out, "seconds", seconds);
    if (cost != NULL) {
        sc_write_number(out, "mean", sc_clamp(cost->async_concurrency_mean, 0.0, 1e9));
        sc_write_number(out, "peak", sc_clamp(cost->async_concurrency_peak, 0.0, 1e9));
    }
    if (tasks[0] != '\0')
        sc_write_text(out, "tasks", tasks);
}

static void write_wait(struct sc_json_out *out, const struct sc_page *page,
                       const struct sc_async_wait *wait)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "name", wait->name);
    sc_json_count_under(out, "file", sc_page_number_of(page, wait->file));
    sc_json_count_under(out, "lineno", wait->lineno);
    write_tasks(out, wait->cost, wait->percent, wait->seconds, wait->tasks);
    size_t shown = least(wait->lines.count, LINES_MAX);
    sc_json_count_under(out, "lines_left_out", wait->lines.count - shown);
    sc_json_begin_under(out, "lines", '[');
    for (size_t i = 0; i < shown; i++) {
        const struct sc_async_wait_line *line = &wait->lines.items[i];
        sc_json_begin(out, '{');
        sc_json_count_under(out, "lineno", line->line->lineno);
        write_source(out, line->line->text);
        write_tasks(out, &line->line->cost, line->percent, line->seconds, line->tasks);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

/* -------- what keeps the loop -------- */

static void write_share(struct sc_json_out *out, double percent, double seconds,
                        const double kinds[SC_KIND_COUNT_])
{
    sc_write_number(out, "percent", percent);
    sc_write_number(out, "seconds", seconds);
    sc_write_kinds(out, "kinds", kinds);
}

static void write_block(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_async_block *block)
{
    sc_json_begin(out, '{');
    sc_write_text(out, "name", block->name);
    sc_write_text(out, "place", block->place);
    if (block->file != NULL)
        sc_json_count_under(out, "file", sc_page_number_of(page, block->file));
    sc_json_count_under(out, "lineno", block->lineno);
    sc_write_text(out, "coroutine", block->coroutine);
    write_share(out, block->percent, block->seconds, block->kinds);
    size_t shown = least(block->lines.count, LINES_MAX);
    sc_json_count_under(out, "lines_left_out", block->lines.count - shown);
    sc_json_begin_under(out, "lines", '[');
    for (size_t i = 0; i < shown; i++) {
        const struct sc_async_block_line *line = &block->lines.items[i];
        sc_json_begin(out, '{');
        sc_json_count_under(out, "lineno", line->lineno);
        write_source(out, line->text);
        write_share(out, line->percent, line->seconds, line->kinds);
        sc_write_text(out, "call", line->call);
        sc_write_text(out, "instead", line->instead);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
    sc_json_end(out, '}');
}

/* -------- lanes of tasks -------- */

static void write_places(struct sc_json_out *out, const struct sc_page *page,
                         const struct sc_async *async)
{
    SC_JSON_OBJECTS(out, "places", const struct sc_async_place, place, &async->places) {
        sc_write_text(out, "name", place->name);
        if (place->file != NULL)
            sc_json_count_under(out, "file", sc_page_number_of(page, place->file));
        sc_json_count_under(out, "lineno", place->lineno);
    }
}

static void write_lane(struct sc_json_out *out, const struct sc_async_lane *lane)
{
    sc_write_text(out, "name", lane->name);
    sc_json_count_under(out, "pid", lane->pid);
    sc_write_number(out, "wait_s", lane->wait_s);
    sc_json_begin_under(out, "runs", '[');
    SC_EACH(const struct sc_async_run, run, &lane->runs) {
        sc_json_begin(out, '[');
        sc_json_rounded(out, run->begin_s, 7);
        sc_json_rounded(out, run->duration_s, 4);
        sc_json_integer(out, run->place != SC_NONE ? (int64_t)run->place : -1);
        sc_json_end(out, ']');
    }
    sc_json_end(out, ']');
}

static void write_lanes(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_async *async)
{
    sc_json_bool_under(out, "lanes_cut", page->profile.task_lanes_cut);
    write_places(out, page, async);
    SC_JSON_OBJECTS(out, "lanes", const struct sc_async_lane, lane, &async->lanes)
        write_lane(out, lane);
}

static void write_lists(struct sc_json_out *out, const struct sc_page *page,
                        const struct sc_async *async)
{
    size_t waits = least(async->waits.count, ROWS_MAX);
    size_t blocks = least(async->blocks.count, ROWS_MAX);
    sc_json_count_under(out, "waits_left_out", async->waits.count - waits);
    sc_json_count_under(out, "blocks_left_out", async->blocks.count - blocks);
    sc_json_begin_under(out, "waits", '[');
    for (size_t i = 0; i < waits; i++)
        write_wait(out, page, &async->waits.items[i]);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "blocks", '[');
    for (size_t i = 0; i < blocks; i++)
        write_block(out, page, &async->blocks.items[i]);
    sc_json_end(out, ']');
}

bool sc_page_async(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                   struct sc_err *err)
{
    (void)query;
    if (!page->report.parts.await)
        return sc_fail(err, SC_ERR_FAILED, "the profile has no await time");
    SC_AUTO(sc_async_done) struct sc_async async = {0};
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    sc_async_init(&async, &page->report, &stacks->stacks);
    sc_json_begin(out, '{');
    sc_write_text(out, "loop", async.loop_text);
    write_lists(out, page, &async);
    write_lanes(out, page, &async);
    sc_json_end(out, '}');
    return true;
}
