/* profile/json_values.c - see json_values.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/json_values.h"

#include <math.h>
#include <string.h>

#include "profile/profile.h"

/* No measurement is larger, and no column can show more. */
#define NUMBER_LIMIT 1e15

/* What 64 bits of nanoseconds hold, in round numbers. */
#define TIME_LIMIT_NS 1.8e19

static const char *kind_name(char first)
{
    switch (first) {
    case '{':
        return "an object";
    case '[':
        return "a list";
    case '"':
        return "a string";
    case 't':
    case 'f':
        return "true or false";
    case 'n':
        return "null";
    default:
        return "a number";
    }
}

/* The place in words: "files.a.py.lines[0].line". */
static void add_place(const struct sc_json_place *place, struct sc_str *text)
{
    if (place == NULL)
        return;
    add_place(place->outer, text);
    if (place->key.text == NULL) {
        sc_str_add_format(text, "[%zu]", place->index);
        return;
    }
    if (text->length > 0)
        sc_str_add_char(text, '.');
    sc_str_add_bytes(text, place->key.text, place->key.length);
}

bool sc_json_refuse(struct sc_json_reader *reader, const char *start, const char *wanted,
                    const struct sc_json_place *place)
{
    SC_AUTO(sc_str_done) struct sc_str where = {0};
    if (reader->pull.failed)
        return false;
    reader->pull.at = start;
    char first = sc_json_pull_peek(&reader->pull);
    sc_json_pull_skip(&reader->pull); /* if it is no JSON at all, that error is reported instead */
    if (reader->pull.failed)
        return false;
    add_place(place, &where);
    if (where.length == 0)
        (void)sc_fail(reader->err, SC_ERR_FAILED, "not a profile: expected %s, but it is %s",
                      wanted, kind_name(first));
    else
        (void)sc_fail(reader->err, SC_ERR_FAILED, "not a profile: '%.300s' should be %s but is %s",
                      sc_str_text(&where), wanted, kind_name(first));
    return false;
}

bool sc_json_expect(struct sc_json_reader *reader, char bracket, const char *wanted,
                    const struct sc_json_place *place)
{
    return sc_json_pull_peek(&reader->pull) == bracket ||
           sc_json_refuse(reader, reader->pull.at, wanted, place);
}

static bool read_number(struct sc_json_reader *reader, double *ret_number,
                        const struct sc_json_place *place)
{
    struct sc_json_name spelt;
    if (!sc_json_is_number(sc_json_pull_peek(&reader->pull)))
        return sc_json_refuse(reader, reader->pull.at, "a number", place);
    if (!sc_json_pull_spelt_number(&reader->pull, &spelt))
        return false;
    *ret_number = sc_json_number_of(&spelt);
    return fabs(*ret_number) <= NUMBER_LIMIT ||
           sc_json_refuse(reader, spelt.text, "a number within reason", place);
}

/* False when the number is no whole one, or negative. */
static bool count_of(const struct sc_json_name *spelt, uint64_t *ret_count)
{
    uint64_t count = 0;
    for (size_t i = 0; i < spelt->length; i++) {
        char byte = spelt->text[i];
        if (byte < '0' || byte > '9') {
            double real = sc_json_number_of(spelt);
            bool fits = real >= 0 && real <= NUMBER_LIMIT && floor(real) == real;
            *ret_count = fits ? (uint64_t)real : 0;
            return fits;
        }
        uint64_t digit = (uint64_t)(byte - '0');
        if (__builtin_mul_overflow(count, 10U, &count) ||
            __builtin_add_overflow(count, digit, &count))
            return false;
    }
    *ret_count = count;
    return true;
}

/* A whole number from 0 to limit; 5.0 is one too. */
static bool read_count(struct sc_json_reader *reader, uint64_t limit, uint64_t *ret_count,
                       const struct sc_json_place *place)
{
    static const char wanted[] = "a whole number within bounds";
    struct sc_json_name spelt;
    if (!sc_json_is_number(sc_json_pull_peek(&reader->pull)))
        return sc_json_refuse(reader, reader->pull.at, wanted, place);
    if (!sc_json_pull_spelt_number(&reader->pull, &spelt))
        return false;
    return (count_of(&spelt, ret_count) && *ret_count <= limit) ||
           sc_json_refuse(reader, spelt.text, wanted, place);
}

/* Times that the original writes with a point are cut. */
static bool read_time(struct sc_json_reader *reader, uint64_t *ret_ns,
                      const struct sc_json_place *place)
{
    struct sc_json_name spelt;
    const char *start = reader->pull.at;
    if (sc_json_is_number(sc_json_pull_peek(&reader->pull)) &&
        sc_json_pull_spelt_number(&reader->pull, &spelt) && !count_of(&spelt, ret_ns)) {
        double time_ns = sc_json_number_of(&spelt);
        if (time_ns >= 0 && time_ns < TIME_LIMIT_NS) {
            *ret_ns = (uint64_t)time_ns;
            return true;
        }
    }
    reader->pull.at = reader->pull.failed ? reader->pull.at : start;
    return read_count(reader, UINT64_MAX, ret_ns, place);
}

/* Spellings become the characters that they stand for. */
static void unescape_line(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        char spelt = sc_json_spelt_at(at);
        *to++ = spelt != '\0' ? spelt : *at;
        at += spelt != '\0' ? 6 : 1;
    }
    *to = '\0';
}

static bool read_text(struct sc_json_reader *reader, enum sc_json_kind kind, void *target,
                      const struct sc_json_place *place)
{
    char first = sc_json_pull_peek(&reader->pull);
    if (first == 'n' && (kind == SC_JSON_TEXT_OR_NULL || kind == SC_JSON_SHARED_TEXT))
        return sc_json_pull_word(&reader->pull) == 'n';
    if (first != '"')
        return sc_json_refuse(reader, reader->pull.at, "a string", place);
    if (!sc_json_pull_string(&reader->pull, &reader->text))
        return false;
    if (kind == SC_JSON_SHARED_TEXT) {
        *(const char **)target = sc_intern_keep(reader->texts, sc_str_text(&reader->text));
        return true;
    }
    char *text = sc_strndup(sc_str_text(&reader->text), reader->text.length);
    if (kind == SC_JSON_LINE_TEXT)
        unescape_line(text);
    *(char **)target = text;
    return true;
}

static bool read_line(struct sc_json_reader *reader, enum sc_json_kind kind, void *target,
                      const struct sc_json_place *place)
{
    uint64_t count = 0;
    if (kind == SC_JSON_LINE_OR_NULL && sc_json_pull_peek(&reader->pull) == 'n')
        return sc_json_pull_word(&reader->pull) == 'n';
    if (!read_count(reader, UINT32_MAX, &count, place))
        return false;
    *(uint32_t *)target = (uint32_t)count;
    return true;
}

static bool read_integer(struct sc_json_reader *reader, int *ret_integer,
                         const struct sc_json_place *place)
{
    double number = 0;
    const char *start = reader->pull.at;
    if (!read_number(reader, &number, place))
        return false;
    if (floor(number) != number || fabs(number) > INT32_MAX)
        return sc_json_refuse(reader, start, "a whole number within bounds", place);
    *ret_integer = (int)number;
    return true;
}

static bool read_bool(struct sc_json_reader *reader, bool *ret_truth,
                      const struct sc_json_place *place)
{
    char first = sc_json_pull_peek(&reader->pull);
    if (first != 't' && first != 'f')
        return sc_json_refuse(reader, reader->pull.at, "true or false", place);
    *ret_truth = sc_json_pull_word(&reader->pull) == 't';
    return !reader->pull.failed;
}

bool sc_json_read_scalar(struct sc_json_reader *reader, enum sc_json_kind kind, void *target,
                         const struct sc_json_place *place)
{
    switch (kind) {
    case SC_JSON_NUMBER:
        return read_number(reader, target, place);
    case SC_JSON_COUNT_OR_NULL:
        if (sc_json_pull_peek(&reader->pull) == 'n') {
            *(uint64_t *)target = SC_NO_NUMBER;
            return sc_json_pull_word(&reader->pull) == 'n';
        }
        return read_count(reader, UINT64_MAX, target, place);
    case SC_JSON_COUNT:
        return read_count(reader, UINT64_MAX, target, place);
    case SC_JSON_TIME_NS:
        return read_time(reader, target, place);
    case SC_JSON_COUNT32:
    case SC_JSON_LINE_OR_NULL:
        return read_line(reader, kind, target, place);
    case SC_JSON_INTEGER:
        return read_integer(reader, target, place);
    case SC_JSON_BOOL:
        return read_bool(reader, target, place);
    default:
        return read_text(reader, kind, target, place);
    }
}

bool sc_json_read_missing(const struct sc_json_field *field, char *base,
                          const struct sc_json_place *place, struct sc_err *err)
{
    if (field->rule == SC_JSON_REQUIRED) {
        SC_AUTO(sc_str_done) struct sc_str where = {0};
        add_place(place, &where);
        (void)sc_fail(err, SC_ERR_FAILED, "not a profile: the key '%.300s%s%s' is missing",
                      sc_str_text(&where), where.length > 0 ? "." : "", field->key);
        return false;
    }
    void *target = base + field->offset;
    if (field->kind == SC_JSON_TEXT)
        *(char **)target = sc_strdup("");
    if (field->kind == SC_JSON_COUNT_OR_NULL)
        *(uint64_t *)target = SC_NO_NUMBER;
    return true;
}
