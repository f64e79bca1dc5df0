/*
 * agent/cuda/cupti_abi.h - what we know of CUPTI's binary interface: numbers, records, functions.
 *
 * No header of NVIDIA's is needed to build. Everything here is from cupti_activity.h,
 * cupti_callbacks.h, cupti_driver_cbid.h, cupti_result.h and generated_cuda_meta.h, and is the same
 * in CUPTI 11.8 (CUpti_ActivityKernel8, Memcpy5, MemcpyPtoP4, Memset4), 12.9 (Kernel9, Memcpy6,
 * MemcpyPtoP4, Memset4) and 13.5 (Kernel13, Memcpy7, MemcpyPtoP4, Memset5): a later record begins
 * as the earlier ones do. tools/check_cupti.py compares it with headers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* CUptiResult */
enum {
    SC_CUPTI_SUCCESS = 0,
    SC_CUPTI_NOT_INITIALIZED = 15,
    SC_CUPTI_HAS_SUBSCRIBER = 39, /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
};

/* CUpti_ActivityKind */
enum {
    SC_CUPTI_MEMCPY = 1,
    SC_CUPTI_MEMSET = 2,
    SC_CUPTI_KERNEL = 3, /* kernels one by one; not requested, but understood */
    SC_CUPTI_CONCURRENT_KERNEL = 10,
    SC_CUPTI_MEMCPY2 = 22, /* between two devices */
};

/* CUpti_ActivityMemcpyKind */
enum {
    SC_CUPTI_COPY_HTOD = 1,
    SC_CUPTI_COPY_DTOH = 2,
    SC_CUPTI_COPY_HTOA = 3,
    SC_CUPTI_COPY_ATOH = 4,
};

#define SC_CUPTI_FLUSH_FORCED       1U /* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
#define SC_CUPTI_DOMAIN_DRIVER_API  1U /* CUPTI_CB_DOMAIN_DRIVER_API */
#define SC_CUPTI_DOMAIN_RUNTIME_API 2U /* CUPTI_CB_DOMAIN_RUNTIME_API */
#define SC_CUPTI_DOMAIN_RESOURCE    3U /* CUPTI_CB_DOMAIN_RESOURCE */
#define SC_CUPTI_CONTEXT_ENDS       2U /* CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING */
#define SC_CUPTI_SITE_ENTER         0U /* CUPTI_API_ENTER */

/* CUpti_driver_api_trace_cbid, of the functions whose parameters are read. */
enum {
    SC_CUPTI_MEM_ALLOC = 243,
    SC_CUPTI_MEM_ALLOC_PITCH = 244,
    SC_CUPTI_MEM_FREE = 245,
    SC_CUPTI_MEM_ALLOC_MANAGED = 371,
    SC_CUPTI_MEM_CREATE = 549,
    SC_CUPTI_MEM_RELEASE = 550,
    SC_CUPTI_MEM_ALLOC_ASYNC = 598,
    SC_CUPTI_MEM_ALLOC_ASYNC_PTSZ = 599,
    SC_CUPTI_MEM_FREE_ASYNC = 600,
    SC_CUPTI_MEM_FREE_ASYNC_PTSZ = 601,
    SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC = 611,
    SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ = 612,
};

/* CUpti_runtime_api_trace_cbid, likewise. */
enum {
    SC_CUPTI_CUDA_MALLOC = 20,
    SC_CUPTI_CUDA_MALLOC_PITCH = 21,
    SC_CUPTI_CUDA_FREE = 22,
    SC_CUPTI_CUDA_MALLOC_MANAGED = 206,
    SC_CUPTI_CUDA_MALLOC_ASYNC = 373,
    SC_CUPTI_CUDA_MALLOC_ASYNC_PTSZ = 374,
    SC_CUPTI_CUDA_FREE_ASYNC = 375,
    SC_CUPTI_CUDA_FREE_ASYNC_PTSZ = 376,
    SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC = 391,
    SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC_PTSZ = 392,
};

/* The beginning of CUpti_ActivityKernel8 and later; all records are packed and aligned to 8. */
struct sc_cupti_kernel {
    uint32_t kind;
    uint32_t unused[3];
    uint64_t start;
    uint64_t end;
    uint64_t completed;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    uint32_t unused2[10];
    uint32_t correlation;
};

/* The beginning of CUpti_ActivityMemcpy5, CUpti_ActivityMemset4 and later. */
struct sc_cupti_copy {
    uint32_t kind;
    uint8_t copy_kind; /* of a memset: its value */
    uint8_t unused[3];
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t device;
    uint32_t context;
    uint32_t stream;
    uint32_t correlation;
};

/* The beginning of CUpti_ActivityMemcpyPtoP4. */
struct sc_cupti_peer_copy {
    uint32_t kind;
    uint8_t copy_kind;
    uint8_t unused[3];
    uint64_t bytes;
    uint64_t start;
    uint64_t end;
    uint32_t device;
    uint32_t unused2[6];
    uint32_t correlation;
};

/* CUpti_CallbackData */
struct sc_cupti_call {
    uint32_t site;
    uint32_t unused;
    const char *function;
    const void *parameters;
    const int *result; /* CUresult, at the exit */
    const char *symbol;
    const void *context;
    uint32_t context_number;
    uint32_t unused2;
    uint64_t *shared;
    uint32_t correlation;
    uint32_t unused3;
};

/* cuMemAlloc_v2_params, cuMemAllocManaged_params, cuMemAllocAsync_params,
 * cuMemAllocFromPoolAsync_params, cuMemCreate_params, and the runtime library's: where the address
 * or handle is stored, and the size. */
struct sc_cupti_allocate {
    const uint64_t *address;
    uint64_t size_bytes;
};

/* cuMemAllocPitch_v2_params, cudaMallocPitch_v3020_params */
struct sc_cupti_allocate_pitch {
    const uint64_t *address;
    const uint64_t *pitch_bytes;
    uint64_t width_bytes;
    uint64_t height;
};

/* cuMemFree_v2_params, cuMemFreeAsync_params, cuMemRelease_params, cudaFree_v3020_params,
 * cudaFreeAsync_v11020_params */
struct sc_cupti_free {
    uint64_t address;
};

/* The beginning of CUpti_ResourceData */
struct sc_cupti_resource {
    const void *context;
};

static_assert(offsetof(struct sc_cupti_kernel, device) == 40, "CUPTI's layout");
static_assert(offsetof(struct sc_cupti_kernel, correlation) == 92, "CUPTI's layout");
static_assert(offsetof(struct sc_cupti_copy, correlation) == 44, "CUPTI's layout");
static_assert(offsetof(struct sc_cupti_peer_copy, correlation) == 60, "CUPTI's layout");
static_assert(offsetof(struct sc_cupti_call, shared) == 56, "CUPTI's layout");
static_assert(offsetof(struct sc_cupti_call, correlation) == 64, "CUPTI's layout");

typedef void sc_cupti_callback(void *ours, uint32_t domain, uint32_t function, const void *call);
typedef void sc_cupti_wants_buffer(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_records);
typedef void sc_cupti_gives_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                   size_t used);

/* member, name, parameters; all return a CUptiResult */
#define SC_CUPTI_FUNCTIONS(X)                                                                      \
    X(version, cuptiGetVersion, (uint32_t *))                                                      \
    X(timestamp, cuptiGetTimestamp, (uint64_t *))                                                  \
    X(subscribe, cuptiSubscribe, (void **, sc_cupti_callback *, void *))                           \
    X(unsubscribe, cuptiUnsubscribe, (void *))                                                     \
    X(enable_callback, cuptiEnableCallback, (uint32_t, void *, uint32_t, uint32_t))                \
    X(register_buffers, cuptiActivityRegisterCallbacks,                                            \
      (sc_cupti_wants_buffer *, sc_cupti_gives_buffer *))                                          \
    X(enable, cuptiActivityEnable, (uint32_t))                                                     \
    X(disable, cuptiActivityDisable, (uint32_t))                                                   \
    X(flush_all, cuptiActivityFlushAll, (uint32_t))                                                \
    X(next_record, cuptiActivityGetNextRecord, (uint8_t *, size_t, void **))                       \
    X(dropped, cuptiActivityGetNumDroppedRecords, (void *, uint32_t, size_t *))

struct sc_cupti {
#define X_MEMBER(member, name, parameters) int(*member) parameters;
    SC_CUPTI_FUNCTIONS(X_MEMBER)
#undef X_MEMBER
};
