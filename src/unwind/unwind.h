/*
 * unwind/unwind.h - reads native return addresses of the interrupted thread, inside a signal
 * handler.
 *
 * Finds each function's unwind record on demand (_dl_find_object, then the module's .eh_frame_hdr)
 * and decodes the one row needed; nothing is prepared, so libraries may be loaded and unloaded.
 * Decoded rows are cached in a fixed table that all threads share without locks.
 *
 * Async-signal-safe: no locks, no allocation, no libc functions except those in
 * tools/check_signal_safe.py; about 1.2 KB of stack. The stack is read through memory (the agent's
 * fault-proof reader); the unwind data of a module that the loader has just reported is read by
 * plain loads, bounded by the segment that holds it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpython/target.h"

/* Once at start, in normal context: finds _dl_find_object, or without it (glibc before 2.35, musl)
 * makes a list of the modules. Before the first call, unwinding fails. */
void sc_unwind_init(void);

/* In normal context: makes the list again, where there is one and modules were loaded since.
 * Returns how many were unloaded so far. */
uint32_t sc_unwind_modules_follow(void);

/* In a fork child: another thread of its parent may have been making the list. */
void sc_unwind_modules_after_fork(void);

/* Address ranges of the evaluation loop: the function, its cold part, and one per opcode in builds
 * with tail calls. */
#define SC_EVAL_RANGES_MAX 512

struct sc_range {
    uint64_t start;
    uint64_t end;
};

struct sc_eval_ranges {
    uint32_t count;
    struct sc_range ranges[SC_EVAL_RANGES_MAX]; /* sorted, not overlapping */
};

/* Finds the ranges from the address of _PyEval_EvalFrameDefault. Called once, at start, in normal
 * context. If that fails, the range of the symbol itself is used (size_bytes; none if that is 0).
 */
void sc_eval_ranges_find(struct sc_eval_ranges *ret_ranges, const struct sc_target *target,
                         uint64_t function, size_t size_bytes);

bool sc_eval_ranges_hold(const struct sc_eval_ranges *ranges, uint64_t address);

struct sc_registers;

enum sc_unwind_end {
    SC_UNWIND_EVAL,  /* a frame of the evaluation loop was reached; it is the last address */
    SC_UNWIND_ROOT,  /* the thread's outermost frame was reached */
    SC_UNWIND_LIMIT, /* capacity was reached */
    SC_UNWIND_LOST,  /* no unwind record, an unsupported form, or unreadable memory */
};

/* Fills ret_addresses with the program counter and then the return addresses (each still the exact
 * return address; look up address - 1), innermost first, up to and including the first one inside
 * ranges. ucontext is the handler's third argument. */
enum sc_unwind_end sc_unwind(const void *ucontext, const struct sc_target *target,
                             const struct sc_eval_ranges *ranges, uint64_t *ret_addresses,
                             size_t capacity, size_t *ret_count);

/* The same from these registers (machine.h), which are changed to those of the outermost frame
 * reached, up to the loops-th evaluation loop, counted from the innermost (0: past all, up to the
 * thread's outermost frame). SC_ADDRESS_IN_LOOP (channel/format.h) is set in the addresses inside
 * ranges. */
enum sc_unwind_end sc_unwind_past_loops(struct sc_registers *registers,
                                        const struct sc_target *target,
                                        const struct sc_eval_ranges *ranges, size_t loops,
                                        uint64_t *ret_addresses, size_t capacity,
                                        size_t *ret_count);

/* Program counter and stack pointer of the interrupted code. */
void sc_context_registers(const void *ucontext, uint64_t *ret_pc, uint64_t *ret_sp);

/* True when the interrupted instruction is, or just was, a system call. */
bool sc_context_in_system_call(const void *ucontext, const struct sc_target *target);

/* A system call as the registers describe it: meaningful only where one is made. */
struct sc_system_call {
    uint64_t number;
    uint64_t second; /* its second argument */
};

/* The system call that the interrupted code makes if its next instruction is one. */
void sc_context_system_call(const void *ucontext, struct sc_system_call *ret_call);

/* True when the next instruction is a system call: it is about to be made, or was interrupted and
 * will be restarted. */
bool sc_context_makes_system_call(const void *ucontext, const struct sc_target *target);

/* True when the registers show that this system call was begun and will be made again. False where
 * that cannot be told: on aarch64, and on x86-64 with FRED, whose syscall leaves no trace in rcx.
 */
bool sc_context_has_begun_system_call(const void *ucontext);

/* Lets the interrupted code go on behind that instruction, as if the call had failed with error (a
 * value of errno). Only where sc_context_makes_system_call. */
void sc_context_fail_system_call(void *ucontext, int error);

/* Looks among the general registers for pointers into [start, end), for a build whose evaluation
 * loop keeps the next instruction only in a register: fills ret_values with each register's value
 * or 0, in a fixed order per processor. Returns the number of registers (<= 32). */
size_t sc_context_pointers(const void *ucontext, uint64_t start, uint64_t end,
                           uint64_t ret_values[32]);
