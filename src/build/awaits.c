/*
 * build/awaits.c - what tasks waited for, as the profile has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/awaits.h"

#include <string.h>

#include "base/sort.h"
#include "build/builder.h"

static bool has_name(const struct sc_cost *cost, const char *name)
{
    for (size_t i = 0; i < cost->async_task_names.count; i++) {
        if (strcmp(cost->async_task_names.items[i], name) == 0)
            return true;
    }
    return false;
}

/* A total sums several accounts where a file has several names, or a function several code objects.
 * Whether these waited one after the other or at once is not known: means are weighted by time, and
 * the larger peak counts, as if they waited one after the other. */
static void add_account(const struct sc_awaits *awaits, const struct sc_await_account *account,
                        double all_ns, struct sc_total *total)
{
    if (total == NULL || account->await_ns <= 0)
        return;
    struct sc_cost *cost = &total->cost;
    total->await_ns += account->await_ns;
    total->await_occupied_ns += account->occupied_ns;
    if (all_ns > 0)
        cost->async_await_percent = 100 * total->await_ns / all_ns;
    if (total->await_occupied_ns > 0)
        cost->async_concurrency_mean = total->await_ns / (double)total->await_occupied_ns;
    if ((double)account->peak > cost->async_concurrency_peak)
        cost->async_concurrency_peak = account->peak;
    for (size_t i = 0; i < account->names.count; i++) {
        const char *name = sc_intern_text(&awaits->names, account->names.items[i]);
        if (cost->async_task_names.count < SC_AWAIT_NAMES_MAX && !has_name(cost, name))
            sc_vec_push(&cost->async_task_names, sc_strdup(name));
    }
    sc_vec_sort(&cost->async_task_names, sc_by_text);
}

void sc_builder_awaits(struct sc_builder *builder, struct sc_profile *ret_profile)
{
    const struct sc_awaits *awaits = builder->input->awaits;
    if (awaits == NULL)
        return;
    double all_ns = builder->await_ns;
    ret_profile->await_s = all_ns / 1e9;
    SC_EACH(const struct sc_await_account, account, &awaits->lines)
        add_account(awaits, account, all_ns, sc_builder_line_of(builder, account->node));
    SC_EACH(const struct sc_await_account, account, &awaits->functions)
        add_account(awaits, account, all_ns, sc_builder_function_of(builder, account->node));
}
