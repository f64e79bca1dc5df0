/*
 * agent/context_here.h - the registers of the code that asks, for an unwinding that begins there.
 *
 * getcontext does more: it asks the kernel for the signal mask and saves the state of the
 * floating-point unit, which took a tenth of a sample of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <string.h>
#include <ucontext.h>

/* Fills in what a callee keeps for its caller, the stack pointer and the program counter, as they
 * are in the calling function; all other general registers are 0. Nothing else is written. Always
 * inlined, so that the calling function is the one meant. */
static inline __attribute__((always_inline)) void sc_context_here(ucontext_t *ret_context)
{
#if defined(__x86_64__)
    greg_t *registers = ret_context->uc_mcontext.gregs;
    memset(registers, 0, sizeof(ret_context->uc_mcontext.gregs));
    __asm__ volatile("movq %%rbx, %c[rbx](%[to])\n\t"
                     "movq %%rbp, %c[rbp](%[to])\n\t"
                     "movq %%rsp, %c[rsp](%[to])\n\t"
                     "movq %%r12, %c[r12](%[to])\n\t"
                     "movq %%r13, %c[r13](%[to])\n\t"
                     "movq %%r14, %c[r14](%[to])\n\t"
                     "movq %%r15, %c[r15](%[to])\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, %c[rip](%[to])"
                     :
                     : [to] "r"(registers), [rbx] "i"(8 * REG_RBX), [rbp] "i"(8 * REG_RBP),
                       [rsp] "i"(8 * REG_RSP), [r12] "i"(8 * REG_R12), [r13] "i"(8 * REG_R13),
                       [r14] "i"(8 * REG_R14), [r15] "i"(8 * REG_R15), [rip] "i"(8 * REG_RIP)
                     : "rax", "memory");
#else /* AArch64 */
    mcontext_t *machine = &ret_context->uc_mcontext;
    memset(machine->regs, 0, sizeof(machine->regs));
    __asm__ volatile("stp x19, x20, [%[to], #152]\n\t"
                     "stp x21, x22, [%[to], #168]\n\t"
                     "stp x23, x24, [%[to], #184]\n\t"
                     "stp x25, x26, [%[to], #200]\n\t"
                     "stp x27, x28, [%[to], #216]\n\t"
                     "stp x29, x30, [%[to], #232]"
                     :
                     : [to] "r"(machine->regs)
                     : "memory");
    __asm__ volatile("mov %[sp], sp\n\t"
                     "adr %[pc], ."
                     : [sp] "=r"(machine->sp), [pc] "=r"(machine->pc));
#endif
}
