/* agent/cuda/work.c - see work.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/cuda/work.h"

#include <stddef.h>

#include "channel/writer.h"

static uint32_t hashed(const struct sc_work *one)
{
    uint64_t hash = (one->stack_key ^ one->kind) * 0x9e3779b97f4a7c15U;
    return (uint32_t)(hash >> 32) % (2 * SC_WORKS_MAX);
}

bool sc_cuda_work_add(struct sc_cuda_work *work, const struct sc_work *one)
{
    uint32_t at = hashed(one);
    for (;; at = (at + 1) % (2 * SC_WORKS_MAX)) { /* half of the index is free, so the loop ends */
        if (work->index[at] == 0)
            break;
        struct sc_work *known = &work->works[work->index[at] - 1];
        if (known->stack_key != one->stack_key || known->kind != one->kind)
            continue;
        known->busy_ns += one->busy_ns;
        known->bytes += one->bytes;
        known->count += one->count;
        return true;
    }
    if (work->used == SC_WORKS_MAX)
        return false;
    work->works[work->used++] = *one;
    work->index[at] = (uint16_t)work->used;
    return true;
}

/* Merges two spans where the pause between them is not longer than gap_ns. */
static void close_gaps(struct sc_spans *device)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < device->count; i++) {
        const struct sc_span *span = &device->spans[i];
        struct sc_span *before = &device->spans[last];
        if (span->from_ns <= before->to_ns + device->gap_ns)
            before->to_ns = span->to_ns > before->to_ns ? span->to_ns : before->to_ns;
        else
            device->spans[++last] = *span;
    }
    device->count = device->count > 0 ? last + 1 : 0;
}

void sc_cuda_work_span(struct sc_cuda_work *work, uint32_t device, uint64_t from_ns, uint64_t to_ns)
{
    if (device >= SC_GPUS_MAX || to_ns <= from_ns)
        return;
    struct sc_spans *spans = &work->devices[device];
    if (spans->gap_ns == 0)
        spans->gap_ns = SC_SPAN_GAP_NS;
    while (spans->count == SC_SPANS_MAX) {
        spans->gap_ns *= 2;
        close_gaps(spans);
    }
    /* spans come nearly in order, so the place is near the end */
    uint32_t at = spans->count;
    while (at > 0 && spans->spans[at - 1].from_ns > from_ns)
        at--;
    struct sc_span *before = at > 0 ? &spans->spans[at - 1] : NULL;
    bool is_last = at == spans->count;
    if (before != NULL && from_ns <= before->to_ns + spans->gap_ns) {
        before->to_ns = to_ns > before->to_ns ? to_ns : before->to_ns;
    } else {
        for (uint32_t i = spans->count; i > at; i--)
            spans->spans[i] = spans->spans[i - 1];
        spans->spans[at] = (struct sc_span){from_ns, to_ns};
        spans->count++;
    }
    if (!is_last)
        close_gaps(spans);
}

static void lose(struct sc_segment *segment, uint64_t count)
{
    atomic_fetch_add_explicit(&segment->losses[SC_AGENT_LOSS_GPU_LOST], count,
                              memory_order_relaxed);
}

static void send_work(const struct sc_work *one, struct sc_segment *segment)
{
    struct sc_record_gpu_work *record = sc_ring_reserve(segment, sizeof(*record));
    if (record == NULL) {
        lose(segment, one->count);
        return;
    }
    record->stack_key = one->stack_key;
    record->busy_ns = one->busy_ns;
    record->bytes = one->bytes;
    record->kind = one->kind;
    record->count = one->count;
    sc_ring_commit(record, SC_RECORD_GPU_WORK, sizeof(*record));
}

static void send_span(const struct sc_span *span, uint32_t device, struct sc_segment *segment)
{
    struct sc_record_gpu_span *record = sc_ring_reserve(segment, sizeof(*record));
    if (record == NULL) {
        lose(segment, 1);
        return;
    }
    record->from_ns = span->from_ns;
    record->to_ns = span->to_ns;
    record->device = device;
    sc_ring_commit(record, SC_RECORD_GPU_SPAN, sizeof(*record));
}

void sc_cuda_work_send(struct sc_cuda_work *work, struct sc_segment *segment)
{
    for (uint32_t i = 0; i < work->used; i++)
        send_work(&work->works[i], segment);
    if (work->used > 0) {
        for (uint32_t i = 0; i < 2 * SC_WORKS_MAX; i++)
            work->index[i] = 0;
    }
    work->used = 0;
    for (uint32_t device = 0; device < SC_GPUS_MAX; device++) {
        struct sc_spans *spans = &work->devices[device];
        for (uint32_t i = 0; i < spans->count; i++)
            send_span(&spans->spans[i], device, segment);
        spans->count = 0;
        spans->gap_ns = SC_SPAN_GAP_NS;
    }
}
