/*
 * channel/record.h - checks a record that was copied out of the ring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "channel/format.h"

/* Whether the record has the structure of its kind, with every counted part inside its size and
 * every number that is used as an index or an identity in its range. Times are corrected instead:
 * if one is later than *now_ns, the clock is read into *now_ns, and a time that is later than that,
 * too, is set to *now_ns. */
bool sc_record_check(unsigned char *record, enum sc_record_kind kind, size_t size,
                     uint64_t *now_ns);
