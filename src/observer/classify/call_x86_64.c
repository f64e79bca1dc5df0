/*
 * observer/classify/call_x86_64.c - how a function was called, on x86-64.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "observer/classify/call.h"

/* Length of "call r/m64" (ff /2) from its opcode on, by the two bytes after the opcode; 0 for
 * another instruction. */
static size_t indirect_length(uint8_t modrm, uint8_t sib)
{
    unsigned mode = modrm >> 6;
    unsigned operand = modrm & 7;
    if (((modrm >> 3) & 7) != 2)
        return 0;
    size_t length = mode != 3 && operand == 4 ? 3 : 2; /* with a SIB byte or without */
    if (mode == 1)
        length += 1;
    else if (mode == 2 || (mode == 0 && operand == 5) ||
             (mode == 0 && operand == 4 && (sib & 7) == 5))
        length += 4;
    return length;
}

enum sc_call_form sc_call_form(const uint8_t bytes[SC_CALL_BYTES], uint64_t return_address,
                               uint64_t *ret_target)
{
    if (bytes[SC_CALL_BYTES - 5] == 0xe8) {
        int32_t offset;
        memcpy(&offset, bytes + SC_CALL_BYTES - 4, sizeof(offset));
        *ret_target = return_address + (uint64_t)(int64_t)offset;
        return SC_CALL_DIRECT;
    }
    for (size_t length = 2; length < SC_CALL_BYTES; length++) {
        const uint8_t *call = bytes + SC_CALL_BYTES - length;
        if (call[0] == 0xff && indirect_length(call[1], length > 2 ? call[2] : 0) == length)
            return SC_CALL_INDIRECT;
    }
    return SC_CALL_UNKNOWN;
}

bool sc_call_jumps_into(const uint8_t *code, size_t length, uint64_t address, uint64_t start,
                        uint64_t end)
{
    for (size_t i = 0; i + 5 <= length; i++) {
        size_t opcode_bytes = code[i] == 0xe9                                   ? 1
                              : code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80 ? 2
                                                                                : 0;
        if (opcode_bytes == 0 || i + opcode_bytes + 4 > length)
            continue;
        int32_t offset;
        memcpy(&offset, code + i + opcode_bytes, sizeof(offset));
        uint64_t target = address + i + opcode_bytes + sizeof(offset) + (uint64_t)(int64_t)offset;
        if (target >= start && target < end)
            return true;
    }
    return false;
}

bool sc_call_linkage_word(const uint8_t *code, size_t length, uint64_t address, uint64_t *ret_word)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = 0;
    if (length >= sizeof(endbr64) && memcmp(code, endbr64, sizeof(endbr64)) == 0)
        at = sizeof(endbr64);
    if (at < length && code[at] == 0xf2) /* bnd */
        at++;
    if (at + 6 > length || code[at] != 0xff || code[at + 1] != 0x25) /* jmp *offset(%rip) */
        return false;
    int32_t offset;
    memcpy(&offset, code + at + 2, sizeof(offset));
    *ret_word = address + at + 6 + (uint64_t)(int64_t)offset;
    return true;
}
