/*
 * assist/utf8.c - texts as JSON can hold them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assist/utf8.h"

#include <stdint.h>

/* The length of the letter at bytes, or 0: overlong forms, surrogates and numbers beyond Unicode
 * are not letters (RFC 3629). */
static size_t letter_length(const unsigned char *bytes, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = bytes[0];
    if (first < 0x80)
        return first != 0 ? 1 : 0;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first > 0xf4 || length > left)
        return 0;
    uint32_t letter = first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0U) != 0x80U)
            return 0;
        letter = letter << 6U | (bytes[i] & 0x3fU);
    }
    if (letter < least[length] || letter > 0x10ffff || (letter >= 0xd800 && letter <= 0xdfff))
        return 0;
    return length;
}

void sc_utf8_add(struct sc_str *str, const char *bytes, size_t length)
{
    size_t offset = 0;
    while (offset < length) {
        size_t letter = letter_length((const unsigned char *)bytes + offset, length - offset);
        if (letter > 0)
            sc_str_add_bytes(str, bytes + offset, letter);
        else
            sc_str_add(str, "\xef\xbf\xbd");
        offset += letter > 0 ? letter : 1;
    }
}
