/* observer/charge/line_of_worker.c - see line_of_worker.h. SPDX-License-Identifier: Apache-2.0 */
#include "observer/charge/line_of_worker.h"

/* So many threads that started one another are followed; a longer chain would be a cycle. */
#define CREATORS_MAX 8U

static const struct sc_charge_thread *find_by_id(const struct sc_charge_threads *threads,
                                                 uint32_t id)
{
    for (size_t i = 0; i < threads->count && id != 0; i++) {
        const struct sc_charge_thread *thread = sc_charge_thread_at(threads, i);
        if (!thread->ended && thread->id == id)
            return thread;
    }
    return NULL;
}

/* A thread that waits for the interpreter lock or for a CPU would otherwise run. But if it would
 * only check whether what it waits for has come, it counts as waiting: while workers hold the lock,
 * or keep all CPUs busy, it is seen in no other state. */
uint32_t sc_charge_line_of_waiter(const struct sc_charge_thread *thread)
{
    bool would_run = thread->blocked ? thread->blocked_cause == SC_WAIT_GIL : thread->runnable;
    bool waits = would_run ? thread->waits_by_call : thread->blocked;
    return waits ? thread->blocked_line : 0;
}

static uint32_t latest_waiting(const struct sc_charge_threads *threads)
{
    const struct sc_charge_thread *latest = NULL;
    for (size_t i = 0; i < threads->count; i++) {
        const struct sc_charge_thread *thread = sc_charge_thread_at(threads, i);
        if (thread->ended || sc_charge_line_of_waiter(thread) == 0 ||
            !sc_charge_waits_for_others(thread))
            continue;
        if (latest == NULL || thread->blocked_since_ns > latest->blocked_since_ns)
            latest = thread;
    }
    return latest != NULL ? latest->blocked_line : 0;
}

uint32_t sc_charge_line_of_worker(const struct sc_charge_threads *threads, uint32_t creator_id)
{
    const struct sc_charge_thread *creator = find_by_id(threads, creator_id);
    for (unsigned i = 0; i < CREATORS_MAX && creator != NULL; i++) {
        uint32_t line = sc_charge_line_of_waiter(creator);
        if (line != 0)
            return line;
        if (creator->is_main || creator->has_line)
            return 0;
        creator = find_by_id(threads, creator->creator_id);
    }
    return latest_waiting(threads);
}
