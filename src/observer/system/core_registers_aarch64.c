/*
 * observer/system/core_registers_aarch64.c - the registers of a thread in a core file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <string.h>
#include <sys/user.h>
#include <ucontext.h>

#include "observer/system/core_registers.h"

/* In its own core files the kernel has forgotten the number (do_signal of
 * arch/arm64/kernel/signal.c), and a thread whose call was to be made again stands at the
 * instruction, with all arguments; one whose call has ended, behind it. */
static struct sc_blocked blocked_at(const struct user_regs_struct *words, long call,
                                    const struct sc_target *target)
{
    static const uint32_t svc = 0xd4000001;
    uint32_t code[2] = {0};
    if (call < 0 && sc_target_read(target, words->pc - sizeof(code[0]), code, sizeof(code)) &&
        (code[0] == svc || code[1] == svc))
        call = (long)words->regs[8];
    struct sc_blocked blocked = {
        .running = call < 0,
        .number = call,
        .stack = words->sp,
        .instruction = words->pc,
    };
    memcpy(blocked.arguments, words->regs, sizeof(blocked.arguments));
    if (code[1] != svc)
        blocked.arguments[0] = 0; /* it is lost: the kernel puts the result there */
    return blocked;
}

void sc_core_registers(const struct sc_core_thread *thread, const struct sc_target *target,
                       struct sc_registers *ret_registers, struct sc_blocked *ret_blocked)
{
    enum { STACK = 31, WORDS = 32 }; /* by their numbers in DWARF */
    struct user_regs_struct words;
    memcpy(&words, &thread->registers, sizeof(words));
    *ret_registers = (struct sc_registers){.pc = words.pc};
    for (size_t i = 0; i < WORDS; i++) {
        uint8_t column = sc_machine.columns[i];
        if (column >= SC_COLUMNS)
            continue;
        ret_registers->values[column] = i == STACK ? words.sp : words.regs[i];
        ret_registers->known |= 1U << column;
    }
    *ret_blocked = blocked_at(&words, thread->call, target);
}

bool sc_registers_interrupted(const struct sc_target *target, struct sc_registers *registers)
{
    /* mov x8, #139; svc #0 */
    static const uint32_t sigreturn[] = {0xd2801168, 0xd4000001};
    uint32_t code[2];
    ucontext_t context;
    if (!sc_target_read(target, registers->pc, code, sizeof(code)) ||
        memcmp(code, sigreturn, sizeof(code)) != 0 ||
        !sc_target_read(target, registers->values[sc_machine.stack_column] + sizeof(siginfo_t),
                        &context, sizeof(context)))
        return false;
    sc_machine_load(&context, registers);
    return true;
}
