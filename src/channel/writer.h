/*
 * channel/writer.h - the agent writes the ring: many writers, some of them signal handlers.
 *
 * Async-signal-safe and lock-free: an interrupted writer delays only the reader. One that is never
 * resumed would stop the reader for good: a signal handler of the program may leave the code that
 * it has interrupted by longjmp, and the record that was being written is then never committed. So
 * each record notes the frame that writes it, and a later call in the same thread makes padding of
 * those whose frame is gone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "channel/format.h"

/* Whether the calling thread has had the frame with this address, and has left it without a return:
 * here is an address in its stack, and what lies below is not in use. Async-signal-safe. NULL:
 * nothing is ever left. */
extern bool (*sc_ring_is_abandoned)(uint64_t frame, uint64_t here);

/* Reserves room for a record of size bytes (rounded up to 8), to be filled after its header; NULL
 * when the ring is full, too many records are being written, or the size is out of bounds. The
 * caller counts the loss. The function that reserves a record also commits it. */
void *sc_ring_reserve(struct sc_segment *segment, size_t size);

/* How much of the ring is not read yet, in bytes. */
uint64_t sc_ring_used(const struct sc_segment *segment);

/* Makes a reserved record visible. size is the one that was reserved. */
void sc_ring_commit(void *record, enum sc_record_kind kind, size_t size);

/* Makes padding of the records whose writers the calling thread has left. sc_ring_reserve does so,
 * too. */
void sc_ring_pad_abandoned(struct sc_segment *segment, uint64_t here);

/* In a fork child: threads that were writing are gone. */
void sc_ring_after_fork(void);
