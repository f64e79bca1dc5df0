/*
 * unwind/context_x86_64.c - the interrupted registers, and what unwinding needs to know of x86-64.
 *
 * Register numbers: System V ABI, AMD64 supplement, figure 3.36 "DWARF register number mapping".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include <ucontext.h>

#include "unwind/machine.h"
#include "unwind/unwind.h"

enum {
    COLUMN_RBX = 3,
    COLUMN_RBP = 6,
    COLUMN_RSP = 7,
    COLUMN_R12 = 12,
    COLUMN_R13 = 13,
    COLUMN_R14 = 14,
    COLUMN_R15 = 15,
    COLUMN_RIP = 16,
    COLUMN_COUNT = 17,
};

#define NONE          SC_COLUMN_NONE
#define SYSCALL_BYTES 2 /* the instruction: 0f 05 */

const struct sc_machine sc_machine = {
    .columns = {0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,
                12,   13,   14,   15,   16,   NONE, NONE, NONE, NONE, NONE, NONE, NONE,
                NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
    .slots = {COLUMN_RIP, COLUMN_RBP, COLUMN_RBX, COLUMN_R12, COLUMN_R13, COLUMN_R14, COLUMN_R15,
              COLUMN_RSP},
    .stack_column = COLUMN_RSP,
    .preserved = 1U << COLUMN_RBX | 1U << COLUMN_RBP | 1U << COLUMN_RSP | 1U << COLUMN_R12 |
                 1U << COLUMN_R13 | 1U << COLUMN_R14 | 1U << COLUMN_R15 | 1U << COLUMN_RIP,
};

/* DWARF number to the index in gregs. */
static const uint8_t greg_of[COLUMN_COUNT] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                              REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

static uint64_t greg(const void *context, int index)
{
    const ucontext_t *ucontext = context;
    return (uint64_t)ucontext->uc_mcontext.gregs[index];
}

void sc_machine_load(const void *ucontext, struct sc_registers *ret_registers)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        ret_registers->values[i] = greg(ucontext, greg_of[i]);
    ret_registers->known = (1U << COLUMN_COUNT) - 1;
    ret_registers->in_memory = 0;
    ret_registers->pc = greg(ucontext, REG_RIP);
}

uint64_t sc_machine_code_address(uint64_t value)
{
    return value;
}

size_t sc_machine_code_step(void)
{
    return 1;
}

bool sc_machine_jump(const uint8_t *code, size_t available, uint64_t address, uint64_t *ret_target)
{
    size_t opcode_bytes;
    if (available >= 5 && code[0] == 0xe9) /* jmp rel32 */
        opcode_bytes = 1;
    else if (available >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80) /* jcc rel32 */
        opcode_bytes = 2;
    else
        return false;
    int32_t offset;
    memcpy(&offset, code + opcode_bytes, sizeof(offset));
    *ret_target = address + opcode_bytes + sizeof(offset) + (uint64_t)(int64_t)offset;
    return true;
}

void sc_context_registers(const void *ucontext, uint64_t *ret_pc, uint64_t *ret_sp)
{
    *ret_pc = greg(ucontext, REG_RIP);
    *ret_sp = greg(ucontext, REG_RSP);
}

bool sc_context_in_system_call(const void *ucontext, const struct sc_target *target)
{
    /* syscall is 0f 05. The program counter is after it when the call has ended, at it when the
     * kernel will restart the call. */
    uint64_t pc = greg(ucontext, REG_RIP);
    uint8_t bytes[4] = {0};
    if (sc_target_read(target, pc - 2, bytes, 4))
        return (bytes[0] == 0x0f && bytes[1] == 0x05) || (bytes[2] == 0x0f && bytes[3] == 0x05);
    return sc_context_makes_system_call(ucontext, target);
}

void sc_context_system_call(const void *ucontext, struct sc_system_call *ret_call)
{
    ret_call->number = greg(ucontext, REG_RAX);
    ret_call->second = greg(ucontext, REG_RSI);
}

bool sc_context_makes_system_call(const void *ucontext, const struct sc_target *target)
{
    uint8_t bytes[SYSCALL_BYTES];
    return sc_target_read(target, greg(ucontext, REG_RIP), bytes, sizeof(bytes)) &&
           bytes[0] == 0x0f && bytes[1] == 0x05;
}

bool sc_context_has_begun_system_call(const void *ucontext)
{
    /* The instruction puts the address behind it into rcx. */
    return greg(ucontext, REG_RCX) == greg(ucontext, REG_RIP) + SYSCALL_BYTES;
}

void sc_context_fail_system_call(void *ucontext, int error)
{
    greg_t *gregs = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
    gregs[REG_RAX] = -error;
    gregs[REG_RIP] += SYSCALL_BYTES;
}

size_t sc_context_pointers(const void *ucontext, uint64_t start, uint64_t end,
                           uint64_t ret_values[32])
{
    for (size_t i = 0; i < COLUMN_RIP; i++) {
        uint64_t value = greg(ucontext, greg_of[i]);
        ret_values[i] = value >= start && value < end ? value : 0;
    }
    return COLUMN_RIP;
}
