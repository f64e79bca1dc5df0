/* observer/stack/recent_stacks.c - see recent_stacks.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/stack/recent_stacks.h"

#include <stdlib.h>

#include "base/mem.h"

/* Entries come thread by thread, and for a sample at the end of its time: an entry may come after
 * one that ended later, by no more than this. sc_recent_stacks_add moves an entry that comes later
 * still to its place. */
#define DISORDER_NS 1000000000U

void sc_recent_stacks_done(struct sc_recent_stacks *recent)
{
    free(recent->items);
    *recent = (struct sc_recent_stacks){0};
}

static size_t kept(const struct sc_recent_stacks *recent)
{
    return recent->count < SC_RECENT_STACKS_MAX ? recent->count : (size_t)SC_RECENT_STACKS_MAX;
}

static struct sc_recent_stack *at(const struct sc_recent_stacks *recent, size_t number)
{
    return &recent->items[number % SC_RECENT_STACKS_MAX];
}

/* Preemption at the beginning of a thread is charged when the thread has enough samples, which may
 * be seconds later. */
void sc_recent_stacks_add(struct sc_recent_stacks *recent, uint64_t from_ns, uint64_t to_ns,
                          uint32_t node)
{
    if (to_ns <= from_ns)
        return;
    if (recent->items == NULL)
        recent->items = sc_alloc(SC_RECENT_STACKS_MAX, sizeof(*recent->items));
    size_t known = kept(recent);
    size_t place = recent->count++;
    if (known == SC_RECENT_STACKS_MAX)
        known--; /* the oldest is replaced */
    for (; known > 0 && at(recent, place - 1)->to_ns > to_ns + DISORDER_NS; place--, known--)
        *at(recent, place) = *at(recent, place - 1);
    *at(recent, place) = (struct sc_recent_stack){.from_ns = from_ns, .to_ns = to_ns, .node = node};
}

uint64_t sc_recent_stack_overlap(const struct sc_recent_stack *stack, uint64_t from_ns,
                                 uint64_t to_ns)
{
    uint64_t from = stack->from_ns > from_ns ? stack->from_ns : from_ns;
    uint64_t to = stack->to_ns < to_ns ? stack->to_ns : to_ns;
    return to > from ? to - from : 0;
}

void sc_recent_stacks_between(const struct sc_recent_stacks *recent, uint64_t from_ns,
                              uint64_t to_ns, struct sc_recent_stack_list *list)
{
    size_t known = kept(recent);
    list->count = 0;
    for (size_t i = 1; i <= known; i++) {
        struct sc_recent_stack stack = *at(recent, recent->count - i);
        if (stack.to_ns + DISORDER_NS < from_ns)
            break;
        if (sc_recent_stack_overlap(&stack, from_ns, to_ns) == 0)
            continue;
        stack.from_ns = stack.from_ns > from_ns ? stack.from_ns : from_ns;
        stack.to_ns = stack.to_ns < to_ns ? stack.to_ns : to_ns;
        sc_vec_push(list, stack);
    }
}
