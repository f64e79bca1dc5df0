/*
 * channel/writer.c - the agent writes the ring.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "channel/writer.h"

static uint32_t rounded(size_t size)
{
    return (uint32_t)((size + 7) & ~(size_t)7);
}

static void publish(void *record, enum sc_record_kind kind, uint32_t size)
{
    struct sc_record_header *header = record;
    atomic_store_explicit(&header->word, (uint32_t)kind << 24 | size, memory_order_release);
}

void *sc_ring_reserve(struct sc_segment *segment, size_t size)
{
    if (size < sizeof(struct sc_record_header) || size > SC_RING_BYTES / 2)
        return NULL;
    uint32_t length = rounded(size);
    uint64_t head = atomic_load_explicit(&segment->head, memory_order_relaxed);
    for (;;) {
        uint32_t position = (uint32_t)head & (SC_RING_BYTES - 1);
        uint32_t pad = position + length > SC_RING_BYTES ? SC_RING_BYTES - position : 0;
        /* acquire: the reader's zeroing comes before our writes there */
        uint64_t tail = atomic_load_explicit(&segment->tail, memory_order_acquire);
        if (head + pad + length - tail > SC_RING_BYTES) {
            /* full, unless head is stale: other threads have written since it was read, and the
             * reader has consumed their records */
            uint64_t now = atomic_load_explicit(&segment->head, memory_order_relaxed);
            if (now == head)
                return NULL;
            head = now;
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(&segment->head, &head, head + pad + length,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        if (pad == 0)
            return segment->ring + position;
        publish(segment->ring + position, SC_RECORD_PAD, pad);
        return segment->ring;
    }
}

uint64_t sc_ring_used(const struct sc_segment *segment)
{
    /* tail first: a head read before it could be smaller than it */
    uint64_t tail = atomic_load_explicit(&segment->tail, memory_order_acquire);
    return atomic_load_explicit(&segment->head, memory_order_relaxed) - tail;
}

void sc_ring_commit(void *record, enum sc_record_kind kind, size_t size)
{
    publish(record, kind, rounded(size));
}
