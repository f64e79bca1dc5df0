/* observer/sample/preemption.c - see preemption.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/sample/preemption.h"

#include "observer/sample/books.h"
#include "observer/sample/stack.h"

/* Shares the gap's time among the thread's recent samples; false when it has none. */
static bool share_preemption(struct sc_process *process, struct sc_watched_thread *thread,
                             const struct sc_owed_gap *gap)
{
    struct sc_recent_part parts[SC_RECENT_SAMPLES];
    uint32_t count = sc_recent_share(&thread->charge.recent, gap->ns, parts);
    uint64_t until_ns = gap->until_ns - gap->ns;
    for (uint32_t i = 0; i < count; i++) {
        until_ns += parts[i].ns;
        sc_books_charge_gap(process, thread, parts[i].node, parts[i].time, until_ns, parts[i].ns);
        /* collections count only while on a CPU, in their track and in their sum */
        uint32_t node = sc_stack_spent(process, parts[i].node, parts[i].time);
        if (parts[i].chore == SC_CHORE_FREEING)
            sc_collect_cost(process->collect, node)->freeing_ns += parts[i].ns;
    }
    return count > 0;
}

static void charge_preemption(struct sc_process *process, struct sc_watched_thread *thread,
                              const struct sc_owed_gap *gap)
{
    uint32_t node = thread->charge.sampled_node;
    if (node != 0 && share_preemption(process, thread, gap))
        return;
    if (node == 0 && sc_charge_is_native(&thread->charge))
        node = sc_stack_python_part(process->collect,
                                    sc_books_host(process, process->gap.polled_ns).node);
    sc_books_charge_gap(process, thread, node, sc_charge_preempted(&thread->charge), gap->until_ns,
                        gap->ns);
}

void sc_preemption_charge_owed(struct sc_process *process, struct sc_watched_thread *thread)
{
    struct sc_owed_gaps *owed = &thread->owed;
    for (size_t i = 0; i < owed->list.count; i++)
        charge_preemption(process, thread, &owed->list.items[i]);
    sc_vec_done(&owed->list);
}

/* A few samples say little of what a thread does, and the first would be charged all time without a
 * CPU until the second. So such time waits until there are enough samples. */
static bool owe(struct sc_watched_thread *thread, const struct sc_owed_gap *gap)
{
    const struct sc_recent *recent = &thread->charge.recent;
    if (thread->charge.ended || recent->count == 0 || sc_recent_is_full(recent) ||
        thread->owed.list.count >= SC_OWED_GAPS_MAX)
        return false;
    sc_vec_push(&thread->owed.list, *gap);
    return true;
}

void sc_preemption_charge(struct sc_process *process, struct sc_watched_thread *thread, uint64_t ns)
{
    const struct sc_owed_gap gap = {.until_ns = process->gap.polled_ns, .ns = ns};
    if (!owe(thread, &gap))
        charge_preemption(process, thread, &gap);
}
