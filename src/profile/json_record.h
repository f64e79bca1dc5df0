/*
 * profile/json_record.h - one object of a profile's JSON text into its struct.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/json_values.h"

/* Fills the struct at base, which is zeroed, by the table, which has at most 64 fields. What was
 * read before a failure stays there and can be freed. place may be NULL. */
bool sc_json_read_record(struct sc_json_reader *reader, const struct sc_json_table *table,
                         char *base, const struct sc_json_place *place);
