/*
 * page/comparison_stacks.c - "api/diff?of=stacks": the calls of both versions as one tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "page/comparison.h"
#include "page/write.h"
#include "render/comparison.h"

/* What a browser draws and lays out at once without a pause. */
#define NODES_MAX 20000U

/* A call with less on both sides is a part of its caller; less of more calls, if there are many. */
#define LEAST_PART (1.0 / 4000.0)

/* From this part of the larger number on, a change is a large one: half as much, or twice. */
#define LARGE_PART 0.5

enum { DIGITS = 6 };

struct chart {
    const struct sc_comparison *comparison;
    const struct sc_page_pairs *pairs;
    double whole[2];
    SC_VEC(uint32_t) nodes;  /* stacks that are shown, callers before callees */
    uint32_t *node_of;       /* per stack: its node; 0: the root */
    SC_VEC(uint32_t) frames; /* per frame: a stack that ends with it */
    SC_VEC(uint32_t) frame_of_node;
};

static const struct sc_difference *difference_of(const struct chart *chart, uint32_t stack)
{
    return &chart->comparison->tables[SC_COMPARE_STACKS].items[stack].differences[SC_METRIC_TOTAL];
}

/* Takes the stacks that have at least this part of the whole on a side, with their callers. */
static void choose(struct chart *chart, double part)
{
    const struct sc_compared_places *stacks = &chart->comparison->tables[SC_COMPARE_STACKS];
    chart->nodes.count = 0;
    for (uint32_t i = 0; i < stacks->count; i++) {
        const double *mean = difference_of(chart, i)->mean;
        uint32_t parent = stacks->items[i].parent;
        bool is_shown = (mean[0] > part * chart->whole[0] || mean[1] > part * chart->whole[1]) &&
                        (parent == SC_NONE || chart->node_of[parent] > 0);
        chart->node_of[i] = is_shown ? (uint32_t)chart->nodes.count + 1 : 0;
        if (is_shown)
            sc_vec_push(&chart->nodes, i);
    }
}

/* Names are compared by where they are. */
static void number_frames(struct chart *chart)
{
    const struct sc_compared *stacks = chart->comparison->tables[SC_COMPARE_STACKS].items;
    SC_AUTO(sc_map_done) struct sc_map numbers = {0};
    for (size_t i = 0; i < chart->nodes.count; i++) {
        const struct sc_compared *stack = &stacks[chart->nodes.items[i]];
        uint64_t key = sc_mix((uintptr_t)stack->name, (uintptr_t)stack->module);
        uint32_t number = sc_map_get(&numbers, key);
        if (number == SC_NONE) {
            number = (uint32_t)chart->frames.count;
            sc_map_put(&numbers, key, number);
            sc_vec_push(&chart->frames, chart->nodes.items[i]);
        }
        sc_vec_push(&chart->frame_of_node, number);
    }
}

/* The function that a frame is, on each side that has it, or SC_NONE: stacks have names alone. */
static void find_function(const struct sc_matching *match, const struct sc_compared *stack,
                          uint32_t ret_function[2])
{
    ret_function[0] = ret_function[1] = SC_NONE;
    for (int side = 0; side < 2; side++) {
        const struct sc_match_side *of = &match->sides[side];
        uint32_t file = sc_intern_find(&of->names, stack->module, strlen(stack->module));
        uint32_t index = file != SC_NONE ? sc_match_function_of(of, file, stack->name, 0) : SC_NONE;
        if (index == SC_NONE)
            continue;
        ret_function[side] = index;
        ret_function[1 - side] = of->functions.items[index].other;
        return;
    }
}

static void write_frame(const struct chart *chart, const struct sc_compared *stack,
                        struct sc_json_out *out)
{
    static const char *const keys[] = {"before", "after"};
    const struct sc_matching *match = &chart->comparison->match;
    uint32_t function[2];
    find_function(match, stack, function);
    sc_json_begin(out, '{');
    sc_write_text(out, "name", stack->name);
    sc_write_text(out, "kind", "python");
    sc_write_text(out, "path", stack->module);
    for (int side = 0; side < 2; side++) {
        if (function[side] == SC_NONE)
            continue;
        const struct sc_match_function *of = &match->sides[side].functions.items[function[side]];
        uint32_t pair = chart->pairs->number[side][of->file];
        if (pair != SC_NONE)
            sc_write_range(out, keys[side], pair, of->start);
    }
    sc_json_end(out, '}');
}

/* The colour of a box: what is not certain has none. */
static int level_of(const struct sc_difference *one)
{
    if (one->verdict != SC_VERDICT_CERTAIN)
        return 0;
    int level = fabs(one->change) >= LARGE_PART * fmax(one->mean[0], one->mean[1]) ? 2 : 1;
    return one->change > 0.0 ? level : -level;
}

static void write_root(const struct chart *chart, struct sc_json_out *out)
{
    sc_json_begin(out, '{');
    sc_json_key(out, "before");
    sc_json_rounded(out, chart->whole[0], DIGITS);
    sc_json_key(out, "after");
    sc_json_rounded(out, chart->whole[1], DIGITS);
    sc_json_key(out, "change");
    sc_json_rounded(out, chart->whole[1] - chart->whole[0], DIGITS);
    sc_json_end(out, '}');
}

static void write_nodes(const struct chart *chart, struct sc_json_out *out)
{
    const struct sc_compared *stacks = chart->comparison->tables[SC_COMPARE_STACKS].items;
    sc_json_begin_under(out, "parents", '[');
    sc_json_count(out, 0);
    for (size_t i = 0; i < chart->nodes.count; i++) {
        uint32_t parent = stacks[chart->nodes.items[i]].parent;
        sc_json_count(out, parent != SC_NONE ? chart->node_of[parent] : 0);
    }
    sc_json_end(out, ']');
    sc_json_begin_under(out, "node_frames", '[');
    sc_json_integer(out, -1);
    for (size_t i = 0; i < chart->nodes.count; i++)
        sc_json_count(out, chart->frame_of_node.items[i]);
    sc_json_end(out, ']');
    sc_json_begin_under(out, "levels", '[');
    sc_json_count(out, 0);
    for (size_t i = 0; i < chart->nodes.count; i++)
        sc_json_integer(out, level_of(difference_of(chart, chart->nodes.items[i])));
    sc_json_end(out, ']');
    sc_json_begin_under(out, "numbers", '[');
    write_root(chart, out);
    for (size_t i = 0; i < chart->nodes.count; i++) {
        sc_json_begin(out, '{');
        sc_json_write_difference(out, difference_of(chart, chart->nodes.items[i]));
        sc_json_end(out, '}');
    }
    sc_json_end(out, ']');
}

void sc_page_write_compared_stacks(struct sc_json_out *out, const struct sc_comparison *comparison,
                                   const struct sc_page_pairs *pairs)
{
    const struct sc_compared_places *stacks = &comparison->tables[SC_COMPARE_STACKS];
    struct chart chart = {.comparison = comparison, .pairs = pairs};
    SC_AUTO_FREE uint32_t *node_of = sc_alloc(stacks->count + 1, sizeof(*node_of));
    chart.node_of = node_of;
    for (uint32_t i = 0; i < stacks->count; i++)
        for (int side = 0; side < 2 && stacks->items[i].parent == SC_NONE; side++)
            chart.whole[side] += difference_of(&chart, i)->mean[side];
    double part = LEAST_PART;
    do {
        choose(&chart, part);
        part *= 2.0;
    } while (chart.nodes.count > NODES_MAX);
    number_frames(&chart);
    sc_json_begin(out, '{');
    sc_json_begin_under(out, "frames", '[');
    for (size_t i = 0; i < chart.frames.count; i++)
        write_frame(&chart, &stacks->items[chart.frames.items[i]], out);
    sc_json_end(out, ']');
    write_nodes(&chart, out);
    sc_json_count_under(out, "folded", stacks->count - chart.nodes.count);
    sc_json_end(out, '}');
    sc_vec_done(&chart.nodes);
    sc_vec_done(&chart.frames);
    sc_vec_done(&chart.frame_of_node);
}
