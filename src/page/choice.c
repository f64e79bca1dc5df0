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
    const struct sc_profile *profile = stacks->profile;
    SC_AUTO_FREE char *name = sc_query_text(query, "unit");
    *ret_unit = SC_NONE;
    if (name == NULL)
        return true;
    for (uint32_t i = 0; i < profile->units.count && *ret_unit == SC_NONE; i++)
        *ret_unit = strcmp(profile->units.items[i].name, name) == 0 ? i : SC_NONE;
    if (*ret_unit == SC_NONE)
        return sc_fail(err, SC_ERR_FAILED, "the profile does not have this unit of work");
    if (is_stretch)
        return sc_fail(err, SC_ERR_FAILED,
                       "the profile does not say when a unit of work was at which stack");
    return profile->call_units.count > 0 || profile->call_unit_waits.count > 0 ||
           sc_fail(err, SC_ERR_FAILED,
                   "the profile does not say at which stacks its units of work were");
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

/* The nodes of the tree of calls are the stacks of all lists of times. */
static void add_unit(const struct sc_call_units *units, uint32_t unit, size_t count,
                     double *ret_weights)
{
    SC_EACH(const struct sc_call_unit, part, units)
        if (part->unit == unit && part->call > 0 && part->call <= count)
            ret_weights[part->call - 1] += sc_clamp(part->time_s, 0.0, 1e12);
}

void sc_page_weigh(const struct sc_page_stacks *stacks, const struct sc_page_choice *choice,
                   double *ret_weights)
{
    size_t count = stacks->stacks.lists[choice->list].count;
    const struct sc_listed_stack *listed = stacks->stacks.lists[choice->list].items;
    for (size_t i = 0; i < count; i++)
        ret_weights[i] = choice->unit == SC_NONE && !choice->is_part ? listed[i].weight : 0;
    if (choice->unit != SC_NONE && choice->list != SC_STACKS_WAITING)
        add_unit(&stacks->profile->call_units, choice->unit, count, ret_weights);
    if (choice->unit != SC_NONE && choice->list != SC_STACKS_ON_CPU)
        add_unit(&stacks->profile->call_unit_waits, choice->unit, count, ret_weights);
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
