/*
 * import/json_find.h - places in a JSON text, so that its parts can be read in the order in which
 * they are needed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "import/tree.h"
#include "profile/json_pull.h"

/* The value of a key; at is NULL where the object has none. */
struct sc_json_found {
    const char *key;
    struct sc_json_pull value;
};

/* Passes over an object and fills the values of the keys; the last key is NULL. False where the
 * next value is no object. */
bool sc_json_find(struct sc_json_pull *pull, struct sc_json_found *founds);

/* Whether the text is an object that has all of the keys. */
bool sc_json_has(const char *bytes, size_t length, struct sc_json_found *founds);

/* A whole number from 0 on, or `other` for null, any other value or a number beyond 2^53. */
uint64_t sc_json_whole(struct sc_json_pull *pull, uint64_t other);

/* A number; NaN for any other value. */
double sc_json_real(struct sc_json_pull *pull);

/* A text, which text holds; another value is an empty one. */
struct sc_import_text sc_json_words(struct sc_json_pull *pull, struct sc_str *text);

/* The number of a process or a thread, which some tools write as text; other where it is none. text
 * holds what the text is, or nothing. */
uint64_t sc_json_id(struct sc_json_pull *pull, uint64_t other, struct sc_str *text);

/* Steps through a list from its beginning: moves to the next item, and returns whether there is
 * one. index counts items, and is 0 at first. */
bool sc_json_next(struct sc_json_pull *pull, size_t *index);
