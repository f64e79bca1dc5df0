/*
 * observer/system/core_registers_x86_64.c - the registers of a thread in a core file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>

#include "observer/system/core_registers.h"

void sc_core_registers(const struct sc_core_thread *thread, const struct sc_target *target,
                       struct sc_registers *ret_registers, struct sc_blocked *ret_blocked)
{
    struct user_regs_struct words;
    uint8_t code[2] = {0};
    memcpy(&words, &thread->registers, sizeof(words));
    /* by their numbers in DWARF */
    const uint64_t values[] = {words.rax, words.rdx, words.rcx, words.rbx, words.rsi, words.rdi,
                               words.rbp, words.rsp, words.r8,  words.r9,  words.r10, words.r11,
                               words.r12, words.r13, words.r14, words.r15};
    *ret_registers = (struct sc_registers){.pc = words.rip};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        uint8_t column = sc_machine.columns[i];
        if (column >= SC_COLUMNS)
            continue;
        ret_registers->values[column] = values[i];
        ret_registers->known |= 1U << column;
    }
    /* the kernel sets orig_rax to -1 outside of system calls; syscall is 0f 05 */
    bool is_call = (int64_t)words.orig_rax >= 0 &&
                   (!sc_target_read(target, words.rip - 2, code, sizeof(code)) ||
                    (code[0] == 0x0f && code[1] == 0x05));
    *ret_blocked = (struct sc_blocked){
        .running = !is_call,
        .number = is_call ? (long)words.orig_rax : -1,
        .arguments = {words.rdi, words.rsi, words.rdx, words.r10, words.r8, words.r9},
        .stack = words.rsp,
        .instruction = words.rip,
    };
}

bool sc_registers_interrupted(const struct sc_target *target, struct sc_registers *registers)
{
    /* mov $15, %rax; syscall */
    static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    uint8_t code[sizeof(sigreturn)];
    ucontext_t context;
    if (!sc_target_read(target, registers->pc, code, sizeof(code)) ||
        memcmp(code, sigreturn, sizeof(code)) != 0 ||
        !sc_target_read(target, registers->values[sc_machine.stack_column], &context,
                        sizeof(context)))
        return false;
    sc_machine_load(&context, registers);
    return true;
}
