/*
 * base/utf8.h - how UTF-8 spells characters (RFC 3629).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

/* The length of the sequence that begins here, or 0 if none does: no overlong forms, no surrogates,
 * nothing above U+10FFFF. left: bytes there are, at least one. */
static inline size_t sc_utf8_length(const char *text, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t length;
    if (bytes[0] < 0x80)
        return 1;
    if (bytes[0] >= 0xc2 && bytes[0] <= 0xdf) {
        length = 2;
    } else if (bytes[0] >= 0xe0 && bytes[0] <= 0xef) {
        length = 3;
        low = bytes[0] == 0xe0 ? 0xa0 : low;
        high = bytes[0] == 0xed ? 0x9f : high;
    } else if (bytes[0] >= 0xf0 && bytes[0] <= 0xf4) {
        length = 4;
        low = bytes[0] == 0xf0 ? 0x90 : low;
        high = bytes[0] == 0xf4 ? 0x8f : high;
    } else {
        return 0;
    }
    if (length > left || bytes[1] < low || bytes[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if (bytes[i] < 0x80 || bytes[i] > 0xbf)
            return 0;
    }
    return length;
}

/* How much of the text has room in limit bytes: whole characters. Bytes that are none count as
 * one each. */
static inline size_t sc_utf8_fit(const char *text, size_t length, size_t limit)
{
    size_t fits = 0;
    while (fits < length) {
        size_t next = sc_utf8_length(text + fits, length - fits);
        next = next > 0 ? next : 1;
        if (fits + next > limit)
            break;
        fits += next;
    }
    return fits;
}

/* The character that begins here, and its length; 0 and 0 if none does. left: as above. */
size_t sc_utf8_read(const char *text, size_t left, uint32_t *ret_character);

/* Spells a character, which is no surrogate; returns how many bytes that are. */
size_t sc_utf8_write(uint32_t character, char ret_bytes[4]);

/* Adds the bytes as JSON can hold them: those that are no UTF-8, and NUL, become U+FFFD. */
void sc_utf8_add(struct sc_str *str, const char *bytes, size_t length);
