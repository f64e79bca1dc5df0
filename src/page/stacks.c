/*
 * page/stacks.c - "api/stacks": one tree of stacks, for a flame chart.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "page/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/write.h"

/* What a browser draws and lays out at once without a pause. */
#define NODES_MAX 20000U

/* What is asked for. */
struct wanted {
    enum sc_stack_list list;
    enum sc_stack_grain grain;
    uint32_t thread; /* or SC_ANY_THREAD */
    bool is_part;    /* of the run: the weights come from the timeline */
    double from_s;
    double to_s;
};

/* One of two words; the first where the name is not there. */
static bool read_choice(const struct sc_query *query, const char *name, const char *const words[2],
                        int *ret_choice, struct sc_err *err)
{
    SC_AUTO_FREE char *word = sc_query_text(query, name);
    *ret_choice = 0;
    if (word == NULL || strcmp(word, words[0]) == 0)
        return true;
    *ret_choice = 1;
    return strcmp(word, words[1]) == 0 ||
           sc_fail(err, SC_ERR_USAGE, "'%s' must be '%s' or '%s'", name, words[0], words[1]);
}

/* A thread that the timeline does not have has no stacks: its index is one behind the last. */
static uint32_t thread_of(const struct sc_timeline_view *view, const char *id)
{
    uint32_t at = 0;
    while (at < view->threads.count && strcmp(view->threads.items[at].id, id) != 0)
        at++;
    return at;
}

static bool read_wanted(const struct sc_page_stacks *stacks, const struct sc_query *query,
                        struct wanted *ret_wanted, struct sc_err *err)
{
    static const char *const lists[] = {"time", "memory"};
    static const char *const grains[] = {"function", "line"};
    int list = 0;
    int grain = 0;
    struct wanted wanted = {.thread = SC_ANY_THREAD};
    if (!read_choice(query, "kind", lists, &list, err) ||
        !read_choice(query, "by", grains, &grain, err) ||
        !sc_page_span(stacks, query, &wanted.from_s, &wanted.to_s, err))
        return false;
    wanted.list = list == 0 ? SC_STACKS_TIME : SC_STACKS_MEMORY;
    wanted.grain = grain == 0 ? SC_GRAIN_FUNCTION : SC_GRAIN_LINE;
    SC_AUTO_FREE char *thread = sc_query_text(query, "thread");
    SC_AUTO_FREE char *from = sc_query_text(query, "from_s");
    SC_AUTO_FREE char *to = sc_query_text(query, "to_s");
    if (thread != NULL)
        wanted.thread = thread_of(&stacks->timeline, thread);
    /* stacks of memory have no times */
    wanted.is_part =
        wanted.list == SC_STACKS_TIME && (thread != NULL || from != NULL || to != NULL);
    *ret_wanted = wanted;
    return true;
}

/* Fills in the weights of the list's stacks, and firsts_s from the timeline where it has them. */
static void weigh(const struct sc_page_stacks *stacks, const struct wanted *wanted, double *weights,
                  double *firsts_s)
{
    size_t count = stacks->stacks.lists[wanted->list].count;
    if (wanted->list == SC_STACKS_TIME)
        sc_timeline_weights(&stacks->timeline, wanted->thread, wanted->from_s, wanted->to_s,
                            weights, firsts_s);
    for (size_t i = 0; i < count && !wanted->is_part; i++)
        weights[i] = stacks->stacks.lists[wanted->list].items[i].weight;
}

/* How many stacks have a weight. */
static size_t count_of(const double *weights, size_t count)
{
    size_t with_weight = 0;
    for (size_t i = 0; i < count; i++)
        with_weight += weights[i] > 0;
    return with_weight;
}

#define WRITE_LIST(out, key, tree, write)                                                          \
    do {                                                                                           \
        sc_json_key(out, key);                                                                     \
        sc_json_begin(out, '[');                                                                   \
        for (size_t i = 0; i < (tree)->nodes.count; i++) {                                         \
            const struct sc_stack_tree_node *node = &(tree)->nodes.items[i];                       \
            sc_json_item(out);                                                                     \
            write;                                                                                 \
        }                                                                                          \
        sc_json_end(out, ']');                                                                     \
    } while (0)

static void write_first(struct sc_json_out *out, double first_s)
{
    if (isfinite(first_s))
        sc_json_rounded(out, first_s, 7);
    else
        sc_json_null(out);
}

static void write_tree(const struct sc_page *page, const struct sc_page_stacks *stacks,
                       const struct sc_stack_tree *tree, bool has_firsts, struct sc_json_out *out)
{
    struct sc_frame_table table;
    sc_frame_table_init(&table, &stacks->stacks);
    for (size_t i = 1; i < tree->nodes.count; i++)
        (void)sc_frame_table_add(&table, tree->nodes.items[i].frame);
    sc_frame_table_write(&table, page, &stacks->stacks, false, out);
    WRITE_LIST(out, "parents", tree, sc_json_count(out, node->parent));
    WRITE_LIST(
        out, "node_frames", tree,
        sc_json_integer(out, node->frame != SC_NONE ? (int64_t)table.numbers[node->frame] : -1));
    WRITE_LIST(out, "lines", tree, sc_json_count(out, node->line));
    WRITE_LIST(out, "selves", tree, sc_json_rounded(out, node->self, 7));
    WRITE_LIST(out, "totals", tree, sc_json_rounded(out, node->total, 7));
    if (has_firsts)
        WRITE_LIST(out, "firsts_s", tree, write_first(out, node->first_s));
    sc_frame_table_done(&table);
}

enum sc_answer sc_page_tree(struct sc_page *page, const struct sc_query *query,
                            struct sc_json_out *out, struct sc_err *err)
{
    static const char *const units[] = {"s", "MB"};
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    struct wanted wanted;
    struct sc_stack_tree tree;
    if (!read_wanted(stacks, query, &wanted, err))
        return SC_ANSWER_BAD;
    size_t count = stacks->stacks.lists[wanted.list].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(*weights));
    SC_AUTO_FREE double *firsts_s = sc_alloc(count + 1, sizeof(*firsts_s));
    bool has_firsts = wanted.list == SC_STACKS_TIME && stacks->timeline.run_count > 0;
    weigh(stacks, &wanted, weights, firsts_s);
    sc_stack_tree_init(&tree, &stacks->stacks, wanted.list, wanted.grain, weights,
                       has_firsts ? firsts_s : NULL, NODES_MAX);
    bool is_samples = wanted.list == SC_STACKS_TIME && !stacks->stacks.is_timed;
    sc_json_begin(out, '{');
    sc_write_text(out, "kind", wanted.list == SC_STACKS_TIME ? "time" : "memory");
    sc_write_text(out, "by", wanted.grain == SC_GRAIN_FUNCTION ? "function" : "line");
    sc_write_text(out, "unit", is_samples ? "samples" : units[wanted.list]);
    sc_write_bool(out, "is_part", wanted.is_part);
    double percent =
        stacks->stacks.has_calls ? page->profile.call_tree_percent : page->profile.stacks_percent;
    if (wanted.list == SC_STACKS_TIME && percent > 0)
        sc_write_number(out, "stacks_percent", percent);
    sc_json_key(out, "total");
    sc_json_rounded(out, tree.nodes.items[0].total, 7);
    sc_write_count(out, "count", count_of(weights, count));
    sc_write_count(out, "folded", tree.folded);
    sc_write_bool(out, "is_cut", stacks->stacks.is_cut);
    write_tree(page, stacks, &tree, has_firsts, out);
    sc_json_end(out, '}');
    sc_stack_tree_done(&tree);
    return SC_ANSWER_OK;
}
