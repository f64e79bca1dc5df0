/*
 * tests/gpu/standin/other.c - another profiler in the program, as torch's: linked to CUPTI, loaded
 * late, and first in its own eyes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int cuptiSubscribe(void **ret, void (*function)(void *, uint32_t, uint32_t, const void *),
                   void *data);
int cuptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t function);
int cuptiActivityRegisterCallbacks(void (*asks)(uint8_t **, size_t *, size_t *),
                                   void (*takes)(void *, uint32_t, uint8_t *, size_t, size_t));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityFlushAll(uint32_t flag);

static int calls;
static size_t bytes;

static void called(void *data, uint32_t domain, uint32_t function, const void *call)
{
    (void)data, (void)domain, (void)function, (void)call;
    calls++;
}

static void ask(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = 1 << 16;
    *buffer = malloc(*size);
    *records = 0;
}

static void take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used)
{
    (void)context, (void)stream, (void)size;
    bytes += used;
    free(buffer);
}

int other_begin(void);
int other_begin(void)
{
    static void *handle;
    int error = cuptiSubscribe(&handle, called, NULL);
    if (error == 0)
        error = cuptiEnableCallback(1, handle, 1, 307);
    if (error == 0)
        error = cuptiActivityRegisterCallbacks(ask, take);
    return error != 0 ? error : cuptiActivityEnable(10);
}

int other_calls(void);
int other_calls(void)
{
    return calls;
}

int other_bytes(void);
int other_bytes(void)
{
    (void)cuptiActivityFlushAll(1);
    return (int)bytes;
}
