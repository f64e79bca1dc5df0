/*
 * page/stacks.c - "api/stacks": one tree of stacks, for a flame chart.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "page/choice.h"
#include "page/write.h"
#include "report/number.h"

/* What a browser draws and lays out at once without a pause. */
#define NODES_MAX 20000U

/* What is asked for. */
struct wanted {
    struct sc_page_choice choice;
    uint32_t moment; /* index in call_moments_s; SC_NONE: no moment */
    enum sc_stack_grain grain;
};

static bool is_of_time(enum sc_stack_list list)
{
    return list == SC_STACKS_TIME || list == SC_STACKS_ON_CPU || list == SC_STACKS_WAITING;
}

static const char moment_name[] = "moment";
static const char *const list_names[SC_STACKS_COUNT_ + 1] = {"time", "memory", "peak",
                                                             "exit", "cpu",    "waiting"};

/* The index of one of some words, which a NULL ends; 0 where the name is not there. */
static bool read_choice(const struct sc_query *query, const char *name, const char *const *words,
                        int *ret_choice, struct sc_err *err)
{
    SC_AUTO_FREE char *word = sc_query_text(query, name);
    *ret_choice = 0;
    while (word != NULL && words[*ret_choice] != NULL && strcmp(word, words[*ret_choice]) != 0)
        ++*ret_choice;
    return words[*ret_choice] != NULL ||
           sc_fail(err, SC_ERR_USAGE, "'%s' must be one of its words, such as '%s' or '%s'", name,
                   words[0], words[1]);
}

/* "kind=moment&moment=3": what was in use at that moment of the profile. */
static bool read_moment(const struct sc_page *page, const struct sc_query *query,
                        uint32_t *ret_moment, struct sc_err *err)
{
    uint64_t moment = 0;
    *ret_moment = SC_NONE;
    SC_AUTO_FREE char *kind = sc_query_text(query, "kind");
    if (kind == NULL || strcmp(kind, moment_name) != 0)
        return true;
    if (!sc_query_count(query, "moment", SC_PAGE_MOMENTS_MAX, 0, &moment, err))
        return false;
    *ret_moment = (uint32_t)moment;
    return moment < page->profile.call_moments_s.count ||
           sc_fail(err, SC_ERR_USAGE, "the profile does not have this moment");
}

/* Each stack's part of what was in use at a moment. */
static void weigh_moment(const struct sc_profile *profile, uint32_t moment, size_t count,
                         double *ret_weights)
{
    SC_EACH(const struct sc_call_moment, part, &profile->call_moments)
        if (part->moment == moment && part->call > 0 && part->call <= count)
            ret_weights[part->call - 1] = sc_clamp(part->mb, 0.0, 1e12);
}

static bool read_wanted(const struct sc_page *page, const struct sc_page_stacks *stacks,
                        const struct sc_query *query, struct wanted *ret_wanted, struct sc_err *err)
{
    static const char *const grains[] = {"function", "line", NULL};
    int list = 0;
    int grain = 0;
    struct wanted wanted = {0};
    if (!read_moment(page, query, &wanted.moment, err))
        return false;
    if (wanted.moment != SC_NONE)
        list = SC_STACKS_MEMORY; /* which has every node of the tree of calls */
    if ((wanted.moment == SC_NONE && !read_choice(query, "kind", list_names, &list, err)) ||
        !read_choice(query, "by", grains, &grain, err) ||
        !sc_page_choice_of(stacks, query, &wanted.choice, err))
        return false;
    if (list != SC_STACKS_TIME)
        wanted.choice.list = (enum sc_stack_list)list;
    if (!is_of_time(wanted.choice.list)) { /* stacks of memory have no times */
        wanted.choice.is_part = false;
        wanted.choice.unit = SC_NONE;
    }
    wanted.grain = grain == 0 ? SC_GRAIN_FUNCTION : SC_GRAIN_LINE;
    *ret_wanted = wanted;
    return true;
}

/* When the stacks of all time were first met. */
static void find_firsts(const struct sc_page_stacks *stacks, const struct sc_page_choice *choice,
                        double *ret_firsts_s)
{
    size_t count = stacks->stacks.lists[SC_STACKS_TIME].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(*weights));
    sc_timeline_weights(&stacks->timeline, choice->thread, choice->from_s, choice->to_s, weights,
                        ret_firsts_s);
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
        sc_json_begin_under(out, key, '[');                                                        \
        for (size_t i = 0; i < (tree)->nodes.count; i++) {                                         \
            const struct sc_stack_tree_node *node = &(tree)->nodes.items[i];                       \
            write;                                                                                 \
        }                                                                                          \
        sc_json_end(out, ']');                                                                     \
    } while (0)

static void write_first_seconds(struct sc_json_out *out, double first_s)
{
    if (isfinite(first_s))
        sc_json_rounded(out, first_s, 7);
    else
        sc_json_null(out);
}

static void write_tree(const struct sc_page *page, const struct sc_page_stacks *stacks,
                       const struct sc_stack_tree *tree, bool has_firsts, struct sc_json_out *out)
{
    SC_AUTO(sc_frame_table_done) struct sc_frame_table table = {0};
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
        WRITE_LIST(out, "firsts_s", tree, write_first_seconds(out, node->first_s));
}

bool sc_page_tree(struct sc_page *page, const struct sc_query *query, struct sc_json_out *out,
                  struct sc_err *err)
{
    const struct sc_page_stacks *stacks = sc_page_stacks_of(page);
    struct wanted wanted;
    SC_AUTO(sc_stack_tree_done) struct sc_stack_tree tree = {0};
    if (!read_wanted(page, stacks, query, &wanted, err)) {
        err->kind = SC_ERR_USAGE; /* whichever word it is */
        return false;
    }
    enum sc_stack_list list = wanted.choice.list;
    size_t count = stacks->stacks.lists[list].count;
    SC_AUTO_FREE double *weights = sc_alloc(count + 1, sizeof(*weights));
    SC_AUTO_FREE double *firsts_s = sc_alloc(count + 1, sizeof(*firsts_s));
    bool has_firsts = list == SC_STACKS_TIME && stacks->timeline.run_count > 0;
    bool is_moment = wanted.moment != SC_NONE;
    if (is_moment)
        weigh_moment(&page->profile, wanted.moment, count, weights);
    else
        sc_page_weigh(stacks, &wanted.choice, weights);
    if (has_firsts)
        find_firsts(stacks, &wanted.choice, firsts_s);
    sc_stack_tree_init(&tree, &stacks->stacks, list, wanted.grain, weights,
                       has_firsts ? firsts_s : NULL, NODES_MAX);
    bool is_time = list == SC_STACKS_TIME;
    bool is_samples = is_time && !stacks->stacks.is_timed;
    sc_json_begin(out, '{');
    sc_write_text(out, "kind", is_moment ? moment_name : list_names[list]);
    sc_write_text(out, "by", wanted.grain == SC_GRAIN_FUNCTION ? "function" : "line");
    sc_write_text(out, "unit", is_samples ? "samples" : is_of_time(list) ? "s" : "MB");
    sc_json_bool_under(out, "is_part", wanted.choice.is_part || wanted.choice.unit != SC_NONE);
    double percent = sc_page_stacks_percent(page, stacks);
    if (is_time && percent > 0)
        sc_write_number(out, "stacks_percent", percent);
    sc_json_key(out, "total");
    sc_json_rounded(out, tree.nodes.items[0].total, 7);
    sc_json_count_under(out, "count", count_of(weights, count));
    sc_json_count_under(out, "folded", tree.folded);
    sc_json_bool_under(out, "is_cut", stacks->stacks.is_cut);
    write_tree(page, stacks, &tree, has_firsts, out);
    sc_json_end(out, '}');
    return true;
}
