/*
 * profile/lock_waits.c - waiting for the interpreter lock, by the line that waits and the line that
 * has it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/lock_waits.h"

#include <stdlib.h>
#include <string.h>

#include "profile/builder.h"

#define PAIRS_MAX 65536U

/* Most pairs of lines in a profile: those with the longest waits. */
#define TOLD_MAX 100U

void sc_lock_waits_add(struct sc_lock_waits *waits, uint32_t waiter, uint32_t holder, uint64_t ns)
{
    uint64_t key = sc_mix(waiter, holder);
    uint32_t at;
    for (; waits->items.items != NULL && (at = sc_map_get(&waits->index, key)) != SC_NONE;
         key = sc_mix(key, 1)) {
        struct sc_lock_wait *wait = &waits->items.items[at];
        if (wait->waiter == waiter && wait->holder == holder) {
            wait->ns += ns;
            return;
        }
    }
    if (waits->items.count >= PAIRS_MAX)
        return;
    sc_map_put(&waits->index, key, (uint32_t)waits->items.count);
    sc_vec_push(&waits->items, (struct sc_lock_wait){waiter, holder, ns});
}

void sc_lock_waits_done(struct sc_lock_waits *waits)
{
    sc_vec_done(&waits->items);
    sc_map_done(&waits->index);
    *waits = (struct sc_lock_waits){0};
}

static int by_ns(const void *left, const void *right)
{
    const struct sc_lock_wait *a = left;
    const struct sc_lock_wait *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if (a->waiter != b->waiter)
        return a->waiter < b->waiter ? -1 : 1;
    return (a->holder > b->holder) - (a->holder < b->holder);
}

/* The line that owns a stack, as an index of the builder's, or SC_NONE. */
static uint32_t line_of(const struct sc_builder *builder, uint32_t node)
{
    uint32_t owner = builder->owners[node];
    return owner != SC_NONE ? builder->node_lines[owner] : SC_NONE;
}

void sc_builder_lock_waits(const struct sc_builder *builder, struct sc_profile *profile)
{
    const struct sc_lock_waits *stacks = &builder->collect->lock_waits;
    struct sc_lock_waits lines = {0};
    for (size_t i = 0; i < stacks->items.count; i++) {
        const struct sc_lock_wait *wait = &stacks->items.items[i];
        uint32_t waiter = line_of(builder, wait->waiter);
        uint32_t holder = line_of(builder, wait->holder);
        if (waiter != SC_NONE && holder != SC_NONE)
            sc_lock_waits_add(&lines, waiter, holder, wait->ns);
    }
    if (lines.items.count > 0)
        qsort(lines.items.items, lines.items.count, sizeof(struct sc_lock_wait), by_ns);
    for (size_t i = 0; i < lines.items.count && i < TOLD_MAX; i++) {
        const struct sc_lock_wait *wait = &lines.items.items[i];
        const struct sc_tally *waiter = &builder->lines.items[wait->waiter];
        const struct sc_tally *holder = &builder->lines.items[wait->holder];
        struct sc_gil_wait told = {
            .file = sc_strdup(builder->files.items[waiter->file].name),
            .lineno = waiter->line,
            .holder_file = sc_strdup(builder->files.items[holder->file].name),
            .holder_lineno = holder->line,
            .wait_s = (double)wait->ns / 1e9,
        };
        sc_vec_push(&profile->gil_waits, told);
    }
    sc_lock_waits_done(&lines);
}
