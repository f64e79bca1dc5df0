/*
 * agent/cuda/calls.c - callbacks in the program's calls of CUDA: which stack launched or allocated.
 *
 * CUPTI calls us in the program's thread, at the entry and at the exit of the calls that we
 * subscribe to. Work of devices carries the correlation number of the call that launched it; a
 * graph's kernels carry that of the graph's launch. A launch by the runtime library
 * (cudaLaunchKernel) ends in one of the driver's, and its work carries the number of the outermost
 * call that we subscribe to. So we subscribe only to the driver's; if much work turns out to carry
 * unknown numbers, also to the runtime library's. For calls that allocate memory, which are rare,
 * we subscribe to both from the start, and report an allocation that both show only once.
 *
 * Nothing here waits or allocates: a launch may come 100000 times a second.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/caller_stack.h"
#include "agent/clock.h"
#include "agent/cuda/functions.h"
#include "agent/cuda/state.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "channel/writer.h"

/* From so many pieces of unknown work on, if they are at least 1/UNKNOWN_SHARE of the known ones,
 * we subscribe to the runtime library's launches, too. */
#define UNKNOWN_MIN   32U
#define UNKNOWN_SHARE 8U

#define FOLLOW(enable, domain, ranges)                                                             \
    follow(enable, domain, ranges, sizeof(ranges) / sizeof((ranges)[0]))

static void follow(uint32_t enable, uint32_t domain, const uint16_t (*ranges)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t function = ranges[i][0]; function <= ranges[i][1]; function++)
            (void)sc_cuda->cupti.enable_callback(enable, sc_cuda->subscriber, domain, function);
    }
}

/* The calling thread's thread state; that of the first thread is remembered. */
static uint64_t own_state(void)
{
    uint64_t state = sc_own_thread_state();
    if (state != 0 && sc_agent_thread.tid == sc_agent.pid)
        atomic_store_explicit(&sc_cuda->first_thread, state, memory_order_relaxed);
    return state;
}

void sc_cuda_follow_calls(uint32_t enable)
{
    (void)own_state();
    (void)pthread_mutex_lock(&sc_cuda->following);
    sc_cuda->follows_runtime = enable == 0; /* nothing is subscribed to */
    FOLLOW(enable, SC_CUPTI_DOMAIN_DRIVER_API, sc_cuda_launches);
    FOLLOW(enable, SC_CUPTI_DOMAIN_DRIVER_API, sc_cuda_memory);
    FOLLOW(enable, SC_CUPTI_DOMAIN_RUNTIME_API, sc_cudart_memory);
    (void)sc_cuda->cupti.enable_callback(enable, sc_cuda->subscriber, SC_CUPTI_DOMAIN_RESOURCE,
                                         SC_CUPTI_CONTEXT_ENDS);
    if (enable == 0)
        FOLLOW(enable, SC_CUPTI_DOMAIN_RUNTIME_API, sc_cudart_launches);
    (void)pthread_mutex_unlock(&sc_cuda->following);
}

void sc_cuda_follow_unknown(void)
{
    uint64_t known = atomic_load(&sc_cuda->known);
    uint64_t unknown = atomic_load(&sc_cuda->unknown);
    if (unknown < UNKNOWN_MIN || unknown < known / UNKNOWN_SHARE)
        return;
    (void)pthread_mutex_lock(&sc_cuda->following);
    if (!sc_cuda->follows_runtime)
        FOLLOW(1, SC_CUPTI_DOMAIN_RUNTIME_API, sc_cudart_launches);
    sc_cuda->follows_runtime = true;
    (void)pthread_mutex_unlock(&sc_cuda->following);
}

/* The calling thread's stack; false when it could not be read or sent. A thread that runs no Python
 * is a library's: torch computes gradients in such ones while the first thread waits in backward().
 * So it has that one's stack, if that one runs no Python either. While the interpreter is
 * finalizing the key is 0. */
static __attribute__((noinline)) bool read_stack(uint64_t *ret_key)
{
    *ret_key = 0;
    if (sc_cuda->is_finalizing != NULL && sc_cuda->is_finalizing() != 0)
        return true;
    uint64_t own = own_state();
    if (!sc_python_stack(own, ret_key))
        return false;
    uint64_t first = atomic_load_explicit(&sc_cuda->first_thread, memory_order_relaxed);
    if (*ret_key != 0 || first == 0 || first == own || sc_thread_state_is_running(first))
        return true;
    return sc_python_stack(first, ret_key);
}

static void remember(uint32_t id)
{
    uint64_t key = SC_LAUNCH_UNWANTED;
    struct sc_launch *launch = &sc_cuda->launches[id % SC_LAUNCHES_MAX];
    if (!sc_agent_is_paused() && !read_stack(&key))
        return; /* its work will be counted as unknown */
    atomic_store_explicit(&launch->id, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&launch->stack_key, key, memory_order_relaxed);
    atomic_store_explicit(&launch->id, id, memory_order_release);
}

/* Addresses of allocations reported by a driver call. An entry is removed by the runtime library's
 * call around that one, which must not report it again, or by the free. */
static _Atomic uint64_t *reported_at(uint64_t address)
{
    return &sc_cuda->reported[(address * 0x9e3779b97f4a7c15U) >> 52];
}

static void send_gpu_allocation(uint64_t address, uint64_t size_bytes, uint64_t context)
{
    uint64_t key = 0;
    if (sc_agent_is_paused())
        return;
    if (!read_stack(&key)) {
        key = 0;
        sc_agent_lose(SC_AGENT_LOSS_GPU_UNKNOWN);
    }
    struct sc_record_gpu_allocation *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_GPU_LOST);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->stack_key = key;
    record->address = address;
    record->size_bytes = size_bytes;
    record->context = context;
    sc_ring_commit(record, SC_RECORD_GPU_ALLOCATION, sizeof(*record));
}

/* Reports the free of a block, or the end of a context with all its memory, before it happens:
 * afterwards another thread may already have been given the same address. */
static void send_gpu_free(uint64_t address, uint64_t context)
{
    if (address == 0 && context == 0)
        return;
    struct sc_record_gpu_free *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_GPU_LOST);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->address = address;
    record->context = context;
    sc_ring_commit(record, SC_RECORD_GPU_FREE, sizeof(*record));
}

static void allocated(uint32_t domain, uint64_t address, uint64_t size_bytes, const void *context)
{
    uint64_t expected = address;
    if (domain == SC_CUPTI_DOMAIN_DRIVER_API)
        atomic_store(reported_at(address), address);
    else if (atomic_compare_exchange_strong(reported_at(address), &expected, 0))
        return;
    send_gpu_allocation(address, size_bytes, (uint64_t)(uintptr_t)context);
}

static bool has_succeeded(const struct sc_cupti_call *call)
{
    return call->site != SC_CUPTI_SITE_ENTER && call->result != NULL && *call->result == 0;
}

static void freeing(const struct sc_cupti_call *call)
{
    const struct sc_cupti_free *given = call->parameters;
    if (call->site != SC_CUPTI_SITE_ENTER)
        return;
    uint64_t expected = given->address;
    (void)atomic_compare_exchange_strong(reported_at(given->address), &expected, 0);
    send_gpu_free(given->address, 0);
}

static void context_ends(const struct sc_cupti_resource *resource)
{
    send_gpu_free(0, (uint64_t)(uintptr_t)resource->context);
}

/* The driver's function whose parameters and effect are like those of this runtime function, or 0.
 */
static uint32_t drivers_function(uint32_t function)
{
    switch (function) {
    case SC_CUPTI_CUDA_MALLOC:
    case SC_CUPTI_CUDA_MALLOC_MANAGED:
    case SC_CUPTI_CUDA_MALLOC_ASYNC:
    case SC_CUPTI_CUDA_MALLOC_ASYNC_PTSZ:
    case SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC:
    case SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC_PTSZ:
        return SC_CUPTI_MEM_ALLOC;
    case SC_CUPTI_CUDA_MALLOC_PITCH:
        return SC_CUPTI_MEM_ALLOC_PITCH;
    case SC_CUPTI_CUDA_FREE:
    case SC_CUPTI_CUDA_FREE_ASYNC:
    case SC_CUPTI_CUDA_FREE_ASYNC_PTSZ:
        return SC_CUPTI_MEM_FREE;
    default:
        return 0;
    }
}

static void called(uint32_t domain, uint32_t function, const struct sc_cupti_call *call)
{
    const struct sc_cupti_allocate *block = call->parameters;
    const struct sc_cupti_allocate_pitch *rows = call->parameters;
    switch (domain == SC_CUPTI_DOMAIN_RUNTIME_API ? drivers_function(function) : function) {
    case SC_CUPTI_MEM_ALLOC:
    case SC_CUPTI_MEM_ALLOC_MANAGED:
        if (has_succeeded(call) && block->address != NULL)
            allocated(domain, *block->address, block->size_bytes, call->context);
        break;
    case SC_CUPTI_MEM_CREATE: /* this memory and that of pools outlives a context */
    case SC_CUPTI_MEM_ALLOC_ASYNC:
    case SC_CUPTI_MEM_ALLOC_ASYNC_PTSZ:
    case SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC:
    case SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ:
        if (has_succeeded(call) && block->address != NULL)
            allocated(domain, *block->address, block->size_bytes, NULL);
        break;
    case SC_CUPTI_MEM_ALLOC_PITCH:
        if (has_succeeded(call) && rows->address != NULL && rows->pitch_bytes != NULL)
            allocated(domain, *rows->address, *rows->pitch_bytes * rows->height, call->context);
        break;
    case SC_CUPTI_MEM_FREE:
    case SC_CUPTI_MEM_FREE_ASYNC:
    case SC_CUPTI_MEM_FREE_ASYNC_PTSZ:
    case SC_CUPTI_MEM_RELEASE:
        freeing(call);
        break;
    default:
        if (call->site == SC_CUPTI_SITE_ENTER)
            remember(call->correlation);
    }
}

void sc_cuda_called(void *ours, uint32_t domain, uint32_t function, const void *call)
{
    (void)ours;
    if (domain < SC_CUPTI_DOMAIN_DRIVER_API || domain > SC_CUPTI_DOMAIN_RESOURCE || call == NULL ||
        atomic_load_explicit(&sc_cuda->stage, memory_order_acquire) != SC_CUDA_TRACING ||
        !sc_agent_is_active())
        return;
    int saved_errno = errno;
    if (domain != SC_CUPTI_DOMAIN_RESOURCE)
        called(domain, function, call);
    else if (function == SC_CUPTI_CONTEXT_ENDS)
        context_ends(call);
    errno = saved_errno;
}
