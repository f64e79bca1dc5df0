/*
 * tests/gpu/standin/cupti.c - stands in for CUPTI, libcupti.so.12, over the stand-in of the driver.
 *
 * As the real one: one subscriber; work carries the number of the outermost followed call; buffers
 * come back when they are full, in a thread, or when they are asked for, and hold records as CUPTI
 * 12.9 lays them out; times are on a clock of its own. The variable STANDIN_CUPTI has words of what
 * goes wrong: "taken" (another has subscribed), "refused" (no activities), "old" (11.2), "dropped"
 * (each buffer has lost 3 records), "strangers" (every second piece of work has an unknown number),
 * "hangs" (what is asked for never comes), "backwards" (records in reverse order of time),
 * "timeless" (it does not tell the time).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

#define CLOCK_AHEAD   UINT64_C(987654321012345) /* of CLOCK_MONOTONIC */
#define FUNCTIONS     1024
#define KERNEL_BYTES  208U
#define COPY_BYTES    104U
#define WAITING       65536U
#define NOT_NOW       39 /* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
#define NOT_SUPPORTED 27

struct call_data { /* CUpti_CallbackData */
    uint32_t site;
    const char *name;
    const void *parameters;
    void *result;
    const char *symbol;
    void *context;
    uint32_t context_number;
    uint64_t *shared;
    uint32_t correlation;
};

typedef void callback(void *user, uint32_t domain, uint32_t function, const void *call);
typedef void wants(uint8_t **buffer, size_t *size, size_t *records);
typedef void gives(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static callback *subscriber;
static void *subscribers_data;
static bool followed[4][FUNCTIONS];
static wants *ask_for_buffer;
static gives *give_buffer;
static bool enabled[64];
static struct piece waiting[WAITING];
static size_t waiting_count;
static size_t lost;
static uint64_t seen;

static bool script(const char *word)
{
    const char *words = getenv("STANDIN_CUPTI");
    return words != NULL && strstr(words, word) != NULL;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static bool follows(const struct call *call)
{
    return subscriber != NULL && followed[call->domain][call->function % FUNCTIONS];
}

static void report(struct call *call, uint32_t site)
{
    struct call_data data = {.site = site,
                             .name = call->name,
                             .parameters = call->parameters,
                             .result = site == 1 ? call->result : NULL,
                             .shared = &call->shared,
                             .context = CONTEXT,
                             .correlation = call->correlation};
    subscriber(subscribers_data, call->domain, call->function, &data);
}

static void entered(struct call *call)
{
    if (follows(call)) {
        report(call, 0);
        call->shared |= 1;
    }
}

static void left(struct call *call)
{
    if (follows(call))
        report(call, 1);
}

static uint32_t kind_of(const struct piece *piece)
{
    static const uint32_t kinds[] = {[KERNEL] = 10, [COPY] = 1, [PEER_COPY] = 22, [SET] = 2};
    return kinds[piece->kind];
}

static void worked(const struct piece *piece)
{
    (void)pthread_mutex_lock(&mutex);
    if (enabled[kind_of(piece)]) {
        if (waiting_count < WAITING)
            waiting[waiting_count++] = *piece;
        else
            lost++;
        if (script("strangers") && seen++ % 2 == 1)
            waiting[waiting_count - 1].correlation += 1000000;
    }
    (void)pthread_mutex_unlock(&mutex);
}

/* CUpti_ResourceData of CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING */
static void context_ends(void *context)
{
    void *data[3] = {context, NULL, NULL};
    if (subscriber != NULL && followed[3][2])
        subscriber(subscribers_data, 3, 2, data);
}

static const struct tracer tracer = {entered, left, worked, context_ends};

/* Numbers are where the real records have them. */
static size_t put(uint8_t *at, const struct piece *piece, uint64_t now)
{
    bool is_kernel = piece->kind == KERNEL;
    uint32_t kind = kind_of(piece);
    uint64_t start = piece->start_ns + CLOCK_AHEAD;
    uint64_t end = piece->end_ns <= now ? piece->end_ns + CLOCK_AHEAD : 0;
    memset(at, 0xa5, is_kernel ? KERNEL_BYTES : COPY_BYTES);
    memcpy(at, &kind, 4);
    at[4] = piece->copy_kind;
    if (!is_kernel)
        memcpy(at + 8, &piece->bytes, 8);
    memcpy(at + 16, &start, 8);
    memcpy(at + 24, &end, 8);
    memcpy(at + (is_kernel ? 40 : 32), &piece->device, 4);
    memcpy(at + (is_kernel ? 92 : piece->kind == PEER_COPY ? 60 : 44), &piece->correlation, 4);
    return is_kernel ? KERNEL_BYTES : COPY_BYTES;
}

/* Takes from what waits as much as fits into a buffer and is finished, or is forced out. */
static size_t fill(uint8_t *buffer, size_t size, bool forced)
{
    size_t used = 0;
    size_t taken = 0;
    uint64_t now = now_ns();
    (void)pthread_mutex_lock(&mutex);
    if (script("backwards")) {
        for (size_t i = 0; i < waiting_count / 2; i++) {
            struct piece piece = waiting[i];
            waiting[i] = waiting[waiting_count - 1 - i];
            waiting[waiting_count - 1 - i] = piece;
        }
    }
    for (; taken < waiting_count && used + KERNEL_BYTES <= size; taken++) {
        if (waiting[taken].end_ns > now && !forced)
            break;
        used += put(buffer + used, &waiting[taken], now);
    }
    waiting_count -= taken;
    memmove(waiting, waiting + taken, waiting_count * sizeof(waiting[0]));
    if (script("dropped") && taken > 0)
        lost += 3;
    (void)pthread_mutex_unlock(&mutex);
    return used;
}

static void deliver(bool forced)
{
    for (bool more = true; more && ask_for_buffer != NULL;) {
        uint8_t *buffer = NULL;
        size_t size = 0;
        size_t records = 0;
        ask_for_buffer(&buffer, &size, &records);
        if (buffer == NULL)
            return;
        size_t used = fill(buffer, size, forced);
        more = used + KERNEL_BYTES > size;
        give_buffer(NULL, 0, buffer, size, used);
    }
}

/* Gives back what is full. */
static void *deliver_now_and_then(void *unused)
{
    for (;; (void)usleep(5000)) {
        (void)pthread_mutex_lock(&mutex);
        bool is_full = waiting_count * KERNEL_BYTES > 262144;
        (void)pthread_mutex_unlock(&mutex);
        if (is_full && !script("hangs"))
            deliver(false);
    }
    return unused;
}

__attribute__((constructor)) static void hang_in(void)
{
    set_tracer *set;
    pthread_t thread;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = driver != NULL ? dlsym(driver, "standin_set_tracer") : NULL;
    if (found == NULL)
        return;
    memcpy(&set, &found, sizeof(found));
    set(&tracer);
    if (pthread_create(&thread, NULL, deliver_now_and_then, NULL) == 0)
        (void)pthread_detach(thread);
}

int cuptiGetVersion(uint32_t *ret);
int cuptiGetVersion(uint32_t *ret)
{
    *ret = script("old") ? 15 : 28;
    return 0;
}

int cuptiGetTimestamp(uint64_t *ret);
int cuptiGetTimestamp(uint64_t *ret)
{
    *ret = now_ns() + CLOCK_AHEAD;
    return script("timeless") ? 15 : 0; /* CUPTI_ERROR_NOT_INITIALIZED */
}

int cuptiSubscribe(void **ret, callback *function, void *data);
int cuptiSubscribe(void **ret, callback *function, void *data)
{
    if (subscriber != NULL || script("taken"))
        return NOT_NOW;
    subscriber = function;
    subscribers_data = data;
    *ret = &subscriber;
    return 0;
}

int cuptiUnsubscribe(void *handle);
int cuptiUnsubscribe(void *handle)
{
    if (handle != &subscriber || subscriber == NULL)
        return 1;
    subscriber = NULL;
    memset(followed, 0, sizeof(followed));
    return 0;
}

int cuptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t function);
int cuptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t function)
{
    uint32_t known = script("old") ? 620 : 785;
    if (handle != &subscriber || domain >= 4 || function == 0 || function >= known)
        return 1;
    followed[domain][function] = enable != 0;
    return 0;
}

int cuptiActivityRegisterCallbacks(wants *asks, gives *takes);
int cuptiActivityRegisterCallbacks(wants *asks, gives *takes)
{
    ask_for_buffer = asks;
    give_buffer = takes;
    return 0;
}

int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnable(uint32_t kind)
{
    if (script("refused"))
        return NOT_SUPPORTED;
    enabled[kind % 64] = true;
    return 0;
}

int cuptiActivityDisable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind)
{
    enabled[kind % 64] = false;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushAll(uint32_t flag)
{
    while (script("hangs"))
        (void)pause();
    deliver((flag & 1) != 0);
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t used, void **record)
{
    uint8_t *next = buffer;
    uint32_t kind;
    if (*record != NULL) {
        memcpy(&kind, *record, 4);
        next = (uint8_t *)*record + (kind == 10 ? KERNEL_BYTES : COPY_BYTES);
    }
    if (next >= buffer + used)
        return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *ret);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *ret)
{
    (void)context;
    (void)stream;
    *ret = lost;
    lost = 0;
    return 0;
}
