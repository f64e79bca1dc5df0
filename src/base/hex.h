/*
 * base/hex.h - hexadecimal digits, and the escapes of JSON that are made of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* The value of a digit, 0 to 15; -1 when the byte is none. */
static inline int sc_hex_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

/* The number of the escape \uXXXX at text, which ends at end; -1 when there is none. */
static inline int32_t sc_hex_escape(const char *text, const char *end)
{
    int32_t number = 0;
    if (end - text < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = sc_hex_digit(text[i]);
        if (digit < 0)
            return -1;
        number = number * 16 + digit;
    }
    return number;
}
