/*
 * profile/json_parts.h - reads the large parts of a profile's JSON text, of a long one several at a
 * time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/json_deferred.h"

/* Reads all deferred parts into the profile, and sorts its files. whole: the text. Fails with the
 * cause of the first in the text that is wrong. */
bool sc_json_read_parts(struct sc_json_deferred *deferred, const struct sc_json_pull *whole,
                        struct sc_err *err);
