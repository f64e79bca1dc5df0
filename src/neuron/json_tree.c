/*
 * neuron/json_tree.c - JSON that the parser takes, and any parsed JSON as text again.
 *
 * The parser limits how deep the value is nested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "neuron/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/mem.h"
#include "base/sort.h"

#define MARK        "\xef\xb7\x90" /* U+FDD0 */
#define MARK_LENGTH 3
#define REPLACEMENT "\\ufffd"

/* Marks the escape at text and returns how many bytes it took. */
static size_t mark_escape(const char *text, const char *end, struct sc_str *marked)
{
    int32_t number = sc_hex_escape(text, end);
    if (number >= 0xd800 && number <= 0xdbff) {
        int32_t next = sc_hex_escape(text + 6, end);
        if (next >= 0xdc00 && next <= 0xdfff) {
            sc_str_add_bytes(marked, text, 12);
            return 12;
        }
        sc_str_add(marked, REPLACEMENT);
        return 6;
    }
    if (number >= 0xdc80 && number <= 0xdcff) {
        sc_str_add_format(marked, MARK "%02x", (unsigned)(number - 0xdc00));
        return 6;
    }
    if (number >= 0xdc00 && number <= 0xdfff) {
        sc_str_add(marked, REPLACEMENT);
        return 6;
    }
    if (number == 0xfdd0) {
        sc_str_add(marked, MARK "00");
        return 6;
    }
    size_t length = end - text >= 2 ? 2 : 1;
    sc_str_add_bytes(marked, text, length);
    return length;
}

/* Whether the text may hold anything to mark. */
static bool may_need_marking(const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *at = text; (at = memchr(at, '\\', (size_t)(end - at))) != NULL; at++) {
        int32_t number = sc_hex_escape(at, end);
        if ((number >= 0xd800 && number <= 0xdfff) || number == 0xfdd0)
            return true;
    }
    return memmem(text, length, MARK, MARK_LENGTH) != NULL;
}

bool sc_json_mark(const char *text, size_t length, struct sc_str *ret_marked)
{
    if (length == 0 || !may_need_marking(text, length))
        return false;
    const char *end = text + length;
    while (text < end) {
        if (*text == '\\') {
            text += mark_escape(text, end, ret_marked);
        } else if ((size_t)(end - text) >= MARK_LENGTH && memcmp(text, MARK, MARK_LENGTH) == 0) {
            sc_str_add(ret_marked, MARK "00");
            text += MARK_LENGTH;
        } else {
            sc_str_add_char(ret_marked, *text++);
        }
    }
    return true;
}

char *sc_json_unmark(const char *text, size_t length)
{
    char *plain = sc_strndup(text, length);
    char *to = plain;
    const char *at = plain;
    const char *end = plain + length;
    while (at < end) {
        bool is_mark = (size_t)(end - at) >= MARK_LENGTH + 2 && memcmp(at, MARK, MARK_LENGTH) == 0;
        int high = is_mark ? sc_hex_digit(at[MARK_LENGTH]) : -1;
        int low = is_mark ? sc_hex_digit(at[MARK_LENGTH + 1]) : -1;
        if (high < 0 || low < 0) {
            *to++ = *at++;
            continue;
        }
        if (high == 0 && low == 0) {
            memmove(to, MARK, MARK_LENGTH);
            to += MARK_LENGTH;
        } else {
            *to++ = (char)(high * 16 + low);
        }
        at += MARK_LENGTH + 2;
    }
    *to = '\0';
    return plain;
}

static void write_object(struct sc_json_out *out, const json_t *object)
{
    SC_AUTO_FREE const char **keys = sc_alloc(json_object_size(object) + 1, sizeof(*keys));
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) keys[count++] = key;
    qsort(keys, count, sizeof(*keys), sc_by_text);
    sc_json_begin(out, '{');
    for (size_t i = 0; i < count; i++) {
        SC_AUTO_FREE char *name = sc_json_unmark(keys[i], strlen(keys[i]));
        sc_json_key(out, name);
        sc_json_write_tree(out, json_object_get(object, keys[i]));
    }
    sc_json_end(out, '}');
}

static void write_list(struct sc_json_out *out, const json_t *list)
{
    sc_json_begin(out, '[');
    for (size_t i = 0; i < json_array_size(list); i++)
        sc_json_write_tree(out, json_array_get(list, i));
    sc_json_end(out, ']');
}

void sc_json_write_tree(struct sc_json_out *out, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(out, value);
        break;
    case JSON_ARRAY:
        write_list(out, value);
        break;
    case JSON_STRING: {
        SC_AUTO_FREE char *text =
            sc_json_unmark(json_string_value(value), json_string_length(value));
        sc_json_string(out, text);
        break;
    }
    case JSON_INTEGER:
        sc_json_integer(out, json_integer_value(value));
        break;
    case JSON_REAL:
        sc_json_number(out, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        sc_json_bool(out, json_is_true(value));
        break;
    case JSON_NULL:
        sc_json_null(out);
        break;
    }
}
