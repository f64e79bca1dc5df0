/*
 * cpython/value.c - values of built-in types, and any object as a short text.
 *
 * Layouts: Include/cpython/{longintrepr,tupleobject,listobject,setobject,floatobject}.h of
 * python/cpython.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpython/load.h"
#include "cpython/text.h"
#include "cpython/walk.h"

enum {
    DIGIT_BITS = 30,
    SIZE_SHIFT = 3,              /* lv_tag (pycore_long.h) */
    TUPLES_HAVE_HASHES = 0x030e, /* before their members: a word more */
    COUNT_LIMIT = 1 << 30,       /* more members than this are none */
    SHOWN_ITEMS = 5,             /* of a container */
    SHOWN_BYTES = 80,            /* of a text */
    DEPTH_MAX = 2,               /* containers in containers */
    SLOT_BYTES = 16,             /* setentry: key, hash */
    SLOTS_SEARCHED = 64,
    NAME_BYTES = 128,
};

static int32_t count_of_digits(const struct sc_python *python, uint64_t object, bool *ret_negative)
{
    uint64_t word = 0;
    *ret_negative = false;
    if (python->at->lo_tag >= 0) {
        if (!sc_read_u64(python->target, object, python->at->lo_tag, &word) ||
            word >> SIZE_SHIFT > COUNT_LIMIT)
            return -1;
        *ret_negative = (word & 3) == 2;
        return (int32_t)(word >> SIZE_SHIFT);
    }
    if (!sc_read_u64(python->target, object, python->at->ob_size, &word))
        return -1;
    int64_t count = (int64_t)word;
    *ret_negative = count < 0;
    count = count < 0 ? -count : count;
    return count > COUNT_LIMIT ? -1 : (int32_t)count;
}

static bool is_integer(const struct sc_python *python, uint64_t object)
{
    return sc_is_built_in(python, object, "int") || sc_is_built_in(python, object, "bool");
}

/* The size of an int; false when that is more than 64 bits. */
static bool read_magnitude(const struct sc_python *python, uint64_t object, uint64_t *ret_value,
                           bool *ret_negative)
{
    uint64_t value = 0;
    int32_t digits = count_of_digits(python, object, ret_negative);
    if (digits < 0 || digits > 3)
        return false;
    for (int32_t i = digits - 1; i >= 0; i--) {
        uint32_t digit = 0;
        if (!sc_read_u32(python->target, object + (uint64_t)i * 4, python->at->lo_digits, &digit) ||
            value >> (64 - DIGIT_BITS) != 0)
            return false;
        value = value << DIGIT_BITS | digit;
    }
    *ret_value = value;
    return true;
}

bool sc_integer_read(const struct sc_python *python, uint64_t object, int64_t *ret_value)
{
    bool is_negative;
    uint64_t value = 0;
    if (!is_integer(python, object) || !read_magnitude(python, object, &value, &is_negative) ||
        value > INT64_MAX)
        return false;
    *ret_value = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

size_t sc_tuple_count(const struct sc_python *python, uint64_t tuple)
{
    uint64_t count = 0;
    if (!sc_is_built_in(python, tuple, "tuple") ||
        !sc_read_u64(python->target, tuple, python->at->ob_size, &count) || count > COUNT_LIMIT)
        return 0;
    return (size_t)count;
}

static uint64_t tuple_items(const struct sc_python *python, uint64_t tuple)
{
    uint64_t words = python->layout->version >= TUPLES_HAVE_HASHES ? 2 : 1;
    return tuple + (uint32_t)python->at->ob_size + 8 * words;
}

bool sc_tuple_item(const struct sc_python *python, uint64_t tuple, size_t index, uint64_t *ret_item)
{
    return sc_read_u64(python->target, tuple_items(python, tuple) + 8 * index, 0, ret_item);
}

struct out {
    char *text;
    size_t capacity;
    size_t length;
    bool is_full;
};

static const char rest[] = "...";

/* A piece that does not fit is left out whole, with all behind it, so that no character or escape
 * is cut. */
__attribute__((format(printf, 2, 3))) static void add(struct out *out, const char *format, ...)
{
    va_list arguments;
    size_t room = out->capacity - sizeof(rest) + 1 - out->length;
    if (out->is_full)
        return;
    va_start(arguments, format);
    int wanted = vsnprintf(out->text + out->length, room, format, arguments);
    va_end(arguments);
    out->is_full = wanted < 0 || (size_t)wanted >= room;
    if (out->is_full)
        memcpy(out->text + out->length, rest, sizeof(rest));
    else
        out->length += (size_t)wanted;
}

/* The letter behind the backslash by which repr writes a byte, or 0. */
static char escaped(unsigned char byte, char quote)
{
    switch (byte) {
    case '\n':
        return 'n';
    case '\t':
        return 't';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    default:
        return byte == (unsigned char)quote ? quote : 0;
    }
}

static char quote_for(bool has_single, bool has_double)
{
    return has_single && !has_double ? '"' : '\'';
}

/* A character as repr writes it, or a byte. */
static void add_character(struct out *out, uint32_t point, char quote, bool is_byte)
{
    uint8_t utf8[4];
    if (point < 0x80 && escaped((unsigned char)point, quote) != 0)
        add(out, "\\%c", escaped((unsigned char)point, quote));
    else if (point < ' ' || (point >= 0x7f && (is_byte || point <= 0xa0 || point == 0xad)))
        add(out, "\\x%02x", point);
    else if (point >= 0xd800 && point <= 0xdfff)
        add(out, "\\u%04x", point);
    else
        add(out, "%.*s", (int)sc_character_encode(point, utf8), (const char *)utf8);
}

/* The end of a text, and how much there is if not all of it was shown. */
static void end_quoted(struct out *out, char quote, size_t shown, uint64_t whole)
{
    add(out, "%c", quote);
    if (shown < whole)
        add(out, "%s %" PRIu64 " in all", rest, whole);
}

static bool add_text(const struct sc_python *python, uint64_t object, struct out *out)
{
    struct sc_characters text;
    uint8_t bytes[4 * SHOWN_BYTES];
    uint32_t points[SHOWN_BYTES];
    uint8_t utf8[4];
    bool has_single = false;
    bool has_double = false;
    size_t shown = 0;
    if (!sc_characters_find(python->layout, python->target, object, &text))
        return false;
    size_t held = text.count < SHOWN_BYTES ? (size_t)text.count : SHOWN_BYTES;
    if (held > 0 && !sc_target_read(python->target, text.address, bytes, held * text.width))
        return false;
    for (size_t room = SHOWN_BYTES; shown < held; shown++) {
        points[shown] = sc_character(bytes + shown * text.width, text.width);
        bool is_half = points[shown] >= 0xd800 && points[shown] <= 0xdfff;
        size_t length = is_half ? 3 : sc_character_encode(points[shown], utf8);
        if (length > room)
            break;
        room -= length;
        has_single |= points[shown] == '\'';
        has_double |= points[shown] == '"';
    }
    char quote = quote_for(has_single, has_double);
    add(out, "%c", quote);
    for (size_t i = 0; i < shown; i++)
        add_character(out, points[i], quote, false);
    end_quoted(out, quote, shown, text.count);
    return true;
}

static bool add_bytes(const struct sc_python *python, uint64_t object, struct out *out)
{
    unsigned char bytes[SHOWN_BYTES];
    size_t length = 0;
    if (!sc_bytes_size(python->layout, python->target, object, &length))
        return false;
    size_t held = length < sizeof(bytes) ? length : sizeof(bytes);
    if (!sc_bytes_read(python->layout, python->target, object, bytes, held))
        return false;
    char quote = quote_for(memchr(bytes, '\'', held) != NULL, memchr(bytes, '"', held) != NULL);
    add(out, "b%c", quote);
    for (size_t i = 0; i < held; i++)
        add_character(out, bytes[i], quote, true);
    end_quoted(out, quote, held, length);
    return true;
}

/* The shortest text that reads back as the same number, as repr writes it: with an exponent below
 * 1e-4 and from 1e16 on. */
static bool add_float(const struct sc_python *python, uint64_t object, struct out *out)
{
    double value;
    char text[400];
    if (!sc_target_read(python->target, object + (uint32_t)python->at->ob_size, &value,
                        sizeof(value)))
        return false;
    if (isnan(value) || isinf(value)) {
        add(out, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return true;
    }
    int digits = 0;
    do
        (void)snprintf(text, sizeof(text), "%.*e", digits, value);
    while (strtod(text, NULL) != value && ++digits < 17);
    long exponent = strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 16) {
        long decimals = digits - exponent;
        (void)snprintf(text, sizeof(text), "%.*f", decimals > 1 ? (int)decimals : 1, value);
    }
    add(out, "%s", text);
    return true;
}

static bool add_integer(const struct sc_python *python, uint64_t object, struct out *out)
{
    uint64_t value = 0;
    bool is_negative;
    if (read_magnitude(python, object, &value, &is_negative)) {
        add(out, "%s%" PRIu64, is_negative ? "-" : "", value);
        return true;
    }
    int32_t digits = count_of_digits(python, object, &is_negative);
    if (digits <= 0)
        return false;
    add(out, "<%sint of about %" PRId64 " bits>", is_negative ? "negative " : "",
        (int64_t)digits * DIGIT_BITS);
    return true;
}

static void add_object(const struct sc_python *python, uint64_t object, unsigned depth,
                       struct out *out);

static void add_items(const struct sc_python *python, const uint64_t *items, size_t count,
                      uint64_t whole, unsigned depth, struct out *out)
{
    for (size_t i = 0; i < count; i++) {
        add(out, "%s", i > 0 ? ", " : "");
        add_object(python, items[i], depth + 1, out);
    }
    if (count < whole)
        add(out, "%s... %" PRIu64 " in all", count > 0 ? ", " : "", whole);
}

static size_t read_items(const struct sc_python *python, uint64_t address, uint64_t whole,
                         uint64_t items[SHOWN_ITEMS])
{
    size_t count = 0;
    while (count < SHOWN_ITEMS && count < whole &&
           sc_read_u64(python->target, address + 8 * count, 0, &items[count]))
        count++;
    return count;
}

static bool add_sequence(const struct sc_python *python, uint64_t object, bool is_list,
                         unsigned depth, struct out *out)
{
    uint64_t items[SHOWN_ITEMS];
    uint64_t whole = 0;
    uint64_t address = tuple_items(python, object);
    if (!sc_read_u64(python->target, object, python->at->ob_size, &whole) || whole > COUNT_LIMIT ||
        (is_list && !sc_read_u64(python->target, object + 8, python->at->ob_size, &address)))
        return false;
    add(out, is_list ? "[" : "(");
    size_t count = depth < DEPTH_MAX ? read_items(python, address, whole, items) : 0;
    add_items(python, items, count, whole, depth, out);
    add(out, is_list ? "]" : whole == 1 && count == 1 ? ",)" : ")");
    return true;
}

static bool add_set(const struct sc_python *python, uint64_t object, unsigned depth,
                    struct out *out)
{
    uint64_t items[SHOWN_ITEMS];
    uint64_t whole = 0;
    uint64_t table = 0;
    uint64_t mask = 0;
    size_t count = 0;
    if (!sc_read_u64(python->target, object, python->at->se_used, &whole) || whole > COUNT_LIMIT ||
        !sc_read_u64(python->target, object, python->at->se_mask, &mask) ||
        !sc_read_u64(python->target, object, python->at->se_table, &table))
        return false;
    for (uint64_t i = 0; i <= mask && i < SLOTS_SEARCHED && count < SHOWN_ITEMS && count < whole &&
                         depth < DEPTH_MAX;
         i++) {
        uint64_t hash = 0; /* -1 is none's: the slot of a member that was taken out */
        count += sc_read_u64(python->target, table + i * SLOT_BYTES, 0, &items[count]) &&
                 sc_is_object_address(items[count]) &&
                 sc_read_u64(python->target, table + i * SLOT_BYTES, 8, &hash) &&
                 hash != UINT64_MAX;
    }
    add(out, whole > 0 ? "{" : "set(");
    add_items(python, items, count, whole, depth, out);
    add(out, whole > 0 ? "}" : ")");
    return true;
}

static bool add_dict(const struct sc_python *python, uint64_t object, unsigned depth,
                     struct out *out)
{
    struct sc_dict_item items[SHOWN_ITEMS];
    uint64_t whole = 0;
    if (!sc_read_u64(python->target, object, python->at->di_used, &whole) || whole > COUNT_LIMIT)
        return false;
    size_t count = depth < DEPTH_MAX ? sc_dict_items(python, object, items, SHOWN_ITEMS) : 0;
    add(out, "{");
    for (size_t i = 0; i < count; i++) {
        add(out, "%s", i > 0 ? ", " : "");
        add_object(python, items[i].key, DEPTH_MAX, out);
        add(out, ": ");
        add_object(python, items[i].value, depth + 1, out);
    }
    if (count < whole)
        add(out, "%s... %" PRIu64 " in all", count > 0 ? ", " : "", whole);
    add(out, "}");
    return true;
}

static bool add_built_in(const struct sc_python *python, uint64_t object, const char *type,
                         unsigned depth, struct out *out)
{
    int64_t value = 0;
    if (strcmp(type, "str") == 0)
        return add_text(python, object, out);
    if (strcmp(type, "bytes") == 0)
        return add_bytes(python, object, out);
    if (strcmp(type, "int") == 0)
        return add_integer(python, object, out);
    if (strcmp(type, "float") == 0)
        return add_float(python, object, out);
    if (strcmp(type, "list") == 0 || strcmp(type, "tuple") == 0)
        return add_sequence(python, object, type[0] == 'l', depth, out);
    if (strcmp(type, "set") == 0)
        return add_set(python, object, depth, out);
    if (strcmp(type, "dict") == 0)
        return add_dict(python, object, depth, out);
    if (strcmp(type, "NoneType") == 0)
        add(out, "None");
    else if (strcmp(type, "bool") == 0 && sc_integer_read(python, object, &value))
        add(out, value != 0 ? "True" : "False");
    else
        return false;
    return true;
}

static void add_object(const struct sc_python *python, uint64_t object, unsigned depth,
                       struct out *out)
{
    char type[NAME_BYTES] = "";
    uint64_t address = 0;
    if (!sc_is_object_address(object) ||
        !sc_read_u64(python->target, object, python->layout->ob_type, &address) ||
        !sc_type_name(python, address, type, sizeof(type)) || type[0] == '\0')
        add(out, "<unreadable>");
    else if (!sc_type_is_static(python, address) || !add_built_in(python, object, type, depth, out))
        add(out, "<%s at 0x%" PRIx64 ">", type, object);
}

void sc_value_text(const struct sc_python *python, uint64_t object, char *text, size_t capacity)
{
    struct out out = {.text = text, .capacity = capacity};
    text[0] = '\0';
    add_object(python, object, 0, &out);
}
