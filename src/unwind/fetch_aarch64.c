/*
 * unwind/fetch_aarch64.c - finds `ldrh wT, [xN]` in the evaluation loop.
 *
 * The encoding: LDRH (immediate, unsigned offset) with offset 0, bits 31-10 are 0x1e5000, then Rn
 * and Rt of five bits each. Arm Architecture Reference Manual for A-profile, C6.2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "unwind/fetch.h"

#define REGISTERS 32
#define LOADS_MIN 32U

static void count_loads(const struct sc_range *range, uint32_t counts[REGISTERS])
{
    const uint32_t *code = (const uint32_t *)(uintptr_t)range->start;
    size_t length = (size_t)(range->end - range->start) / sizeof(*code);
    for (size_t i = 0; i < length; i++) {
        if (code[i] >> 10 == 0x1e5000U)
            counts[code[i] >> 5 & 31U]++;
    }
}

int sc_fetch_register(const struct sc_eval_ranges *ranges)
{
    uint32_t counts[REGISTERS] = {0};
    unsigned best = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        count_loads(&ranges->ranges[i], counts);
    for (unsigned i = 1; i < REGISTERS - 1; i++) { /* 31 is the stack pointer */
        if (counts[i] > counts[best])
            best = i;
    }
    return counts[best] >= LOADS_MIN ? (int)best : -1;
}
