/*
 * channel/writer.h - the agent writes the ring: many writers, some of them signal handlers.
 *
 * Async-signal-safe and lock-free: an interrupted writer delays only the reader.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "channel/format.h"

/* Reserves room for a record of size bytes (rounded up to 8), to be filled after its header; NULL
 * when the ring is full or the size is out of bounds. The caller counts the loss. */
void *sc_ring_reserve(struct sc_segment *segment, size_t size);

/* How much of the ring is not read yet, in bytes. */
uint64_t sc_ring_used(const struct sc_segment *segment);

/* Makes a reserved record visible. size is the one that was reserved. */
void sc_ring_commit(void *record, enum sc_record_kind kind, size_t size);
