/* report/calls.c - see calls.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

static bool is_one_function(const struct sc_frame *a, const struct sc_frame *b)
{
    return sc_frame_is_python(a) == sc_frame_is_python(b) && a->path == b->path &&
           a->name == b->name;
}

static void find_places(struct sc_call_graph *calls)
{
    const struct sc_stacks *stacks = calls->stacks;
    SC_AUTO(sc_map_done) struct sc_map index = {0};
    for (size_t i = 0; i < stacks->frames.count; i++) {
        const struct sc_frame *frame = &stacks->frames.items[i];
        bool is_python = sc_frame_is_python(frame);
        bool is_line = is_python && frame->line != 0;
        uint64_t key = (frame->path * 4ULL + (is_line ? 2 : is_python)) << 32 |
                       (is_line ? frame->line : frame->name);
        calls->place_of[i] = SC_NONE;
        if (frame->kind == SC_FRAME_PLUMBING)
            continue;
        uint32_t at = sc_map_get(&index, key);
        if (at == SC_NONE) {
            at = (uint32_t)calls->places.count;
            sc_map_put(&index, key, at);
            sc_vec_push(&calls->places, (struct sc_call_place){.frame = (uint32_t)i,
                                                               .stack = SIZE_MAX,
                                                               .first_caller = SC_NONE,
                                                               .first_callee = SC_NONE});
        }
        calls->place_of[i] = at;
    }
}

static struct sc_call_edge *edge_of(struct sc_call_graph *calls, uint32_t caller, uint32_t callee)
{
    uint64_t key = (uint64_t)caller << 32 | callee;
    uint32_t at = sc_map_get(&calls->edge_index, key);
    if (at != SC_NONE)
        return &calls->edges.items[at];
    at = (uint32_t)calls->edges.count;
    sc_map_put(&calls->edge_index, key, at);
    struct sc_call_place *above = &calls->places.items[caller];
    struct sc_call_place *below = &calls->places.items[callee];
    sc_vec_push(&calls->edges, (struct sc_call_edge){.caller = caller,
                                                     .callee = callee,
                                                     .stack = SIZE_MAX,
                                                     .next_caller = below->first_caller,
                                                     .next_callee = above->first_callee});
    below->first_caller = at;
    above->first_callee = at;
    return &calls->edges.items[at];
}

/* From the inner end of a stack outwards. */
static void add_stack(struct sc_call_graph *calls, size_t stack, uint32_t innermost, double weight)
{
    const struct sc_trie *trie = &calls->stacks->tries[SC_GRAIN_LINE];
    const struct sc_frame *frames = calls->stacks->frames.items;
    uint32_t below = SC_NONE;
    uint32_t below_frame = SC_NONE;
    for (uint32_t node = innermost; node != 0; node = trie->nodes.items[node].parent) {
        uint32_t frame = trie->nodes.items[node].frame;
        uint32_t at = calls->place_of[frame];
        if (at == SC_NONE)
            continue;
        struct sc_call_place *place = &calls->places.items[at];
        if (below == SC_NONE)
            place->self += weight;
        if (place->stack != stack)
            place->total += weight;
        place->stack = stack;
        /* a comprehension is a function of its own on the line that calls it */
        bool is_one_line = at == below && !is_one_function(&frames[frame], &frames[below_frame]);
        if (below != SC_NONE && !is_one_line) {
            struct sc_call_edge *edge = edge_of(calls, at, below);
            if (edge->stack != stack)
                edge->weight += weight;
            edge->stack = stack;
        }
        below = at;
        below_frame = frame;
    }
    calls->total += weight;
}

void sc_call_graph_init(struct sc_call_graph *calls, const struct sc_stacks *stacks,
                        const double *weights)
{
    *calls = (struct sc_call_graph){.stacks = stacks};
    calls->place_of = sc_alloc(stacks->frames.count + 1, sizeof(*calls->place_of));
    find_places(calls);
    for (size_t i = 0; i < stacks->lists[SC_STACKS_TIME].count; i++) {
        const struct sc_listed_stack *listed = &stacks->lists[SC_STACKS_TIME].items[i];
        double weight = weights != NULL ? weights[i] : listed->weight;
        if (weight > 0)
            add_stack(calls, i, listed->node, weight);
    }
}

void sc_call_graph_done(struct sc_call_graph *calls)
{
    free(calls->place_of);
    sc_vec_done(&calls->places);
    sc_vec_done(&calls->edges);
    sc_map_done(&calls->edge_index);
}

uint32_t sc_call_graph_find(const struct sc_call_graph *calls, const char *path, uint32_t line)
{
    uint32_t id = sc_intern_find(&calls->stacks->texts, path, strlen(path));
    for (size_t i = 0; id != SC_NONE && i < calls->places.count; i++) {
        const struct sc_frame *frame = &calls->stacks->frames.items[calls->places.items[i].frame];
        if (frame->line == line && frame->path == id && sc_frame_is_python(frame))
            return (uint32_t)i;
    }
    return SC_NONE;
}

SC_ORDERED_BY(by_weight, struct sc_call_share, SC_FALLING(weight), SC_RISING(frame));

static void sort(struct sc_call_shares *shares)
{
    sc_vec_sort(&shares->items, by_weight);
}

void sc_call_graph_callers(const struct sc_call_graph *calls, uint32_t place,
                           struct sc_call_shares *shares)
{
    *shares = (struct sc_call_shares){0};
    for (uint32_t at = calls->places.items[place].first_caller; at != SC_NONE;
         at = calls->edges.items[at].next_caller) {
        const struct sc_call_edge *edge = &calls->edges.items[at];
        sc_vec_push(&shares->items,
                    (struct sc_call_share){calls->places.items[edge->caller].frame, edge->weight});
    }
    sort(shares);
}

void sc_call_graph_callees(const struct sc_call_graph *calls, uint32_t place,
                           struct sc_call_shares *shares)
{
    const struct sc_frame *frames = calls->stacks->frames.items;
    SC_AUTO(sc_call_shares_done) struct sc_call_shares lines = {0};
    *shares = (struct sc_call_shares){0};
    for (uint32_t at = calls->places.items[place].first_callee; at != SC_NONE;
         at = calls->edges.items[at].next_callee) {
        const struct sc_call_edge *edge = &calls->edges.items[at];
        sc_vec_push(&lines.items,
                    (struct sc_call_share){calls->places.items[edge->callee].frame, edge->weight});
    }
    sort(&lines);
    /* a function takes the place of its lines; the first is the most expensive */
    SC_AUTO(sc_map_done) struct sc_map index = {0};
    for (size_t i = 0; i < lines.items.count; i++) {
        const struct sc_frame *frame = &frames[lines.items.items[i].frame];
        uint64_t key = (frame->path * 2ULL + sc_frame_is_python(frame)) << 32 | frame->name;
        uint32_t at = sc_map_get(&index, key);
        if (at != SC_NONE) {
            shares->items.items[at].weight += lines.items.items[i].weight;
            continue;
        }
        sc_map_put(&index, key, (uint32_t)shares->items.count);
        sc_vec_push(&shares->items, lines.items.items[i]);
    }
    sort(shares);
}

void sc_call_shares_done(struct sc_call_shares *shares)
{
    sc_vec_done(&shares->items);
}
