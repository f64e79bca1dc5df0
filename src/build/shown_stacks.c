/* build/shown_stacks.c - see shown_stacks.h. SPDX-License-Identifier: Apache-2.0 */
#include "build/shown_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "build/native_place.h"
#include "build/plumbing.h"

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

static bool is_same_frame(const struct sc_shown_frame *a, const struct sc_shown_frame *b)
{
    return a->is_native == b->is_native && a->name == b->name && a->file == b->file &&
           a->line == b->line;
}

static uint32_t add_frame(struct sc_shown_stacks *shown, const struct sc_shown_frame *frame)
{
    uint64_t key = sc_mix(sc_mix(frame->name, frame->file), frame->line * 2U + frame->is_native);
    uint32_t at;
    sc_map_find(&at, &shown->frame_index, &key, is_same_frame(&shown->frames.items[at], frame));
    if (at != SC_NONE)
        return at;
    at = (uint32_t)shown->frames.count;
    sc_map_put(&shown->frame_index, key, at);
    sc_vec_push(&shown->frames, *frame);
    return at;
}

static uint32_t child_of(struct sc_shown_stacks *shown, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t at = sc_map_get(&shown->children, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)shown->stacks.count;
    const struct sc_shown_stack *above = &shown->stacks.items[parent];
    bool is_native = shown->frames.items[frame].is_native;
    struct sc_shown_stack stack = {
        .parent = parent,
        .frame = frame,
        .depth = above->depth + 1,
        .folded_into = at,
        .python = is_native ? above->python : at,
        .owner = is_native || shown->frames.items[frame].is_library ? above->owner : at,
        .stays = is_native ? above->stays : at,
    };
    sc_map_put(&shown->children, key, at);
    sc_vec_push(&shown->stacks, stack);
    return at;
}

static bool is_in_scope(const struct sc_shown_stacks *shown, uint32_t node)
{
    return sc_builder_file_of(shown->builder, node)->reason == SC_SCOPE_IN;
}

static uint32_t python_frame(struct sc_shown_stacks *shown, uint32_t node)
{
    const struct sc_collect *collect = shown->builder->collect;
    const struct sc_stack_node *at = &collect->nodes.items[node];
    const struct sc_code *code = &collect->codes.items[at->code];
    struct sc_shown_frame frame = {
        .is_library = !is_in_scope(shown, node),
        .name = text(shown, sc_intern_text(&collect->names, code->qualified_name)),
        .file = text(shown, sc_builder_file_of(shown->builder, node)->name),
        .line = at->line != 0 ? at->line : code->first_line,
    };
    return add_frame(shown, &frame);
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
    if (input->namer != NULL && (module[0] == '/' || (input->names_all && module[0] != '[')))
        count = input->namer(input->namer_context, module, code->offset, names);
    *ret_chain = (struct chain){true, (uint32_t)chains->frames.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        struct sc_shown_frame frame = {
            .is_native = true,
            .is_plumbing = sc_plumbing_is(module, names[i].text),
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

/* The stack that shows native time. If the native frames were left out, as they only pass a call
 * on, it is at with one frame more, SC_MODULE_UNKNOWN_FRAMES. */
static uint32_t native_leaf(struct sc_shown_stacks *shown, uint32_t at)
{
    if (at == 0 || shown->frames.items[shown->stacks.items[at].frame].is_native)
        return at;
    uint32_t name = text(shown, SC_MODULE_UNKNOWN_FRAMES);
    struct sc_shown_frame frame = {.is_native = true, .name = name, .file = name};
    return child_of(shown, at, add_frame(shown, &frame));
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
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        sum->waiting_ns += counts[i] && sc_time_is_waiting((enum sc_time)i) ? cost->time_ns[i] : 0;
    sum->samples += cost->samples;
}

/* State while stacks are made. */
struct making {
    struct sc_shown_stacks *shown;
    struct chains chains;
    enum sc_shown_detail detail;
    bool *has_python;     /* per node: a Python frame, shown or not */
    bool *is_late;        /* per node: it is, or is below, native code that was not read */
    struct sc_map likely; /* a call from a Python frame -> the caller's stack with most time */
};

static bool is_unread(const struct making *making, uint32_t node)
{
    const struct sc_collect *collect = making->shown->builder->collect;
    const struct sc_code *code = &collect->codes.items[collect->nodes.items[node].code];
    return sc_code_is_native(code) &&
           strcmp(sc_intern_text(&collect->names, code->file), SC_MODULE_UNREAD) == 0;
}

/* The key of a call: of the function of frame, in whatever line, by the stack caller. */
static uint64_t call_of(const struct sc_shown_stacks *shown, uint32_t caller, uint32_t frame)
{
    const struct sc_shown_frame *called = &shown->frames.items[frame];
    return sc_mix(sc_mix(caller, called->name), called->file);
}

/* The stack of a Python frame that is shown, and whose parent is shown as at. */
static uint32_t python_child(struct making *making, uint32_t at, uint32_t node)
{
    struct sc_shown_stacks *shown = making->shown;
    uint32_t frame = python_frame(shown, node);
    uint32_t parent = shown->builder->collect->nodes.items[node].parent;
    if (making->detail == SC_SHOWN_ENDS)
        return child_of(shown, shown->stacks.items[at].python, frame);
    if (shown->stacks.items[at].python == 0 && making->has_python[parent])
        return child_of(shown, 0, frame);
    if (parent != 0 && is_unread(making, parent)) {
        uint32_t likely = sc_map_get(&making->likely, call_of(shown, at, frame));
        at = likely != SC_NONE ? likely : at;
    }
    return child_of(shown, at, frame);
}

static void add_node(struct making *making, uint32_t node)
{
    struct sc_shown_stacks *shown = making->shown;
    const struct sc_collect *collect = shown->builder->collect;
    const struct sc_stack_node *of = &collect->nodes.items[node];
    uint32_t at = shown->of_node[of->parent]; /* parents come first */
    if (!sc_collect_is_native(collect, node)) {
        bool is_shown = making->detail == SC_SHOWN_ALL || is_in_scope(shown, node);
        at = is_shown ? python_child(making, at, node) : shown->stacks.items[at].stays;
    } else if (making->detail != SC_SHOWN_PYTHON && !is_unread(making, node)) {
        at = native_child(shown, at, of->code, &making->chains);
        if (sc_collect_is_workers(collect, node))
            shown->stacks.items[at].stays = at;
    }
    shown->of_node[node] = at;
    if (of->cost != SC_NONE && making->detail != SC_SHOWN_PYTHON &&
        sc_collect_is_native(collect, node))
        at = native_leaf(shown, at);
    shown->time_of_node[node] = at;
    if (of->cost != SC_NONE)
        add_cost(shown, at, &collect->costs.items[of->cost]);
}

/* Finds, in the stacks so far, through which native code each function was called from each Python
 * frame for most of its time. */
static void find_likely(struct making *making)
{
    const struct sc_shown_stacks *shown = making->shown;
    size_t count = shown->stacks.count;
    SC_AUTO(sc_map_done) struct sc_map calls = {0}; /* a call by a stack -> ways_ns */
    uint32_t way_count = 0;
    SC_AUTO_FREE uint64_t *ways_ns = sc_alloc(count, sizeof(*ways_ns));
    SC_AUTO_FREE uint64_t *total_ns = sc_alloc(count, sizeof(*total_ns));
    for (size_t i = count; i-- > 1;) {
        total_ns[i] += shown->stacks.items[i].time_ns;
        total_ns[shown->stacks.items[i].parent] += total_ns[i];
    }
    for (uint32_t i = 1; i < count; i++) {
        const struct sc_shown_stack *stack = &shown->stacks.items[i];
        if (stack->python != i)
            continue;
        uint64_t call = call_of(shown, stack->parent, stack->frame);
        uint32_t way = sc_map_get(&calls, call);
        if (way == SC_NONE) {
            way = way_count++;
            sc_map_put(&calls, call, way);
        }
        ways_ns[way] += total_ns[i];
        uint32_t caller = shown->stacks.items[stack->parent].python;
        uint64_t from = call_of(shown, caller, stack->frame);
        uint32_t likely = sc_map_get(&making->likely, from);
        uint32_t other =
            likely != SC_NONE ? sc_map_get(&calls, call_of(shown, likely, stack->frame)) : SC_NONE;
        if (other == SC_NONE || ways_ns[way] > ways_ns[other])
            sc_map_put(&making->likely, from, stack->parent);
    }
}

void sc_shown_stacks_build(struct sc_shown_stacks *shown, const struct sc_builder *builder,
                           enum sc_shown_detail detail)
{
    const struct sc_collect *collect = builder->collect;
    size_t count = collect->nodes.count;
    struct making making = {.shown = shown, .detail = detail};
    making.chains.of_code = sc_alloc(collect->codes.count + 1, sizeof(struct chain));
    making.is_late = sc_alloc(count, sizeof(*making.is_late));
    making.has_python = sc_alloc(count, sizeof(*making.has_python));
    *shown = (struct sc_shown_stacks){.builder = builder};
    shown->of_node = sc_alloc(count, sizeof(*shown->of_node));
    shown->time_of_node = sc_alloc(count, sizeof(*shown->time_of_node));
    sc_vec_push(&shown->stacks, (struct sc_shown_stack){.frame = SC_NONE});
    for (uint32_t i = 1; i < count; i++) {
        uint32_t parent = collect->nodes.items[i].parent;
        making.has_python[i] = making.has_python[parent] || !sc_collect_is_native(collect, i);
        making.is_late[i] = making.is_late[parent] || is_unread(&making, i);
        if (!making.is_late[i])
            add_node(&making, i);
    }
    find_likely(&making);
    for (uint32_t i = 1; i < count; i++) {
        if (making.is_late[i])
            add_node(&making, i);
    }
    for (uint32_t i = 1; i < count && collect->moved.count > 0; i++) { /* runs are still there */
        uint32_t to = sc_map_get(&collect->moved, i);
        if (to != SC_NONE)
            shown->time_of_node[i] = shown->time_of_node[to];
    }
    sc_map_done(&making.likely);
    sc_vec_done(&making.chains.frames);
    free(making.chains.of_code);
    free(making.is_late);
    free(making.has_python);
}

static void move_cost(struct sc_shown_stacks *shown, uint32_t from, uint32_t to)
{
    struct sc_shown_stack *source = &shown->stacks.items[from];
    struct sc_shown_stack *target = &shown->stacks.items[to];
    target->time_ns += source->time_ns;
    target->python_ns += source->python_ns;
    target->native_ns += source->native_ns;
    target->waiting_ns += source->waiting_ns;
    target->samples += source->samples;
    source->time_ns = source->python_ns = source->native_ns = source->waiting_ns = 0;
    source->samples = 0;
    source->folded_into = to;
}

/* State while small stacks are folded. */
struct folding {
    struct sc_shown_stacks *shown;
    uint64_t least_ns;
    size_t count;      /* of stacks, before */
    bool *has_kept;    /* a stack that it calls is not folded */
    uint32_t *natives; /* of a Python frame: the stack for small pieces of native code, or 0 */
};

static bool is_native(const struct sc_shown_stacks *shown, uint32_t stack)
{
    return shown->frames.items[shown->stacks.items[stack].frame].is_native;
}

/* The stack that gets the costs of a small stack: its caller; for native code that Python calls,
 * the stack that stands for all such calls. */
static uint32_t target_of(struct folding *folding, uint32_t stack)
{
    struct sc_shown_stacks *shown = folding->shown;
    uint32_t caller = shown->stacks.items[stack].parent;
    if (!is_native(shown, stack) || shown->stacks.items[caller].python != caller)
        return caller;
    if (folding->natives[caller] == 0) {
        uint32_t name = text(shown, SC_MODULE_UNKNOWN_FRAMES);
        struct sc_shown_frame frame = {.is_native = true, .name = name, .file = name};
        uint32_t pieces = child_of(shown, caller, add_frame(shown, &frame));
        folding->natives[caller] = pieces;
    }
    return folding->natives[caller];
}

static void fold_one(struct folding *folding, uint32_t i)
{
    struct sc_shown_stacks *shown = folding->shown;
    uint32_t caller = shown->stacks.items[i].parent;
    uint32_t pieces = folding->natives[i];
    if (pieces != 0 && shown->stacks.items[pieces].time_ns >= folding->least_ns)
        folding->has_kept[i] = true;
    else if (pieces != 0)
        move_cost(shown, pieces, i);
    if (shown->stacks.items[i].time_ns >= folding->least_ns || caller == 0 ||
        folding->has_kept[i]) {
        folding->has_kept[caller] = true;
        return;
    }
    uint32_t target = target_of(folding, i);
    if (target != i)
        move_cost(shown, i, target);
}

static bool is_kernel(const struct sc_shown_stacks *shown, uint32_t stack)
{
    uint32_t file = shown->frames.items[shown->stacks.items[stack].frame].file;
    return strcmp(sc_intern_text(&shown->texts, file), SC_MODULE_KERNEL) == 0;
}

/* Whether two stacks charge their time to the same line and show the same kind of time. */
static bool says_the_same(const struct sc_shown_stacks *shown, uint32_t one, uint32_t other)
{
    return shown->stacks.items[one].owner == shown->stacks.items[other].owner &&
           is_native(shown, one) == is_native(shown, other) &&
           is_kernel(shown, one) == is_kernel(shown, other);
}

void sc_shown_stacks_fold(struct sc_shown_stacks *shown, uint64_t least_ns)
{
    size_t count = shown->stacks.count;
    struct folding folding = {
        .shown = shown,
        .least_ns = least_ns,
        .has_kept = sc_alloc(count, sizeof(*folding.has_kept)),
        .natives = sc_alloc(count, sizeof(*folding.natives)),
    };
    SC_AUTO_FREE uint64_t *before_ns = sc_alloc(count, sizeof(*before_ns));
    for (uint32_t i = 0; i < count; i++)
        before_ns[i] = shown->stacks.items[i].time_ns;
    for (uint32_t i = (uint32_t)count; i-- > 1;) /* callers come before */
        fold_one(&folding, i);
    for (uint32_t i = 1; i < shown->stacks.count; i++) {
        uint32_t into = i;
        while (shown->stacks.items[into].folded_into != into)
            into = shown->stacks.items[into].folded_into;
        shown->stacks.items[i].folded_into = into;
        if (i < count && !says_the_same(shown, i, into))
            shown->moved_ns += before_ns[i];
    }
    free(folding.has_kept);
    free(folding.natives);
}

void sc_shown_stacks_done(struct sc_shown_stacks *shown)
{
    sc_intern_done(&shown->texts);
    sc_vec_done(&shown->frames);
    sc_vec_done(&shown->stacks);
    sc_map_done(&shown->frame_index);
    sc_map_done(&shown->children);
    free(shown->of_node);
    free(shown->time_of_node);
}

struct sc_profile_frame sc_shown_frame_in(const struct sc_shown_stacks *shown, uint32_t number,
                                          bool with_role, struct sc_intern *texts)
{
    const struct sc_shown_frame *frame = &shown->frames.items[number];
    struct sc_profile_frame ret = {
        .name = sc_intern_keep(texts, sc_intern_text(&shown->texts, frame->name)),
        .file = sc_intern_keep(texts, sc_intern_text(&shown->texts, frame->file)),
        .kind = frame->is_native ? "native" : "py",
        .address = frame->is_native ? frame->offset : SC_NO_NUMBER,
        .offset = frame->is_native ? frame->inside : SC_NO_NUMBER,
        .line = frame->is_native ? 0 : frame->line,
    };
    if (with_role && (frame->is_library || frame->is_plumbing))
        ret.role = frame->is_library ? SC_CALL_LIBRARY : SC_CALL_PLUMBING;
    return ret;
}

struct sc_profile_frames sc_shown_stack_in(const struct sc_shown_stacks *shown, uint32_t stack,
                                           struct sc_intern *texts)
{
    uint32_t depth = shown->stacks.items[stack].depth;
    struct sc_profile_frames frames = {.count = depth, .capacity = depth + 1};
    frames.items = sc_alloc(frames.capacity, sizeof(*frames.items));
    for (uint32_t i = depth; i-- > 0;) {
        frames.items[i] = sc_shown_frame_in(shown, shown->stacks.items[stack].frame, false, texts);
        stack = shown->stacks.items[stack].parent;
    }
    return frames;
}
