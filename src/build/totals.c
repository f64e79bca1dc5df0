/*
 * build/totals.c - sums the costs of all stacks by line and by function.
 *
 * A cost is charged to the innermost frame in scope. Cumulative time counts a line or a function
 * once per stack, however often a recursion has it there: the trie is walked depth first, and only
 * the outermost occurrence on a path takes what lies below it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "base/sort.h"
#include "build/builder.h"
#include "costs/scatter.h"

/* cpu_samples_list has at most this many entries. */
#define MOMENTS_PER_LINE 500

static void add_cost(const struct sc_builder *builder, struct sc_stack_cost *sum,
                     const struct sc_stack_cost *cost)
{
    for (size_t i = 0; i < SC_TIME_COUNT_; i++) {
        if (builder->counts[i])
            sum->time_ns[i] += cost->time_ns[i];
    }
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        sum->wait_ns[i] += cost->wait_ns[i];
    sum->gc_ns += sc_builder_part_ns(builder, cost, cost->gc_ns);
    sum->freeing_ns += sc_builder_part_ns(builder, cost, cost->freeing_ns);
    sum->samples += cost->samples;
    sum->squares += cost->squares;
    sum->utilization_sum += cost->utilization_sum;
    sum->utilization_weight += cost->utilization_weight;
}

/* The total of a node's line, or SC_NONE where the source has no such line. */
static uint32_t line_of_node(struct sc_builder *builder, const struct sc_stack_node *node)
{
    uint32_t file = builder->codes[node->code].file;
    uint32_t line = node->line;
    if (line == 0)
        line = builder->collect->codes.items[node->code].first_line;
    if (line == 0 || line > builder->files.items[file].source.lines.count)
        return SC_NONE;
    uint64_t key = (uint64_t)file << 32 | line;
    uint32_t at = sc_map_get(&builder->line_index, key);
    if (at != SC_NONE)
        return at;
    at = (uint32_t)builder->lines.count;
    sc_vec_push(&builder->lines, (struct sc_total){.file = file, .line = line});
    sc_map_put(&builder->line_index, key, at);
    return at;
}

static void find_lines(struct sc_builder *builder)
{
    size_t count = builder->collect->nodes.count;
    builder->node_lines = sc_alloc(count, sizeof(*builder->node_lines));
    builder->node_lines[0] = SC_NONE;
    for (uint32_t i = 1; i < count; i++) {
        builder->node_lines[i] = sc_builder_file_of(builder, i)->is_shown
                                     ? line_of_node(builder, &builder->collect->nodes.items[i])
                                     : SC_NONE;
    }
}

/* What stands between a node and its owner. */
struct between {
    bool has_workers; /* threads that work for the owner */
    bool has_imports; /* modules that it imports */
    bool has_ending;  /* the end of the interpreter; there is no owner then */
};

static void charge(const struct sc_builder *builder, struct sc_total *total,
                   const struct sc_stack_cost *cost, struct between between)
{
    if (total == NULL)
        return;
    add_cost(builder, &total->own, cost);
    if (between.has_workers)
        total->workers_ns += sc_builder_counted_ns(builder, cost);
    if (between.has_imports)
        total->importing_ns += sc_builder_counted_ns(builder, cost);
}

static void charge_owners(struct sc_builder *builder)
{
    const struct sc_collect *collect = builder->collect;
    SC_AUTO_FREE struct between *between =
        sc_alloc(collect->nodes.count, sizeof(*between)); /* per node */
    for (uint32_t i = 1; i < collect->nodes.count; i++) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        uint32_t owner = builder->owners[i];
        if (owner != i)
            between[i] = (struct between){
                between[node->parent].has_workers || sc_collect_is_workers(collect, i),
                between[node->parent].has_imports || sc_builder_file_of(builder, i)->is_importer,
                between[node->parent].has_ending || i == collect->ending};
        if (node->cost == SC_NONE)
            continue;
        const struct sc_stack_cost *cost = &collect->costs.items[node->cost];
        builder->importing_ns += between[i].has_imports ? sc_builder_counted_ns(builder, cost) : 0;
        builder->ending_ns += between[i].has_ending ? sc_builder_counted_ns(builder, cost) : 0;
        if (owner == SC_NONE)
            continue;
        charge(builder, sc_builder_line_of(builder, owner), cost, between[i]);
        charge(builder, sc_builder_function_of(builder, owner), cost, between[i]);
    }
}

/* Adds up the pairs of samples that follow each other at the same line, or in the same function. */
static void join_pairs(const struct sc_builder *builder)
{
    const struct sc_sequence *sequence = &builder->collect->sequence;
    SC_EACH(const struct sc_sequence_pair, pair, &sequence->pairs) {
        uint32_t from = builder->owners[pair->from];
        uint32_t to = builder->owners[pair->to];
        if (from == SC_NONE || to == SC_NONE)
            continue;
        struct sc_total *line = sc_builder_line_of(builder, to);
        struct sc_total *function = sc_builder_function_of(builder, to);
        bool is_line = line != NULL && line == sc_builder_line_of(builder, from);
        bool is_function = function != NULL && function == sc_builder_function_of(builder, from);
        for (unsigned lag = 0; lag < SC_SEQUENCE_LAGS; lag++) {
            double squares = pair->squares[lag] * sc_sequence_scale(sequence, lag);
            if (is_line)
                line->same_squares[lag] += squares;
            if (is_function)
                function->same_squares[lag] += squares;
        }
    }
}

/* The trie with links from parents to children, and what each node's subtree costs. */
struct tree {
    uint32_t *first_child;
    uint32_t *next_sibling;
    uint64_t *subtree_ns;
};

static void plant(const struct sc_builder *builder, struct tree *ret_tree)
{
    const struct sc_collect *collect = builder->collect;
    size_t count = collect->nodes.count;
    *ret_tree = (struct tree){
        .first_child = sc_alloc(count, sizeof(uint32_t)),
        .next_sibling = sc_alloc(count, sizeof(uint32_t)),
        .subtree_ns = sc_alloc(count, sizeof(uint64_t)),
    };
    for (size_t i = 0; i < count; i++)
        ret_tree->first_child[i] = ret_tree->next_sibling[i] = SC_NONE;
    for (size_t i = count; i-- > 0;) {
        const struct sc_stack_node *node = &collect->nodes.items[i];
        if (node->cost != SC_NONE)
            ret_tree->subtree_ns[i] +=
                sc_builder_counted_ns(builder, &collect->costs.items[node->cost]);
        if (i == 0)
            break;
        ret_tree->subtree_ns[node->parent] += ret_tree->subtree_ns[i];
        ret_tree->next_sibling[i] = ret_tree->first_child[node->parent];
        ret_tree->first_child[node->parent] = (uint32_t)i;
    }
}

static void step(const struct sc_builder *builder, uint32_t node, bool inwards, uint64_t subtree_ns)
{
    struct sc_total *totals[] = {sc_builder_line_of(builder, node),
                                 sc_builder_function_of(builder, node)};
    for (size_t i = 0; i < 2; i++) {
        if (totals[i] == NULL)
            continue;
        if (inwards && totals[i]->on_path == 0)
            totals[i]->cumulative_ns += subtree_ns;
        totals[i]->on_path = inwards ? totals[i]->on_path + 1 : totals[i]->on_path - 1;
    }
}

static void cumulate(struct sc_builder *builder)
{
    struct tree tree;
    plant(builder, &tree);
    const struct sc_stack_node *nodes = builder->collect->nodes.items;
    uint32_t at = tree.first_child[0];
    while (at != SC_NONE) {
        step(builder, at, true, tree.subtree_ns[at]);
        if (tree.first_child[at] != SC_NONE) {
            at = tree.first_child[at];
            continue;
        }
        while (at != 0 && tree.next_sibling[at] == SC_NONE) {
            step(builder, at, false, 0);
            at = nodes[at].parent;
        }
        if (at == 0)
            break;
        step(builder, at, false, 0);
        at = tree.next_sibling[at];
    }
    free(tree.first_child);
    free(tree.next_sibling);
    free(tree.subtree_ns);
}

/* Keeps MOMENTS_PER_LINE of the sorted moments, evenly spaced in their order. */
static void thin(struct sc_total *line)
{
    double *moments = line->cost.cpu_samples.items;
    size_t count = line->cost.cpu_samples.count;
    sc_vec_sort(&line->cost.cpu_samples, sc_by_number);
    if (count <= MOMENTS_PER_LINE)
        return;
    for (size_t i = 0; i < MOMENTS_PER_LINE; i++)
        moments[i] = moments[i * count / MOMENTS_PER_LINE];
    line->cost.cpu_samples.count = MOMENTS_PER_LINE;
}

static void add_moments(struct sc_builder *builder)
{
    SC_EACH(const struct sc_moment, moment, &builder->collect->moments) {
        uint32_t owner = builder->owners[moment->node];
        struct sc_total *line = owner != SC_NONE ? sc_builder_line_of(builder, owner) : NULL;
        if (line != NULL)
            sc_vec_push(&line->cost.cpu_samples, moment->perf_s);
    }
    for (size_t i = 0; i < builder->lines.count; i++)
        thin(&builder->lines.items[i]);
}

void sc_builder_tally(struct sc_builder *builder)
{
    find_lines(builder);
    charge_owners(builder);
    join_pairs(builder);
    cumulate(builder);
    add_moments(builder);
}

/* The time on a CPU. It does not include time in which a thread was runnable without a CPU, which
 * is shared out like the rest. */
static double on_cpu_ns(const struct sc_builder *builder, const uint64_t *time_ns)
{
    static const enum sc_time times[] = {SC_TIME_PYTHON, SC_TIME_NATIVE, SC_TIME_KERNEL,
                                         SC_TIME_PARALLEL};
    double sum = 0;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        sum += builder->counts[times[i]] ? (double)time_ns[times[i]] : 0;
    return sum;
}

/* The 95 % half width, in points of the total, of a share that rests on samples: that of the share
 * of the on-CPU time, scaled by the part of the total that samples stand for. Time off the CPU is
 * measured, not sampled. docs/internals/sampling.md has the formula. */
static double share_error(const struct sc_builder *builder, const struct sc_total *total)
{
    if (total->own.samples == 0 || builder->total_ns == 0)
        return 0;
    struct sc_scatter scatter = {
        .samples = (double)total->own.samples,
        .squares = total->own.squares,
        .same_squares = {total->same_squares[0], total->same_squares[1]},
    };
    double half =
        sc_scatter_of_share(&scatter, SC_SCATTER_AT_ENDS, on_cpu_ns(builder, total->own.time_ns),
                            on_cpu_ns(builder, builder->time_ns));
    return 100 * half * (double)builder->on_cpu_ns / (double)builder->total_ns;
}

void sc_builder_cost(const struct sc_builder *builder, struct sc_total *total,
                     struct sc_cost *ret_cost)
{
    total->cost.is_coroutine |= ret_cost->is_coroutine;
    *ret_cost = total->cost;
    total->cost = (struct sc_cost){0};
    ret_cost->peak_allocated_mb =
        sc_builder_allocated(ret_cost->peak_allocated_mb, ret_cost->peak_mb);
    ret_cost->exit_allocated_mb =
        sc_builder_allocated(ret_cost->exit_allocated_mb, ret_cost->live_at_exit_mb);
    const uint64_t *time_ns = total->own.time_ns;
    uint64_t python_ns = time_ns[SC_TIME_PYTHON] + time_ns[SC_TIME_PREEMPTED_PYTHON];
    uint64_t native_ns =
        time_ns[SC_TIME_NATIVE] + time_ns[SC_TIME_PARALLEL] + time_ns[SC_TIME_PREEMPTED_NATIVE];
    uint64_t all_ns = sc_builder_counted_ns(builder, &total->own);
    if (builder->total_ns > 0) {
        double run_ns = (double)builder->total_ns;
        ret_cost->cpu_python_percent = 100 * (double)python_ns / run_ns;
        ret_cost->cpu_native_percent = 100 * (double)native_ns / run_ns;
        ret_cost->system_percent = 100 * (double)(all_ns - python_ns - native_ns) / run_ns;
        ret_cost->cumulative_percent = 100 * (double)total->cumulative_ns / run_ns;
    }
    if (total->own.utilization_weight > 0) {
        double mean = total->own.utilization_sum / total->own.utilization_weight;
        ret_cost->core_utilization = mean < 0 ? 0 : mean > 1 ? 1 : mean;
    }
    for (size_t i = 0; i < SC_TIME_COUNT_; i++)
        ret_cost->time_s[i] = (double)time_ns[i] / 1e9;
    for (size_t i = 0; i < SC_WAIT_COUNT_; i++)
        ret_cost->wait_s[i] = (double)total->own.wait_ns[i] / 1e9;
    ret_cost->gc_s = (double)total->own.gc_ns / 1e9;
    ret_cost->freeing_s = (double)total->own.freeing_ns / 1e9;
    ret_cost->importing_s = (double)total->importing_ns / 1e9;
    ret_cost->worker_threads_s = (double)total->workers_ns / 1e9;
    sc_builder_copy_gpu(total, ret_cost);
    ret_cost->samples = total->own.samples;
    ret_cost->cpu_share_error = share_error(builder, total);
}
