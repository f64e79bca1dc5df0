/*
 * observer/lifecycle/process_poll.h - one look at a process: charges what it has used since the
 * last one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* One look at everything: drains the ring, charges what has passed since the last poll. */
void sc_process_poll(struct sc_process *process, uint64_t now_ns);

/* The same for a process that runs and whose CPU clock has been read. */
void sc_process_poll_at(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Instead of a poll while profiling is switched off: the clocks advance, nothing is charged. */
void sc_process_skip(struct sc_process *process, uint64_t now_ns);

/* Begins the process's accounts if user code runs by now. cpu_ns: the process's CPU time in all. */
void sc_process_begin_if_due(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Nothing can be looked at any more: charges what is pending, and what every thread has used since
 * its last sample. */
void sc_process_close_books(struct sc_process *process, uint64_t now_ns, uint64_t cpu_ns);

/* Charges what the threads have used since their last samples, and were not seen at, and the time
 * of traced devices up to the last poll. To be called before profiling is switched off: what is not
 * charged then would be nobody's. */
void sc_process_charge_unseen(struct sc_process *process);
