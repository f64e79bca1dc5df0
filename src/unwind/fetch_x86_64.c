/*
 * unwind/fetch_x86_64.c - finds `movzwl (%reg), %r32` in the evaluation loop.
 *
 * The encoding: an optional REX prefix 40-4f (its lowest bit extends the base register), 0f b7, and
 * a ModRM byte whose upper bits are 00 (no displacement) and whose lower three bits are the base; 4
 * and 5 mean other forms. AMD64 Architecture Programmer's Manual, volume 3, sections 1.4 and 1.2.7.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/fetch.h"

#define REGISTERS 16

/* Far more than a register has by chance, far fewer than the loop has opcodes. */
#define LOADS_MIN 32U

/* Maps register numbers of instructions to DWARF's, which sc_context_pointers uses. */
static const uint8_t dwarf_of[REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

static void count_loads(const struct sc_range *range, uint32_t counts[REGISTERS])
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)range->start;
    size_t length = (size_t)(range->end - range->start);
    for (size_t i = 1; i + 2 < length; i++) {
        if (code[i] != 0x0f || code[i + 1] != 0xb7 || code[i + 2] >> 6 != 0)
            continue;
        unsigned base = code[i + 2] & 7U;
        if (base == 4 || base == 5)
            continue;
        bool is_extended = (code[i - 1] & 0xf0U) == 0x40 && (code[i - 1] & 1U) != 0;
        counts[base + (is_extended ? 8U : 0U)]++;
    }
}

int sc_fetch_register(const struct sc_eval_ranges *ranges)
{
    uint32_t counts[REGISTERS] = {0};
    unsigned best = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        count_loads(&ranges->ranges[i], counts);
    for (unsigned i = 1; i < REGISTERS; i++) {
        if (counts[i] > counts[best])
            best = i;
    }
    return counts[best] >= LOADS_MIN ? dwarf_of[best] : -1;
}
