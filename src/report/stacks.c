/*
 * report/stacks.c - the lists of stacks of a profile, read from their JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/stacks.h"

#include <math.h>
#include <string.h>

#include "profile/json_pull.h"

/* Our lists have 10,000 frames in all; lists of others have no limit, so memory needs one. */
#define STACKS_MAX 1000000U
#define NODES_MAX  4000000U
#define DEPTH_MAX  1024U

/* Weights beyond are no measurement. */
#define WEIGHT_MAX 1e15

struct numbers {
    uint32_t *items;
    size_t count;
    size_t capacity;
};

struct reader {
    struct sc_stacks *stacks;
    struct sc_json_pull pull;
    struct sc_str name;
    struct sc_str path;
    struct sc_str kind;
    struct sc_str role;
    uint32_t path_frames[DEPTH_MAX];
    size_t depth;
};

static bool is_same(const struct sc_frame *a, const struct sc_frame *b)
{
    return a->kind == b->kind && a->name == b->name && a->path == b->path && a->line == b->line;
}

static uint32_t add_frame(struct sc_stacks *stacks, const struct sc_frame *frame)
{
    uint64_t key = sc_mix(sc_mix(frame->name, frame->path), frame->line * 4ULL + frame->kind);
    uint32_t at;
    for (; (at = sc_map_get(&stacks->frame_index, key)) != SC_NONE; key = sc_mix(key, 1)) {
        if (is_same(&stacks->frames.items[at], frame))
            return at;
    }
    at = (uint32_t)stacks->frames.count;
    sc_map_put(&stacks->frame_index, key, at);
    sc_vec_push(&stacks->frames, *frame);
    return at;
}

static uint32_t child_of(struct sc_trie *trie, uint32_t parent, uint32_t frame)
{
    uint64_t key = sc_mix(parent, frame);
    uint32_t at;
    for (; (at = sc_map_get(&trie->children, key)) != SC_NONE; key = sc_mix(key, 1)) {
        const struct sc_trie_node *node = &trie->nodes.items[at];
        if (node->parent == parent && node->frame == frame)
            return at;
    }
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

/* The innermost node of the stack. */
static uint32_t add_stack(struct sc_stacks *stacks, const uint32_t *frames, size_t depth)
{
    uint32_t node = 0;
    for (size_t i = 0; i < depth; i++)
        node = add_node(stacks, node, frames[i]);
    return node;
}

static uint32_t text_of(struct sc_stacks *stacks, const struct sc_str *text)
{
    return sc_intern_add(&stacks->texts, sc_str_text(text), text->length);
}

static uint32_t line_of(double number)
{
    return number >= 1 && number < (double)UINT32_MAX ? (uint32_t)number : 0;
}

static void push_frame(struct reader *reader, uint32_t frame)
{
    if (reader->depth < DEPTH_MAX)
        reader->path_frames[reader->depth++] = frame;
    else
        reader->stacks->is_cut = true;
}

/* By "kind" and "role". */
static enum sc_frame_kind kind_of(const struct reader *reader)
{
    if (strcmp(sc_str_text(&reader->kind), "native") != 0)
        return strcmp(sc_str_text(&reader->role), SC_CALL_LIBRARY) == 0 ? SC_FRAME_LIBRARY
                                                                        : SC_FRAME_PYTHON;
    if (strcmp(sc_str_text(&reader->path), SC_MODULE_KERNEL) == 0 ||
        strcmp(sc_str_text(&reader->name), SC_MODULE_KERNEL) == 0)
        return SC_FRAME_KERNEL;
    return strcmp(sc_str_text(&reader->role), SC_CALL_PLUMBING) == 0 ? SC_FRAME_PLUMBING
                                                                     : SC_FRAME_NATIVE;
}

/* A frame with the six keys of the format, or ours with one more. Its number. */
static uint32_t read_frame(struct reader *reader)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_name key;
    double line = 0;
    sc_str_clear(&reader->name);
    sc_str_clear(&reader->path);
    sc_str_clear(&reader->kind);
    sc_str_clear(&reader->role);
    for (bool more = sc_json_pull_object(pull, &key); more; more = sc_json_pull_key(pull, &key)) {
        if (sc_json_name_is(&key, "display_name"))
            (void)sc_json_pull_string(pull, &reader->name);
        else if (sc_json_name_is(&key, "filename_or_module"))
            (void)sc_json_pull_string(pull, &reader->path);
        else if (sc_json_name_is(&key, "kind"))
            (void)sc_json_pull_string(pull, &reader->kind);
        else if (sc_json_name_is(&key, "role"))
            (void)sc_json_pull_string(pull, &reader->role);
        else if (sc_json_name_is(&key, "line"))
            line = sc_json_pull_number(pull);
        else
            sc_json_pull_skip(pull);
    }
    struct sc_frame frame = {.kind = kind_of(reader), .line = line_of(line)};
    if (!sc_frame_is_python(&frame))
        frame.line = 0;
    frame.name = text_of(reader->stacks, &reader->name);
    frame.path = text_of(reader->stacks, &reader->path);
    return add_frame(reader->stacks, &frame);
}

/* "FILE NAME:LINE;": no name has a space, a file may. */
static void read_spelt_frame(struct reader *reader)
{
    if (!sc_json_pull_string(&reader->pull, &reader->name))
        return;
    const char *text = sc_str_text(&reader->name);
    size_t length = reader->name.length;
    const char *space = memrchr(text, ' ', length);
    const char *colon = memrchr(text, ':', length);
    if (space == NULL || colon == NULL || colon < space)
        return;
    struct sc_frame frame = {
        .kind = SC_FRAME_PYTHON,
        .name = sc_intern_add(&reader->stacks->texts, space + 1, (size_t)(colon - space - 1)),
        .path = sc_intern_add(&reader->stacks->texts, text, (size_t)(space - text)),
        .line = line_of(strtod(colon + 1, NULL)),
    };
    push_frame(reader, add_frame(reader->stacks, &frame));
}

static void read_frames(struct reader *reader)
{
    struct sc_json_pull *pull = &reader->pull;
    reader->depth = 0;
    if (sc_json_pull_peek(pull) != '[') {
        sc_json_pull_skip(pull);
        return;
    }
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        char first = sc_json_pull_peek(pull);
        if (first == '{')
            push_frame(reader, read_frame(reader));
        else if (first == '"')
            read_spelt_frame(reader);
        else
            sc_json_pull_skip(pull);
    }
}

static double weight_of(double weight)
{
    return weight > 0 && weight <= WEIGHT_MAX ? weight : 0;
}

/* What a stack weighs: a number, or the "count" of an object. */
static double read_weight(struct sc_json_pull *pull)
{
    struct sc_json_name key;
    double weight = 0;
    if (sc_json_pull_peek(pull) != '{')
        return sc_json_pull_number(pull);
    for (bool more = sc_json_pull_object(pull, &key); more; more = sc_json_pull_key(pull, &key)) {
        if (sc_json_name_is(&key, "count"))
            weight = sc_json_pull_number(pull);
        else
            sc_json_pull_skip(pull);
    }
    return weight;
}

/* Each entry of the text has its place in the list, whatever it is: the timeline names them by
 * their index. */
static void read_list(struct reader *reader, const char *text, enum sc_stack_list list, double unit)
{
    struct sc_stacks *stacks = reader->stacks;
    struct sc_json_pull *pull = &reader->pull;
    if (text == NULL)
        return;
    *pull = sc_json_pull_of(text, strlen(text));
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        double weight = 0;
        size_t part = 0;
        reader->depth = 0;
        if (sc_json_pull_peek(pull) != '[') {
            sc_json_pull_skip(pull);
        } else {
            for (bool inner = sc_json_pull_list(pull); inner; inner = sc_json_pull_item(pull)) {
                if (part == 0)
                    read_frames(reader);
                else if (part == 1)
                    weight = read_weight(pull);
                else
                    sc_json_pull_skip(pull);
                part++;
            }
        }
        if (pull->failed || stacks->lists[list].count >= STACKS_MAX) {
            stacks->is_cut = true;
            return;
        }
        struct sc_listed_stack stack = {
            .node = add_stack(stacks, reader->path_frames, reader->depth),
            .weight = weight_of(weight) * unit,
        };
        sc_vec_push(&stacks->lists[list], stack);
    }
    stacks->is_cut |= pull->failed;
}

static void read_lists(struct reader *reader, const struct sc_profile *profile)
{
    double unit = reader->stacks->count_s;
    /* profiles of before there were native stacks have the first list alone */
    bool has_combined = profile->stacks_json[1] != NULL;
    read_list(reader, profile->stacks_json[has_combined ? 1 : 0], SC_STACKS_TIME, unit);
    read_list(reader, profile->stacks_json[3], SC_STACKS_MEMORY, 1);
}

/* "call_frames". ret_numbers has the number of each. */
static void read_call_frames(struct reader *reader, const char *text, struct numbers *ret_numbers)
{
    struct sc_json_pull *pull = &reader->pull;
    *pull = sc_json_pull_of(text, strlen(text));
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        if (sc_json_pull_peek(pull) == '{') {
            sc_vec_push(ret_numbers, read_frame(reader));
        } else {
            sc_json_pull_skip(pull);
            sc_vec_push(ret_numbers, SC_NONE); /* not a frame; the others keep their numbers */
        }
    }
}

/* "call_tree": of each node its parent (from 1 on; 0: the root), its frame, seconds and MB. Each
 * has its place in both lists. */
static void read_call_tree(struct reader *reader, const struct sc_profile *profile)
{
    struct sc_stacks *stacks = reader->stacks;
    struct sc_json_pull *pull = &reader->pull;
    const char *text = profile->calls_json[SC_CALLS_TREE];
    struct numbers frames = {0};
    struct numbers depths = {0};
    if (profile->calls_json[SC_CALLS_FRAMES] != NULL)
        read_call_frames(reader, profile->calls_json[SC_CALLS_FRAMES], &frames);
    *pull = sc_json_pull_of(text, strlen(text));
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        double numbers[] = {-1, -1, 0, 0};
        sc_json_pull_numbers(pull, numbers, 4);
        size_t place = stacks->lists[SC_STACKS_TIME].count;
        if (pull->failed || place >= STACKS_MAX) {
            stacks->is_cut = true;
            break;
        }
        bool is_child = numbers[0] >= 1 && numbers[0] <= (double)place;
        size_t parent = is_child ? (size_t)numbers[0] : 0;
        uint32_t node = parent > 0 ? stacks->lists[SC_STACKS_TIME].items[parent - 1].node : 0;
        uint32_t depth = parent > 0 ? depths.items[parent - 1] : 0;
        if (depth >= DEPTH_MAX) {
            stacks->is_cut = true;
        } else if (numbers[1] >= 0 && numbers[1] < (double)frames.count &&
                   frames.items[(size_t)numbers[1]] != SC_NONE) {
            node = add_node(stacks, node, frames.items[(size_t)numbers[1]]);
            depth++;
        }
        sc_vec_push(&depths, depth);
        struct sc_listed_stack time = {node, weight_of(numbers[2])};
        struct sc_listed_stack memory = {node, weight_of(numbers[3])};
        sc_vec_push(&stacks->lists[SC_STACKS_TIME], time);
        sc_vec_push(&stacks->lists[SC_STACKS_MEMORY], memory);
    }
    sc_vec_done(&depths);
    sc_vec_done(&frames);
}

/* "call_at_peak_mb" and the like: one number for each node of the tree, in its order: MB or
 * seconds.
 */
static void read_volumes(struct reader *reader, const char *text, enum sc_stack_list list)
{
    const struct sc_stacks *stacks = reader->stacks;
    struct sc_json_pull *pull = &reader->pull;
    size_t count = stacks->lists[SC_STACKS_TIME].count;
    if (text == NULL)
        return;
    *pull = sc_json_pull_of(text, strlen(text));
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        size_t place = stacks->lists[list].count;
        double volume = weight_of(read_weight(pull));
        if (pull->failed || place >= count)
            break;
        uint32_t node = stacks->lists[SC_STACKS_TIME].items[place].node;
        sc_vec_push(&reader->stacks->lists[list], (struct sc_listed_stack){node, volume});
    }
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
    bool has_calls = profile->calls_json[SC_CALLS_TREE] != NULL;
    bool has_interval = profile->interval_s > 0;
    *stacks = (struct sc_stacks){.has_calls = has_calls,
                                 .is_timed = has_calls || has_interval,
                                 .count_s = has_interval && !has_calls ? profile->interval_s : 1};
    for (int i = 0; i < SC_GRAIN_COUNT_; i++)
        sc_vec_push(&stacks->tries[i].nodes, (struct sc_trie_node){.frame = SC_NONE});
    struct reader *reader = sc_alloc(1, sizeof(*reader));
    reader->stacks = stacks;
    if (has_calls) {
        read_call_tree(reader, profile);
        read_volumes(reader, profile->calls_json[SC_CALLS_AT_PEAK], SC_STACKS_AT_PEAK);
        read_volumes(reader, profile->calls_json[SC_CALLS_AT_EXIT], SC_STACKS_AT_EXIT);
        read_volumes(reader, profile->calls_json[SC_CALLS_WAITING], SC_STACKS_WAITING);
        subtract_waiting(stacks);
    } else {
        read_lists(reader, profile);
    }
    sc_str_done(&reader->name);
    sc_str_done(&reader->path);
    sc_str_done(&reader->kind);
    sc_str_done(&reader->role);
    free(reader);
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
