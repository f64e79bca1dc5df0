/*
 * cli/kept.h - what `scalene run --keep` has left of a moment, as a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct sc_profile;

/* Reads a moment, "03:00", "03:00:30", "2026-12-01 03:00" (also with a T), or a span, two of them
 * with a / between. They are of the local time, or with a Z of UTC; one without a day is the last
 * of that time before now_s. *ret_end_s: the first second that is no longer meant. */
bool sc_kept_moment(const char *text, uint64_t now_s, uint64_t *ret_begin_s, uint64_t *ret_end_s,
                    struct sc_err *err);

/* Fills a profile with the sum of the pieces that have a part in the moment or span. path: the
 * folder of the pieces, or the profile of that run. */
bool sc_kept_read(const char *path, const char *moment, struct sc_profile *ret_profile,
                  struct sc_err *err);
