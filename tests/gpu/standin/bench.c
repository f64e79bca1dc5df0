/*
 * tests/gpu/standin/bench.c - the stand-in of CUDA's driver with what bench/gpu_driver.py needs
 * beside it: kernels by name, events, streams.
 *
 * There is still one device that does one thing after the other, so an event is what it will have
 * worked when all before it is done. (The time of a real one goes on while it has nothing to do;
 * the bench keeps it busy, which a machine that is busy itself does not.) Times are what the bench
 * asks for, sums are known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

/* its kernels take as long as the grid is wide; ours say how long in their parameters */
#define cuLaunchKernel  launch_for_us
#define cuMemcpyDtoH_v2 copy_to_host
#include "cuda.c"
#undef cuLaunchKernel
#undef cuMemcpyDtoH_v2

#define MATMUL_US 1500
#define EVENTS    100000

static uint64_t events[EVENTS];
static size_t event_count;

int cuDeviceGet(int *ret, int index);
int cuDeviceGet(int *ret, int index)
{
    *ret = index;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    (void)snprintf(name, (size_t)size, "stand-in");
    return 0;
}

/* Whatever has to be a pointer. */
static int give(void **ret)
{
    static char something;
    *ret = &something;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **ret, int device);
int cuDevicePrimaryCtxRetain(void **ret, int device)
{
    (void)device;
    return give(ret);
}

int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context)
{
    return context == NULL;
}

/* The text ends in a zero byte and is one that could be compiled, as far as can be seen from here.
 */
int cuModuleLoadData(void **ret, const char *text);
int cuModuleLoadData(void **ret, const char *text)
{
    return strstr(text, ".entry sleep_ns(") == NULL || strstr(text, ".target sm_50") == NULL
               ? 218
               : give(ret);
}

int cuModuleGetFunction(void **ret, void *module, const char *name);
int cuModuleGetFunction(void **ret, void *module, const char *name)
{
    static char functions[2];
    (void)module;
    *ret = &functions[strcmp(name, "matmul") == 0];
    functions[strcmp(name, "matmul") == 0] = name[0];
    return 0;
}

int cuLaunchKernel(char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuLaunchKernel(char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    uint64_t length_ns = MATMUL_US * 1000;
    if (*function == 's')
        memcpy(&length_ns, parameters[0], sizeof(length_ns));
    (void)gx;
    return launch_for_us(function, (unsigned)(length_ns / 1000), gy, gz, bx, by, bz, shared, stream,
                         parameters, extra);
}

int cuStreamCreate(void **ret, unsigned flags);
int cuStreamCreate(void **ret, unsigned flags)
{
    (void)flags;
    return give(ret);
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return 0;
}

int cuEventCreate(void **ret, unsigned flags);
int cuEventCreate(void **ret, unsigned flags)
{
    (void)flags;
    *ret = event_count < EVENTS ? &events[event_count++] : NULL;
    return *ret == NULL;
}

int cuEventRecord(uint64_t *event, void *stream);
int cuEventRecord(uint64_t *event, void *stream)
{
    (void)stream;
    (void)pthread_mutex_lock(&mutex);
    *event = given_ns[current];
    (void)pthread_mutex_unlock(&mutex);
    return 0;
}

int cuEventElapsedTime(float *ret_ms, const uint64_t *begin, const uint64_t *end);
int cuEventElapsedTime(float *ret_ms, const uint64_t *begin, const uint64_t *end)
{
    *ret_ms = (float)(*end - *begin) / 1e6F;
    return 0;
}

/* The first element of the product of ones and twos. */
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    static const uint32_t product = 0x45000000;
    if (bytes == sizeof(product))
        memcpy(to, &product, sizeof(product));
    return copy_to_host(to, from, bytes);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    (void)stream;
    return copy_to_host(to, from, bytes);
}

int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count);
int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count)
{
    return cuMemsetD8_v2(to, (uint8_t)value, count * 4);
}

int cuMemAllocHost_v2(void **ret, size_t bytes);
int cuMemAllocHost_v2(void **ret, size_t bytes)
{
    (void)bytes; /* nothing is copied */
    return give(ret);
}

int cuMemGetAllocationGranularity(size_t *ret, const void *properties, unsigned option);
int cuMemGetAllocationGranularity(size_t *ret, const void *properties, unsigned option)
{
    (void)properties, (void)option;
    *ret = 2 << 20;
    return 0;
}
