/*
 * profile/json_fields.h - the keys of scalene-profile.json as tables, read by writer and reader.
 *
 * A row says what a key is called, what kind of value it has and where in its struct the value
 * lives. docs/json.md says what each key means.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum sc_json_kind {
    SC_JSON_TEXT,            /* char *; NULL is written as "" */
    SC_JSON_TEXT_OR_NULL,    /* char * */
    SC_JSON_LINE_TEXT,       /* char *; some characters spelt: sc_json_spelt_at */
    SC_JSON_SHARED_TEXT,     /* const char *, not owned; NULL is null */
    SC_JSON_PROGRAM_VERSION, /* char *; writes the version of this program, reads another one's */
    SC_JSON_NUMBER,          /* double */
    SC_JSON_COUNT,           /* uint64_t */
    SC_JSON_COUNT_OR_NULL,   /* uint64_t; SC_NO_NUMBER is null */
    SC_JSON_TIME_NS,         /* uint64_t; cut, where it is read with a point */
    SC_JSON_COUNT32,         /* uint32_t */
    SC_JSON_LINE_OR_NULL,    /* uint32_t; 0 is null */
    SC_JSON_INTEGER,         /* int */
    SC_JSON_BOOL,            /* bool */
    SC_JSON_NAMED_NUMBERS,   /* array of double, as an object: names[i] -> number, none for 0 */
    SC_JSON_NAMED_COUNTS,    /* array of uint64_t, as an object: names[i] -> count */
    SC_JSON_INSIDE,          /* a record in the same struct */
    SC_JSON_INSIDE_OR_COUNT, /* the same; in old profiles the uint64_t alone */
    /* vectors */
    SC_JSON_NUMBERS,      /* of double */
    SC_JSON_TEXTS,        /* of char * */
    SC_JSON_SHARED_TEXTS, /* of const char *, not owned */
    SC_JSON_ARGS,         /* struct sc_profile's args: of char *, or null */
    SC_JSON_LIST,         /* of records */
    SC_JSON_LINES,        /* the same of lines: only those with a cost if the file has its source */
    SC_JSON_BY_NAME,      /* of records, as an object: name (first member) -> record */
    SC_JSON_BY_LINE,      /* of records, as an object: "line" (first member) -> record */
};

static inline bool sc_json_is_vector(enum sc_json_kind kind)
{
    return kind >= SC_JSON_NUMBERS;
}

enum sc_json_rule {
    SC_JSON_OPTIONAL, /* may be missing when read; always written */
    SC_JSON_REQUIRED, /* a text without it is no profile */
    SC_JSON_WHEN_SET, /* not written when 0, empty or NULL */
};

enum sc_json_form {
    SC_JSON_OBJECT,
    SC_JSON_LINE_OBJECT, /* on one line */
    SC_JSON_TUPLE,       /* a list of the values */
    SC_JSON_LINE_TUPLE,
    SC_JSON_VALUE, /* its only field alone */
};

struct sc_json_field {
    const char *key;
    enum sc_json_kind kind;
    enum sc_json_rule rule;
    size_t offset;
    const struct sc_json_table *table; /* of a record */
    const char *const *names;          /* of named numbers */
    size_t name_count;
};

/* Of one table. */
#define SC_JSON_FIELDS_MAX 128

/* The keys of one kind of object, sorted, or the values of a tuple, all of which are required. */
struct sc_json_table {
    const struct sc_json_field *fields;
    size_t field_count;
    size_t item_size; /* of the struct that it describes */
    enum sc_json_form form;
};

/* The kind of a vector's items that are no records, and the size of each item. */
static inline enum sc_json_kind sc_json_item_kind(const struct sc_json_field *field)
{
    return field->kind == SC_JSON_NUMBERS        ? SC_JSON_NUMBER
           : field->kind == SC_JSON_SHARED_TEXTS ? SC_JSON_SHARED_TEXT
                                                 : SC_JSON_TEXT;
}

static inline size_t sc_json_item_size(const struct sc_json_field *field)
{
    return field->table != NULL             ? field->table->item_size
           : field->kind == SC_JSON_NUMBERS ? sizeof(double)
                                            : sizeof(char *);
}

/* Any SC_VEC, to be copied in and out with memcpy. */
struct sc_json_vector {
    void *items;
    size_t count;
    size_t capacity;
};

static inline struct sc_json_vector sc_json_vector_at(const char *place)
{
    struct sc_json_vector vector;
    memcpy(&vector, place, sizeof(vector));
    return vector;
}

static inline char *sc_json_text_at(const char *place)
{
    char *text;
    memcpy(&text, place, sizeof(text));
    return text;
}

extern const struct sc_json_table sc_json_profile_table;

/* The character whose spelling begins at text, which is "\u003c" for "<"; 0 where none does. Spelt
 * are the characters of the text of a line that HTML gives a meaning, and a backslash that would
 * else begin what is read as a spelling. */
char sc_json_spelt_at(const char *text);

struct sc_json_out;

/* Writes a value of any kind that is a single value. */
void sc_json_write_scalar(struct sc_json_out *out, enum sc_json_kind kind, const void *place);

/* Whether a value that is written only when set (SC_JSON_WHEN_SET) is set. */
bool sc_json_is_set(const struct sc_json_field *field, const void *place);

/* The key that holds everything that only this program writes. */
#define SC_JSON_OWN_KEY "scalene_c"
