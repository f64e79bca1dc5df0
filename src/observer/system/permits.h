/*
 * observer/system/permits.h - what the system lets us read of a process from outside, and what a
 * profile lacks where it does not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What of a process the system does not let us read. */
struct sc_refusals {
    bool memory; /* process_vm_readv and /proc/PID/mem */
    bool maps;   /* /proc/PID/maps */
    bool calls;  /* /proc/PID/task/TID/syscall */
    bool pages;  /* /proc/PID/pagemap */
};

/* What that costs, as the rest of a sentence. */
#define SC_COST_OF_MEMORY                                                                          \
    "waiting time, await time and what ran without samples have no lines, and cells of notebooks " \
    "no source"
#define SC_COST_OF_CALLS "all its waiting time is of unknown cause"
#define SC_COST_OF_MAPS                                                                            \
    "its native functions have no names, and time is split into native and Python's by bytecode "  \
    "alone"
#define SC_COST_OF_PAGES "what it has allocated counts as used"

/* Tries all of them on a child that does nothing, with the functions that a run uses. False when
 * there can be no child. */
bool sc_permits_try(struct sc_refusals *ret_refusals);

/* Whether samples can come so often: more often than the kernel's ticks they need perf events. */
bool sc_permits_interval(uint64_t interval_ns);
