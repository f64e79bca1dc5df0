/*
 * profile/free.c - frees a profile, by the table of its keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "profile/json_fields.h"
#include "profile/profile.h"

static void free_record(const struct sc_json_table *table, const char *base);

static void free_vector(const struct sc_json_field *field, const char *place)
{
    struct sc_json_vector vector = sc_json_vector_at(place);
    for (size_t i = 0; i < vector.count; i++) {
        const char *item = vector.items;
        item += i * sc_json_item_size(field);
        if (field->table != NULL)
            free_record(field->table, item);
        if (field->kind == SC_JSON_TEXTS || field->kind == SC_JSON_ARGS ||
            field->kind == SC_JSON_BY_NAME)
            free(sc_json_text_at(item));
    }
    free(vector.items);
}

/* Frees all that a record owns, but not its name in SC_JSON_BY_NAME. */
static void free_record(const struct sc_json_table *table, const char *base)
{
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        const char *place = base + field->offset;
        switch (field->kind) {
        case SC_JSON_TEXT:
        case SC_JSON_TEXT_OR_NULL:
        case SC_JSON_LINE_TEXT:
        case SC_JSON_PROGRAM_VERSION:
            free(sc_json_text_at(place));
            break;
        case SC_JSON_INSIDE:
            free_record(field->table, base);
            break;
        default:
            if (sc_json_is_vector(field->kind))
                free_vector(field, place);
        }
    }
}

void sc_profile_done(struct sc_profile *profile)
{
    free_record(&sc_json_profile_table, (const char *)profile);
    sc_intern_done(&profile->texts);
    *profile = (struct sc_profile){0};
}
