/*
 * profile/shown_stacks.c - the stacks of a run as people see them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/shown_stacks.h"

#include <stdlib.h>
#include <string.h>

/* The frames that one native code stands for: [first, first + count) of chains. */
struct chain {
    bool is_known;
    uint32_t first;
    uint32_t count;
};

struct chains {
    SC_VEC(uint32_t) frames;
    struct chain *of_code; /* per code of the collect */
};

static uint32_t text(struct sc_shown_stacks *shown, const char *string)
{
    return sc_intern_add(&shown->texts, string, strlen(string));
}

static bool is_same(const struct sc_shown_frame *a, const struct sc_shown_frame *b)
{
    return a->is_native == b->is_native && a->name == b->name && a->file == b->file &&
           a->line == b->line;
}

static uint32_t add_frame(struct sc_shown_stacks *shown, const struct sc_shown_frame *frame)
{
    uint64_t key = sc_mix(sc_mix(frame->name, frame->file), frame->line * 2U + frame->is_native);
    for (;; key = sc_mix(key, 1)) {
        uint32_t at = sc_map_get(&shown->frame_index, key);
        if (at == SC_NONE)
            break;
        if (is_same(&shown->frames.items[at], frame))
            return at;
    }
    uint32_t at = (uint32_t)shown->frames.count;
    sc_map_put(&shown->frame_index, key, at);
    sc_vec_push(&shown->frames, *frame);
    return at;
}

static uint32_t child_of(struct sc_shown_stacks *shown, uint32_t parent, uint32_t frame)
{
    uint64_t key = sc_mix(parent, frame);
    for (;; key = sc_mix(key, 1)) {
        uint32_t at = sc_map_get(&shown->children, key);
        if (at == SC_NONE)
            break;
        const struct sc_shown_stack *stack = &shown->stacks.items[at];
        if (stack->parent == parent && stack->frame == frame)
            return at;
    }
    uint32_t at = (uint32_t)shown->stacks.count;
    const struct sc_shown_stack *above = &shown->stacks.items[parent];
    struct sc_shown_stack stack = {
        .parent = parent,
        .frame = frame,
        .depth = above->depth + 1,
        .folded_into = at,
        .has_python = above->has_python || !shown->frames.items[frame].is_native,
    };
    sc_map_put(&shown->children, key, at);
    sc_vec_push(&shown->stacks, stack);
    return at;
}

static uint32_t python_frame(struct sc_shown_stacks *shown, uint32_t node)
{
    const struct sc_collect *collect = shown->builder->collect;
    const struct sc_stack_node *at = &collect->nodes.items[node];
    const struct sc_code *code = &collect->codes.items[at->code];
    struct sc_shown_frame frame = {
        .name = text(shown, sc_intern_text(&collect->names, code->qualified_name)),
        .file = text(shown, sc_builder_file_of(shown->builder, node)->name),
        .line = at->line != 0 ? at->line : code->first_line,
    };
    return add_frame(shown, &frame);
}

char *sc_native_place(const char *module, uint64_t offset)
{
    const char *slash = strrchr(module, '/');
    if (slash == NULL)
        return sc_strdup(module);
    return sc_format("%s+0x%llx", slash + 1, (unsigned long long)offset);
}

/* Frames for the functions that a native code is in, the real one first. */
static void name_code(struct sc_shown_stacks *shown, const struct sc_code *code,
                      struct chains *chains, struct chain *ret_chain)
{
    const struct sc_build_input *input = shown->builder->input;
    const char *module = sc_intern_text(&shown->builder->collect->names, code->file);
    struct sc_native_name names[SC_NATIVE_NAMES_MAX];
    size_t count = 1;
    SC_AUTO_FREE char *place = sc_native_place(module, code->offset);
    names[0] = (struct sc_native_name){place, 0};
    if (input->namer != NULL && module[0] == '/')
        count = input->namer(input->namer_context, module, code->offset, names);
    *ret_chain = (struct chain){true, (uint32_t)chains->frames.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        struct sc_shown_frame frame = {
            .is_native = true,
            .name = text(shown, names[i].text),
            .file = text(shown, module),
            .offset = code->offset,
            .inside = names[i].inside,
        };
        sc_vec_push(&chains->frames, add_frame(shown, &frame));
    }
}

static uint32_t native_child(struct sc_shown_stacks *shown, uint32_t parent, uint32_t code,
                             struct chains *chains)
{
    struct chain *chain = &chains->of_code[code];
    if (!chain->is_known)
        name_code(shown, &shown->builder->collect->codes.items[code], chains, chain);
    for (uint32_t i = chain->first; i < chain->first + chain->count && i < chains->frames.count;
         i++)
        parent = child_of(shown, parent, chains->frames.items[i]);
    return parent;
}

static void add_cost(struct sc_shown_stacks *shown, uint32_t stack,
                     const struct sc_stack_cost *cost)
{
    const bool *counts = shown->builder->counts;
    struct sc_shown_stack *sum = &shown->stacks.items[stack];
    sum->time_ns += sc_builder_counted_ns(shown->builder, cost);
    sum->python_ns +=
        cost->time_ns[SC_TIME_PYTHON] +
        (counts[SC_TIME_PREEMPTED_PYTHON] ? cost->time_ns[SC_TIME_PREEMPTED_PYTHON] : 0);
    sum->native_ns +=
        cost->time_ns[SC_TIME_NATIVE] + cost->time_ns[SC_TIME_PARALLEL] +
        (counts[SC_TIME_PREEMPTED_NATIVE] ? cost->time_ns[SC_TIME_PREEMPTED_NATIVE] : 0);
    sum->samples += cost->samples;
}

void sc_shown_stacks_build(struct sc_shown_stacks *shown, const struct sc_builder *builder,
                           bool with_native)
{
    const struct sc_collect *collect = builder->collect;
    struct chains chains = {.of_code = sc_alloc(collect->codes.count + 1, sizeof(struct chain))};
    *shown = (struct sc_shown_stacks){.builder = builder};
    shown->of_node = sc_alloc(collect->nodes.count, sizeof(*shown->of_node));
    sc_vec_push(&shown->stacks, (struct sc_shown_stack){.frame = SC_NONE});
    for (uint32_t i = 1; i < collect->nodes.count; i++) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        uint32_t at = shown->of_node[node->parent]; /* parents come first */
        if (sc_collect_is_native(collect, i))
            at = with_native ? native_child(shown, at, node->code, &chains) : at;
        else if (sc_builder_file_of(builder, i)->reason == SC_SCOPE_IN)
            at = child_of(shown, at, python_frame(shown, i));
        shown->of_node[i] = at;
        if (node->cost != SC_NONE)
            add_cost(shown, at, &collect->costs.items[node->cost]);
    }
    sc_vec_done(&chains.frames);
    free(chains.of_code);
}

void sc_shown_stacks_fold(struct sc_shown_stacks *shown, uint64_t least_ns)
{
    for (uint32_t i = (uint32_t)shown->stacks.count; i-- > 1;) { /* callers come before */
        struct sc_shown_stack *stack = &shown->stacks.items[i];
        if (stack->time_ns >= least_ns || stack->parent == 0)
            continue;
        struct sc_shown_stack *caller = &shown->stacks.items[stack->parent];
        caller->time_ns += stack->time_ns;
        caller->python_ns += stack->python_ns;
        caller->native_ns += stack->native_ns;
        caller->samples += stack->samples;
        stack->time_ns = stack->python_ns = stack->native_ns = stack->samples = 0;
        stack->folded_into = stack->parent;
    }
    for (uint32_t i = 1; i < shown->stacks.count; i++) {
        struct sc_shown_stack *stack = &shown->stacks.items[i];
        stack->folded_into = shown->stacks.items[stack->folded_into].folded_into;
    }
}

void sc_shown_stacks_done(struct sc_shown_stacks *shown)
{
    sc_intern_done(&shown->texts);
    sc_vec_done(&shown->frames);
    sc_vec_done(&shown->stacks);
    sc_map_done(&shown->frame_index);
    sc_map_done(&shown->children);
    free(shown->of_node);
}

static void write_count_or_null(struct sc_json_out *out, const char *key, bool is_count,
                                uint64_t count)
{
    sc_json_key(out, key);
    if (is_count)
        sc_json_count(out, count);
    else
        sc_json_null(out);
}

static void write_frame(const struct sc_shown_stacks *shown, const struct sc_shown_frame *frame,
                        struct sc_json_out *out)
{
    sc_json_item(out);
    sc_json_begin(out, '{');
    sc_json_key(out, "display_name");
    sc_json_string(out, sc_intern_text(&shown->texts, frame->name));
    sc_json_key(out, "filename_or_module");
    sc_json_string(out, sc_intern_text(&shown->texts, frame->file));
    write_count_or_null(out, "ip", frame->is_native, frame->offset);
    sc_json_key(out, "kind");
    sc_json_string(out, frame->is_native ? "native" : "py");
    write_count_or_null(out, "line", !frame->is_native, frame->line);
    write_count_or_null(out, "offset", frame->is_native, frame->inside);
    sc_json_end(out, '}');
}

void sc_shown_stacks_write(const struct sc_shown_stacks *shown, uint32_t stack,
                           struct sc_json_out *out)
{
    uint32_t depth = shown->stacks.items[stack].depth;
    uint32_t *path = sc_alloc(depth + 1, sizeof(*path));
    for (uint32_t i = depth; i-- > 0;) {
        path[i] = shown->stacks.items[stack].frame;
        stack = shown->stacks.items[stack].parent;
    }
    sc_json_begin(out, '[');
    for (uint32_t i = 0; i < depth; i++)
        write_frame(shown, &shown->frames.items[path[i]], out);
    sc_json_end(out, ']');
    free(path);
}
