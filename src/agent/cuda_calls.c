/*
 * agent/cuda_calls.c - what is done while the program calls CUDA's driver: whose call it was.
 *
 * CUPTI calls us in the program's thread, at the entry and at the exit of the calls that are
 * followed. Those of the runtime library (cudaLaunchKernel) end in one of the driver's, so only the
 * driver's are. Work of devices carries the number of the call that has asked for it; a graph's
 * kernels carry that of its launch.
 *
 * Everything here waits for nothing and takes no memory: a launch may come 100000 times a second.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/cuda_state.h"
#include "agent/memory_stack.h"
#include "channel/writer.h"

/* Numbers of the driver's functions that make a device work, from and to, both included
 * (CUpti_driver_api_trace_cbid; a number never changes its meaning, and one that this CUPTI does
 * not know it refuses). */
static const uint16_t launches[][2] = {
    {115, 117}, /* cuLaunch, cuLaunchGrid, cuLaunchGridAsync */
    {216, 227}, /* cuMemsetD8Async ... cuMemsetD2D32Async */
    {249, 254}, /* cuMemsetD8_v2 ... cuMemsetD2D32_v2 */
    {276, 293}, /* cuMemcpyHtoD_v2 ... cuMemcpyHtoAAsync_v2 */
    {305, 307}, /* cuMemcpy, cuMemcpyAsync, cuLaunchKernel */
    {318, 321}, /* cuMemcpyPeer ... cuMemcpy3DPeerAsync */
    {397, 416}, /* cuMemcpyHtoD_v2_ptds ... cuMemsetD2D32_v2_ptds */
    {418, 433}, /* cuMemcpyAsync_ptsz ... cuMemsetD2D32Async_ptsz */
    {442, 442}, /* cuLaunchKernel_ptsz */
    {477, 478}, /* cuLaunchCooperativeKernel, and _ptsz */
    {480, 480}, /* cuLaunchCooperativeKernelMultiDevice */
    {514, 515}, /* cuGraphLaunch, and _ptsz */
    {652, 653}, /* cuLaunchKernelEx, and _ptsz */
    {776, 779}, /* cuMemcpyBatchAsync, cuMemcpy3DBatchAsync, and _ptsz */
    {796, 799}, /* their _v2, and _ptsz */
    {837, 840}, /* cuMemcpyWithAttributesAsync, cuMemcpy3DWithAttributesAsync, and _ptsz */
};

/* Those that give out device memory, or take it back. */
static const uint16_t memory[][2] = {
    {SC_CUPTI_MEM_ALLOC, SC_CUPTI_MEM_FREE},
    {SC_CUPTI_MEM_ALLOC_MANAGED, SC_CUPTI_MEM_ALLOC_MANAGED},
    {SC_CUPTI_MEM_CREATE, SC_CUPTI_MEM_RELEASE},
    {SC_CUPTI_MEM_ALLOC_ASYNC, SC_CUPTI_MEM_FREE_ASYNC_PTSZ},
    {SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC, SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ},
};

static void follow(uint32_t enable, const uint16_t (*ranges)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t function = ranges[i][0]; function <= ranges[i][1]; function++)
            (void)sc_cuda->cupti.enable_callback(enable, sc_cuda->subscriber,
                                                 SC_CUPTI_DOMAIN_DRIVER_API, function);
    }
}

void sc_cuda_follow_calls(uint32_t enable)
{
    follow(enable, launches, sizeof(launches) / sizeof(launches[0]));
    follow(enable, memory, sizeof(memory) / sizeof(memory[0]));
}

/* The calling thread's stack; false when it could not be read or sent. While the interpreter is
 * taken apart there is none. */
static bool read_stack(uint64_t *ret_key)
{
    *ret_key = 0;
    if (sc_cuda->is_finalizing != NULL && sc_cuda->is_finalizing() != 0)
        return true;
    return sc_python_stack(ret_key);
}

static void remember(uint32_t id)
{
    uint64_t key = SC_LAUNCH_UNWANTED;
    struct sc_launch *launch = &sc_cuda->launches[id % SC_LAUNCHES_MAX];
    if (!sc_agent_is_paused() && !read_stack(&key))
        return; /* its work will be unknown, which is counted then */
    atomic_store_explicit(&launch->id, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&launch->stack_key, key, memory_order_relaxed);
    atomic_store_explicit(&launch->id, id, memory_order_release);
}

static void tell_allocation(uint64_t address, uint64_t size_bytes)
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
    sc_ring_commit(record, SC_RECORD_GPU_ALLOCATION, sizeof(*record));
}

/* Before it is done: afterwards another thread may have been given the same address already. */
static void tell_free(uint64_t address)
{
    if (address == 0)
        return;
    struct sc_record_gpu_free *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_GPU_LOST);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->address = address;
    sc_ring_commit(record, SC_RECORD_GPU_FREE, sizeof(*record));
}

static void allocated(const struct sc_cupti_call *call)
{
    const struct sc_cupti_allocate *given = call->parameters;
    if (call->site == SC_CUPTI_SITE_ENTER || call->result == NULL || *call->result != 0 ||
        given->address == NULL)
        return;
    tell_allocation(*given->address, given->size_bytes);
}

static void allocated_rows(const struct sc_cupti_call *call)
{
    const struct sc_cupti_allocate_pitch *given = call->parameters;
    if (call->site == SC_CUPTI_SITE_ENTER || call->result == NULL || *call->result != 0 ||
        given->address == NULL || given->pitch_bytes == NULL)
        return;
    tell_allocation(*given->address, *given->pitch_bytes * given->height);
}

static void called(uint32_t function, const struct sc_cupti_call *call)
{
    switch (function) {
    case SC_CUPTI_MEM_ALLOC:
    case SC_CUPTI_MEM_ALLOC_MANAGED:
    case SC_CUPTI_MEM_CREATE:
    case SC_CUPTI_MEM_ALLOC_ASYNC:
    case SC_CUPTI_MEM_ALLOC_ASYNC_PTSZ:
    case SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC:
    case SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ:
        allocated(call);
        break;
    case SC_CUPTI_MEM_ALLOC_PITCH:
        allocated_rows(call);
        break;
    case SC_CUPTI_MEM_FREE:
    case SC_CUPTI_MEM_FREE_ASYNC:
    case SC_CUPTI_MEM_FREE_ASYNC_PTSZ:
    case SC_CUPTI_MEM_RELEASE:
        if (call->site == SC_CUPTI_SITE_ENTER)
            tell_free(((const struct sc_cupti_free *)call->parameters)->address);
        break;
    default:
        if (call->site == SC_CUPTI_SITE_ENTER)
            remember(call->correlation);
    }
}

void sc_cuda_called(void *ours, uint32_t domain, uint32_t function, const void *call)
{
    (void)ours;
    if (domain != SC_CUPTI_DOMAIN_DRIVER_API || call == NULL ||
        atomic_load_explicit(&sc_cuda->stage, memory_order_acquire) != SC_CUDA_TRACING ||
        !sc_agent_is_active())
        return;
    int saved_errno = errno;
    called(function, call);
    errno = saved_errno;
}
