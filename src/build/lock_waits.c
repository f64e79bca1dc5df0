/*
 * build/lock_waits.c - waiting for the interpreter lock, by lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/lock_waits.h"

#include <stdlib.h>

#include "build/builder.h"

/* A profile has the pairs of lines that waited longest, at most so many. */
#define PAIRS_SHOWN_MAX 100U

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

/* The line that a stack is charged to, as an index in the builder's lines, or SC_NONE. */
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
    for (size_t i = 0; i < lines.items.count && i < PAIRS_SHOWN_MAX; i++) {
        const struct sc_lock_wait *wait = &lines.items.items[i];
        const struct sc_total *waiter = &builder->lines.items[wait->waiter];
        const struct sc_total *holder = &builder->lines.items[wait->holder];
        struct sc_gil_wait shown = {
            .file = sc_strdup(builder->files.items[waiter->file].name),
            .lineno = waiter->line,
            .holder_file = sc_strdup(builder->files.items[holder->file].name),
            .holder_lineno = holder->line,
            .wait_s = (double)wait->ns / 1e9,
        };
        sc_vec_push(&profile->gil_waits, shown);
    }
    sc_lock_waits_done(&lines);
}
