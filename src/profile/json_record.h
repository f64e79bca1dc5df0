/*
 * profile/json_record.h - one object of a profile's JSON text into its struct.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "base/err.h"
#include "profile/json_fields.h"
#include "profile/json_values.h"

/* Fills the struct at base, which is zeroed, by the table. What was read before a failure stays
 * there and can be freed. place may be NULL. */
bool sc_json_read_record(const json_t *object, const struct sc_json_table *table, char *base,
                         const struct sc_json_place *place, struct sc_err *err);

/* Files by their names, for qsort. */
int sc_json_order_files(const void *left, const void *right);
