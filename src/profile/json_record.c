/* profile/json_record.c - see json_record.h. SPDX-License-Identifier: Apache-2.0 */
#include "profile/json_record.h"

#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

/* What a record may own besides, short texts first of all. */
#define OWNED_BYTES 64U

/* Room for one more item of a vector, zeroed; NULL, with err set, where the profile would become
 * too large. The vector at target is valid after each call: a read that fails later leaves a
 * profile that can be freed. */
static char *push(struct sc_json_reader *reader, const struct sc_json_field *field, char *target)
{
    struct sc_json_vector vector = sc_json_vector_at(target);
    size_t item_size = sc_json_item_size(field);
    if (vector.count == vector.capacity) {
        size_t more = vector.capacity > 0 ? vector.capacity : 4;
        size_t bytes = more * (item_size + (field->kind == SC_JSON_NUMBERS ? 0 : OWNED_BYTES));
        if (bytes > reader->room_bytes) {
            (void)sc_fail(reader->err, SC_ERR_FAILED,
                          "not a profile: most of its records hold next to nothing");
            return NULL;
        }
        reader->room_bytes -= bytes;
        vector.capacity += more;
        vector.items = sc_realloc(vector.items, vector.capacity, item_size);
    }
    char *item = (char *)vector.items + vector.count * item_size;
    memset(item, 0, item_size);
    vector.count++;
    memcpy(target, &vector, sizeof(vector));
    return item;
}

static bool read_item(struct sc_json_reader *reader, const struct sc_json_field *field,
                      char *target, const struct sc_json_place *place)
{
    char *item = push(reader, field, target);
    if (item == NULL)
        return false;
    if (field->table != NULL)
        return sc_json_read_record(reader, field->table, item, place);
    return sc_json_read_scalar(reader, sc_json_item_kind(field), item, place);
}

static bool read_items(struct sc_json_reader *reader, const struct sc_json_field *field,
                       char *target, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    if (!sc_json_expect(reader, '[', "a list", place))
        return false;
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        if (!read_item(reader, field, target, &inner))
            return false;
        inner.index++;
    }
    return !pull->failed;
}

static bool read_args(struct sc_json_reader *reader, const struct sc_json_field *field,
                      char *target, const struct sc_json_place *place)
{
    if (sc_json_pull_peek(&reader->pull) == 'n')
        return sc_json_pull_word(&reader->pull) == 'n';
    struct sc_profile *profile =
        (struct sc_profile *)(void *)(target - offsetof(struct sc_profile, args));
    profile->args_known = true;
    return read_items(reader, field, target, place);
}

/* A key whose spelling has escapes is replaced by what it means, which is valid until the next
 * string is read. */
static bool resolve_name(struct sc_json_reader *reader, struct sc_json_name *name)
{
    if (memchr(name->text, '\\', name->length) == NULL)
        return true;
    struct sc_json_pull pull = sc_json_pull_of(name->text - 1, name->length + 2); /* in quotes */
    if (!sc_json_pull_string(&pull, &reader->text))
        return false;
    *name = (struct sc_json_name){sc_str_text(&reader->text), reader->text.length};
    return true;
}

static bool read_named(struct sc_json_reader *reader, const struct sc_json_field *field,
                       char *target, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    if (!sc_json_expect(reader, '{', "an object", place))
        return false;
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        size_t i = 0;
        bool is_read;
        if (!resolve_name(reader, &inner.key))
            return false;
        while (i < field->name_count && !sc_json_name_is(&inner.key, field->names[i]))
            i++;
        if (i == field->name_count) {
            sc_json_pull_skip(pull);
            continue;
        }
        if (field->kind == SC_JSON_NAMED_COUNTS)
            is_read =
                sc_json_read_scalar(reader, SC_JSON_COUNT, target + i * sizeof(uint64_t), &inner);
        else
            is_read =
                sc_json_read_scalar(reader, SC_JSON_NUMBER, target + i * sizeof(double), &inner);
        if (!is_read)
            return false;
    }
    return !pull->failed;
}

/* The line that a key names; 0 when it names none. */
static uint32_t line_of(const struct sc_json_name *name)
{
    uint64_t line = 0;
    for (size_t i = 0; i < name->length; i++) {
        if (name->text[i] < '0' || name->text[i] > '9')
            return 0;
        line = line * 10 + (uint64_t)(name->text[i] - '0');
        if (line > UINT32_MAX)
            return 0;
    }
    return (uint32_t)line;
}

static bool read_by_line(struct sc_json_reader *reader, const struct sc_json_field *field,
                         char *target, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    if (!sc_json_expect(reader, '{', "an object", place))
        return false;
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        uint32_t line = line_of(&inner.key);
        if (line == 0)
            return sc_json_refuse(reader, pull->at, "under a line number", &inner);
        char *record = push(reader, field, target);
        if (record == NULL)
            return false;
        memcpy(record, &line, sizeof(line));
        if (!sc_json_read_record(reader, field->table, record, &inner))
            return false;
    }
    return !pull->failed;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(sc_json_text_at(left), sc_json_text_at(right));
}

/* Reads the record under the key at place, unless the name is known already. */
static bool read_named_record(struct sc_json_reader *reader, const struct sc_json_field *field,
                              char *target, struct sc_intern *known, struct sc_json_place *place)
{
    uint32_t count = known->count;
    if (!resolve_name(reader, &place->key))
        return false;
    if (sc_intern_add(known, place->key.text, place->key.length) < count) {
        sc_json_pull_skip(&reader->pull);
        return !reader->pull.failed;
    }
    char *record = push(reader, field, target);
    if (record == NULL)
        return false;
    char *name = sc_strndup(place->key.text, place->key.length);
    memcpy(record, &name, sizeof(name));
    place->key.text = name;
    return sc_json_read_record(reader, field->table, record, place);
}

static bool read_by_name(struct sc_json_reader *reader, const struct sc_json_field *field,
                         char *target, const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    SC_AUTO(sc_intern_done) struct sc_intern known = {0};
    bool is_read = sc_json_expect(reader, '{', "an object", place);
    for (bool more = is_read && sc_json_pull_object(pull, &inner.key); more;
         more = is_read && sc_json_pull_key(pull, &inner.key))
        is_read = read_named_record(reader, field, target, &known, &inner);
    struct sc_json_vector records = sc_json_vector_at(target);
    if (records.count > 0)
        qsort(records.items, records.count, field->table->item_size, by_name);
    return is_read && !pull->failed;
}

static bool read_value(struct sc_json_reader *reader, const struct sc_json_field *field, char *base,
                       const struct sc_json_place *place)
{
    char *target = base + field->offset;
    switch (field->kind) {
    case SC_JSON_NUMBERS:
    case SC_JSON_TEXTS:
    case SC_JSON_SHARED_TEXTS:
    case SC_JSON_LIST:
    case SC_JSON_LINES:
        return read_items(reader, field, target, place);
    case SC_JSON_ARGS:
        return read_args(reader, field, target, place);
    case SC_JSON_NAMED_NUMBERS:
    case SC_JSON_NAMED_COUNTS:
        return read_named(reader, field, target, place);
    case SC_JSON_BY_LINE:
        return read_by_line(reader, field, target, place);
    case SC_JSON_BY_NAME:
        return read_by_name(reader, field, target, place);
    case SC_JSON_INSIDE:
    case SC_JSON_INSIDE_OR_COUNT:
        if (field->kind == SC_JSON_INSIDE_OR_COUNT &&
            sc_json_is_number(sc_json_pull_peek(&reader->pull)))
            return sc_json_read_scalar(reader, SC_JSON_COUNT, target, place);
        return sc_json_read_record(reader, field->table, base, place);
    case SC_JSON_PROGRAM_VERSION:
        return sc_json_read_scalar(reader, SC_JSON_TEXT_OR_NULL, target, place);
    default:
        return sc_json_read_scalar(reader, field->kind, target, place);
    }
}

/* The index of the field with that key; field_count when there is none. next is the field behind
 * the last one found, which it nearly always is. */
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

size_t sc_json_field_at(const struct sc_json_table *table, const char *key)
{
    struct sc_json_name name = {key, strlen(key)};
    return find_field(table, &name, 0);
}

bool sc_json_read_members(struct sc_json_reader *reader, const struct sc_json_table *table,
                          char *base, const struct sc_json_place *place,
                          bool ret_seen[SC_JSON_FIELDS_MAX], size_t *ret_members)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    size_t next = 0;
    if (!sc_json_expect(reader, '{', "an object", place))
        return false;
    for (bool more = sc_json_pull_object(pull, &inner.key); more;
         more = sc_json_pull_key(pull, &inner.key)) {
        ++*ret_members;
        if (!resolve_name(reader, &inner.key))
            return false;
        size_t at = find_field(table, &inner.key, next);
        if (at == table->field_count || ret_seen[at]) {
            sc_json_pull_skip(pull);
            continue;
        }
        const struct sc_json_field *field = &table->fields[at];
        inner.key = (struct sc_json_name){field->key, strlen(field->key)};
        if (!read_value(reader, field, base, &inner))
            return false;
        ret_seen[at] = true;
        next = at + 1;
    }
    return !pull->failed;
}

bool sc_json_complete(const struct sc_json_table *table, const bool seen[SC_JSON_FIELDS_MAX],
                      char *base, const struct sc_json_place *place, struct sc_err *err)
{
    for (size_t i = 0; i < table->field_count; i++) {
        if (!seen[i] && !sc_json_read_missing(&table->fields[i], base, place, err))
            return false;
    }
    return true;
}

/* What stands behind the values that are known is passed over. */
static bool read_tuple(struct sc_json_reader *reader, const struct sc_json_table *table, char *base,
                       const struct sc_json_place *place)
{
    struct sc_json_pull *pull = &reader->pull;
    struct sc_json_place inner = {.outer = place};
    if (!sc_json_expect(reader, '[', "a list", place))
        return false;
    const char *start = pull->at;
    for (bool more = sc_json_pull_list(pull); more; more = sc_json_pull_item(pull)) {
        if (inner.index == table->field_count)
            sc_json_pull_skip(pull);
        else if (read_value(reader, &table->fields[inner.index], base, &inner))
            inner.index++;
        else
            return false;
    }
    if (!pull->failed && inner.index < table->field_count)
        return sc_json_refuse(reader, start, "a longer list", place);
    return !pull->failed;
}

bool sc_json_read_record(struct sc_json_reader *reader, const struct sc_json_table *table,
                         char *base, const struct sc_json_place *place)
{
    bool seen[SC_JSON_FIELDS_MAX] = {false};
    size_t members = 0;
    if (table->form == SC_JSON_VALUE)
        return read_value(reader, table->fields, base, place);
    if (table->form == SC_JSON_TUPLE || table->form == SC_JSON_LINE_TUPLE)
        return read_tuple(reader, table, base, place);
    return sc_json_read_members(reader, table, base, place, seen, &members) &&
           sc_json_complete(table, seen, base, place, reader->err);
}
