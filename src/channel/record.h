/*
 * channel/record.h - whether a record that was copied out of the ring may be used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "channel/format.h"

/* Whether the record holds the structure of its kind, with every counted part inside its size and
 * every number that is used as an index or an identity in its range. What can be mended is mended:
 * a time is at most *now_ns, which is brought up to date where it seems to be later. */
bool sc_record_check(unsigned char *record, enum sc_record_kind kind, size_t size,
                     uint64_t *now_ns);
