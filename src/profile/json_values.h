/*
 * profile/json_values.h - checks and copies the single values of a profile's JSON text.
 *
 * A value that does not fit is refused with a sentence that names its key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "profile/json_fields.h"
#include "profile/json_pull.h"

/* Where the reader stands: a key as it was written, or an index if the key's text is NULL. */
struct sc_json_place {
    const struct sc_json_place *outer;
    struct sc_json_name key;
    size_t index;
};

/* Reads one piece of the text. Every function that returns false has either set err or left it to
 * the caller to explain why the text is no JSON. */
struct sc_json_reader {
    struct sc_json_pull pull;
    struct sc_str text; /* room for strings, kept from one to the next */
    struct sc_err *err;
    struct sc_intern *texts; /* where shared texts go; not owned */
    size_t room_bytes;       /* what records may still take */
};

/* Sets err to what was wanted in place of the value that begins at start; always returns false. */
bool sc_json_refuse(struct sc_json_reader *reader, const char *start, const char *wanted,
                    const struct sc_json_place *place);

/* False when the next value does not begin with that bracket: it is refused then. */
bool sc_json_expect(struct sc_json_reader *reader, char bracket, const char *wanted,
                    const struct sc_json_place *place);

/* Reads a value of any kind that is a single value. A string is a new one unless it is shared, and
 * target is a char * then. */
bool sc_json_read_scalar(struct sc_json_reader *reader, enum sc_json_kind kind, void *target,
                         const struct sc_json_place *place);

/* Sets the value of a key that is missing in the record at base; false, with err set, if it is
 * required. */
bool sc_json_read_missing(const struct sc_json_field *field, char *base,
                          const struct sc_json_place *place, struct sc_err *err);
