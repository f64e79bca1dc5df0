/* base/visible.c - see visible.h. SPDX-License-Identifier: Apache-2.0 */
#include "base/visible.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

struct range {
    uint32_t first;
    uint32_t last;
};

/* Unicode 15: all of category Cf but the visible signs of Arabic numbers and the like, separators
 * of lines (Zl, Zp), letters that are blank, and variation selectors that are no part of usual
 * text. Zero-width joiners have a use within words of some scripts; in code they only hide. */
static const struct range unseen[] = {
    {0x00, 0x08},       {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},
    {0x61c, 0x61c},     {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},
    {0x2028, 0x202e},   {0x2060, 0x206f}, {0x2800, 0x2800}, {0x3164, 0x3164},   {0xfe00, 0xfe0e},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

/* Whether the character cannot be seen as itself: a control, a bidirectional control, one of no
 * width, a separator of lines or a tag. Newline and tab are none of them. */
static bool is_unseen(uint32_t character)
{
    for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++) {
        if (character >= unseen[i].first && character <= unseen[i].last)
            return true;
    }
    return false;
}

bool sc_turns_text(uint32_t character)
{
    return character == 0x61c || character == 0x200e || character == 0x200f ||
           (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

void sc_visible_add(struct sc_str *str, const char *text, size_t length, enum sc_visible kind)
{
    for (size_t at = 0; at < length;) {
        uint32_t character = 0;
        size_t size = sc_utf8_read(text + at, length - at, &character);
        bool is_break = kind == SC_VISIBLE_LINE && (character == '\n' || character == '\t');
        bool is_return = kind == SC_VISIBLE_LINES && character == '\r' && at + 1 < length &&
                         text[at + 1] == '\n';
        if (size == 0)
            sc_str_add_format(str, "<%02X>", (unsigned)(unsigned char)text[at]);
        else if (is_break || (is_unseen(character) && !is_return))
            sc_str_add_format(str, "<U+%04X>", (unsigned)character);
        else if (!is_return)
            sc_str_add_bytes(str, text + at, size);
        at += size > 0 ? size : 1;
    }
}

char *sc_visible(const char *text)
{
    struct sc_str str = {0};
    sc_visible_add(&str, text, strlen(text), SC_VISIBLE_LINE);
    sc_str_add(&str, "");
    return str.data;
}

void sc_visible_say(const char *before, const char *text)
{
    SC_AUTO_FREE char *shown = sc_visible(text);
    (void)fprintf(stderr, "%s%s\n", before, shown);
}

uint32_t sc_next_unseen(const char *text, size_t length, size_t *offset)
{
    while (*offset < length) {
        uint32_t character = 0;
        size_t size = sc_utf8_read(text + *offset, length - *offset, &character);
        bool is_return = character == '\r' && *offset + 1 < length && text[*offset + 1] == '\n';
        *offset += size > 0 ? size : 1;
        if (size > 0 && is_unseen(character) && !is_return)
            return character;
    }
    return 0;
}
