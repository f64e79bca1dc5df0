/*
 * observer/charge/handed.h - who has handed over the work of a thread that runs no line of the
 * program's own: a pure function over the books of charge.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

/* The node of the line that waits for what a worker does, 0 while none does: of the thread that
 * began the worker, of that one's in turn, and so on, the first that has lines of its own. Where
 * none of them is known, of all that wait for others the one that has begun to last. */
uint32_t sc_charge_giver(const struct sc_charge_threads *threads, uint32_t creator_id);
