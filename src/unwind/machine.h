/*
 * unwind/machine.h - what unwinding needs to know of the processor.
 *
 * DWARF numbers the registers of each processor in its own way. Here those that we need are
 * "columns", few enough for a signal handler's stack, and those that a function may have to restore
 * for its caller are "slots". Everything declared here is defined by context_<processor>.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_COLUMNS     20
#define SC_COLUMN_NONE 0xff
#define SC_SLOTS       8
#define SC_DWARF_COUNT 35

struct sc_machine {
    uint8_t columns[SC_DWARF_COUNT]; /* DWARF register number to column or SC_COLUMN_NONE */
    uint8_t slots[SC_SLOTS];         /* column of each slot; the first is the return address's */
    uint8_t stack_column;
    uint32_t preserved; /* columns that a called function preserves; a bit per column */
    /* A call stores the return address in a register, where it stays in a function that calls
     * nothing: the caller's stack pointer may then equal the callee's. */
    bool link_register;
};

extern const struct sc_machine sc_machine;

/* Registers of one frame. A register that was saved to memory is read only when its value is
 * needed. */
struct sc_registers {
    uint64_t values[SC_COLUMNS];
    uint32_t known;     /* a bit per column */
    uint32_t in_memory; /* a bit per column: if set, values has the address of the saved value */
    uint64_t pc;
};

/* The registers of the interrupted code. */
void sc_machine_load(const void *ucontext, struct sc_registers *ret_registers);

/* A return address without authentication bits. */
uint64_t sc_machine_code_address(uint64_t value);

/* Instructions begin at multiples of this. */
size_t sc_machine_code_step(void);

/* True when a direct jump (not a call) may be encoded at code, which has available bytes and is at
 * address. On a processor with instructions of varying length the bytes may be inside another
 * instruction. */
bool sc_machine_jump(const uint8_t *code, size_t available, uint64_t address, uint64_t *ret_target);
