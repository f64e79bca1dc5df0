/*
 * build/awaits.c - what tasks waited for, as the profile has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/awaits.h"

#include <string.h>

#include "base/sort.h"
#include "build/builder.h"

static double total_ns(const struct sc_awaits *awaits)
{
    double sum_ns = 0;
    for (size_t i = 0; i < awaits->lines.count; i++)
        sum_ns += awaits->lines.items[i].await_ns;
    return sum_ns;
}

double sc_builder_await_percent(const struct sc_awaits *awaits, const struct sc_builder *builder,
                                uint32_t file)
{
    if (awaits == NULL)
        return 0;
    double all_ns = total_ns(awaits);
    double own_ns = 0;
    for (size_t i = 0; i < awaits->lines.count; i++) {
        uint32_t code = builder->collect->nodes.items[awaits->lines.items[i].node].code;
        if (builder->codes[code].file == file)
            own_ns += awaits->lines.items[i].await_ns;
    }
    return all_ns > 0 ? 100 * own_ns / all_ns : 0;
}

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
    struct sc_cost *cost = &total->awaits;
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
    double all_ns = total_ns(awaits);
    ret_profile->await_s = (double)all_ns / 1e9;
    SC_EACH(const struct sc_await_account, account, &awaits->lines) {
        uint32_t line = builder->node_lines[account->node];
        if (line != SC_NONE && account->await_ns > 0)
            add_account(awaits, account, all_ns, &builder->lines.items[line]);
    }
    SC_EACH(const struct sc_await_account, account, &awaits->functions) {
        uint32_t code = builder->collect->nodes.items[account->node].code;
        uint32_t function = builder->codes[code].function;
        if (function != SC_NONE && account->await_ns > 0)
            add_account(awaits, account, all_ns, &builder->functions.items[function]);
    }
}

void sc_builder_copy_awaits(const struct sc_total *total, struct sc_cost *ret_cost)
{
    const struct sc_cost *awaits = &total->awaits;
    ret_cost->async_await_percent = awaits->async_await_percent;
    ret_cost->async_concurrency_mean = awaits->async_concurrency_mean;
    ret_cost->async_concurrency_peak = awaits->async_concurrency_peak;
    for (size_t i = 0; i < awaits->async_task_names.count; i++)
        sc_vec_push(&ret_cost->async_task_names, sc_strdup(awaits->async_task_names.items[i]));
}

void sc_builder_free_awaits(struct sc_total *total)
{
    sc_vec_free(&total->awaits.async_task_names);
}
