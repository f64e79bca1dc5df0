/*
 * observer/sample/preemption.h - charges time in which a thread was kept from a CPU to what it ran
 * around that time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "observer/process/process.h"

/* Charges the ns up to the last poll, in which the thread had no CPU to run on: shared among the
 * places where it was sampled, at once or when it has enough samples, or else to where it was seen
 * last. */
void sc_preemption_charge(struct sc_process *process, struct sc_watched_thread *thread,
                          uint64_t ns);

/* Charges what waits for more samples: there are enough now, or the thread has ended. */
void sc_preemption_charge_owed(struct sc_process *process, struct sc_watched_thread *thread);
