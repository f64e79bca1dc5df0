/*
 * observer/sample/workers.h - charges a worker thread whose frames are all out of scope to the line
 * that waits for it, as `pool.map(json.loads, texts)` does: its stack is put below that line's.
 *
 * So the innermost frame in scope is that line in all views: lines, functions, charts. While no
 * line waits, because the thread still hands over work, or takes results, the costs are held at a
 * separate node for some seconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Where a cost of the thread at node belongs: node itself where a frame of it is in scope, or where
 * it has no Python frame. */
uint32_t sc_workers_node(struct sc_process *process, struct sc_watched_thread *thread,
                         uint32_t node);

/* Moves held costs to the lines that wait now; costs that were held for too long go back to their
 * own stack. To be called after each round of looks. */
void sc_workers_assign_costs(struct sc_process *process, uint64_t now_ns);

/* No more costs follow: moves held costs to the line that has waited last. Frees all. */
void sc_workers_end(struct sc_process *process);
