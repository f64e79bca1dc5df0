/*
 * unwind/context_aarch64.c - the interrupted registers, and what unwinding needs to know of
 * AArch64.
 *
 * Register numbers: DWARF for the Arm 64-bit architecture (aadwarf64), section 4.1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <ucontext.h>

#include "unwind/machine.h"
#include "unwind/unwind.h"

/* Columns: x19..x30, sp, then x9..x15, which code that moves its stack pointer uses. */
enum {
    COLUMN_X19 = 0,
    COLUMN_X29 = 10,
    COLUMN_X30 = 11,
    COLUMN_SP = 12,
    COLUMN_X9 = 13,
    COLUMN_COUNT = 20,
};

#define NONE SC_COLUMN_NONE
#define SVC  0xd4000001U /* the instruction svc #0 */

const struct sc_machine sc_machine = {
    .columns = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 13,   14,  15,
                16,   17,   18,   19,   NONE, NONE, NONE, 0,    1,    2,    3,   4,
                5,    6,    7,    8,    9,    10,   11,   12,   NONE, NONE, NONE},
    .slots = {COLUMN_X30, COLUMN_X29, 0, 1, 2, 3, 4, 5},
    .stack_column = COLUMN_SP,
    .preserved = (1U << (COLUMN_SP + 1)) - 1,
    .link_register = true,
};

void sc_machine_load(const void *context, struct sc_registers *ret_registers)
{
    const ucontext_t *ucontext = context;
    for (size_t i = COLUMN_X19; i <= COLUMN_X30; i++)
        ret_registers->values[i] = ucontext->uc_mcontext.regs[19 + i];
    for (size_t i = COLUMN_X9; i < COLUMN_COUNT; i++)
        ret_registers->values[i] = ucontext->uc_mcontext.regs[9 + i - COLUMN_X9];
    ret_registers->values[COLUMN_SP] = ucontext->uc_mcontext.sp;
    ret_registers->known = (1U << COLUMN_COUNT) - 1;
    ret_registers->in_memory = 0;
    ret_registers->pc = ucontext->uc_mcontext.pc;
}

uint64_t sc_machine_code_address(uint64_t value)
{
    /* Linux gives addresses above 48 bits only to programs that request them; the bits above hold
     * the pointer authentication code. */
    return value & 0x0000ffffffffffffU;
}

size_t sc_machine_code_step(void)
{
    return 4;
}

static int64_t signed_field(uint32_t instruction, unsigned low, unsigned bits)
{
    uint64_t field = (instruction >> low) & ((1U << bits) - 1);
    return (int64_t)(field << (64 - bits)) >> (64 - bits);
}

bool sc_machine_jump(const uint8_t *code, size_t available, uint64_t address, uint64_t *ret_target)
{
    uint32_t instruction;
    if (available < sizeof(instruction))
        return false;
    memcpy(&instruction, code, sizeof(instruction));
    int64_t words;
    if ((instruction & 0xfc000000U) == 0x14000000U) /* b */
        words = signed_field(instruction, 0, 26);
    else if ((instruction & 0xff000000U) == 0x54000000U || /* b.cond */
             (instruction & 0x7e000000U) == 0x34000000U)   /* cbz, cbnz */
        words = signed_field(instruction, 5, 19);
    else if ((instruction & 0x7e000000U) == 0x36000000U) /* tbz, tbnz */
        words = signed_field(instruction, 5, 14);
    else
        return false;
    *ret_target = address + (uint64_t)(words * 4);
    return true;
}

void sc_context_registers(const void *context, uint64_t *ret_pc, uint64_t *ret_sp)
{
    const ucontext_t *ucontext = context;
    *ret_pc = ucontext->uc_mcontext.pc;
    *ret_sp = ucontext->uc_mcontext.sp;
}

bool sc_context_in_system_call(const void *context, const struct sc_target *target)
{
    /* svc #0; the program counter is after it when the call has ended, at it when the kernel will
     * restart the call. */
    const ucontext_t *ucontext = context;
    uint64_t pc = ucontext->uc_mcontext.pc;
    uint32_t words[2] = {0};
    if (sc_target_read(target, pc - 4, words, sizeof(words)))
        return words[0] == SVC || words[1] == SVC;
    return sc_context_makes_system_call(context, target);
}

void sc_context_system_call(const void *context, struct sc_system_call *ret_call)
{
    const ucontext_t *ucontext = context;
    ret_call->number = ucontext->uc_mcontext.regs[8];
    ret_call->second = ucontext->uc_mcontext.regs[1];
}

bool sc_context_makes_system_call(const void *context, const struct sc_target *target)
{
    const ucontext_t *ucontext = context;
    uint32_t word = 0;
    return sc_target_read(target, ucontext->uc_mcontext.pc, &word, sizeof(word)) && word == SVC;
}

bool sc_context_has_begun_system_call(const void *context)
{
    (void)context;
    return false;
}

void sc_context_fail_system_call(void *context, int error)
{
    ucontext_t *ucontext = context;
    ucontext->uc_mcontext.regs[0] = (uint64_t) - (int64_t)error;
    ucontext->uc_mcontext.pc += 4;
}

size_t sc_context_pointers(const void *context, uint64_t start, uint64_t end,
                           uint64_t ret_values[32])
{
    const ucontext_t *ucontext = context;
    for (size_t i = 0; i < 31; i++) {
        uint64_t value = ucontext->uc_mcontext.regs[i];
        ret_values[i] = value >= start && value < end ? value : 0;
    }
    return 31;
}
