/*
 * profile/json_read.c - a profile from JSON text, ours or the original's.
 *
 * The text may come from anywhere: what does not fit is refused with the key it is at, keys that
 * are not known are passed over, keys that are missing leave 0 or empty.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/json_fields.h"
#include "profile/json_text.h"
#include "profile/profile.h"

/* A longer text is no profile: stacks are shared and lists have limits. */
#define TEXT_LIMIT_BYTES ((size_t)1 << 30)

/* Lists within lists within stacks; frames of stacks are 4 deep. */
#define RAW_DEPTH_LIMIT 16

/* No measurement is larger, and no column can show more. */
#define NUMBER_LIMIT 1e15

/* What 64 bits of nanoseconds hold, in round numbers. */
#define TIME_LIMIT_NS 1.8e19

/* Where the reader stands: a key, or an index if key is NULL. */
struct place {
    const struct place *outer;
    const char *key;
    size_t index;
};

static bool read_record(const json_t *object, const struct sc_json_table *table, char *base,
                        const struct place *place, struct sc_err *err);

static const char *kind_name(const json_t *value)
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

static void add_place(const struct place *place, struct sc_str *text)
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

static bool refuse(const json_t *value, const char *wanted, const struct place *place,
                   struct sc_err *err)
{
    struct sc_str where = {0};
    add_place(place, &where);
    (void)sc_fail(err, SC_ERR_FAILED, "not a profile: '%.300s' should be %s but is %s",
                  sc_str_text(&where), wanted, kind_name(value));
    sc_str_done(&where);
    return false;
}

static bool read_number(const json_t *value, double *ret_number, const struct place *place,
                        struct sc_err *err)
{
    if (!json_is_number(value))
        return refuse(value, "a number", place, err);
    double number = json_number_value(value);
    if (!(fabs(number) <= NUMBER_LIMIT))
        return refuse(value, "a number within reason", place, err);
    *ret_number = number;
    return true;
}

/* A whole number from 0 to limit; 5.0 is one too. */
static bool read_count(const json_t *value, uint64_t limit, uint64_t *ret_count,
                       const struct place *place, struct sc_err *err)
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
        return refuse(value, "a whole number within bounds", place, err);
    *ret_count = count;
    return true;
}

static char *copy_string(const json_t *value)
{
    return sc_json_unmark(json_string_value(value), json_string_length(value));
}

/* \u0026, \u003c and \u003e in source text stand for the characters themselves. */
static void unescape_line(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        static const struct {
            const char *spelt;
            char byte;
        } marks[] = {{"\\u0026", '&'}, {"\\u003c", '<'}, {"\\u003e", '>'}};
        size_t i = 0;
        while (i < 3 && !sc_starts_with(at, marks[i].spelt))
            i++;
        *to++ = i < 3 ? marks[i].byte : *at;
        at += i < 3 ? 6 : 1;
    }
    *to = '\0';
}

static bool read_text(const json_t *value, enum sc_json_kind kind, char *target,
                      const struct place *place, struct sc_err *err)
{
    if (json_is_null(value) && kind == SC_JSON_TEXT_OR_NULL)
        return true;
    if (!json_is_string(value))
        return refuse(value, "a string", place, err);
    char *text = copy_string(value);
    if (kind == SC_JSON_LINE_TEXT)
        unescape_line(text);
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

static bool read_raw(json_t *value, char *target, const struct place *place, struct sc_err *err)
{
    if (!json_is_array(value))
        return refuse(value, "a list", place, err);
    if (depth_of(value, RAW_DEPTH_LIMIT) >= RAW_DEPTH_LIMIT)
        return refuse(value, "nested less deeply", place, err);
    if (json_array_size(value) == 0)
        return true;
    char *dump = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
    if (dump == NULL)
        return refuse(value, "a list that fits in memory", place, err);
    char *text = sc_json_unmark_ascii(dump);
    free(dump);
    memcpy(target, &text, sizeof(text));
    return true;
}

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
                           const struct place *place, struct sc_err *err)
{
    if (!json_is_array(value) || json_array_size(value) != 2)
        return refuse(value, "a list of time and MB", place, err);
    const json_t *time = json_array_get(value, 0);
    if (json_is_real(time) && json_real_value(time) >= 0 && json_real_value(time) < TIME_LIMIT_NS)
        ret_point->time_ns = (uint64_t)json_real_value(time);
    else if (!read_count(time, UINT64_MAX, &ret_point->time_ns, place, err))
        return false;
    return read_number(json_array_get(value, 1), &ret_point->mb, place, err);
}

static bool read_items(const json_t *value, const struct sc_json_field *field, char *target,
                       const struct place *place, struct sc_err *err)
{
    if (!json_is_array(value))
        return refuse(value, "a list", place, err);
    size_t size = sizeof(double);
    if (field->kind == SC_JSON_LIST)
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
        struct place inner = {.outer = place, .index = at};
        char *to = items + at * size;
        bool is_read;
        if (field->kind == SC_JSON_LIST)
            is_read = read_record(item, field->table, to, &inner, err);
        else if (field->kind == SC_JSON_FOOTPRINTS)
            is_read = read_footprint(item, (struct sc_footprint *)(void *)to, &inner, err);
        else if (field->kind == SC_JSON_NUMBERS)
            is_read = read_number(item, (double *)(void *)to, &inner, err);
        else
            is_read = read_text(item, SC_JSON_TEXT, to, &inner, err);
        if (!is_read)
            return false;
    }
    return true;
}

static bool read_args(const json_t *value, const struct sc_json_field *field, char *target,
                      const struct place *place, struct sc_err *err)
{
    if (json_is_null(value))
        return true;
    struct sc_profile *profile =
        (struct sc_profile *)(void *)(target - offsetof(struct sc_profile, args));
    profile->args_known = true;
    return read_items(value, field, target, place, err);
}

static bool read_named(const json_t *value, const struct sc_json_field *field, char *target,
                       const struct place *place, struct sc_err *err)
{
    if (!json_is_object(value))
        return refuse(value, "an object", place, err);
    for (size_t i = 0; i < field->name_count; i++) {
        const json_t *item = json_object_get(value, field->names[i]);
        struct place inner = {.outer = place, .key = field->names[i]};
        double number = 0;
        uint64_t count = 0;
        if (item == NULL)
            continue;
        if (field->kind == SC_JSON_NAMED_COUNTS) {
            if (!read_count(item, UINT64_MAX, &count, &inner, err))
                return false;
            memcpy(target + i * sizeof(count), &count, sizeof(count));
        } else {
            if (!read_number(item, &number, &inner, err))
                return false;
            memcpy(target + i * sizeof(number), &number, sizeof(number));
        }
    }
    return true;
}

/* The key of a record goes into its first member: a name, or a line number. */
static bool read_key(const char *key, const json_t *value, enum sc_json_kind kind, char *record,
                     const struct place *place, struct sc_err *err)
{
    if (kind == SC_JSON_BY_NAME) {
        char *name = sc_json_unmark(key, strlen(key));
        memcpy(record, &name, sizeof(name));
        return true;
    }
    size_t digits = strspn(key, "0123456789");
    unsigned long line = digits > 0 && digits <= 10 ? strtoul(key, NULL, 10) : 0;
    if (key[digits] != '\0' || line == 0 || line > UINT32_MAX)
        return refuse(value, "under a line number", place, err);
    uint32_t number = (uint32_t)line;
    memcpy(record, &number, sizeof(number));
    return true;
}

static bool read_keyed(json_t *value, const struct sc_json_field *field, char *target,
                       const struct place *place, struct sc_err *err)
{
    if (!json_is_object(value))
        return refuse(value, "an object", place, err);
    char *record = make_items(json_object_size(value), field->table->item_size, target);
    const char *key;
    json_t *item;
    json_object_foreach(value, key, item)
    {
        struct place inner = {.outer = place, .key = key};
        if (!read_key(key, item, field->kind, record, &inner, err) ||
            !read_record(item, field->table, record, &inner, err))
            return false;
        record += field->table->item_size;
    }
    return true;
}

static bool read_scalar(const json_t *value, enum sc_json_kind kind, char *target,
                        const struct place *place, struct sc_err *err)
{
    double number = 0;
    uint64_t count = 0;
    uint32_t line;
    int integer;
    bool truth;
    switch (kind) {
    case SC_JSON_NUMBER:
        if (!read_number(value, &number, place, err))
            return false;
        memcpy(target, &number, sizeof(number));
        return true;
    case SC_JSON_COUNT:
        if (!read_count(value, UINT64_MAX, &count, place, err))
            return false;
        memcpy(target, &count, sizeof(count));
        return true;
    case SC_JSON_LINE_NUMBER:
    case SC_JSON_LINE_OR_NULL:
        if (json_is_null(value) && kind == SC_JSON_LINE_OR_NULL)
            return true;
        if (!read_count(value, UINT32_MAX, &count, place, err))
            return false;
        line = (uint32_t)count;
        memcpy(target, &line, sizeof(line));
        return true;
    case SC_JSON_INTEGER:
        if (!json_is_integer(value) || llabs(json_integer_value(value)) > INT32_MAX)
            return refuse(value, "a whole number within bounds", place, err);
        integer = (int)json_integer_value(value);
        memcpy(target, &integer, sizeof(integer));
        return true;
    case SC_JSON_BOOL:
        if (!json_is_boolean(value))
            return refuse(value, "true or false", place, err);
        truth = json_is_true(value);
        memcpy(target, &truth, sizeof(truth));
        return true;
    default:
        return read_text(value, kind, target, place, err);
    }
}

static bool read_value(json_t *value, const struct sc_json_field *field, char *base,
                       const struct place *place, struct sc_err *err)
{
    char *target = base + field->offset;
    switch (field->kind) {
    case SC_JSON_NUMBERS:
    case SC_JSON_TEXTS:
    case SC_JSON_FOOTPRINTS:
    case SC_JSON_LIST:
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
        return read_record(value, field->table, base, place, err);
    case SC_JSON_RAW:
        return read_raw(value, target, place, err);
    case SC_JSON_PROGRAM_VERSION:
        return true;
    default:
        return read_scalar(value, field->kind, target, place, err);
    }
}

/* What a key that is missing leaves behind. */
static bool read_missing(const struct sc_json_field *field, char *base, const struct place *place,
                         struct sc_err *err)
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

static bool read_record(const json_t *object, const struct sc_json_table *table, char *base,
                        const struct place *place, struct sc_err *err)
{
    if (!json_is_object(object))
        return refuse(object, "an object", place, err);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        json_t *value = json_object_get(object, field->key);
        struct place inner = {.outer = place, .key = field->key};
        bool is_read = value != NULL ? read_value(value, field, base, &inner, err)
                                     : read_missing(field, base, &inner, err);
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

static int by_file_name(const void *left, const void *right)
{
    return strcmp(((const struct sc_file *)left)->name, ((const struct sc_file *)right)->name);
}

static bool read_root(json_t *root, struct sc_profile *ret_profile, struct sc_err *err)
{
    if (!json_is_object(root))
        return sc_fail(err, SC_ERR_FAILED, "not a profile: expected an object, but it is %s",
                       kind_name(root));
    bool is_bare = json_object_size(root) == 0;
    complete_empty(root);
    struct sc_profile profile = {.foreign =
                                     !is_bare && json_object_get(root, SC_JSON_OWN_KEY) == NULL};
    if (!read_record(root, &sc_json_profile_table, (char *)&profile, NULL, err)) {
        sc_profile_done(&profile);
        return false;
    }
    if (profile.files.count > 0)
        qsort(profile.files.items, profile.files.count, sizeof(struct sc_file), by_file_name);
    *ret_profile = profile;
    return true;
}

bool sc_profile_from_json(const char *text, size_t length, struct sc_profile *ret_profile,
                          struct sc_err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (length > TEXT_LIMIT_BYTES)
        return sc_fail(err, SC_ERR_FAILED, "not a profile: it has more than %zu bytes",
                       TEXT_LIMIT_BYTES);
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    struct sc_str marked = {0};
    if (sc_json_mark(text, length, &marked)) {
        text = sc_str_text(&marked);
        length = marked.length;
    }
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    sc_str_done(&marked);
    if (root == NULL) {
        /* the parser quotes the text, which may want to paint the terminal */
        for (char *at = error.text; *at != '\0'; at++)
            *at = (unsigned char)*at < 0x20 || *at == 0x7f ? '?' : *at;
        return sc_fail(err, SC_ERR_FAILED, "not JSON: line %d, column %d: %s", error.line,
                       error.column, error.text);
    }
    bool is_read = read_root(root, ret_profile, err);
    json_decref(root);
    return is_read;
}
