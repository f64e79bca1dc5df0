/* render/text.c - see text.h. SPDX-License-Identifier: Apache-2.0 */
#include "render/text.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

#define PLUS_MINUS    0xB1U /* each number with an error has one */
#define REPLACEMENT   0xFFFDU
#define CONTROL_PAGE  0x2400U /* pictures of the control characters, in their order */
#define DELETE_SYMBOL 0x2421U

/* What happens to characters that have no picture, or would move others. */
enum action { SHOW, REPLACE, LEAVE_OUT };

struct range {
    uint32_t first;
    uint32_t last;
    enum action action;
};

static const struct range ranges[] = {
    {0x80, 0x9F, REPLACE},       /* C1 controls: 0x9B starts a sequence as ESC [ does */
    {0xAD, 0xAD, REPLACE},       /* soft hyphen: shown or not, depending on the terminal */
    {0x061C, 0x061C, REPLACE},   /* direction marks: text would read in another order */
    {0x200B, 0x200B, REPLACE},   /* zero width space */
    {0x200C, 0x200D, LEAVE_OUT}, /* joiners: only a terminal's font knows what they join */
    {0x200E, 0x200F, REPLACE},   /* direction marks */
    {0x2028, 0x202E, REPLACE},   /* line and paragraph ends, direction overrides */
    {0x2060, 0x206F, REPLACE},   /* invisible operators, direction isolates */
    {0xFE00, 0xFE0F, LEAVE_OUT}, /* variation selectors: they change widths where supported */
    {0xFEFF, 0xFEFF, REPLACE},   /* byte order mark */
    {0xFFF9, 0xFFFB, REPLACE},   /* annotations */
    {0xE0000, 0xE0FFF, REPLACE}, /* tags */
};

static enum action find_action(uint32_t code)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return ranges[i].action;
    }
    return SHOW;
}

static void show(struct sc_glyph *glyph, uint32_t code, bool unicode)
{
    if (!unicode && code == PLUS_MINUS) {
        memcpy(glyph->bytes, "+-", 3);
        glyph->width = 2;
        return;
    }
    if (!unicode && code >= 0x80)
        code = '?';
    int width = code < 0x80 ? 1 : wcwidth((wchar_t)code);
    if (width < 0) { /* not in this locale's tables: unassigned, or newer than the C library */
        code = REPLACEMENT;
        width = 1;
    }
    (void)sc_utf8_write(code, glyph->bytes);
    glyph->width = (size_t)width;
}

struct sc_glyph sc_text_next(const char *bytes, size_t length, size_t column, bool unicode)
{
    struct sc_glyph glyph = {.used = 1};
    uint32_t code = 0;
    size_t size = sc_utf8_read(bytes, length, &code);
    if (size == 0) {
        show(&glyph, REPLACEMENT, unicode);
        return glyph;
    }
    glyph.used = size;
    if (code == '\t') {
        glyph.width = SC_TAB_STOP - column % SC_TAB_STOP;
        memset(glyph.bytes, ' ', glyph.width);
        return glyph;
    }
    enum action action = find_action(code);
    if (code < 0x20)
        show(&glyph, CONTROL_PAGE + code, unicode);
    else if (code == 0x7F)
        show(&glyph, DELETE_SYMBOL, unicode);
    else if (action != LEAVE_OUT)
        show(&glyph, action == REPLACE ? REPLACEMENT : code, unicode);
    return glyph;
}

size_t sc_text_width(const char *bytes, size_t length, size_t column, bool unicode)
{
    size_t start = column;
    while (length > 0) {
        struct sc_glyph glyph = sc_text_next(bytes, length, column, unicode);
        column += glyph.width;
        bytes += glyph.used;
        length -= glyph.used;
    }
    return column - start;
}

size_t sc_text_fit(const char *bytes, size_t length, size_t column, size_t limit, bool unicode,
                   size_t *ret_width)
{
    size_t start = column;
    size_t used = 0;
    while (used < length) {
        struct sc_glyph glyph = sc_text_next(bytes + used, length - used, column, unicode);
        if (column + glyph.width - start > limit)
            break;
        column += glyph.width;
        used += glyph.used;
    }
    *ret_width = column - start;
    return used;
}
