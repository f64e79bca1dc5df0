/*
 * observer/classify/call_aarch64.c - how a function was called, on AArch64.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "observer/classify/call.h"

enum sc_call_form sc_call_form(const uint8_t bytes[SC_CALL_BYTES], uint64_t return_address,
                               uint64_t *ret_target)
{
    uint32_t instruction;
    memcpy(&instruction, bytes + SC_CALL_BYTES - sizeof(instruction), sizeof(instruction));
    if ((instruction & 0xfc000000U) == 0x94000000U) { /* bl */
        int64_t words = (int64_t)((uint64_t)instruction << 38) >> 38;
        *ret_target = return_address - sizeof(instruction) + (uint64_t)(words * 4);
        return SC_CALL_DIRECT;
    }
    if ((instruction & 0xfffffc1fU) == 0xd63f0000U || /* blr */
        (instruction & 0xfefff800U) == 0xd63f0800U)   /* blraa and its kin */
        return SC_CALL_INDIRECT;
    return SC_CALL_UNKNOWN;
}

bool sc_call_jumps_into(const uint8_t *code, size_t length, uint64_t address, uint64_t start,
                        uint64_t end)
{
    for (size_t i = 0; i + 4 <= length; i += 4) {
        uint32_t instruction;
        memcpy(&instruction, code + i, sizeof(instruction));
        int64_t words;
        if ((instruction & 0xfc000000U) == 0x14000000U) /* b */
            words = (int64_t)((uint64_t)instruction << 38) >> 38;
        else if ((instruction & 0xff000000U) == 0x54000000U) /* b.cond */
            words = (int64_t)((uint64_t)(instruction >> 5) << 45) >> 45;
        else
            continue;
        uint64_t target = address + i + (uint64_t)(words * 4);
        if (target >= start && target < end)
            return true;
    }
    return false;
}

bool sc_call_linkage_word(const uint8_t *code, size_t length, uint64_t address, uint64_t *ret_word)
{
    uint32_t words[3] = {0};
    memcpy(words, code, length < sizeof(words) ? length : sizeof(words));
    size_t at = words[0] == 0xd503245fU; /* bti c */
    uint32_t adrp = words[at];
    uint32_t ldr = words[at + 1];
    if ((adrp & 0x9f00001fU) != 0x90000010U || /* adrp x16 */
        (ldr & 0xffc003ffU) != 0xf9400211U)    /* ldr x17, [x16, #offset] */
        return false;
    uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffffU) << 2 | (adrp >> 29 & 3U);
    int64_t offset = (int64_t)(pages << 43) >> 43;
    uint64_t page = (address + at * 4) & ~(uint64_t)4095;
    *ret_word = page + (uint64_t)(offset * 4096) + (uint64_t)(ldr >> 10 & 0xfffU) * 8;
    return true;
}
