/*
 * base/hex.h - hexadecimal digits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

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
