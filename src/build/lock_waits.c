/*
 * build/lock_waits.c - waiting for the interpreter lock, by the line that waits and the line that
 * has the lock meanwhile.
 *
 * The interpreter does not publish which thread holds the lock. But a thread that runs Python code
 * holds it, so the holder is taken to be the other thread that was sampled last, at the place of
 * that sample. Stacks are kept by their innermost Python frames; the lines that these belong to are
 * found here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "build/builder.h"

/* A profile has the pairs of lines that waited longest, at most so many. */
#define PAIRS_SHOWN_MAX 100U

void sc_builder_lock_waits(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_pair_sums *stacks = &builder->collect->lock_waits;
    SC_AUTO(sc_pair_sums_done) struct sc_pair_sums lines = {0};
    SC_EACH(const struct sc_pair_sum, wait, &stacks->items) {
        uint32_t waiter = sc_builder_owner_line(builder, wait->first);
        uint32_t holder = sc_builder_owner_line(builder, wait->second);
        if (waiter != SC_NONE && holder != SC_NONE)
            sc_pair_sums_add(&lines, waiter, holder, wait->ns);
    }
    sc_pair_sums_sort(&lines);
    for (size_t i = 0; i < lines.items.count && i < PAIRS_SHOWN_MAX; i++) {
        const struct sc_pair_sum *wait = &lines.items.items[i];
        const struct sc_total *waiter = &builder->lines.items[wait->first];
        const struct sc_total *holder = &builder->lines.items[wait->second];
        struct sc_gil_wait shown = {
            .file = sc_strdup(builder->files.items[waiter->file].name),
            .lineno = waiter->line,
            .holder_file = sc_strdup(builder->files.items[holder->file].name),
            .holder_lineno = holder->line,
            .wait_s = (double)wait->ns / 1e9,
        };
        sc_vec_push(&profile->gil_waits, shown);
    }
}
