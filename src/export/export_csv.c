/*
 * export/export_csv.c - the lines of a profile as a table with all their numbers (RFC 4180).
 *
 * The columns are the keys of a line in the profile's JSON (docs/json.md), from the same table, so
 * that no number is left out; what they have a list of (curves, names of tasks) is no cell. Lines
 * that cost nothing are left out. A text that a spreadsheet would take for a formula has a ' in
 * front.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/json_out.h"
#include "base/visible.h"
#include "export/writers.h"
#include "profile/json_fields.h"
#include "report/report.h"

/* What begins with one of these is a formula for a spreadsheet, which can start programs and send
 * data; not what begins with spaces, as most lines do. */
static bool is_formula(const char *text)
{
    char first = text[strspn(text, "\t\r\n")];
    return first != '\0' && strchr("=+-@", first) != NULL;
}

static void add_text(struct sc_str *text, const char *cell, size_t length)
{
    SC_AUTO(sc_str_done) struct sc_str shown = {0};
    sc_visible_add(&shown, cell, length, SC_VISIBLE_LINES);
    sc_str_add_char(text, '"');
    if (is_formula(sc_str_text(&shown)))
        sc_str_add_char(text, '\'');
    for (const char *at = sc_str_text(&shown); *at != '\0'; at++) {
        if (*at == '"')
            sc_str_add_char(text, '"');
        sc_str_add_char(text, *at);
    }
    sc_str_add_char(text, '"');
}

static const struct sc_json_field *field_of(const struct sc_json_table *table, const char *key)
{
    for (size_t i = 0; i < table->field_count; i++) {
        if (table->fields[i].key != NULL && strcmp(table->fields[i].key, key) == 0)
            return &table->fields[i];
    }
    return NULL;
}

static bool is_number(const struct sc_json_field *field)
{
    return field->kind == SC_JSON_NUMBER || field->kind == SC_JSON_COUNT ||
           field->kind == SC_JSON_COUNT32 || field->kind == SC_JSON_BOOL;
}

static void add_heads(struct sc_str *text, const struct sc_json_table *table)
{
    sc_str_add(text, "file,function");
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        if (is_number(field))
            sc_str_add_format(text, ",%s", field->key);
        for (size_t k = 0; k < field->name_count; k++)
            sc_str_add_format(text, ",%s_%s", field->key, field->names[k]);
    }
    sc_str_add(text, ",line\r\n");
}

/* A cell; whether it is a cost. */
static bool add_cell(struct sc_str *text, const struct sc_json_field *field, const char *record)
{
    struct sc_json_out out = {.text = text};
    const char *place = record + field->offset;
    bool can_cost = field->kind == SC_JSON_NUMBER || field->kind == SC_JSON_COUNT;
    sc_str_add_char(text, ',');
    sc_json_write_scalar(&out, field->kind, place);
    return can_cost && sc_json_is_set(field, place);
}

static void add_line(struct sc_str *text, const struct sc_json_table *table,
                     const struct sc_file *file, const struct sc_line *line)
{
    static const struct sc_json_field number = {.kind = SC_JSON_NUMBER};
    size_t before = text->length;
    const struct sc_function *function = sc_function_around(file, line->lineno, "");
    const char *name = function != NULL ? function->name : "";
    bool has_cost = false;
    add_text(text, file->name, strlen(file->name));
    sc_str_add_char(text, ',');
    add_text(text, name, strlen(name));
    for (size_t i = 0; i < table->field_count; i++) {
        const struct sc_json_field *field = &table->fields[i];
        if (is_number(field))
            has_cost |= add_cell(text, field, (const char *)line);
        for (size_t k = 0; k < field->name_count; k++)
            has_cost |=
                add_cell(text, &number, (const char *)line + field->offset + k * sizeof(double));
    }
    sc_str_add_char(text, ',');
    add_text(text, line->text, strcspn(line->text, "\r\n"));
    sc_str_add(text, "\r\n");
    if (!has_cost) {
        text->length = before;
        text->data[before] = '\0';
    }
}

void sc_export_csv(const struct sc_profile *profile, struct sc_str *ret_bytes)
{
    const struct sc_json_table *files = field_of(&sc_json_profile_table, "files")->table;
    const struct sc_json_table *lines = field_of(files, "lines")->table;
    add_heads(ret_bytes, lines);
    SC_EACH(const struct sc_file, file, &profile->files) {
        for (size_t k = 0; k < file->lines.count; k++)
            add_line(ret_bytes, lines, file, &file->lines.items[k]);
    }
}
