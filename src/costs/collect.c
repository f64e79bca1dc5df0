/*
 * costs/collect.c - the trie of stacks that a run has cost so far.
 *
 * Tables are keyed by 64-bit mixes; a hit is always compared with the entry it stands for, and when
 * that differs the key is mixed once more, so a collision costs one more lookup and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/collect.h"

#include <stdio.h>
#include <string.h>

#define NODES_LIMIT   ((size_t)1 << 20)
#define MOMENTS_LIMIT ((size_t)5000)
#define CODES_LIMIT   ((size_t)1 << 18)
#define THREADS_LIMIT ((size_t)1000)

/* What code beyond CODES_LIMIT is called; angle brackets keep it out of every scope. */
#define OTHER_CODE    "<other code>"
#define OTHER_THREADS "other threads"

static void add_root(struct sc_collect *collect)
{
    sc_vec_push(&collect->nodes,
                (struct sc_stack_node){.parent = SC_NONE, .code = SC_NONE, .cost = SC_NONE});
}

void sc_collect_init(struct sc_collect *collect, size_t nodes_limit, size_t moments_limit)
{
    *collect = (struct sc_collect){
        .nodes_limit = nodes_limit != 0 ? nodes_limit : NODES_LIMIT,
        .moments_limit = moments_limit != 0 ? moments_limit : MOMENTS_LIMIT,
        .random_state = 0x2545f4914f6cdd1dU,
        .last_cut = SC_NONE,
    };
    add_root(collect);
}

void sc_collect_done(struct sc_collect *collect)
{
    sc_intern_done(&collect->names);
    sc_vec_done(&collect->codes);
    sc_vec_done(&collect->nodes);
    sc_vec_done(&collect->costs);
    sc_vec_done(&collect->threads);
    sc_vec_done(&collect->moments);
    sc_vec_done(&collect->marked);
    sc_timeline_done(&collect->timeline);
    sc_tracks_done(&collect->tracks);
    sc_pair_sums_done(&collect->lock_waits);
    sc_units_done(&collect->units);
    sc_sequence_done(&collect->sequence);
    sc_map_done(&collect->children);
    sc_map_done(&collect->code_index);
    sc_map_done(&collect->thread_index);
    sc_map_done(&collect->moved);
}

static bool is_same_code(const struct sc_code *code, const struct sc_code *wanted)
{
    return code->file == wanted->file && code->qualified_name == wanted->qualified_name &&
           code->first_line == wanted->first_line && code->offset == wanted->offset;
}

/* The code's index, or SC_NONE with *ret_key set to where it belongs. */
static uint32_t find_code(const struct sc_collect *collect, const struct sc_code *wanted,
                          uint64_t *ret_key)
{
    uint32_t at;
    *ret_key = sc_mix(sc_mix(sc_mix(wanted->file, wanted->qualified_name), wanted->first_line),
                      wanted->offset);
    sc_map_find(&at, &collect->code_index, ret_key,
                is_same_code(&collect->codes.items[at], wanted));
    return at;
}

static uint32_t add_code(struct sc_collect *collect, const struct sc_code *code)
{
    uint64_t key;
    uint32_t at = find_code(collect, code, &key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)collect->codes.count;
    sc_vec_push(&collect->codes, *code);
    sc_map_put(&collect->code_index, key, at);
    return at;
}

uint32_t sc_collect_code(struct sc_collect *collect, const char *file, const char *qualified_name,
                         uint32_t first_line)
{
    /* Bounds our memory when a program makes code without end. */
    if (collect->codes.count >= CODES_LIMIT) {
        struct sc_code known = {
            .file = sc_intern_find(&collect->names, file, strlen(file)),
            .qualified_name =
                sc_intern_find(&collect->names, qualified_name, strlen(qualified_name)),
            .first_line = first_line,
        };
        uint64_t unused;
        uint32_t at = SC_NONE;
        if (known.file != SC_NONE && known.qualified_name != SC_NONE)
            at = find_code(collect, &known, &unused);
        if (at != SC_NONE)
            return at;
        file = qualified_name = OTHER_CODE;
        first_line = 0;
    }
    struct sc_code code = {
        .file = sc_intern_add(&collect->names, file, strlen(file)),
        .qualified_name = sc_intern_add(&collect->names, qualified_name, strlen(qualified_name)),
        .first_line = first_line,
    };
    return add_code(collect, &code);
}

uint32_t sc_collect_native(struct sc_collect *collect, const char *module, uint64_t offset)
{
    /* one function then stands for all further ones of its module */
    if (collect->codes.count >= CODES_LIMIT)
        offset = 0;
    struct sc_code code = {
        .file = sc_intern_add(&collect->names, module, strlen(module)),
        .qualified_name = SC_NONE,
        .offset = offset,
    };
    return add_code(collect, &code);
}

bool sc_collect_is_native(const struct sc_collect *collect, uint32_t node)
{
    uint32_t code = collect->nodes.items[node].code;
    return code != SC_NONE && sc_code_is_native(&collect->codes.items[code]);
}

static uint32_t find_node(const struct sc_collect *collect, uint32_t parent, uint32_t code,
                          uint32_t line, uint64_t *ret_key)
{
    const struct sc_stack_node *nodes = collect->nodes.items;
    uint32_t at;
    *ret_key = sc_mix(sc_mix(parent, code), line);
    sc_map_find(&at, &collect->children, ret_key,
                nodes[at].parent == parent && nodes[at].code == code && nodes[at].line == line);
    return at;
}

static uint32_t add_node(struct sc_collect *collect, uint32_t parent, uint32_t code, uint32_t line,
                         uint64_t key)
{
    uint32_t at = (uint32_t)collect->nodes.count;
    sc_vec_push(
        &collect->nodes,
        (struct sc_stack_node){.parent = parent, .code = code, .line = line, .cost = SC_NONE});
    sc_map_put(&collect->children, key, at);
    return at;
}

/* The table is full: the frame hangs below the root, without its callers. A quarter more nodes are
 * kept for such frames; when those are gone too, they share one node. */
static uint32_t cut_stack(struct sc_collect *collect, uint32_t parent, uint32_t code, uint32_t line)
{
    /* frames are added from the outermost inwards, so a cut stack comes here once per frame */
    if (parent != collect->last_cut)
        collect->stacks_cut++;
    uint64_t key = 0;
    uint32_t at = find_node(collect, 0, code, line, &key);
    if (at == SC_NONE && collect->nodes.count >= collect->nodes_limit + collect->nodes_limit / 4) {
        code = sc_collect_code(collect, OTHER_CODE, OTHER_CODE, 0);
        line = 0;
        at = find_node(collect, 0, code, line, &key);
    }
    if (at == SC_NONE)
        at = add_node(collect, 0, code, line, key);
    collect->last_cut = at;
    return at;
}

uint32_t sc_collect_frame(struct sc_collect *collect, uint32_t parent, uint32_t code, uint32_t line)
{
    uint64_t key = 0;
    uint32_t at = find_node(collect, parent, code, line, &key);
    if (at == SC_NONE && collect->nodes.count >= collect->nodes_limit)
        return cut_stack(collect, parent, code, line);
    collect->last_cut = SC_NONE;
    return at != SC_NONE ? at : add_node(collect, parent, code, line, key);
}

uint32_t sc_collect_worker(struct sc_collect *collect, uint32_t host, uint32_t number,
                           uint32_t node)
{
    SC_AUTO_FREE SC_VEC(uint32_t) path = {0};
    for (; node != 0; node = collect->nodes.items[node].parent)
        sc_vec_push(&path, node);
    uint32_t at =
        sc_collect_frame(collect, host, sc_collect_native(collect, SC_MODULE_WORKERS, 0), number);
    for (size_t i = path.count; i-- > 0;) {
        struct sc_stack_node frame = collect->nodes.items[path.items[i]];
        at = sc_collect_frame(collect, at, frame.code, frame.line);
    }
    return at;
}

uint32_t sc_collect_ending(struct sc_collect *collect)
{
    if (collect->ending == 0)
        collect->ending =
            sc_collect_frame(collect, 0, sc_collect_native(collect, SC_MODULE_ENDING, 0), 0);
    return collect->ending;
}

void sc_collect_move(struct sc_collect *collect, uint32_t from, uint32_t to)
{
    uint32_t at = collect->nodes.items[from].cost;
    if (at == SC_NONE || from == to)
        return;
    struct sc_stack_cost moved = collect->costs.items[at];
    struct sc_stack_cost *cost = sc_collect_cost(collect, to);
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        cost->time_ns[i] += moved.time_ns[i];
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        cost->wait_ns[i] += moved.wait_ns[i];
    cost->gc_ns += moved.gc_ns;
    cost->freeing_ns += moved.freeing_ns;
    cost->samples += moved.samples;
    cost->squares += moved.squares;
    cost->utilization_sum += moved.utilization_sum;
    cost->utilization_weight += moved.utilization_weight;
    collect->costs.items[at] = (struct sc_stack_cost){0};
    sc_map_put(&collect->moved, from, to);
}

bool sc_collect_is_workers(const struct sc_collect *collect, uint32_t node)
{
    if (!sc_collect_is_native(collect, node))
        return false;
    uint32_t file = collect->codes.items[collect->nodes.items[node].code].file;
    return strcmp(sc_intern_text(&collect->names, file), SC_MODULE_WORKERS) == 0;
}

struct sc_stack_cost *sc_collect_cost(struct sc_collect *collect, uint32_t node)
{
    struct sc_stack_node *owner = &collect->nodes.items[node];
    if (owner->cost == SC_NONE) {
        owner->cost = (uint32_t)collect->costs.count;
        sc_vec_push(&collect->costs, (struct sc_stack_cost){0});
    }
    return &collect->costs.items[owner->cost];
}

void sc_collect_sampled(struct sc_collect *collect, struct sc_sequence_thread *thread,
                        uint32_t node, uint64_t ns)
{
    sc_collect_cost(collect, node)->squares += (double)ns * (double)ns;
    sc_sequence_add(&collect->sequence, thread, node, (double)ns);
}

uint32_t sc_collect_thread(struct sc_collect *collect, uint64_t pid, uint64_t tid)
{
    uint64_t key = pid << 32 | tid; /* neither takes more than 32 bits */
    uint32_t at = sc_map_get(&collect->thread_index, key);
    if (at != SC_NONE && !collect->threads.items[at].ended)
        return at;
    if (collect->threads.count >= THREADS_LIMIT)
        return (uint32_t)(collect->threads.count - 1);
    at = (uint32_t)collect->threads.count;
    struct sc_thread_cost thread = {.tid = tid};
    if (at == THREADS_LIMIT - 1) {
        thread.tid = 0;
        (void)snprintf(thread.name, sizeof(thread.name), "%s", OTHER_THREADS);
    } else {
        sc_map_put(&collect->thread_index, key, at);
    }
    sc_vec_push(&collect->threads, thread);
    return at;
}

void sc_collect_mark(struct sc_collect *collect, uint32_t code)
{
    for (size_t i = 0; i < collect->marked.count; i++) {
        if (collect->marked.items[i] == code)
            return;
    }
    sc_vec_push(&collect->marked, code);
}

void sc_collect_moment(struct sc_collect *collect, double perf_s, uint32_t node)
{
    struct sc_moment moment = {.perf_s = perf_s, .node = node};
    collect->moments_seen++;
    if (collect->moments.count < collect->moments_limit) {
        sc_vec_push(&collect->moments, moment);
        return;
    }
    collect->random_state = sc_mix(collect->random_state, collect->moments_seen);
    uint64_t at = collect->random_state % collect->moments_seen;
    if (at < collect->moments_limit)
        collect->moments.items[at] = moment;
}

bool sc_time_counts(enum sc_time time, bool is_virtual)
{
    return !is_virtual || time == SC_TIME_PYTHON || time == SC_TIME_NATIVE ||
           time == SC_TIME_PARALLEL;
}
