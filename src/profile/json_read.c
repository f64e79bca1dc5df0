/*
 * profile/json_read.c - a profile from JSON text, ours or the original's.
 *
 * The text may come from anywhere: what does not fit is refused with the key it is at, unknown keys
 * are ignored, keys that are missing leave 0 or empty.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_fields.h"
#include "profile/json_record.h"
#include "profile/json_split.h"
#include "profile/json_text.h"
#include "profile/json_values.h"
#include "profile/profile.h"
#include "profile/sparse.h"

/* A shorter text is not worth threads, and what is wrong with it is found at once. */
#define SPLIT_FROM_BYTES ((size_t)1 << 20)

/* What 64 bits of nanoseconds hold, in round numbers. */
#define TIME_LIMIT_NS 1.8e19

/* Makes room for the items of a list, zeroed, and puts the vector in its place at once: a read
 * that fails later leaves a profile that can be freed. Returns the items, NULL when there are
 * none. */
static char *make_items(size_t count, size_t item_size, char *target)
{
    if (count == 0)
        return NULL;
    struct sc_json_vector vector = {
        .items = sc_alloc(count, item_size), .count = count, .capacity = count};
    memcpy(target, &vector, sizeof(vector));
    return vector.items;
}

static bool read_footprint(const json_t *value, struct sc_footprint *ret_point,
                           const struct sc_json_place *place, struct sc_err *err)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return sc_json_refuse(value, "a list of time and MB", place, err);
    const json_t *time = json_array_get(value, 0);
    if (json_is_real(time) && json_real_value(time) >= 0 && json_real_value(time) < TIME_LIMIT_NS)
        ret_point->time_ns = (uint64_t)json_real_value(time);
    else if (!sc_json_read_count(time, UINT64_MAX, &ret_point->time_ns, place, err))
        return false;
    return sc_json_read_number(json_array_get(value, 1), &ret_point->mb, place, err);
}

static bool read_items(const json_t *value, const struct sc_json_field *field, char *target,
                       const struct sc_json_place *place, struct sc_err *err)
{
    if (!json_is_array(value))
        return sc_json_refuse(value, "a list", place, err);
    size_t size = sizeof(double);
    bool is_records = field->kind == SC_JSON_LIST || field->kind == SC_JSON_LINES;
    if (is_records)
        size = field->table->item_size;
    else if (field->kind == SC_JSON_FOOTPRINTS)
        size = sizeof(struct sc_footprint);
    else if (field->kind == SC_JSON_TEXTS || field->kind == SC_JSON_ARGS)
        size = sizeof(char *);
    char *items = make_items(json_array_size(value), size, target);
    size_t at;
    json_t *item;
    json_array_foreach(value, at, item)
    {
        struct sc_json_place inner = {.outer = place, .index = at};
        char *to = items + at * size;
        bool is_read;
        if (is_records)
            is_read = sc_json_read_record(item, field->table, to, &inner, err);
        else if (field->kind == SC_JSON_FOOTPRINTS)
            is_read = read_footprint(item, (struct sc_footprint *)(void *)to, &inner, err);
        else if (field->kind == SC_JSON_NUMBERS)
            is_read = sc_json_read_number(item, (double *)(void *)to, &inner, err);
        else
            is_read = sc_json_read_text(item, SC_JSON_TEXT, to, &inner, err);
        if (!is_read)
            return false;
    }
    return true;
}

static bool read_args(const json_t *value, const struct sc_json_field *field, char *target,
                      const struct sc_json_place *place, struct sc_err *err)
{
    if (json_is_null(value))
        return true;
    struct sc_profile *profile =
        (struct sc_profile *)(void *)(target - offsetof(struct sc_profile, args));
    profile->args_known = true;
    return read_items(value, field, target, place, err);
}

static bool read_named(const json_t *value, const struct sc_json_field *field, char *target,
                       const struct sc_json_place *place, struct sc_err *err)
{
    if (!json_is_object(value))
        return sc_json_refuse(value, "an object", place, err);
    for (size_t i = 0; i < field->name_count; i++) {
        const json_t *item = json_object_get(value, field->names[i]);
        struct sc_json_place inner = {.outer = place, .key = field->names[i]};
        double number = 0;
        uint64_t count = 0;
        if (item == NULL)
            continue;
        if (field->kind == SC_JSON_NAMED_COUNTS) {
            if (!sc_json_read_count(item, UINT64_MAX, &count, &inner, err))
                return false;
            memcpy(target + i * sizeof(count), &count, sizeof(count));
        } else {
            if (!sc_json_read_number(item, &number, &inner, err))
                return false;
            memcpy(target + i * sizeof(number), &number, sizeof(number));
        }
    }
    return true;
}

/* The key of a record goes into its first member: a name, or a line number. */
static bool read_key(const char *key, const json_t *value, enum sc_json_kind kind, char *record,
                     const struct sc_json_place *place, struct sc_err *err)
{
    if (kind == SC_JSON_BY_NAME) {
        char *name = sc_json_unmark(key, strlen(key));
        memcpy(record, &name, sizeof(name));
        return true;
    }
    size_t digits = strspn(key, "0123456789");
    unsigned long line = digits > 0 && digits <= 10 ? strtoul(key, NULL, 10) : 0;
    if (key[digits] != '\0' || line == 0 || line > UINT32_MAX)
        return sc_json_refuse(value, "under a line number", place, err);
    uint32_t number = (uint32_t)line;
    memcpy(record, &number, sizeof(number));
    return true;
}

static bool read_keyed(json_t *value, const struct sc_json_field *field, char *target,
                       const struct sc_json_place *place, struct sc_err *err)
{
    if (!json_is_object(value))
        return sc_json_refuse(value, "an object", place, err);
    char *record = make_items(json_object_size(value), field->table->item_size, target);
    if (record == NULL)
        return true;
    const char *key;
    json_t *item;
    json_object_foreach(value, key, item)
    {
        struct sc_json_place inner = {.outer = place, .key = key};
        if (!read_key(key, item, field->kind, record, &inner, err) ||
            !sc_json_read_record(item, field->table, record, &inner, err))
            return false;
        record += field->table->item_size;
    }
    return true;
}

static bool read_value(json_t *value, const struct sc_json_field *field, char *base,
                       const struct sc_json_place *place, struct sc_err *err)
{
    char *target = base + field->offset;
    switch (field->kind) {
    case SC_JSON_NUMBERS:
    case SC_JSON_TEXTS:
    case SC_JSON_FOOTPRINTS:
    case SC_JSON_LIST:
    case SC_JSON_LINES:
        return read_items(value, field, target, place, err);
    case SC_JSON_ARGS:
        return read_args(value, field, target, place, err);
    case SC_JSON_NAMED_NUMBERS:
    case SC_JSON_NAMED_COUNTS:
        return read_named(value, field, target, place, err);
    case SC_JSON_BY_NAME:
    case SC_JSON_BY_LINE:
        return read_keyed(value, field, target, place, err);
    case SC_JSON_INSIDE:
        return sc_json_read_record(value, field->table, base, place, err);
    case SC_JSON_RAW:
        return sc_json_read_raw(value, target, place, err);
    case SC_JSON_PROGRAM_VERSION:
        return true;
    default:
        return sc_json_read_scalar(value, field->kind, target, place, err);
    }
}

bool sc_json_read_record(const json_t *object, const struct sc_json_table *table, char *base,
                         const struct sc_json_place *place, struct sc_err *err)
{
    if (!json_is_object(object))
        return sc_json_refuse(object, "an object", place, err);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        json_t *value = json_object_get(object, field->key);
        struct sc_json_place inner = {.outer = place, .key = field->key};
        bool is_read = value != NULL ? read_value(value, field, base, &inner, err)
                                     : sc_json_read_missing(field, base, &inner, err);
        if (!is_read)
            return false;
    }
    return true;
}

/* {} and {"scalene_c": ...} are empty profiles: "files" is supplied. */
static void complete_empty(json_t *root)
{
    size_t own = json_object_get(root, SC_JSON_OWN_KEY) != NULL ? 1 : 0;
    if (json_object_size(root) == own)
        (void)json_object_set_new(root, "files", json_object());
}

int sc_json_order_files(const void *left, const void *right)
{
    return strcmp(((const struct sc_file *)left)->name, ((const struct sc_file *)right)->name);
}

static bool read_root(json_t *root, struct sc_profile *ret_profile, struct sc_err *err)
{
    if (!json_is_object(root))
        return sc_fail(err, SC_ERR_FAILED, "not a profile: expected an object, but it is %s",
                       sc_json_kind_name(root));
    bool is_bare = json_object_size(root) == 0;
    complete_empty(root);
    struct sc_profile profile = {.foreign =
                                     !is_bare && json_object_get(root, SC_JSON_OWN_KEY) == NULL};
    if (!sc_json_read_record(root, &sc_json_profile_table, (char *)&profile, NULL, err)) {
        sc_profile_done(&profile);
        return false;
    }
    if (profile.files.count > 0)
        qsort(profile.files.items, profile.files.count, sizeof(struct sc_file),
              sc_json_order_files);
    *ret_profile = profile;
    return true;
}

static bool read_text(const char *text, size_t length, struct sc_profile *ret_profile,
                      struct sc_err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (length > SC_PROFILE_BYTES_MAX)
        return sc_fail(err, SC_ERR_FAILED, "not a profile: it is larger than %zu MB",
                       SC_PROFILE_BYTES_MAX >> 20U);
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (length >= SPLIT_FROM_BYTES && sc_json_read_split(text, length, ret_profile))
        return true;
    struct sc_str marked = {0};
    if (sc_json_mark(text, length, &marked)) {
        text = sc_str_text(&marked);
        length = marked.length;
    }
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    sc_str_done(&marked);
    if (root == NULL) {
        /* the parser quotes the text, which may hold escape sequences for a terminal */
        for (char *at = error.text; *at != '\0'; at++)
            *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        return sc_fail(err, SC_ERR_FAILED, "not JSON: line %d, column %d: %s", error.line,
                       error.column, error.text);
    }
    bool is_read = read_root(root, ret_profile, err);
    json_decref(root);
    return is_read;
}

bool sc_profile_from_json(const char *text, size_t length, struct sc_profile *ret_profile,
                          struct sc_err *err)
{
    if (!read_text(text, length, ret_profile, err))
        return false;
    sc_profile_complete(ret_profile);
    return true;
}
