/* report/async.c - see async.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/async.h"

#include <stdlib.h>

#include "report/number.h"

/* "Event loops took 2.00 s of the run: 80% in functions of the program, 20% waiting for events." */
static char *loop_text(const struct sc_async *async, const struct sc_report *report)
{
    static const char *const words[SC_LOOP_PART_COUNT_] = {
        [SC_LOOP_OWN] = "in functions of the program",
        [SC_LOOP_LIBRARY] = "in libraries that none of these called",
        [SC_LOOP_ITSELF] = "choosing what to run next",
        [SC_LOOP_IDLE] = "waiting for events",
    };
    struct sc_str text = {0};
    if (async->loop_percent <= 0.0)
        return NULL;
    double seconds = async->loop_percent / 100.0 * report->overview.total_s;
    sc_str_add_format(&text, "Event loops took %s of the run", sc_number_duration(seconds).text);
    const char *separator = ":";
    for (int i = SC_LOOP_OWN; i < SC_LOOP_PART_COUNT_; i++) {
        double percent = 100.0 * async->parts[i] / async->loop_percent;
        if (percent < 0.5)
            continue;
        sc_str_add_format(&text, "%s %s %s", separator, sc_number_percent(percent).text, words[i]);
        separator = ",";
    }
    sc_str_add(&text, ".");
    return sc_str_take(&text);
}

void sc_async_init(struct sc_async *async, const struct sc_report *report,
                   const struct sc_stacks *stacks)
{
    *async = (struct sc_async){0};
    sc_async_find_waits(async, report);
    sc_async_find_lanes(async, report);
    sc_async_find_blocks(async, report, stacks);
    async->loop_text = loop_text(async, report);
}

static void wait_done(struct sc_async_wait *wait)
{
    for (size_t i = 0; i < wait->lines.count; i++)
        free(wait->lines.items[i].tasks);
    sc_vec_done(&wait->lines);
    free(wait->tasks);
}

static void block_done(struct sc_async_block *block)
{
    for (size_t i = 0; i < block->lines.count; i++)
        free(block->lines.items[i].call);
    sc_vec_done(&block->lines);
    free(block->place);
    free(block->name);
    free(block->coroutine);
}

void sc_async_done(struct sc_async *async)
{
    sc_vec_done_each(&async->waits, wait_done);
    sc_async_lanes_done(async);
    sc_vec_done_each(&async->blocks, block_done);
    sc_hots_done(&async->block_lines);
    free(async->loop_text);
}
