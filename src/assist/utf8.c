/* assist/utf8.c - see utf8.h. SPDX-License-Identifier: Apache-2.0 */
#include "assist/utf8.h"

#include "base/utf8.h"

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
