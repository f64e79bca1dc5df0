/*
 * tests/gpu/standin/cuda.c - stands in for CUDA's driver, libcuda.so.1: devices whose
 * speed is fixed.
 *
 * A kernel takes as many microseconds as its grid is wide, a copy one for every 1000 bytes. Each
 * device does one thing after the other. Nothing is computed, and nothing is copied.
 *
 * The variable STANDIN_CUDA says how calls of the runtime library, which end in the driver's, are
 * followed: "outer": work always has the number of the outer call, and the inner call is not
 * reported.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

#define DEVICES 4

static const struct tracer *tracer;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t busy_until[DEVICES];
static uint64_t given_ns[DEVICES]; /* to do, up to there */
static uint32_t correlations;
static uint64_t next_address = 0x7f0000000000;
static _Thread_local uint32_t current;
static _Thread_local uint32_t outer; /* the number that work gets: of the outermost followed call */
static _Thread_local int is_hidden;  /* calls are reported to nobody */

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void standin_set_tracer(const struct tracer *value);
void standin_set_tracer(const struct tracer *value)
{
    tracer = value;
}

/* As the driver does it: verified in the code of 535.261. */
static int inject(void)
{
    int (*initialize)(void);
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (path == NULL)
        return 0;
    void *library = dlopen(path, RTLD_NOW);
    void *found = library != NULL ? dlsym(library, "InitializeInjection") : NULL;
    if (found == NULL)
        return 999;
    __builtin_memcpy(&initialize, &found, sizeof(found));
    return initialize() != 0 ? 0 : 999;
}

static int initialized = -1;

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    if (initialized < 0)
        initialized = inject();
    return initialized;
}

int cuDeviceGetCount(int *ret);
int cuDeviceGetCount(int *ret)
{
    *ret = DEVICES;
    return initialized < 0 ? 3 : initialized; /* CUDA_ERROR_NOT_INITIALIZED */
}

int cuDriverGetVersion(int *ret);
int cuDriverGetVersion(int *ret)
{
    *ret = 12090;
    return 0;
}

int standin_device(uint32_t device);
int standin_device(uint32_t device)
{
    current = device % DEVICES;
    return 0;
}

static struct call enter(uint32_t domain, uint32_t function, const char *name,
                         const void *parameters, int *result)
{
    struct call call = {domain, function, name, parameters, result, 0, 0};
    (void)pthread_mutex_lock(&mutex);
    call.correlation = ++correlations;
    (void)pthread_mutex_unlock(&mutex);
    if (tracer != NULL && !is_hidden)
        tracer->entered(&call);
    return call;
}

static int leave(struct call *call)
{
    if (tracer != NULL && !is_hidden)
        tracer->left(call);
    return *call->result;
}

static void work(enum work kind, uint32_t correlation, uint8_t copy_kind, uint64_t bytes,
                 uint64_t us)
{
    (void)pthread_mutex_lock(&mutex);
    uint64_t start = now_ns();
    if (busy_until[current] > start)
        start = busy_until[current];
    busy_until[current] = start + us * 1000;
    given_ns[current] += us * 1000;
    struct piece piece = {
        kind,  current,          outer != 0 ? outer : correlation, copy_kind, bytes,
        start, start + us * 1000};
    if (tracer != NULL)
        tracer->worked(&piece);
    (void)pthread_mutex_unlock(&mutex);
}

int cuCtxSynchronize(void);
int cuCtxSynchronize(void)
{
    (void)pthread_mutex_lock(&mutex);
    uint64_t until = busy_until[current];
    (void)pthread_mutex_unlock(&mutex);
    uint64_t now = now_ns();
    if (until > now) {
        struct timespec pause = {(time_t)((until - now) / 1000000000U),
                                 (long)((until - now) % 1000000000U)};
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

int cuLaunchKernel(void *function, unsigned us, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuLaunchKernel(void *function, unsigned us, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    (void)function, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;
    (void)parameters, (void)extra;
    int result = 0;
    struct call call = enter(1, 307, "cuLaunchKernel", NULL, &result);
    work(KERNEL, call.correlation, 0, 0, us);
    return leave(&call);
}

static int is_outer_alone(void)
{
    const char *words = getenv("STANDIN_CUDA");
    return words != NULL && strcmp(words, "outer") == 0;
}

static void *launch_ten(void *us)
{
    for (int i = 0; i < 10; i++)
        (void)cuLaunchKernel(NULL, *(unsigned *)us, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    return NULL;
}

/* As torch's backward(): ten kernels that a thread of the library's launches, which is waited for.
 */
int standin_backward(unsigned us);
int standin_backward(unsigned us)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, launch_ten, &us) != 0 || pthread_join(thread, NULL) != 0;
}

static int launch_by_runtime(uint32_t function, const char *name, unsigned us)
{
    int result = 0;
    struct call call = enter(2, function, name, NULL, &result);
    is_hidden = is_outer_alone();
    outer = call.shared != 0 || is_hidden ? call.correlation : 0; /* somebody follows it */
    (void)cuLaunchKernel(NULL, us, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    outer = 0;
    is_hidden = 0;
    return leave(&call);
}

/* The runtime library's. */
int cudaLaunchKernel(unsigned us);
int cudaLaunchKernel(unsigned us)
{
    return launch_by_runtime(211, "cudaLaunchKernel", us);
}

/* What compilers of CUDA 13 make of a launch; the name is theirs. */
int launch_of_13(unsigned us) __asm__("__cudaLaunchKernel");
int launch_of_13(unsigned us)
{
    return launch_by_runtime(505, "__cudaLaunchKernel", us);
}

/* A graph of count kernels. */
int cuGraphLaunch(uint64_t count_and_us, void *stream);
int cuGraphLaunch(uint64_t count_and_us, void *stream)
{
    (void)stream;
    int result = 0;
    struct call call = enter(1, 514, "cuGraphLaunch", NULL, &result);
    for (uint64_t i = 0; i < count_and_us >> 32; i++)
        work(KERNEL, call.correlation, 0, 0, count_and_us & UINT32_MAX);
    return leave(&call);
}

static int copy(uint32_t function, const char *name, enum work kind, uint8_t copy_kind,
                uint64_t bytes)
{
    int result = 0;
    struct call call = enter(1, function, name, NULL, &result);
    work(kind, call.correlation, copy_kind, bytes, bytes / 1000);
    (void)cuCtxSynchronize();
    return leave(&call);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    (void)to, (void)from;
    return copy(276, "cuMemcpyHtoD_v2", COPY, 1, bytes);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    (void)to, (void)from;
    return copy(278, "cuMemcpyDtoH_v2", COPY, 2, bytes);
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes);
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    (void)to, (void)from;
    return copy(280, "cuMemcpyDtoD_v2", COPY, 8, bytes);
}

int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes);
int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes)
{
    (void)to, (void)to_context, (void)from, (void)from_context;
    return copy(318, "cuMemcpyPeer", PEER_COPY, 10, bytes);
}

int cuMemsetD8_v2(uint64_t to, uint8_t value, size_t bytes);
int cuMemsetD8_v2(uint64_t to, uint8_t value, size_t bytes)
{
    (void)to, (void)value;
    return copy(249, "cuMemsetD8_v2", SET, 0, bytes);
}

/* More than a terabyte is not there. */
static int allocate(uint32_t function, const char *name, uint64_t *ret, uint64_t bytes)
{
    struct {
        uint64_t *address;
        uint64_t bytes;
        uint64_t stream;
    } parameters = {ret, bytes, 0};
    int result = bytes > UINT64_C(1) << 40 ? 2 : 0;
    struct call call = enter(1, function, name, &parameters, &result);
    if (result == 0) {
        (void)pthread_mutex_lock(&mutex);
        *ret = next_address;
        next_address += (bytes + 511) & ~UINT64_C(511);
        (void)pthread_mutex_unlock(&mutex);
    }
    return leave(&call);
}

int cuMemAlloc_v2(uint64_t *ret, size_t bytes);
int cuMemAlloc_v2(uint64_t *ret, size_t bytes)
{
    return allocate(243, "cuMemAlloc_v2", ret, bytes);
}

int cuMemAllocAsync(uint64_t *ret, size_t bytes, void *stream);
int cuMemAllocAsync(uint64_t *ret, size_t bytes, void *stream)
{
    (void)stream;
    return allocate(598, "cuMemAllocAsync", ret, bytes);
}

int cuMemCreate(uint64_t *ret, size_t bytes, const void *properties, uint64_t flags);
int cuMemCreate(uint64_t *ret, size_t bytes, const void *properties, uint64_t flags)
{
    (void)properties, (void)flags;
    return allocate(549, "cuMemCreate", ret, bytes);
}

int cuMemAllocPitch_v2(uint64_t *ret, size_t *ret_pitch, size_t width, size_t height,
                       unsigned element);
int cuMemAllocPitch_v2(uint64_t *ret, size_t *ret_pitch, size_t width, size_t height,
                       unsigned element)
{
    struct {
        uint64_t *address;
        size_t *pitch;
        size_t width;
        size_t height;
        unsigned element;
    } parameters = {ret, ret_pitch, width, height, element};
    int result = 0;
    struct call call = enter(1, 244, "cuMemAllocPitch_v2", &parameters, &result);
    *ret_pitch = (width + 511) & ~(size_t)511;
    (void)pthread_mutex_lock(&mutex);
    *ret = next_address;
    next_address += *ret_pitch * height;
    (void)pthread_mutex_unlock(&mutex);
    return leave(&call);
}

static int give_back(uint32_t function, const char *name, uint64_t address)
{
    struct {
        uint64_t address;
        uint64_t stream;
    } parameters = {address, 0};
    int result = 0;
    struct call call = enter(1, function, name, &parameters, &result);
    return leave(&call);
}

int cuMemFree_v2(uint64_t address);
int cuMemFree_v2(uint64_t address)
{
    return give_back(245, "cuMemFree_v2", address);
}

int cuMemFreeAsync(uint64_t address, void *stream);
int cuMemFreeAsync(uint64_t address, void *stream)
{
    (void)stream;
    return give_back(600, "cuMemFreeAsync", address);
}

int cuMemRelease(uint64_t address);
int cuMemRelease(uint64_t address)
{
    return give_back(550, "cuMemRelease", address);
}

/* What the device has given out in the context is gone; physical memory is not. */
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device)
{
    (void)device;
    if (tracer != NULL)
        tracer->context_ends(CONTEXT);
    return 0;
}

/* The runtime library's. */
int cudaMalloc(uint64_t *ret, size_t bytes);
int cudaMalloc(uint64_t *ret, size_t bytes)
{
    struct {
        uint64_t *address;
        size_t bytes;
    } parameters = {ret, bytes};
    int result = 0;
    struct call call = enter(2, 20, "cudaMalloc", &parameters, &result);
    is_hidden = is_outer_alone();
    result = cuMemAlloc_v2(ret, bytes);
    is_hidden = 0;
    return leave(&call);
}

int cudaFree(uint64_t address);
int cudaFree(uint64_t address)
{
    int result = 0;
    struct call call = enter(2, 22, "cudaFree", &address, &result);
    is_hidden = is_outer_alone();
    result = cuMemFree_v2(address);
    is_hidden = 0;
    return leave(&call);
}
