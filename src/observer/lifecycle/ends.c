/*
 * observer/lifecycle/ends.c - how processes ended, as their parents have reported it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/ends.h"

#define ENDS_KEPT_NS 2000000000U
#define LATE_NS      1000000000U /* how much later than its end a process may register */

/* The process whose end this is: the last one with its key; NULL when it is not followed. */
static struct sc_process *ended_process(const struct sc_observation *observation,
                                        const struct sc_child_end *end)
{
    uint32_t index = sc_map_get(&observation->tree.numbers, end->key);
    if (index == SC_NONE)
        return NULL;
    struct sc_process *process = observation->processes.items[index];
    return process->known_ns <= end->time_ns + LATE_NS ? process : NULL;
}

void sc_observation_match_ends(struct sc_observation *observation, uint64_t now_ns)
{
    struct sc_tree *tree = &observation->tree;
    size_t kept = 0;
    for (size_t i = 0; i < tree->ends.count; i++) {
        struct sc_child_end end = tree->ends.items[i];
        struct sc_process *process = ended_process(observation, &end);
        if (process != NULL)
            sc_process_note_status(process, end.status);
        else if (end.time_ns + ENDS_KEPT_NS > now_ns)
            tree->ends.items[kept++] = end;
    }
    tree->ends.count = kept;
    for (size_t i = 0; i < observation->processes.count; i++) {
        struct sc_process *process = observation->processes.items[i];
        if (process->ending.is_over && process->ending.status_fd >= 0)
            sc_process_note_ending(process);
    }
}
