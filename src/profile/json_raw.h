/*
 * profile/json_raw.h - a list that the profile keeps as JSON text: checked by its shape, and
 * without blanks.
 *
 * A shape is spelt like the values it describes:
 *
 *     n s        a number, a string; N S: or null
 *     ?          anything
 *     [ns]       a list of a number and a string, then anything
 *     [n*]       a list of numbers
 *     {a:n,b:s}  an object; these keys may be missing, others may have any value
 *     (n[n*])    one or the other
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/json_values.h"

/* Reads the next value; the new text goes to target, a char *, which stays as it is for an empty
 * list. */
bool sc_json_read_raw(struct sc_json_reader *reader, const char *shape, char *target,
                      const struct sc_json_place *place);
