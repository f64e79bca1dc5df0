/*
 * neuron/json_tree.h - any parsed JSON as text again, as the profile's own writer puts it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>

#include "base/json_out.h"

/* Adds the value, keys sorted. The text it was parsed from had been marked (json_marks.h). */
void sc_json_write_tree(struct sc_json_out *out, const json_t *value);
