/*
 * page/calls.c - api/calls: the callers and callees of a line, with their shares of the run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "page/frames.h"
#include "page/part_sums.h"
#include "page/write.h"

/* More are no help to a reader; how many were left out is in the answer. */
#define SHOWN_MAX 20U

/* Where the shares come from, and what they are shares of. */
struct scene {
    const struct sc_page *page;
    const struct sc_page_stacks *stacks;
    const struct sc_call_graph *calls;
    double unit; /* what a unit of weight is of the run, or of the part of it, in % */
};

static void write_shares(struct sc_json_out *out, const struct scene *scene, const char *key,
                         const struct sc_call_shares *shares, double most)
{
    const struct sc_stacks *stacks = &scene->stacks->stacks;
    sc_json_begin_under(out, key, '[');
    for (size_t i = 0; i < shares->items.count && i < SHOWN_MAX; i++) {
        const struct sc_call_share *share = &shares->items.items[i];
        sc_json_begin(out, '{');
        sc_page_write_frame(scene->page, stacks, &stacks->frames.items[share->frame], true, out);
        /* a function that is on a stack twice, in two of its lines, counts twice */
        sc_write_number(out, "percent", fmin(share->weight, most) * scene->unit);
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

static void write_calls(struct sc_json_out *out, const struct scene *scene, uint32_t at)
{
    SC_AUTO(sc_call_shares_done) struct sc_call_shares callers = {0};
    SC_AUTO(sc_call_shares_done) struct sc_call_shares callees = {0};
    struct sc_call_place none = {0};
    const struct sc_call_place *place = &none;
    if (at != SC_NONE) {
        place = &scene->calls->places.items[at];
        sc_call_graph_callers(scene->calls, at, &callers);
        sc_call_graph_callees(scene->calls, at, &callees);
    }
    size_t left_out = 0;
    sc_write_number(out, "percent", place->total * scene->unit);
    sc_write_number(out, "self_percent", place->self * scene->unit);
    write_shares(out, scene, "callers", &callers, place->total);
    write_shares(out, scene, "callees", &callees, place->total);
    left_out += callers.items.count > SHOWN_MAX ? callers.items.count - SHOWN_MAX : 0;
    sc_json_count_under(out, "callers_left_out", left_out);
    left_out = callees.items.count > SHOWN_MAX ? callees.items.count - SHOWN_MAX : 0;
    sc_json_count_under(out, "callees_left_out", left_out);
}

/* The graph of a part of the run; to be freed by sc_call_graph_done. */
static void part_calls(const struct sc_page_stacks *stacks, const struct sc_page_part *part,
                       struct sc_call_graph *calls)
{
    size_t count = stacks->stacks.lists[SC_STACKS_TIME].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(*weights));
    sc_page_weigh(stacks, &part->choice, weights);
    sc_call_graph_init(calls, &stacks->stacks, weights);
}

bool sc_page_calls(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                   struct sc_err *err)
{
    size_t number;
    uint64_t line;
    const struct sc_page_part *part;
    SC_AUTO(sc_call_graph_done) struct sc_call_graph of_part = {0};
    if (!sc_page_file(page, query, &number, err) || !sc_page_part_of(page, query, &part, err) ||
        !sc_query_count(query, "line", UINT32_MAX, 0, &line, err))
        return false;
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    const struct sc_file *file = page->report.files.items[number].file;
    double percent = part == NULL ? sc_page_stacks_percent(page, stacks) : 0;
    struct scene scene = {page, stacks, &stacks->calls, 0};
    if (part != NULL) {
        part_calls(stacks, part, &of_part);
        scene.calls = &of_part;
    }
    if (scene.calls->total > 0)
        scene.unit = (percent > 0 ? percent : 100.0) / scene.calls->total;
    sc_json_begin(out, '{');
    sc_json_count_under(out, "file", number);
    sc_json_count_under(out, "lineno", line);
    if (percent > 0)
        sc_write_number(out, "stacks_percent", percent);
    write_calls(out, &scene, sc_call_graph_find(scene.calls, file->name, (uint32_t)line));
    sc_json_end(out, '}');
    return true;
}
