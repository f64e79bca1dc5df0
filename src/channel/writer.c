/* channel/writer.c - see writer.h. SPDX-License-Identifier: Apache-2.0 */
#include "channel/writer.h"

/* Records that are written at the same time. Each takes less than a microsecond, so there are
 * hardly ever two. */
#define WRITERS 16U

enum stage {
    IDLE,
    TRYING,  /* to reserve the place, where another thread may be faster */
    RESERVED /* for sure */
};

/* A record that is being written. Every field is set before what it describes is done, so that the
 * record is known whatever instruction its writer is left at. */
struct writer {
    _Atomic uint64_t frame; /* address of the frame of sc_ring_reserve; 0: the entry is free */
    _Atomic(struct sc_segment *) segment;
    _Atomic uint64_t at; /* the record's place, counted as head is */
    _Atomic uint32_t pad;
    _Atomic uint32_t length;
    _Atomic uint32_t stage; /* enum stage; IDLE in a free entry */
};

static struct writer writers[WRITERS];

bool (*sc_ring_is_abandoned)(uint64_t frame, uint64_t here);

static uint32_t rounded(size_t size)
{
    return (uint32_t)((size + 7) & ~(size_t)7);
}

static void *place(struct sc_segment *segment, uint64_t at)
{
    return segment->ring + (at & (SC_RING_BYTES - 1));
}

static void publish(void *record, enum sc_record_kind kind, uint32_t size)
{
    struct sc_record_header *header = record;
    atomic_store_explicit(&header->word, (uint32_t)kind << 24 | size, memory_order_release);
}

static void end(struct writer *writer)
{
    atomic_store_explicit(&writer->stage, IDLE, memory_order_relaxed);
    atomic_store_explicit(&writer->frame, 0, memory_order_release);
}

static bool is_alone(const struct writer *writer)
{
    for (unsigned i = 0; i < WRITERS; i++) {
        if (&writers[i] != writer && atomic_load(&writers[i].frame) != 0)
            return false;
    }
    return true;
}

/* Makes padding of a place, unless a record or padding is or was there. */
static void fill(struct sc_segment *segment, uint64_t at, uint32_t length)
{
    const struct sc_record_header *header = place(segment, at);
    if (length != 0 && atomic_load(&header->word) == 0 && atomic_load(&segment->tail) <= at)
        publish(place(segment, at), SC_RECORD_PAD, length);
}

/* Ends the entry of a writer that was left. If that was while it tried to reserve a place that has
 * been reserved since, and others are writing, it may be theirs: then it is looked at later. */
static void pad_abandoned(struct sc_segment *segment, struct writer *writer)
{
    uint32_t stage = atomic_load(&writer->stage);
    uint64_t at = atomic_load(&writer->at);
    bool is_reserved = stage != IDLE && atomic_load(&writer->segment) == segment &&
                       atomic_load(&segment->head) > at;
    if (is_reserved && stage == TRYING && !is_alone(writer))
        return;
    if (is_reserved) {
        uint32_t pad = atomic_load(&writer->pad);
        fill(segment, at - pad, pad);
        fill(segment, at, atomic_load(&writer->length));
    }
    end(writer);
}

void sc_ring_pad_abandoned(struct sc_segment *segment, uint64_t here)
{
    for (unsigned i = 0; i < WRITERS; i++) {
        uint64_t frame = atomic_load_explicit(&writers[i].frame, memory_order_relaxed);
        if (frame != 0 && sc_ring_is_abandoned != NULL && sc_ring_is_abandoned(frame, here))
            pad_abandoned(segment, &writers[i]);
    }
}

void sc_ring_after_fork(void)
{
    for (unsigned i = 0; i < WRITERS; i++)
        end(&writers[i]);
}

static struct writer *begin(uint64_t here)
{
    for (unsigned i = 0; i < WRITERS; i++) {
        uint64_t frame = 0;
        if (atomic_compare_exchange_strong_explicit(&writers[i].frame, &frame, here,
                                                    memory_order_acquire, memory_order_relaxed))
            return &writers[i];
    }
    return NULL;
}

/* Reserves the place and notes it; false when the ring is full. */
static bool advance(struct sc_segment *segment, uint32_t length, struct writer *writer)
{
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
                return false;
            head = now;
            continue;
        }
        atomic_store_explicit(&writer->at, head + pad, memory_order_relaxed);
        atomic_store_explicit(&writer->pad, pad, memory_order_relaxed);
        atomic_store_explicit(&writer->stage, TRYING, memory_order_relaxed);
        /* the compiler moves nothing across this */
        if (!atomic_compare_exchange_weak_explicit(&segment->head, &head, head + pad + length,
                                                   memory_order_acq_rel, memory_order_relaxed))
            continue;
        if (pad != 0)
            publish(place(segment, head), SC_RECORD_PAD, pad);
        atomic_store_explicit(&writer->stage, RESERVED, memory_order_relaxed);
        return true;
    }
}

void *sc_ring_reserve(struct sc_segment *segment, size_t size)
{
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (size < sizeof(struct sc_record_header) || size > SC_RING_BYTES / 2)
        return NULL;
    sc_ring_pad_abandoned(segment, here);
    struct writer *writer = begin(here);
    if (writer == NULL)
        return NULL;
    atomic_store_explicit(&writer->segment, segment, memory_order_relaxed);
    atomic_store_explicit(&writer->length, rounded(size), memory_order_relaxed);
    if (advance(segment, rounded(size), writer))
        return place(segment, atomic_load_explicit(&writer->at, memory_order_relaxed));
    end(writer);
    return NULL;
}

uint64_t sc_ring_used(const struct sc_segment *segment)
{
    /* tail first: a head read before it could be smaller than it */
    uint64_t tail = atomic_load_explicit(&segment->tail, memory_order_acquire);
    return atomic_load_explicit(&segment->head, memory_order_relaxed) - tail;
}

void sc_ring_commit(void *record, enum sc_record_kind kind, size_t size)
{
    struct writer *writer = writers;
    publish(record, kind, rounded(size));
    while (writer < writers + WRITERS &&
           (atomic_load_explicit(&writer->stage, memory_order_relaxed) != RESERVED ||
            place(atomic_load_explicit(&writer->segment, memory_order_relaxed),
                  atomic_load_explicit(&writer->at, memory_order_relaxed)) != record))
        writer++;
    if (writer < writers + WRITERS)
        end(writer);
}
