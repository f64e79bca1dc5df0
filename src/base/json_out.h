/*
 * base/json_out.h - writes JSON text piece by piece: indented by 4 as Python's json does, or
 * compact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

/* Initialise with {.text = where to}. */
struct sc_json_out {
    struct sc_str *text;
    unsigned depth;
    bool has_items;  /* the innermost open list or object is not empty */
    bool has_key;    /* that of the next value is written, and what goes before it */
    bool is_compact; /* all on one line, without blanks */
};

/* '[' or '{', and its end. */
void sc_json_begin(struct sc_json_out *out, char bracket);
void sc_json_end(struct sc_json_out *out, char bracket);

/* Before every value of an object. */
void sc_json_key(struct sc_json_out *out, const char *key);

/* Both: a list or an object under that key. */
void sc_json_begin_under(struct sc_json_out *out, const char *key, char bracket);

/* A value under that key; NULL becomes null. */
void sc_json_text_under(struct sc_json_out *out, const char *key, const char *text);
void sc_json_count_under(struct sc_json_out *out, const char *key, uint64_t count);
void sc_json_bool_under(struct sc_json_out *out, const char *key, bool truth);
void sc_json_texts_under(struct sc_json_out *out, const char *key, char *const *texts,
                         size_t count);

/* A list under that key: of what the statement behind writes, or with an object for each item of an
 * SC_VEC, whose keys the statement writes. Neither is left early.
 *
 *     SC_JSON_OBJECTS(out, "lines", const struct line, line, &lines)
 *         sc_json_count_under(out, "number", line->number);
 */
#define SC_JSON_LIST(out, key) SC_JSON_LIST_NAMED(out, key, SC_JSON_NAME(list_at_, __LINE__))
#define SC_JSON_OBJECTS(out, key, type, item, vec)                                                 \
    SC_JSON_LIST_NAMED(out, key, list_of_##item)                                                   \
    SC_EACH(type, item, vec)                                                                       \
        for (bool object_of_##item = (sc_json_begin(out, '{'), true); object_of_##item;            \
             object_of_##item = (sc_json_end(out, '}'), false))

#define SC_JSON_LIST_NAMED(out, key, list)                                                         \
    for (bool list = (sc_json_begin_under(out, key, '['), true); list;                             \
         list = (sc_json_end(out, ']'), false))
#define SC_JSON_NAME(begin, end)  SC_JSON_NAME_(begin, end)
#define SC_JSON_NAME_(begin, end) begin##end

/* Writes what goes before a value of a list: for one that changes is_compact. */
void sc_json_item(struct sc_json_out *out);

/* Bytes that are not UTF-8 become surrogate escapes (\udc80..\udcff), as Python reads file names.
 */
void sc_json_string(struct sc_json_out *out, const char *text);

/* The same for length bytes, which may hold NULs. */
void sc_json_text(struct sc_json_out *out, const char *text, size_t length);

/* The shortest text that reads back as the same number; what is not finite becomes 0. */
void sc_json_number(struct sc_json_out *out, double number);

/* With that many significant digits (1 to 15); whole numbers have no point. What is not finite
 * becomes 0. */
void sc_json_rounded(struct sc_json_out *out, double number, int digits);

/* Numbers beyond what readers can hold (2^63 - 1) become that. */
void sc_json_count(struct sc_json_out *out, uint64_t count);
void sc_json_integer(struct sc_json_out *out, int64_t integer);
void sc_json_bool(struct sc_json_out *out, bool truth);
void sc_json_null(struct sc_json_out *out);
