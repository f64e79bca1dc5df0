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
 * every number that is used as an index or an identity in its range. What can be corrected is: a
 * time later than *now_ns is compared with the clock, which updates *now_ns, and is set to it if it
 * is later still. */
bool sc_record_check(unsigned char *record, enum sc_record_kind kind, size_t size,
                     uint64_t *now_ns);
