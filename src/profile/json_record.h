/*
 * profile/json_record.h - one object of a profile's JSON text into its struct, by its table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/json_values.h"

/* Fills the struct at base, which is zeroed, by the table. Unknown
 * keys are passed over. What was read before a failure stays there and can be freed. place may be
 * NULL.
 */
bool sc_json_read_record(struct sc_json_reader *reader, const struct sc_json_table *table,
                         char *base, const struct sc_json_place *place);

/* The two halves of sc_json_read_record. The first reads the members that the text has: notes in
 * ret_seen each field of the table that is among them, and adds how many members there are in all
 * to ret_members. The second sets the fields that are missing, and fails if one of them is
 * required. */
bool sc_json_read_members(struct sc_json_reader *reader, const struct sc_json_table *table,
                          char *base, const struct sc_json_place *place,
                          bool ret_seen[SC_JSON_FIELDS_MAX], size_t *ret_members);
bool sc_json_complete(const struct sc_json_table *table, const bool seen[SC_JSON_FIELDS_MAX],
                      char *base, const struct sc_json_place *place, struct sc_err *err);

/* The index of a field that the table has. */
size_t sc_json_field_at(const struct sc_json_table *table, const char *key);
