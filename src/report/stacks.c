/* report/stacks.c - see stacks.h. SPDX-License-Identifier: Apache-2.0 */
#include "report/stacks.h"

#include <math.h>
#include <string.h>

#include "report/number.h"

/* Our lists have 10,000 frames in all; lists of others have no limit, so memory needs one. */
#define STACKS_MAX 1000000U
#define NODES_MAX  4000000U
#define DEPTH_MAX  1024U

/* Weights beyond are no measurement. */
#define WEIGHT_MAX 1e15

static bool is_same_frame(const struct sc_frame *a, const struct sc_frame *b)
{
    return a->kind == b->kind && a->name == b->name && a->path == b->path && a->line == b->line;
}

static uint32_t add_frame(struct sc_stacks *stacks, const struct sc_frame *frame)
{
    uint64_t key = sc_mix(sc_mix(frame->name, frame->path), frame->line * 4ULL + frame->kind);
    uint32_t at;
    sc_map_find(&at, &stacks->frame_index, &key, is_same_frame(&stacks->frames.items[at], frame));
    if (at != SC_NONE)
        return at;
    at = (uint32_t)stacks->frames.count;
    sc_map_put(&stacks->frame_index, key, at);
    sc_vec_push(&stacks->frames, *frame);
    return at;
}

static uint32_t child_of(struct sc_trie *trie, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t at = sc_map_get(&trie->children, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)trie->nodes.count;
    sc_map_put(&trie->children, key, at);
    sc_vec_push(&trie->nodes, (struct sc_trie_node){.parent = parent, .frame = frame});
    return at;
}

/* The frame that stands for all lines of its function. */
static uint32_t function_of(struct sc_stacks *stacks, uint32_t frame)
{
    struct sc_frame whole = stacks->frames.items[frame];
    whole.line = 0;
    return add_frame(stacks, &whole);
}

/* The node of a frame below another in the trie of lines, made with its function's where new. */
static uint32_t add_node(struct sc_stacks *stacks, uint32_t parent, uint32_t frame)
{
    struct sc_trie *lines = &stacks->tries[SC_GRAIN_LINE];
    size_t known = lines->nodes.count;
    if (known >= NODES_MAX) {
        stacks->is_cut = true;
        return parent;
    }
    uint32_t above = lines->nodes.items[parent].function;
    uint32_t node = child_of(lines, parent, frame);
    if (lines->nodes.count > known) {
        uint32_t function = function_of(stacks, frame);
        lines->nodes.items[node].function =
            child_of(&stacks->tries[SC_GRAIN_FUNCTION], above, function);
    }
    return node;
}

static bool is(const char *text, const char *word)
{
    return text != NULL && strcmp(text, word) == 0;
}

/* By "kind" and "role". */
static enum sc_frame_kind kind_of(const struct sc_profile_frame *frame)
{
    if (!is(frame->kind, "native"))
        return is(frame->role, SC_CALL_LIBRARY) ? SC_FRAME_LIBRARY : SC_FRAME_PYTHON;
    if (is(frame->file, SC_MODULE_KERNEL) || is(frame->name, SC_MODULE_KERNEL))
        return SC_FRAME_KERNEL;
    return is(frame->role, SC_CALL_PLUMBING) ? SC_FRAME_PLUMBING : SC_FRAME_NATIVE;
}

static uint32_t text_of(struct sc_stacks *stacks, const char *text)
{
    text = text != NULL ? text : "";
    return sc_intern_add(&stacks->texts, text, strlen(text));
}

static uint32_t frame_of(struct sc_stacks *stacks, const struct sc_profile_frame *from)
{
    struct sc_frame frame = {
        .kind = kind_of(from),
        .name = text_of(stacks, from->name),
        .path = text_of(stacks, from->file),
    };
    if (sc_frame_is_python(&frame))
        frame.line = from->line;
    return add_frame(stacks, &frame);
}

/* "FILE NAME:LINE;": no name has a space, a file may. SC_NONE when it is not that. */
static uint32_t named_frame_of(struct sc_stacks *stacks, const char *text)
{
    const char *space = strrchr(text, ' ');
    const char *colon = strrchr(text, ':');
    if (space == NULL || colon == NULL || colon < space)
        return SC_NONE;
    double line = strtod(colon + 1, NULL);
    struct sc_frame frame = {
        .kind = SC_FRAME_PYTHON,
        .name = sc_intern_add(&stacks->texts, space + 1, (size_t)(colon - space - 1)),
        .path = sc_intern_add(&stacks->texts, text, (size_t)(space - text)),
        .line = line >= 1 && line < (double)UINT32_MAX ? (uint32_t)line : 0,
    };
    return add_frame(stacks, &frame);
}

static double weight_of(double weight)
{
    return weight > 0 && weight <= WEIGHT_MAX ? weight : 0;
}

static size_t cap_count(struct sc_stacks *stacks, size_t count, size_t most)
{
    stacks->is_cut |= count > most;
    return count < most ? count : most;
}

/* Each stack has its place in the list, whatever it is: the timeline names them by their index. */
static void add_stack(struct sc_stacks *stacks, enum sc_stack_list list, uint32_t node,
                      double weight)
{
    sc_vec_push(&stacks->lists[list], (struct sc_listed_stack){node, weight});
}

static uint32_t node_of(struct sc_stacks *stacks, const struct sc_profile_frames *frames)
{
    uint32_t node = 0;
    for (size_t i = 0; i < cap_count(stacks, frames->count, DEPTH_MAX); i++)
        node = add_node(stacks, node, frame_of(stacks, &frames->items[i]));
    return node;
}

static uint32_t named_node_of(struct sc_stacks *stacks, const struct sc_named_stack *stack)
{
    uint32_t node = 0;
    for (size_t i = 0; i < cap_count(stacks, stack->names.count, DEPTH_MAX); i++) {
        uint32_t frame = named_frame_of(stacks, stack->names.items[i]);
        node = frame != SC_NONE ? add_node(stacks, node, frame) : node;
    }
    return node;
}

static void add_lists(struct sc_stacks *stacks, const struct sc_profile *profile)
{
    double unit = stacks->count_s;
    for (size_t i = 0; i < cap_count(stacks, profile->combined_stacks.count, STACKS_MAX); i++) {
        const struct sc_profile_stack *stack = &profile->combined_stacks.items[i];
        add_stack(stacks, SC_STACKS_TIME, node_of(stacks, &stack->frames),
                  weight_of((double)stack->count) * unit);
    }
    /* profiles of before there were native stacks have names alone */
    bool has_names_alone = profile->combined_stacks.count == 0;
    for (size_t i = 0; has_names_alone && i < cap_count(stacks, profile->stacks.count, STACKS_MAX);
         i++) {
        const struct sc_named_stack *stack = &profile->stacks.items[i];
        add_stack(stacks, SC_STACKS_TIME, named_node_of(stacks, stack),
                  weight_of((double)stack->count) * unit);
    }
    for (size_t i = 0; i < cap_count(stacks, profile->memory_stacks.count, STACKS_MAX); i++) {
        const struct sc_profile_stack *stack = &profile->memory_stacks.items[i];
        add_stack(stacks, SC_STACKS_MEMORY, node_of(stacks, &stack->frames), weight_of(stack->mb));
    }
}

/* Each node has its place in the lists of time and memory. */
static void add_call_tree(struct sc_stacks *stacks, const struct sc_profile *profile)
{
    size_t count = cap_count(stacks, profile->call_tree.count, STACKS_MAX);
    SC_AUTO_FREE uint32_t *frames = sc_alloc(profile->call_frames.count + 1, sizeof(*frames));
    SC_AUTO_FREE uint32_t *depths = sc_alloc(count + 1, sizeof(*depths)); /* [0] of no node */
    for (size_t i = 0; i < profile->call_frames.count; i++)
        frames[i] = frame_of(stacks, &profile->call_frames.items[i]);
    for (size_t i = 0; i < count; i++) {
        const struct sc_call_node *call = &profile->call_tree.items[i];
        size_t parent = call->parent <= i ? call->parent : 0;
        uint32_t node = parent > 0 ? stacks->lists[SC_STACKS_TIME].items[parent - 1].node : 0;
        bool has_room = cap_count(stacks, depths[parent] + 1, DEPTH_MAX) > depths[parent];
        depths[i + 1] = depths[parent];
        if (has_room && call->frame < profile->call_frames.count) {
            node = add_node(stacks, node, frames[call->frame]);
            depths[i + 1]++;
        }
        add_stack(stacks, SC_STACKS_TIME, node, weight_of(call->self_s));
        add_stack(stacks, SC_STACKS_MEMORY, node, weight_of(call->self_mb));
    }
}

/* One number for each node of the tree of calls, in its order: MB or seconds. */
static void add_volumes(struct sc_stacks *stacks, const double *volumes, size_t count,
                        enum sc_stack_list list)
{
    for (size_t i = 0; i < count && i < stacks->lists[SC_STACKS_TIME].count; i++)
        add_stack(stacks, list, stacks->lists[SC_STACKS_TIME].items[i].node, weight_of(volumes[i]));
}

/* What of each stack's time is no waiting. */
static void subtract_waiting(struct sc_stacks *stacks)
{
    for (size_t i = 0; i < stacks->lists[SC_STACKS_WAITING].count; i++) {
        struct sc_listed_stack stack = stacks->lists[SC_STACKS_TIME].items[i];
        stack.weight = fmax(0, stack.weight - stacks->lists[SC_STACKS_WAITING].items[i].weight);
        sc_vec_push(&stacks->lists[SC_STACKS_ON_CPU], stack);
    }
}

void sc_stacks_init(struct sc_stacks *stacks, const struct sc_profile *profile)
{
    bool has_calls = profile->call_tree.count > 0;
    bool has_interval = profile->interval_s > 0;
    *stacks = (struct sc_stacks){.has_calls = has_calls,
                                 .is_timed = has_calls || has_interval,
                                 .count_s = has_interval && !has_calls ? profile->interval_s : 1};
    for (int i = 0; i < SC_GRAIN_COUNT_; i++)
        sc_vec_push(&stacks->tries[i].nodes, (struct sc_trie_node){.frame = SC_NONE});
    if (!has_calls) {
        add_lists(stacks, profile);
        return;
    }
    add_call_tree(stacks, profile);
    add_volumes(stacks, profile->call_at_peak_mb.items, profile->call_at_peak_mb.count,
                SC_STACKS_AT_PEAK);
    add_volumes(stacks, profile->call_at_exit_mb.items, profile->call_at_exit_mb.count,
                SC_STACKS_AT_EXIT);
    add_volumes(stacks, profile->call_waiting_s.items, profile->call_waiting_s.count,
                SC_STACKS_WAITING);
    subtract_waiting(stacks);
}

void sc_stacks_done(struct sc_stacks *stacks)
{
    for (int i = 0; i < SC_GRAIN_COUNT_; i++) {
        sc_vec_done(&stacks->tries[i].nodes);
        sc_map_done(&stacks->tries[i].children);
    }
    for (int i = 0; i < SC_STACKS_COUNT_; i++)
        sc_vec_done(&stacks->lists[i]);
    sc_vec_done(&stacks->frames);
    sc_map_done(&stacks->frame_index);
    sc_intern_done(&stacks->texts);
}

bool sc_unit_find(const struct sc_profile *profile, const char *name, uint32_t *ret_unit,
                  struct sc_err *err)
{
    uint32_t unit = 0;
    while (unit < profile->units.count && strcmp(profile->units.items[unit].name, name) != 0)
        unit++;
    *ret_unit = unit;
    if (unit == profile->units.count)
        return sc_fail(err, SC_ERR_FAILED, "the profile has no unit of work '%.100s'", name);
    return profile->call_units.count > 0 || profile->call_unit_waits.count > 0 ||
           sc_fail(err, SC_ERR_FAILED,
                   "the profile does not say at which stacks its units of work were");
}

/* The nodes of the tree of calls are the stacks of all lists of times. */
static void add_unit(const struct sc_call_units *units, uint32_t unit, size_t count,
                     double *ret_weights)
{
    SC_EACH(const struct sc_call_unit, part, units)
        if (part->unit == unit && part->call > 0 && part->call <= count)
            ret_weights[part->call - 1] += sc_clamp(part->time_s, 0.0, 1e12);
}

void sc_stacks_weigh_unit(const struct sc_stacks *stacks, const struct sc_profile *profile,
                          uint32_t unit, enum sc_stack_list list, double *ret_weights)
{
    size_t count = stacks->lists[list].count;
    memset(ret_weights, 0, count * sizeof(*ret_weights));
    if (list != SC_STACKS_WAITING)
        add_unit(&profile->call_units, unit, count, ret_weights);
    if (list != SC_STACKS_ON_CPU)
        add_unit(&profile->call_unit_waits, unit, count, ret_weights);
}
