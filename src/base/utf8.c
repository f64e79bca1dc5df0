/* base/utf8.c - see utf8.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

size_t sc_utf8_read(const char *text, size_t left, uint32_t *ret_character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = sc_utf8_length(text, left);
    uint32_t character = length > 1 ? bytes[0] & (0x7fU >> length) : bytes[0];
    for (size_t i = 1; i < length; i++)
        character = character << 6 | (bytes[i] & 0x3fU);
    *ret_character = length > 0 ? character : 0;
    return length;
}

size_t sc_utf8_write(uint32_t character, char ret_bytes[4])
{
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; character >>= 6)
        ret_bytes[i] = (char)(0x80 | (character & 0x3f));
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    ret_bytes[0] = (char)(first[length] | character);
    return length;
}

void sc_utf8_add(struct sc_str *str, const char *bytes, size_t length)
{
    size_t offset = 0;
    while (offset < length) {
        bool is_nul = bytes[offset] == '\0'; /* it would end the text */
        size_t letter = is_nul ? 0 : sc_utf8_length(bytes + offset, length - offset);
        if (letter > 0)
            sc_str_add_bytes(str, bytes + offset, letter);
        else
            sc_str_add(str, "\xef\xbf\xbd");
        offset += letter > 0 ? letter : 1;
    }
}
