/*
 * profile/json_values.h - checks and copies the single values of a profile's JSON text.
 *
 * A value that does not fit is refused with a sentence that names its key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "profile/json_fields.h"

/* Where the reader stands: a key, or an index if key is NULL. */
struct sc_json_place {
    const struct sc_json_place *outer;
    const char *key;
    size_t index;
};

/* "a list", "null" */
const char *sc_json_kind_name(const json_t *value);

/* Says what was wanted at the place and what is there; always returns false. */
bool sc_json_refuse(const json_t *value, const char *wanted, const struct sc_json_place *place,
                    struct sc_err *err);

bool sc_json_read_number(const json_t *value, double *ret_number, const struct sc_json_place *place,
                         struct sc_err *err);

/* A whole number from 0 to limit; 5.0 is one too. */
bool sc_json_read_count(const json_t *value, uint64_t limit, uint64_t *ret_count,
                        const struct sc_json_place *place, struct sc_err *err);

/* A string; the new text goes to target, a char *. */
bool sc_json_read_text(const json_t *value, enum sc_json_kind kind, char *target,
                       const struct sc_json_place *place, struct sc_err *err);

/* \u0026, \u003c and \u003e in source text become the characters they stand for. */
void sc_json_unescape_line(char *text);

/* A list that is kept as text; target is a char * and stays NULL for an empty list. */
bool sc_json_read_raw(json_t *value, char *target, const struct sc_json_place *place,
                      struct sc_err *err);

/* Any kind that is one value. */
bool sc_json_read_scalar(const json_t *value, enum sc_json_kind kind, char *target,
                         const struct sc_json_place *place, struct sc_err *err);

/* What a key that is missing leaves behind in the record at base; false if it is required. */
bool sc_json_read_missing(const struct sc_json_field *field, char *base,
                          const struct sc_json_place *place, struct sc_err *err);
