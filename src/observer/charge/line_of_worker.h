/*
 * observer/charge/line_of_worker.h - which line waits for the work of a thread that runs no line of
 * the program itself: a pure function of the accounting state of charge.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/charge/charge.h"

/* The node of the line at which the thread waits, or would if others left it a CPU; 0: none. */
uint32_t sc_charge_line_of_waiter(const struct sc_charge_thread *thread);

/* The node of the line that waits for what a worker does, 0 while no line waits. Looked for in the
 * thread that started the worker, in the one that started that one, and so on, up to the first that
 * has lines in scope. If no such thread is known, it is the line of the thread that began last to
 * wait for others. */
uint32_t sc_charge_line_of_worker(const struct sc_charge_threads *threads, uint32_t creator_id);
