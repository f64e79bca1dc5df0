/*
 * observer/recent_stacks.c - where a process was in its last seconds, stack by stack.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/recent_stacks.h"

#include <stdlib.h>

#include "base/mem.h"

/* Entries come thread by thread, and for a sample at the end of its time: an entry may come after
 * one that ended later, by no more than this. sc_recent_stacks_add moves an entry that comes later
 * still to its place. */
#define DISORDER_NS 1000000000U

void sc_recent_stacks_done(struct sc_recent_stacks *positions)
{
    free(positions->items);
    *positions = (struct sc_recent_stacks){0};
}

static size_t kept(const struct sc_recent_stacks *positions)
{
    return positions->count < SC_RECENT_STACKS_MAX ? positions->count
                                                   : (size_t)SC_RECENT_STACKS_MAX;
}

static struct sc_recent_stack *at(const struct sc_recent_stacks *positions, size_t number)
{
    return &positions->items[number % SC_RECENT_STACKS_MAX];
}

/* Preemption at the beginning of a thread is charged when the thread has enough samples, which may
 * be seconds later. */
void sc_recent_stacks_add(struct sc_recent_stacks *positions, uint64_t from_ns, uint64_t to_ns,
                          uint32_t node)
{
    if (to_ns <= from_ns)
        return;
    if (positions->items == NULL)
        positions->items = sc_alloc(SC_RECENT_STACKS_MAX, sizeof(*positions->items));
    size_t known = kept(positions);
    size_t place = positions->count++;
    if (known == SC_RECENT_STACKS_MAX)
        known--; /* the oldest is replaced */
    for (; known > 0 && at(positions, place - 1)->to_ns > to_ns + DISORDER_NS; place--, known--)
        *at(positions, place) = *at(positions, place - 1);
    *at(positions, place) =
        (struct sc_recent_stack){.from_ns = from_ns, .to_ns = to_ns, .node = node};
}

uint64_t sc_recent_stack_overlap(const struct sc_recent_stack *position, uint64_t from_ns,
                                 uint64_t to_ns)
{
    uint64_t from = position->from_ns > from_ns ? position->from_ns : from_ns;
    uint64_t to = position->to_ns < to_ns ? position->to_ns : to_ns;
    return to > from ? to - from : 0;
}

void sc_recent_stacks_between(const struct sc_recent_stacks *positions, uint64_t from_ns,
                              uint64_t to_ns, struct sc_recent_stack_list *list)
{
    size_t known = kept(positions);
    list->count = 0;
    for (size_t i = 1; i <= known; i++) {
        struct sc_recent_stack position = *at(positions, positions->count - i);
        if (position.to_ns + DISORDER_NS < from_ns)
            break;
        if (sc_recent_stack_overlap(&position, from_ns, to_ns) == 0)
            continue;
        position.from_ns = position.from_ns > from_ns ? position.from_ns : from_ns;
        position.to_ns = position.to_ns < to_ns ? position.to_ns : to_ns;
        sc_vec_push(list, position);
    }
}
