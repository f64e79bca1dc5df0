/*
 * agent/cuda/buffers.c - reads CUPTI's records of what devices have done, and sums them up.
 *
 * CUPTI requests a buffer and returns it with records, in a thread of its own or in our flush
 * thread (flush.c). Its times are on a clock of its own, so both clocks are read for each buffer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/clock.h"
#include "agent/cuda/state.h"
#include "agent/real.h"
#include "agent/state.h"

#define CLOCK_READINGS 5U /* the fastest one is used */

static bool is_taking(void)
{
    uint32_t stage = atomic_load_explicit(&sc_cuda->stage, memory_order_acquire);
    return (stage == SC_CUDA_TRACING || stage == SC_CUDA_LEAVING) && sc_agent_is_active();
}

/* Uses the next library's malloc, past our hook, so that it does not count as the program's memory.
 */
static uint8_t *make_buffer(void)
{
    void *(*allocate)(size_t);
    void *found = sc_real_symbol("malloc");
    __builtin_memcpy(&allocate, &found, sizeof(found));
    return found != NULL ? allocate(SC_BUFFER_BYTES) : NULL;
}

void sc_cuda_wants_buffer(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_records)
{
    int saved_errno = errno;
    *ret_buffer = NULL;
    *ret_size = 0;
    *ret_records = 0; /* as many as fit */
    for (uint32_t i = 0; i < SC_BUFFERS_MAX && *ret_buffer == NULL; i++) {
        struct sc_buffer *buffer = &sc_cuda->buffers[i];
        uint32_t free = 0;
        if (!atomic_compare_exchange_strong(&buffer->taken, &free, 1))
            continue;
        if (atomic_load(&buffer->bytes) == NULL)
            atomic_store(&buffer->bytes, make_buffer());
        *ret_buffer = atomic_load(&buffer->bytes);
        if (*ret_buffer == NULL)
            atomic_store(&buffer->taken, 0);
    }
    if (*ret_buffer != NULL)
        *ret_size = SC_BUFFER_BYTES;
    errno = saved_errno;
}

static struct sc_buffer *buffer_at(const uint8_t *bytes)
{
    for (uint32_t i = 0; bytes != NULL && i < SC_BUFFERS_MAX; i++) {
        if (atomic_load(&sc_cuda->buffers[i].bytes) == bytes)
            return &sc_cuda->buffers[i];
    }
    return NULL;
}

/* What has to be added to CUPTI's times to convert them to CLOCK_MONOTONIC; false when CUPTI does
 * not tell the time. */
static bool clock_offset(uint64_t *ret_offset)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < CLOCK_READINGS; i++) {
        uint64_t theirs = 0;
        uint64_t before = sc_clock_ns(CLOCK_MONOTONIC);
        if (sc_cuda->cupti.timestamp(&theirs) != SC_CUPTI_SUCCESS)
            continue;
        uint64_t taken = sc_clock_ns(CLOCK_MONOTONIC) - before;
        if (taken < least) {
            least = taken;
            *ret_offset = before + taken / 2 - theirs;
        }
    }
    return least != UINT64_MAX;
}

/* One piece of finished work, from any kind of record. */
struct piece {
    uint64_t start;
    uint64_t end;
    uint64_t bytes;
    uint32_t device;
    uint32_t correlation;
    enum sc_gpu_work kind;
};

static enum sc_gpu_work kind_of_copy(uint8_t kind)
{
    switch (kind) {
    case SC_CUPTI_COPY_HTOD:
    case SC_CUPTI_COPY_HTOA:
        return SC_GPU_COPY_TO_DEVICE;
    case SC_CUPTI_COPY_DTOH:
    case SC_CUPTI_COPY_ATOH:
        return SC_GPU_COPY_FROM_DEVICE;
    default:
        return SC_GPU_COPY_OTHER;
    }
}

/* False for a record of another kind. */
static bool read_record(const void *record, struct piece *ret)
{
    const struct sc_cupti_kernel *kernel = record;
    const struct sc_cupti_copy *copy = record;
    const struct sc_cupti_peer_copy *peer = record;
    switch (kernel->kind) {
    case SC_CUPTI_KERNEL:
    case SC_CUPTI_CONCURRENT_KERNEL:
        *ret = (struct piece){kernel->start,  kernel->end,         0,
                              kernel->device, kernel->correlation, SC_GPU_KERNEL};
        return true;
    case SC_CUPTI_MEMCPY:
        *ret = (struct piece){copy->start,  copy->end,         copy->bytes,
                              copy->device, copy->correlation, kind_of_copy(copy->copy_kind)};
        return true;
    case SC_CUPTI_MEMSET:
        *ret = (struct piece){copy->start,  copy->end,         copy->bytes,
                              copy->device, copy->correlation, SC_GPU_SET};
        return true;
    case SC_CUPTI_MEMCPY2:
        *ret = (struct piece){peer->start,  peer->end,         peer->bytes,
                              peer->device, peer->correlation, SC_GPU_COPY_OTHER};
        return true;
    default:
        return false;
    }
}

/* The key of the stack that launched it; 0, and a counted loss, when that is not known. */
static uint64_t launched_by(uint32_t id)
{
    struct sc_launch *launch = &sc_cuda->launches[id % SC_LAUNCHES_MAX];
    if (id != 0 && atomic_load_explicit(&launch->id, memory_order_acquire) == id) {
        uint64_t key = atomic_load_explicit(&launch->stack_key, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&launch->id, memory_order_relaxed) == id) {
            atomic_fetch_add_explicit(&sc_cuda->known, 1, memory_order_relaxed);
            return key;
        }
    }
    atomic_fetch_add_explicit(&sc_cuda->unknown, 1, memory_order_relaxed);
    sc_agent_lose(SC_AGENT_LOSS_GPU_UNKNOWN);
    return 0;
}

/* offset: NULL when it is not known at what times of ours the devices worked. */
static void take(const void *record, const uint64_t *offset)
{
    struct piece piece;
    if (!read_record(record, &piece) || piece.end == 0 || piece.end < piece.start)
        return; /* not finished, or never measured */
    uint64_t key = launched_by(piece.correlation);
    if (key == SC_LAUNCH_UNWANTED)
        return;
    struct sc_work one = {.stack_key = key,
                          .busy_ns = piece.end - piece.start,
                          .bytes = piece.bytes,
                          .kind = piece.kind,
                          .count = 1};
    if (!sc_cuda_work_add(&sc_cuda->work, &one)) {
        sc_cuda_work_send(&sc_cuda->work, sc_agent.segment);
        (void)sc_cuda_work_add(&sc_cuda->work, &one);
    }
    if (offset != NULL)
        sc_cuda_work_span(&sc_cuda->work, piece.device, piece.start + *offset, piece.end + *offset);
}

static void take_all(uint8_t *buffer, size_t used)
{
    uint64_t offset = 0;
    bool has_offset = clock_offset(&offset);
    size_t dropped = 0;
    void *record = NULL;
    while (sc_cuda->cupti.next_record(buffer, used, &record) == SC_CUPTI_SUCCESS && record != NULL)
        take(record, has_offset ? &offset : NULL);
    if (sc_cuda->cupti.dropped(NULL, 0, &dropped) == SC_CUPTI_SUCCESS && dropped > 0)
        atomic_fetch_add_explicit(&sc_agent.segment->losses[SC_AGENT_LOSS_GPU_LOST], dropped,
                                  memory_order_relaxed);
    sc_cuda_work_send(&sc_cuda->work, sc_agent.segment);
}

void sc_cuda_gives_buffer(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t used)
{
    (void)context;
    (void)stream;
    struct sc_buffer *buffer = buffer_at(bytes);
    if (buffer == NULL || size != SC_BUFFER_BYTES || used > size)
        return; /* not one of our buffers */
    int saved_errno = errno;
    if (is_taking() && pthread_mutex_lock(&sc_cuda->mutex) == 0) {
        take_all(bytes, used);
        (void)pthread_mutex_unlock(&sc_cuda->mutex);
    }
    atomic_store(&buffer->taken, 0);
    errno = saved_errno;
}
