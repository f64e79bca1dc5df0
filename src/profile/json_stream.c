/*
 * profile/json_stream.c - records by their tables, straight from the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_values.h"
#include "profile/profile.h"

/* As in json_values.c. */
#define NUMBER_LIMIT 1e15

/* Digits of a whole number that 64 bits hold in any case. */
#define COUNT_DIGITS 19

static bool read_number(struct sc_json_stream *stream, double *ret_number)
{
    char first = sc_json_pull_peek(&stream->pull);
    if (first != '-' && !(first >= '0' && first <= '9'))
        return false;
    *ret_number = sc_json_pull_number(&stream->pull);
    return !stream->pull.failed && fabs(*ret_number) <= NUMBER_LIMIT;
}

/* A whole number that is spelt without a point. */
static bool read_count(struct sc_json_stream *stream, uint64_t limit, uint64_t *ret_count)
{
    struct sc_json_pull *pull = &stream->pull;
    uint64_t count = 0;
    size_t digits = 0;
    (void)sc_json_pull_peek(pull);
    for (; pull->at < pull->end && *pull->at >= '0' && *pull->at <= '9'; pull->at++) {
        count = count * 10 + (uint64_t)(*pull->at - '0');
        if (++digits > COUNT_DIGITS)
            return false;
    }
    if (digits == 0 || (pull->at < pull->end && strchr(".eE", *pull->at) != NULL))
        return false;
    *ret_count = count;
    return count <= limit;
}

static bool read_text(struct sc_json_stream *stream, bool is_line, char *target)
{
    if (sc_json_pull_peek(&stream->pull) != '"' ||
        !sc_json_pull_string(&stream->pull, &stream->text))
        return false;
    char *text = sc_strndup(sc_str_text(&stream->text), stream->text.length);
    if (is_line)
        sc_json_unescape_line(text);
    memcpy(target, &text, sizeof(text));
    return true;
}

static bool read_bool(struct sc_json_stream *stream, char *target)
{
    char first = sc_json_pull_peek(&stream->pull);
    bool truth = first == 't';
    const char *start = stream->pull.at;
    sc_json_pull_skip(&stream->pull);
    size_t length = (size_t)(stream->pull.at - start);
    memcpy(target, &truth, sizeof(truth));
    return !stream->pull.failed && ((length == 4 && memcmp(start, "true", 4) == 0) ||
                                    (length == 5 && memcmp(start, "false", 5) == 0));
}

static bool read_footprint(struct sc_json_stream *stream, char *target)
{
    struct sc_footprint point;
    struct sc_json_pull *pull = &stream->pull;
    if (sc_json_pull_peek(pull) != '[' || !sc_json_pull_list(pull) ||
        !read_count(stream, UINT64_MAX, &point.time_ns) || !sc_json_pull_item(pull) ||
        !read_number(stream, &point.mb) || sc_json_pull_item(pull))
        return false;
    memcpy(target, &point, sizeof(point));
    return !pull->failed;
}

/* Room for one more item of a vector, zeroed. The vector in its place is always whole. */
static char *push(char *target, size_t item_size)
{
    struct sc_json_vector vector;
    memcpy(&vector, target, sizeof(vector));
    if (vector.count == vector.capacity) {
        vector.capacity = vector.capacity > 0 ? vector.capacity * 2 : 4;
        vector.items = sc_realloc(vector.items, vector.capacity, item_size);
    }
    char *item = (char *)vector.items + vector.count * item_size;
    memset(item, 0, item_size);
    vector.count++;
    memcpy(target, &vector, sizeof(vector));
    return item;
}

static bool read_record(struct sc_json_stream *stream, const struct sc_json_table *table,
                        uint64_t needed, char *base);
static uint64_t needed_fields(const struct sc_json_table *table);

/* needed: of the records of a list. */
static bool read_item(struct sc_json_stream *stream, const struct sc_json_field *field,
                      uint64_t needed, char *target)
{
    double number;
    switch (field->kind) {
    case SC_JSON_LIST:
    case SC_JSON_LINES:
        return read_record(stream, field->table, needed, push(target, field->table->item_size));
    case SC_JSON_FOOTPRINTS:
        return read_footprint(stream, push(target, sizeof(struct sc_footprint)));
    case SC_JSON_TEXTS:
        return read_text(stream, false, push(target, sizeof(char *)));
    default:
        if (!read_number(stream, &number))
            return false;
        memcpy(push(target, sizeof(number)), &number, sizeof(number));
        return true;
    }
}

static bool read_items(struct sc_json_stream *stream, const struct sc_json_field *field,
                       char *target)
{
    struct sc_json_pull *pull = &stream->pull;
    bool is_records = field->kind == SC_JSON_LIST || field->kind == SC_JSON_LINES;
    uint64_t needed = is_records ? needed_fields(field->table) : 0;
    if (sc_json_pull_peek(pull) != '[')
        return false;
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        if (!read_item(stream, field, needed, target))
            return false;
    }
    return !pull->failed;
}

static bool read_named(struct sc_json_stream *stream, const struct sc_json_field *field,
                       char *target)
{
    struct sc_json_pull *pull = &stream->pull;
    struct sc_json_name name;
    if (sc_json_pull_peek(pull) != '{')
        return false;
    for (bool more = sc_json_pull_object(pull, &name); more; more = sc_json_pull_key(pull, &name)) {
        double number;
        size_t i = 0;
        while (i < field->name_count && !sc_json_name_is(&name, field->names[i]))
            i++;
        if (i == field->name_count || !read_number(stream, &number))
            return false;
        memcpy(target + i * sizeof(number), &number, sizeof(number));
    }
    return !pull->failed;
}

static bool read_by_line(struct sc_json_stream *stream, const struct sc_json_field *field,
                         char *target)
{
    struct sc_json_pull *pull = &stream->pull;
    struct sc_json_name name;
    if (sc_json_pull_peek(pull) != '{')
        return false;
    for (bool more = sc_json_pull_object(pull, &name); more; more = sc_json_pull_key(pull, &name)) {
        struct sc_json_stream key = {.pull = sc_json_pull_of(name.text, name.length)};
        uint64_t count = 0;
        if (!read_count(&key, UINT32_MAX, &count) || count == 0 || key.pull.at != key.pull.end)
            return false;
        char *record = push(target, field->table->item_size);
        uint32_t lineno = (uint32_t)count;
        memcpy(record, &lineno, sizeof(lineno));
        if (!sc_json_stream_record(stream, field->table, record))
            return false;
    }
    return !pull->failed;
}

static bool read_value(struct sc_json_stream *stream, const struct sc_json_field *field, char *base)
{
    char *target = base + field->offset;
    double number;
    uint64_t count;
    uint32_t lineno;
    switch (field->kind) {
    case SC_JSON_NUMBER:
        if (!read_number(stream, &number))
            return false;
        memcpy(target, &number, sizeof(number));
        return true;
    case SC_JSON_COUNT:
        if (!read_count(stream, UINT64_MAX, &count))
            return false;
        memcpy(target, &count, sizeof(count));
        return true;
    case SC_JSON_LINE_NUMBER:
        if (!read_count(stream, UINT32_MAX, &count))
            return false;
        lineno = (uint32_t)count;
        memcpy(target, &lineno, sizeof(lineno));
        return true;
    case SC_JSON_BOOL:
        return read_bool(stream, target);
    case SC_JSON_TEXT:
    case SC_JSON_LINE_TEXT:
        return read_text(stream, field->kind == SC_JSON_LINE_TEXT, target);
    case SC_JSON_TEXTS:
    case SC_JSON_NUMBERS:
    case SC_JSON_FOOTPRINTS:
    case SC_JSON_LIST:
    case SC_JSON_LINES:
        return read_items(stream, field, target);
    case SC_JSON_NAMED_NUMBERS:
        return read_named(stream, field, target);
    case SC_JSON_BY_LINE:
        return read_by_line(stream, field, target);
    default:
        return false;
    }
}

/* The field of a key; next is the one behind the last, which it nearly always is. field_count when
 * there is none. */
static size_t find_field(const struct sc_json_table *table, const struct sc_json_name *name,
                         size_t next)
{
    for (size_t i = next; i < table->field_count; i++) {
        if (sc_json_name_is(name, table->fields[i].key))
            return i;
    }
    for (size_t i = 0; i < next && i < table->field_count; i++) {
        if (sc_json_name_is(name, table->fields[i].key))
            return i;
    }
    return table->field_count;
}

/* A bit for each field whose absence has to be dealt with. */
static uint64_t needed_fields(const struct sc_json_table *table)
{
    uint64_t needed = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        if (field->rule == SC_JSON_REQUIRED || field->kind == SC_JSON_TEXT)
            needed |= (uint64_t)1 << i;
    }
    return needed;
}

/* Fields that are missing: one that must be there, or a text, which is "" then. */
static bool complete(const struct sc_json_table *table, uint64_t missing, char *base)
{
    for (size_t i = 0; i < table->field_count && missing != 0; i++, missing >>= 1) {
        struct sc_err err = {0};
        if ((missing & 1) != 0 && !sc_json_read_missing(&table->fields[i], base, NULL, &err))
            return false;
    }
    return true;
}

static bool read_record(struct sc_json_stream *stream, const struct sc_json_table *table,
                        uint64_t needed, char *base)
{
    struct sc_json_pull *pull = &stream->pull;
    struct sc_json_name name;
    uint64_t seen = 0;
    size_t next = 0;
    if (sc_json_pull_peek(pull) != '{' || table->field_count > 64)
        return false;
    for (bool more = sc_json_pull_object(pull, &name); more; more = sc_json_pull_key(pull, &name)) {
        size_t at = find_field(table, &name, next);
        if (at == table->field_count) {
            if (memchr(name.text, '\\', name.length) != NULL)
                return false;
            sc_json_pull_skip(pull);
            continue;
        }
        if ((seen >> at & 1) != 0 || !read_value(stream, &table->fields[at], base))
            return false;
        seen |= (uint64_t)1 << at;
        next = at + 1;
    }
    return !pull->failed && complete(table, needed & ~seen, base);
}

bool sc_json_stream_record(struct sc_json_stream *stream, const struct sc_json_table *table,
                           char *base)
{
    return read_record(stream, table, needed_fields(table), base);
}
