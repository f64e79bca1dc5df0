/*
 * profile/json_values.c - checks and copies the single values of a profile's JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_text.h"
#include "profile/profile.h"

/* Lists within lists within stacks; frames of stacks are 4 deep. */
#define RAW_DEPTH_LIMIT 16

/* No measurement is larger, and no column can show more. */
#define NUMBER_LIMIT 1e15

const char *sc_json_kind_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

static void add_place(const struct sc_json_place *place, struct sc_str *text)
{
    if (place == NULL)
        return;
    add_place(place->outer, text);
    if (place->key == NULL) {
        sc_str_add_format(text, "[%zu]", place->index);
        return;
    }
    if (text->length > 0)
        sc_str_add_char(text, '.');
    for (const char *at = place->key; *at != '\0'; at++)
        sc_str_add_char(text, (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at);
}

bool sc_json_refuse(const json_t *value, const char *wanted, const struct sc_json_place *place,
                    struct sc_err *err)
{
    struct sc_str where = {0};
    add_place(place, &where);
    (void)sc_fail(err, SC_ERR_FAILED, "not a profile: '%.300s' should be %s but is %s",
                  sc_str_text(&where), wanted, sc_json_kind_name(value));
    sc_str_done(&where);
    return false;
}

bool sc_json_read_number(const json_t *value, double *ret_number, const struct sc_json_place *place,
                         struct sc_err *err)
{
    if (!json_is_number(value))
        return sc_json_refuse(value, "a number", place, err);
    double number = json_number_value(value);
    if (!(fabs(number) <= NUMBER_LIMIT))
        return sc_json_refuse(value, "a number within reason", place, err);
    *ret_number = number;
    return true;
}

/* A whole number from 0 to limit; 5.0 is one too. */
bool sc_json_read_count(const json_t *value, uint64_t limit, uint64_t *ret_count,
                        const struct sc_json_place *place, struct sc_err *err)
{
    bool fits = false;
    uint64_t count = 0;
    if (json_is_integer(value)) {
        fits = json_integer_value(value) >= 0;
        count = fits ? (uint64_t)json_integer_value(value) : 0;
    } else if (json_is_real(value)) {
        double real = json_real_value(value);
        fits = real >= 0 && real <= NUMBER_LIMIT && floor(real) == real;
        count = fits ? (uint64_t)real : 0;
    }
    if (!fits || count > limit)
        return sc_json_refuse(value, "a whole number within bounds", place, err);
    *ret_count = count;
    return true;
}

static char *copy_string(const json_t *value)
{
    return sc_json_unmark(json_string_value(value), json_string_length(value));
}

void sc_json_unescape_line(char *text)
{
    char *to = text;
    const char *at = text;
    for (;;) {
        static const struct {
            const char *spelt;
            char byte;
        } marks[] = {{"\\u0026", '&'}, {"\\u003c", '<'}, {"\\u003e", '>'}};
        size_t plain = strcspn(at, "\\");
        memmove(to, at, plain);
        to += plain;
        at += plain;
        if (*at == '\0')
            break;
        size_t i = 0;
        while (i < 3 && !sc_starts_with(at, marks[i].spelt))
            i++;
        *to++ = i < 3 ? marks[i].byte : *at;
        at += i < 3 ? 6 : 1;
    }
    *to = '\0';
}

bool sc_json_read_text(const json_t *value, enum sc_json_kind kind, char *target,
                       const struct sc_json_place *place, struct sc_err *err)
{
    if (json_is_null(value) && kind == SC_JSON_TEXT_OR_NULL)
        return true;
    if (!json_is_string(value))
        return sc_json_refuse(value, "a string", place, err);
    char *text = copy_string(value);
    if (kind == SC_JSON_LINE_TEXT)
        sc_json_unescape_line(text);
    memcpy(target, &text, sizeof(text));
    return true;
}

/* How deep lists and objects are nested in a value, as far as limit. */
static unsigned depth_of(json_t *value, unsigned limit)
{
    unsigned deepest = 0;
    if (limit == 0 || (!json_is_array(value) && !json_is_object(value)))
        return 0;
    size_t at;
    json_t *item;
    const char *key;
    json_array_foreach(value, at, item)
    {
        unsigned depth = depth_of(item, limit - 1);
        deepest = depth > deepest ? depth : deepest;
    }
    json_object_foreach(value, key, item)
    {
        unsigned depth = depth_of(item, limit - 1);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

bool sc_json_read_raw(json_t *value, char *target, const struct sc_json_place *place,
                      struct sc_err *err)
{
    if (!json_is_array(value))
        return sc_json_refuse(value, "a list", place, err);
    if (depth_of(value, RAW_DEPTH_LIMIT) >= RAW_DEPTH_LIMIT)
        return sc_json_refuse(value, "nested less deeply", place, err);
    if (json_array_size(value) == 0)
        return true;
    char *dump = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
    if (dump == NULL)
        return sc_json_refuse(value, "a list that fits in memory", place, err);
    SC_AUTO_FREE char *plain = sc_json_unmark_ascii(dump);
    free(dump);
    char *text = sc_json_shorten(plain);
    memcpy(target, &text, sizeof(text));
    return true;
}

bool sc_json_read_scalar(const json_t *value, enum sc_json_kind kind, char *target,
                         const struct sc_json_place *place, struct sc_err *err)
{
    double number = 0;
    uint64_t count = 0;
    uint32_t line;
    int integer;
    bool truth;
    switch (kind) {
    case SC_JSON_NUMBER:
        if (!sc_json_read_number(value, &number, place, err))
            return false;
        memcpy(target, &number, sizeof(number));
        return true;
    case SC_JSON_COUNT:
        if (!sc_json_read_count(value, UINT64_MAX, &count, place, err))
            return false;
        memcpy(target, &count, sizeof(count));
        return true;
    case SC_JSON_LINE_NUMBER:
    case SC_JSON_LINE_OR_NULL:
        if (json_is_null(value) && kind == SC_JSON_LINE_OR_NULL)
            return true;
        if (!sc_json_read_count(value, UINT32_MAX, &count, place, err))
            return false;
        line = (uint32_t)count;
        memcpy(target, &line, sizeof(line));
        return true;
    case SC_JSON_INTEGER:
        if (!json_is_integer(value) || llabs(json_integer_value(value)) > INT32_MAX)
            return sc_json_refuse(value, "a whole number within bounds", place, err);
        integer = (int)json_integer_value(value);
        memcpy(target, &integer, sizeof(integer));
        return true;
    case SC_JSON_BOOL:
        if (!json_is_boolean(value))
            return sc_json_refuse(value, "true or false", place, err);
        truth = json_is_true(value);
        memcpy(target, &truth, sizeof(truth));
        return true;
    default:
        return sc_json_read_text(value, kind, target, place, err);
    }
}

/* What a key that is missing leaves behind. */
bool sc_json_read_missing(const struct sc_json_field *field, char *base,
                          const struct sc_json_place *place, struct sc_err *err)
{
    if (field->rule == SC_JSON_REQUIRED) {
        struct sc_str where = {0};
        add_place(place, &where);
        (void)sc_fail(err, SC_ERR_FAILED, "not a profile: the key '%.300s' is missing",
                      sc_str_text(&where));
        sc_str_done(&where);
        return false;
    }
    if (field->kind == SC_JSON_TEXT) {
        char *text = sc_strdup("");
        memcpy(base + field->offset, &text, sizeof(text));
    }
    return true;
}
