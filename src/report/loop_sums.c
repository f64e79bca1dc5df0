/* report/loop_sums.c - see loop_sums.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/loop_sums.h"

#include <stdlib.h>
#include <string.h>

struct adder {
    const struct sc_profile *profile;
    const struct sc_stacks *stacks;
    struct sc_loop_sums *sums;
    struct sc_map files;          /* from the id of a path to the index of its file */
    struct sc_map function_index; /* see function_key */
    struct sc_map sum_index;      /* by function and coroutine */
    uint32_t *functions;          /* per frame: its function, or SC_NONE */
};

static const char *text_of(const struct adder *adder, uint32_t text)
{
    return sc_intern_text(&adder->stacks->texts, text);
}

static void find_files(struct adder *adder)
{
    for (size_t i = 0; i < adder->profile->files.count; i++) {
        const char *name = adder->profile->files.items[i].name;
        uint32_t path = sc_intern_find(&adder->stacks->texts, name, strlen(name));
        if (path != SC_NONE)
            sc_map_put(&adder->files, path, (uint32_t)i);
    }
}

/* Functions are told apart by their line; those without a record by their name. */
static uint64_t function_key(const struct sc_frame *frame, const struct sc_function *function)
{
    return function != NULL ? sc_mix(frame->path, function->lineno)
                            : sc_mix(frame->path, sc_mix(frame->name, 1));
}

static uint32_t find_function(struct adder *adder, uint32_t number)
{
    const struct sc_frame *frame = &adder->stacks->frames.items[number];
    struct sc_loop_function found = {.frame = number};
    uint32_t file = sc_map_get(&adder->files, frame->path);
    if (file != SC_NONE) {
        found.file = &adder->profile->files.items[file];
        found.function = sc_function_around(found.file, frame->line, text_of(adder, frame->name));
    }
    uint64_t key = function_key(frame, found.function);
    uint32_t at = sc_map_get(&adder->function_index, key);
    if (at == SC_NONE) {
        at = (uint32_t)adder->sums->functions.count;
        sc_map_put(&adder->function_index, key, at);
        sc_vec_push(&adder->sums->functions, found);
    }
    return at;
}

static void find_functions(struct adder *adder, bool *ret_is_coroutine)
{
    size_t count = adder->stacks->frames.count;
    for (uint32_t i = 0; i < count; i++) {
        adder->functions[i] = SC_NONE;
        ret_is_coroutine[i] = false;
        if (adder->stacks->frames.items[i].kind != SC_FRAME_PYTHON)
            continue;
        adder->functions[i] = find_function(adder, i);
        const struct sc_function *function =
            adder->sums->functions.items[adder->functions[i]].function;
        ret_is_coroutine[i] = function != NULL && function->cost.is_coroutine;
    }
}

static struct sc_loop_sum *sum_of(struct adder *adder, uint32_t function, uint32_t coroutine)
{
    uint64_t key = (uint64_t)function << 32 | coroutine;
    uint32_t at = sc_map_get(&adder->sum_index, key);
    if (at == SC_NONE) {
        at = (uint32_t)adder->sums->items.count;
        sc_map_put(&adder->sum_index, key, at);
        sc_vec_push(&adder->sums->items,
                    (struct sc_loop_sum){.function = function, .coroutine = coroutine});
    }
    return &adder->sums->items.items[at];
}

static struct sc_loop_line *line_of(struct sc_loop_sum *sum, uint32_t lineno)
{
    for (size_t i = 0; i < sum->lines.count; i++) {
        if (sum->lines.items[i].lineno == lineno)
            return &sum->lines.items[i];
    }
    sc_vec_push(&sum->lines, (struct sc_loop_line){.lineno = lineno});
    return &sum->lines.items[sum->lines.count - 1];
}

static void add_callee(const struct adder *adder, struct sc_loop_line *line, uint32_t frame,
                       double weight)
{
    const struct sc_frame *frames = adder->stacks->frames.items;
    size_t i = 0;
    while (i < line->callee_count && (frames[line->callees[i].frame].name != frames[frame].name ||
                                      frames[line->callees[i].frame].path != frames[frame].path))
        i++;
    if (i == SC_LOOP_CALLEES)
        return;
    if (i == line->callee_count)
        line->callees[line->callee_count++] = (struct sc_loop_callee){frame, 0.0};
    line->callees[i].weight += weight;
}

static enum sc_kind kind_of(const struct sc_frame *innermost)
{
    if (sc_frame_is_python(innermost))
        return SC_KIND_PYTHON;
    return innermost->kind == SC_FRAME_KERNEL ? SC_KIND_SYSTEM : SC_KIND_NATIVE;
}

static void add_stack(struct adder *adder, const struct sc_loop_state *state, uint32_t innermost,
                      double weight)
{
    adder->sums->weights[state->part] += weight;
    if (state->part != SC_LOOP_OWN)
        return;
    const struct sc_frame *frames = adder->stacks->frames.items;
    struct sc_loop_sum *sum =
        sum_of(adder, adder->functions[state->own], adder->functions[state->coroutine]);
    struct sc_loop_line *line = line_of(sum, frames[state->own].line);
    line->weights[kind_of(&frames[innermost])] += weight;
    if (state->callee != SC_NONE)
        add_callee(adder, line, state->callee, weight);
}

void sc_loop_sums_init(struct sc_loop_sums *sums, const struct sc_profile *profile,
                       const struct sc_stacks *stacks)
{
    *sums = (struct sc_loop_sums){0};
    struct adder adder = {.profile = profile, .stacks = stacks, .sums = sums};
    SC_AUTO_FREE bool *is_coroutine = sc_alloc(stacks->frames.count + 1, sizeof(*is_coroutine));
    adder.functions = sc_alloc(stacks->frames.count + 1, sizeof(*adder.functions));
    find_files(&adder);
    find_functions(&adder, is_coroutine);
    SC_AUTO_FREE struct sc_loop_state *states = sc_loop_states(stacks, is_coroutine);
    SC_EACH(const struct sc_listed_stack, stack, &stacks->lists[SC_STACKS_TIME]) {
        uint32_t innermost = stacks->tries[SC_GRAIN_LINE].nodes.items[stack->node].frame;
        if (stack->weight > 0)
            add_stack(&adder, &states[stack->node], innermost, stack->weight);
    }
    free(adder.functions);
    sc_map_done(&adder.files);
    sc_map_done(&adder.function_index);
    sc_map_done(&adder.sum_index);
}

void sc_loop_sums_done(struct sc_loop_sums *sums)
{
    for (size_t i = 0; i < sums->items.count; i++)
        sc_vec_done(&sums->items.items[i].lines);
    sc_vec_done(&sums->items);
    sc_vec_done(&sums->functions);
}
