/*
 * profile/json_stream.h - records by their tables, straight from the text (json_pull.h).
 *
 * Reads what sc_json_read_record reads, many times as fast, and gives up where that one would
 * report an error, so that the user gets its message.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/json_fields.h"
#include "profile/json_pull.h"

struct sc_json_stream {
    struct sc_json_pull pull;
    struct sc_str text; /* room for strings, kept from one to the next */
};

/* Reads an object into the struct at base, which is zeroed. What was read before a failure stays
 * there and can be freed. */
bool sc_json_stream_record(struct sc_json_stream *stream, const struct sc_json_table *table,
                           char *base);
