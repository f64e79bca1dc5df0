/*
 * unwind/registers_here.h - the registers of the calling code, for an unwinding that starts there.
 *
 * getcontext does more: it gets the signal mask from the kernel and saves the state of the
 * floating-point unit, which took a tenth of the time of a memory sample.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "unwind/machine.h"

/* Fills in the callee-saved registers, the stack pointer and the program counter, as they are in
 * the calling function; the other registers are unknown. The calling function must not return
 * before the unwinding is over. Always inlined, so that these are the calling function's registers.
 */
static inline __attribute__((always_inline)) void
sc_registers_capture(struct sc_registers *ret_here)
{
#if defined(__x86_64__)
    /* columns 3, 6, 7 and 12 to 15 of context_x86_64.c, which are the numbers of DWARF */
    __asm__ volatile("movq %%rbx, 24(%[to])\n\t"
                     "movq %%rbp, 48(%[to])\n\t"
                     "movq %%rsp, 56(%[to])\n\t"
                     "movq %%r12, 96(%[to])\n\t"
                     "movq %%r13, 104(%[to])\n\t"
                     "movq %%r14, 112(%[to])\n\t"
                     "movq %%r15, 120(%[to])\n\t"
                     "leaq 0(%%rip), %[pc]"
                     : [pc] "=&r"(ret_here->pc)
                     : [to] "r"(ret_here->values)
                     : "memory");
    ret_here->known = 0xf0c8U;
#else /* AArch64: columns 0 to 12 of context_aarch64.c, from x19 on */
    __asm__ volatile("stp x19, x20, [%[to]]\n\t"
                     "stp x21, x22, [%[to], #16]\n\t"
                     "stp x23, x24, [%[to], #32]\n\t"
                     "stp x25, x26, [%[to], #48]\n\t"
                     "stp x27, x28, [%[to], #64]\n\t"
                     "stp x29, x30, [%[to], #80]\n\t"
                     "mov %[pc], sp\n\t"
                     "str %[pc], [%[to], #96]\n\t"
                     "adr %[pc], ."
                     : [pc] "=&r"(ret_here->pc)
                     : [to] "r"(ret_here->values)
                     : "memory");
    ret_here->known = 0x1fffU;
#endif
    ret_here->in_memory = 0;
}
