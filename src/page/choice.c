/* page/choice.c - see choice.h. SPDX-License-Identifier: Apache-2.0 */
#include "page/choice.h"

#include <string.h>

#include "report/number.h"

static bool read_time(const struct sc_page_stacks *stacks, const struct sc_query *query,
                      enum sc_stack_list *ret_list, struct sc_err *err)
{
    SC_AUTO_FREE char *time = sc_query_text(query, "time");
    *ret_list = SC_STACKS_TIME;
    if (time == NULL)
        return true;
    if (strcmp(time, "cpu") != 0 && strcmp(time, "waiting") != 0)
        return sc_fail(err, SC_ERR_USAGE, "'time' must be cpu or waiting");
    *ret_list = strcmp(time, "cpu") == 0 ? SC_STACKS_ON_CPU : SC_STACKS_WAITING;
    return stacks->stacks.lists[*ret_list].count > 0 ||
           sc_fail(err, SC_ERR_FAILED, "the profile does not have waiting apart from other time");
}

static bool read_unit(const struct sc_page_stacks *stacks, const struct sc_query *query,
                      bool is_stretch, uint32_t *ret_unit, struct sc_err *err)
{
    SC_AUTO_FREE char *name = sc_query_text(query, "unit");
    *ret_unit = SC_NONE;
    return name == NULL ||
           (sc_unit_find(stacks->profile, name, ret_unit, err) &&
            (!is_stretch || sc_fail(err, SC_ERR_FAILED,
                                    "the profile does not say when a unit of work was at which "
                                    "stack")));
}

bool sc_page_choice_of(const struct sc_page_stacks *stacks, const struct sc_query *query,
                       struct sc_page_choice *ret_choice, struct sc_err *err)
{
    SC_AUTO_FREE char *from = sc_query_text(query, "from_s");
    SC_AUTO_FREE char *to = sc_query_text(query, "to_s");
    SC_AUTO_FREE char *thread = sc_query_text(query, "thread");
    struct sc_page_choice choice = {.is_part = from != NULL || to != NULL || thread != NULL};
    if (!sc_page_span(stacks, query, &choice.from_s, &choice.to_s, err) ||
        !read_time(stacks, query, &choice.list, err) ||
        !read_unit(stacks, query, choice.is_part, &choice.unit, err))
        return false;
    choice.thread = sc_page_thread(stacks, query);
    *ret_choice = choice;
    return true;
}

/* The same text of a question gives the same numbers. */
static bool is_same_number(double a, double b)
{
    return !(a < b) && !(a > b);
}

bool sc_page_choice_equals(const struct sc_page_choice *a, const struct sc_page_choice *b)
{
    return a->list == b->list && a->is_part == b->is_part && a->thread == b->thread &&
           a->unit == b->unit && is_same_number(a->from_s, b->from_s) &&
           is_same_number(a->to_s, b->to_s);
}

void sc_page_weigh(const struct sc_page_stacks *stacks, const struct sc_page_choice *choice,
                   double *ret_weights)
{
    size_t count = stacks->stacks.lists[choice->list].count;
    const struct sc_listed_stack *listed = stacks->stacks.lists[choice->list].items;
    if (choice->unit != SC_NONE)
        sc_stacks_weigh_unit(&stacks->stacks, stacks->profile, choice->unit, choice->list,
                             ret_weights);
    for (size_t i = 0; i < count && choice->unit == SC_NONE; i++)
        ret_weights[i] = listed[i].weight;
    if (!choice->is_part)
        return;
    size_t all = stacks->stacks.lists[SC_STACKS_TIME].count;
    SC_AUTO_FREE double *weights = sc_alloc(all + 1, sizeof(*weights));
    SC_AUTO_FREE double *firsts_s = sc_alloc(all + 1, sizeof(*firsts_s));
    sc_timeline_weights(&stacks->timeline, choice->thread, choice->from_s, choice->to_s, weights,
                        firsts_s);
    for (size_t i = 0; i < count; i++) {
        double whole = stacks->stacks.lists[SC_STACKS_TIME].items[i].weight;
        double part = whole > 0 ? sc_clamp(listed[i].weight / whole, 0.0, 1.0) : 0;
        ret_weights[i] = weights[i] * part;
    }
}
