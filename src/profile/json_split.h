/*
 * profile/json_split.h - a large profile read in parts: each file by itself, several at a time.
 *
 * A tree of the whole text takes ten times its room, and most of the time goes into that. So the
 * text is cut at the members of the outer object and of "files". Files are read straight from the
 * text (json_stream.h), the lists of stacks are kept as the text they are, the rest is read as
 * always (json_record.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

/* Reads the profile. False, without a reason, for anything unusual: the reader of whole texts then
 * reports the error, or accepts the text (as where a key is there twice). The lists of stacks are
 * not checked. ret_profile is set only on success. */
bool sc_json_read_split(const char *text, size_t length, struct sc_profile *ret_profile);
