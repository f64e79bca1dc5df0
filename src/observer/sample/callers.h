/*
 * observer/sample/callers.h - the callers of a native function of the target, by the unwind records
 * of the files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/format.h"
#include "observer/process/process.h"
#include "unwind/record.h"

struct sc_callers {
    uint32_t count;
    bool reached_loop; /* an evaluation loop */
    bool is_whole;     /* the last one is the thread's outermost function */
    bool is_late;      /* the unwind records are still being read: a later call may find more */
    uint64_t addresses[SC_ADDRESSES_MAX]; /* innermost first, then return addresses */
};

/* Finds the callers of the function with these registers, capacity addresses at most, its own
 * included. stack: reads its stack. to_loop: only those inside the innermost evaluation loop, and
 * where the loop is not known, those before the first in the interpreter's file, since others could
 * be callers of the loop; otherwise addresses in loops are marked (SC_ADDRESS_IN_LOOP). */
void sc_callers_find(struct sc_process *process, const struct sc_target *stack,
                     struct sc_registers registers, uint32_t capacity, bool to_loop,
                     struct sc_callers *ret);
