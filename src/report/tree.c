/*
 * report/tree.c - a tree of stacks with the weights that are asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/stacks.h"

/* A node with less of the whole is part of its parent: it would be less than a pixel wide. */
#define SMALLEST_SHARE 4000.0

/* Sums at the nodes of one trie. */
struct sums {
    double *self;
    double *total;
    double *first_s;
    size_t count;
};

static struct sums sums_of(const struct sc_trie *trie)
{
    size_t count = trie->nodes.count;
    struct sums sums = {sc_alloc(count, sizeof(double)), sc_alloc(count, sizeof(double)),
                        sc_alloc(count, sizeof(double)), count};
    for (size_t i = 0; i < count; i++)
        sums.first_s[i] = NAN;
    return sums;
}

static void sums_done(struct sums *sums)
{
    free(sums->self);
    free(sums->total);
    free(sums->first_s);
}

/* Of each node the weights of all stacks through it. */
static void add_up(struct sums *sums, const struct sc_trie *trie)
{
    memcpy(sums->total, sums->self, sums->count * sizeof(double));
    for (size_t i = sums->count; i-- > 1;) {
        uint32_t parent = trie->nodes.items[i].parent;
        sums->total[parent] += sums->total[i];
        sums->first_s[parent] = fmin(sums->first_s[parent], sums->first_s[i]);
    }
}

static void fill(struct sums *sums, const struct sc_stacks *stacks, enum sc_stack_list list,
                 enum sc_stack_grain grain, const double *weights, const double *firsts_s)
{
    for (size_t i = 0; i < stacks->lists[list].count; i++) {
        uint32_t node = stacks->lists[list].items[i].node;
        if (grain == SC_GRAIN_FUNCTION)
            node = stacks->tries[SC_GRAIN_LINE].nodes.items[node].function;
        sums->self[node] += weights[i];
        if (firsts_s != NULL && weights[i] > 0)
            sums->first_s[node] = fmin(sums->first_s[node], firsts_s[i]);
    }
    add_up(sums, &stacks->tries[grain]);
}

/* For each node of the trie of functions the line with most of its time. */
static uint32_t *main_lines(const struct sc_stacks *stacks, const struct sums *by_line)
{
    const struct sc_trie *lines = &stacks->tries[SC_GRAIN_LINE];
    size_t count = stacks->tries[SC_GRAIN_FUNCTION].nodes.count;
    uint32_t *ret = sc_alloc(count, sizeof(*ret));
    SC_AUTO_FREE double *most = sc_alloc(count, sizeof(*most));
    for (size_t i = 1; i < lines->nodes.count; i++) {
        uint32_t function = lines->nodes.items[i].function;
        if (by_line->total[i] > most[function]) {
            most[function] = by_line->total[i];
            ret[function] = stacks->frames.items[lines->nodes.items[i].frame].line;
        }
    }
    return ret;
}

/* The least weight of a node that leaves no more than nodes_max of them. */
static double least_of(const struct sums *sums, size_t nodes_max)
{
    double least = sums->total[0] / SMALLEST_SHARE;
    for (;;) {
        size_t count = 0;
        for (size_t i = 1; i < sums->count; i++)
            count += sums->total[i] >= least && sums->total[i] > 0;
        if (count < nodes_max || least > sums->total[0])
            return least;
        least *= 2;
    }
}

static void take(struct sc_stack_tree *tree, const struct sc_stacks *stacks,
                 enum sc_stack_grain grain, const struct sums *sums, const uint32_t *lines,
                 double least)
{
    const struct sc_trie *trie = &stacks->tries[grain];
    SC_AUTO_FREE uint32_t *to = sc_alloc(sums->count, sizeof(*to));
    struct sc_stack_tree_node root = {.frame = SC_NONE,
                                      .self = sums->self[0],
                                      .total = sums->total[0],
                                      .first_s = sums->first_s[0]};
    sc_vec_push(&tree->nodes, root);
    for (uint32_t i = 1; i < sums->count; i++) {
        const struct sc_trie_node *node = &trie->nodes.items[i];
        uint32_t parent = to[node->parent];
        if (sums->total[i] <= 0) {
            to[i] = parent;
            continue;
        }
        if (sums->total[i] < least) { /* so are all below it */
            to[i] = parent;
            tree->nodes.items[parent].self += sums->self[i];
            tree->folded++;
            continue;
        }
        to[i] = (uint32_t)tree->nodes.count;
        struct sc_stack_tree_node taken = {
            .parent = parent,
            .frame = node->frame,
            .line = lines != NULL ? lines[i] : stacks->frames.items[node->frame].line,
            .self = sums->self[i],
            .total = sums->total[i],
            .first_s = sums->first_s[i],
        };
        sc_vec_push(&tree->nodes, taken);
    }
}

void sc_stack_tree_init(struct sc_stack_tree *tree, const struct sc_stacks *stacks,
                        enum sc_stack_list list, enum sc_stack_grain grain, const double *weights,
                        const double *firsts_s, size_t nodes_max)
{
    *tree = (struct sc_stack_tree){0};
    struct sums by_line = sums_of(&stacks->tries[SC_GRAIN_LINE]);
    fill(&by_line, stacks, list, SC_GRAIN_LINE, weights, firsts_s);
    if (grain == SC_GRAIN_LINE) {
        take(tree, stacks, grain, &by_line, NULL, least_of(&by_line, nodes_max));
    } else {
        struct sums sums = sums_of(&stacks->tries[grain]);
        fill(&sums, stacks, list, grain, weights, firsts_s);
        SC_AUTO_FREE uint32_t *lines = main_lines(stacks, &by_line);
        take(tree, stacks, grain, &sums, lines, least_of(&sums, nodes_max));
        sums_done(&sums);
    }
    sums_done(&by_line);
}

void sc_stack_tree_done(struct sc_stack_tree *tree)
{
    sc_vec_done(&tree->nodes);
}
