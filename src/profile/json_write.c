/*
 * profile/json_write.c - a profile as JSON text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "base/sort.h"
#include "profile/json_fields.h"
#include "profile/profile.h"

static void write_record(struct sc_json_out *out, const struct sc_json_table *table,
                         const char *base);

static void write_line_text(struct sc_json_out *out, const char *text)
{
    SC_AUTO(sc_str_done) struct sc_str spelt = {0};
    for (; *text != '\0'; text++) {
        if (strchr("&<>", *text) != NULL || sc_json_spelt_at(text) != '\0')
            sc_str_add_format(&spelt, "\\u%04x", (unsigned)*text);
        else
            sc_str_add_char(&spelt, *text);
    }
    sc_json_string(out, sc_str_text(&spelt));
}

struct named {
    const char *name;
    size_t at;
};

SC_ORDERED_BY(by_name, struct named, strcmp(a->name, b->name));

/* The names of a field, sorted; to be freed. */
static struct named *sort_names(const struct sc_json_field *field)
{
    struct named *sorted = sc_alloc(field->name_count, sizeof(*sorted));
    for (size_t i = 0; i < field->name_count; i++)
        sorted[i] = (struct named){field->names[i], i};
    qsort(sorted, field->name_count, sizeof(*sorted), by_name);
    return sorted;
}

static void write_named(struct sc_json_out *out, const struct sc_json_field *field,
                        const void *place)
{
    const double *numbers = place;
    const uint64_t *counts = place;
    SC_AUTO_FREE struct named *sorted = sort_names(field);
    sc_json_begin(out, '{');
    for (size_t i = 0; i < field->name_count; i++) {
        if (field->kind == SC_JSON_NAMED_COUNTS) {
            sc_json_count_under(out, sorted[i].name, counts[sorted[i].at]);
        } else if (numbers[sorted[i].at] != 0) {
            sc_json_key(out, sorted[i].name);
            sc_json_number(out, numbers[sorted[i].at]);
        }
    }
    sc_json_end(out, '}');
}

bool sc_json_is_set(const struct sc_json_field *field, const void *place)
{
    switch (field->kind) {
    case SC_JSON_NAMED_NUMBERS:
        for (size_t i = 0; i < field->name_count; i++) {
            if (((const double *)place)[i] != 0)
                return true;
        }
        return false;
    case SC_JSON_BOOL:
        return *(const bool *)place;
    case SC_JSON_COUNT:
        return *(const uint64_t *)place != 0;
    case SC_JSON_TEXT_OR_NULL:
    case SC_JSON_LINE_TEXT:
    case SC_JSON_SHARED_TEXT:
        return sc_json_text_at(place) != NULL;
    default:
        return sc_json_is_vector(field->kind) ? sc_json_vector_at(place).count != 0
                                              : *(const double *)place != 0;
    }
}

/* Whether a line has a number of its own, besides its text, its place and whether it is in a
 * coroutine. */
static bool costs(const struct sc_json_table *table, const char *line)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        bool is_place = field->kind == SC_JSON_COUNT32 || field->kind == SC_JSON_LINE_TEXT ||
                        field->kind == SC_JSON_BOOL;
        if (!is_place && sc_json_is_set(field, line + field->offset))
            return true;
    }
    return false;
}

/* Whether a line is left out: the source that the file has says all of it. */
static bool is_plain_line(const struct sc_json_field *field, const char *place, const char *line)
{
    const struct sc_file *file =
        (const struct sc_file *)(const void *)(place - offsetof(struct sc_file, lines));
    return file->source != NULL && !costs(field->table, line);
}

static void write_items(struct sc_json_out *out, const struct sc_json_field *field,
                        const char *place)
{
    struct sc_json_vector items = sc_json_vector_at(place);
    const char *item = items.items;
    sc_json_begin(out, '[');
    for (size_t i = 0; i < items.count; i++, item += sc_json_item_size(field)) {
        if (field->table == NULL)
            sc_json_write_scalar(out, sc_json_item_kind(field), item);
        else if (field->kind != SC_JSON_LINES || !is_plain_line(field, place, item))
            write_record(out, field->table, item);
    }
    sc_json_end(out, ']');
}

/* A record of a vector that is written as an object, with its key. */
struct keyed {
    char key[16];     /* of a record by line; else empty */
    const char *name; /* of a record by name; else NULL */
    const char *record;
};

static const char *key_of(const struct keyed *keyed)
{
    return keyed->name != NULL ? keyed->name : keyed->key;
}

static int by_key(const void *left, const void *right)
{
    return strcmp(key_of(left), key_of(right));
}

static void write_keyed(struct sc_json_out *out, const struct sc_json_field *field,
                        const char *place)
{
    struct sc_json_vector records = sc_json_vector_at(place);
    SC_AUTO_FREE struct keyed *sorted = sc_alloc(records.count + 1, sizeof(*sorted));
    for (size_t i = 0; i < records.count; i++) {
        struct keyed *record = &sorted[i];
        record->record = (const char *)records.items + i * field->table->item_size;
        if (field->kind == SC_JSON_BY_LINE) {
            uint32_t line;
            memcpy(&line, record->record, sizeof(line));
            record->name = NULL; /* records move when they are sorted */
            (void)snprintf(record->key, sizeof(record->key), "%u", line);
        } else {
            record->name = sc_json_text_at(record->record);
        }
    }
    qsort(sorted, records.count, sizeof(*sorted), by_key);
    sc_json_begin(out, '{');
    for (size_t i = 0; i < records.count; i++) {
        if (i > 0 && strcmp(key_of(&sorted[i]), key_of(&sorted[i - 1])) == 0)
            continue;
        sc_json_key(out, key_of(&sorted[i]));
        write_record(out, field->table, sorted[i].record);
    }
    sc_json_end(out, '}');
}

static void write_args(struct sc_json_out *out, const struct sc_json_field *field,
                       const char *place)
{
    const struct sc_profile *profile =
        (const struct sc_profile *)(const void *)(place - offsetof(struct sc_profile, args));
    if (profile->args_known)
        write_items(out, field, place);
    else
        sc_json_null(out);
}

static void write_text(struct sc_json_out *out, enum sc_json_kind kind, const char *text)
{
    if (text == NULL && (kind == SC_JSON_TEXT_OR_NULL || kind == SC_JSON_SHARED_TEXT))
        sc_json_null(out);
    else if (kind == SC_JSON_LINE_TEXT)
        write_line_text(out, text != NULL ? text : "");
    else
        sc_json_string(out, text != NULL ? text : "");
}

void sc_json_write_scalar(struct sc_json_out *out, enum sc_json_kind kind, const void *place)
{
    switch (kind) {
    case SC_JSON_NUMBER:
        sc_json_number(out, *(const double *)place);
        break;
    case SC_JSON_COUNT:
    case SC_JSON_COUNT_OR_NULL:
    case SC_JSON_TIME_NS:
        if (kind == SC_JSON_COUNT_OR_NULL && *(const uint64_t *)place == SC_NO_NUMBER)
            sc_json_null(out);
        else
            sc_json_count(out, *(const uint64_t *)place);
        break;
    case SC_JSON_COUNT32:
    case SC_JSON_LINE_OR_NULL:
        if (kind == SC_JSON_LINE_OR_NULL && *(const uint32_t *)place == 0)
            sc_json_null(out);
        else
            sc_json_count(out, *(const uint32_t *)place);
        break;
    case SC_JSON_INTEGER:
        sc_json_integer(out, *(const int *)place);
        break;
    case SC_JSON_BOOL:
        sc_json_bool(out, *(const bool *)place);
        break;
    default:
        write_text(out, kind, sc_json_text_at(place));
    }
}

static void write_value(struct sc_json_out *out, const struct sc_json_field *field,
                        const char *place, const char *base)
{
    switch (field->kind) {
    case SC_JSON_NUMBERS:
    case SC_JSON_TEXTS:
    case SC_JSON_SHARED_TEXTS:
    case SC_JSON_LIST:
    case SC_JSON_LINES:
        write_items(out, field, place);
        break;
    case SC_JSON_ARGS:
        write_args(out, field, place);
        break;
    case SC_JSON_NAMED_NUMBERS:
    case SC_JSON_NAMED_COUNTS:
        write_named(out, field, place);
        break;
    case SC_JSON_BY_NAME:
    case SC_JSON_BY_LINE:
        write_keyed(out, field, place);
        break;
    case SC_JSON_INSIDE:
    case SC_JSON_INSIDE_OR_COUNT:
        write_record(out, field->table, base);
        break;
    case SC_JSON_PROGRAM_VERSION:
        sc_json_string(out, SC_VERSION);
        break;
    default:
        sc_json_write_scalar(out, field->kind, place);
    }
}

static void write_record(struct sc_json_out *out, const struct sc_json_table *table,
                         const char *base)
{
    bool is_tuple = table->form == SC_JSON_TUPLE || table->form == SC_JSON_LINE_TUPLE;
    bool was_compact = out->is_compact;
    if (table->form == SC_JSON_VALUE) {
        write_value(out, table->fields, base + table->fields->offset, base);
        return;
    }
    sc_json_item(out);
    out->is_compact |= table->form == SC_JSON_LINE_OBJECT || table->form == SC_JSON_LINE_TUPLE;
    sc_json_begin(out, is_tuple ? '[' : '{');
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        const char *place = base + field->offset;
        if (field->rule == SC_JSON_WHEN_SET && !sc_json_is_set(field, place))
            continue;
        /* a profile of the original has no "scalene_c", so a copy of it has none either */
        if (field->kind == SC_JSON_INSIDE &&
            ((const struct sc_profile *)(const void *)base)->foreign)
            continue;
        if (!is_tuple)
            sc_json_key(out, field->key);
        write_value(out, field, place, base);
    }
    sc_json_end(out, is_tuple ? ']' : '}');
    out->is_compact = was_compact;
}

/* An empty profile is {}, as readers of the format expect, unless it has notes or hidden files. */
static void write_empty(struct sc_json_out *out, const struct sc_profile *profile)
{
    sc_json_begin(out, '{');
    const struct sc_json_table *table = &sc_json_profile_table;
    bool has_reasons =
        profile->notes.count > 0 || profile->hidden_files.count > 0 || profile->units.count > 0;
    for (size_t i = 0; has_reasons && i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        if (strcmp(field->key, SC_JSON_OWN_KEY) != 0)
            continue;
        sc_json_key(out, field->key);
        write_record(out, field->table, (const char *)profile);
    }
    sc_json_end(out, '}');
}

void sc_profile_to_json(const struct sc_profile *profile, struct sc_str *ret_text)
{
    struct sc_json_out out = {.text = ret_text};
    if (sc_profile_is_empty(profile))
        write_empty(&out, profile);
    else
        write_record(&out, &sc_json_profile_table, (const char *)profile);
    sc_str_add_char(ret_text, '\n');
}
