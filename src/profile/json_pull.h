/*
 * profile/json_pull.h - reads JSON text (RFC 8259) value by value, without building it in memory: a
 * tree of objects would take ten times the room of the text.
 *
 * The text may be anything: after the first error `failed` stays set and every call returns 0 or
 * false, so a loop ends and its caller checks once, afterwards.
 *
 *     struct sc_json_pull pull = sc_json_pull_of(text, length);
 *     for (bool more = sc_json_pull_list(&pull); more; more = sc_json_pull_item(&pull))
 *         sc_json_pull_skip(&pull);
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct sc_json_pull {
    const char *at;
    const char *end;
    bool failed;
    const char *text;     /* all of it: places are counted from here */
    const char *fault;    /* of a failure: what was missing or wrong */
    const char *fault_at; /* and where */
};

/* A key of an object as it was written, between its quotes; or any other piece of the text. */
struct sc_json_name {
    const char *text;
    size_t length;
};

/* The text is borrowed and needs no final NUL. */
struct sc_json_pull sc_json_pull_of(const char *text, size_t length);

/* Sets err to where the text is no JSON, and why; always returns false. */
bool sc_json_pull_explain(const struct sc_json_pull *pull, struct sc_err *err);

/* Whether nothing but blanks is left; anything else is a failure. */
bool sc_json_pull_end(struct sc_json_pull *pull);

/* The first byte of the next value: '[', '{', '"', 't', 'f', 'n', '-' or a digit. 0 at the end. */
char sc_json_pull_peek(struct sc_json_pull *pull);

/* Whether a value that begins with this byte is a number. */
static inline bool sc_json_is_number(char first)
{
    return first == '-' || (first >= '0' && first <= '9');
}

/* Enters a list; moves to its next item. Both return whether there is one. A value that is no list
 * is a failure. */
bool sc_json_pull_list(struct sc_json_pull *pull);
bool sc_json_pull_item(struct sc_json_pull *pull);

/* Enters an object; moves to its next value. Both return whether there is one, and its key. */
bool sc_json_pull_object(struct sc_json_pull *pull, struct sc_json_name *ret_name);
bool sc_json_pull_key(struct sc_json_pull *pull, struct sc_json_name *ret_name);
bool sc_json_name_is(const struct sc_json_name *name, const char *text);

/* The text of a number as it was written; a value of another type is a failure. */
bool sc_json_pull_spelt_number(struct sc_json_pull *pull, struct sc_json_name *ret_number);

/* The number with that spelling; infinite where it is too large. */
double sc_json_number_of(const struct sc_json_name *spelt);

/* true, false or null: its first letter. Any other value is a failure, and 0. */
char sc_json_pull_word(struct sc_json_pull *pull);

/* Replaces what text holds; false, and the value passed over, if it is no string. Escapes of lone
 * surrogates \udc80 to \udcff are the bytes they stand for, other lone ones U+FFFD; the text ends
 * at a NUL. */
bool sc_json_pull_string(struct sc_json_pull *pull, struct sc_str *text);

/* Passes over the next value, whatever it is; deeper than 64 levels is a failure. */
void sc_json_pull_skip(struct sc_json_pull *pull);
