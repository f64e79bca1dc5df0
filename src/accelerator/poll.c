/*
 * accelerator/poll.c - the thread that asks the driver, and what it shares with its owner.
 *
 * The thread is detached and the two share one counted object, so whoever comes last frees it: a
 * driver that never answers keeps its thread and that object, and nobody waits for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "accelerator/poll.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "accelerator/accelerator.h"
#include "accelerator/readings.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/vec.h"

/* Drivers take a sample of their own every 170 ms to 1 s, so asking more often tells nothing. */
#define PERIOD_NS     100000000U
#define PERIOD_MAX_NS 2000000000U
#define PATIENCE_NS   250000000U
/* A program that is over before its driver has woken up was not measured, and need not wait. */
#define OPEN_PATIENCE_NS 20000000U
/* A reading may take this part of a core: one in so many. */
#define COST_ONE_IN 300U

struct sc_accelerators {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const struct sc_accelerator *const *table; /* read by the thread alone */
    unsigned owners;
    bool is_finishing; /* one more reading is wanted, and then none */
    bool is_closed;    /* nothing is published any more */
    bool is_finished;  /* the last reading was made, or there is none */
    bool is_ended;     /* the driver was closed as well */
    SC_VEC(pid_t) pids;
    struct sc_readings readings;
    const char *kind;
    struct sc_str notes;
};

/* What the thread alone has. */
struct asking {
    struct sc_accelerators *shared;
    const struct sc_accelerator *accelerator;
    void *state;
    struct sc_device devices[SC_DEVICES_MAX];
    size_t count;
    struct sc_str notes;
    size_t published_notes; /* so much of them the owner has */
    SC_VEC(pid_t) pids;
    uint64_t last_ns;
};

static void release(struct sc_accelerators *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    bool is_last = --shared->owners == 0;
    (void)pthread_mutex_unlock(&shared->lock);
    if (!is_last)
        return;
    (void)pthread_cond_destroy(&shared->changed);
    (void)pthread_mutex_destroy(&shared->lock);
    sc_vec_done(&shared->pids);
    sc_str_done(&shared->notes);
    free(shared);
}

/* The lock is held. */
static void publish_notes(struct asking *asking)
{
    if (asking->notes.length == asking->published_notes)
        return;
    sc_str_clear(&asking->shared->notes);
    sc_str_add(&asking->shared->notes, sc_str_text(&asking->notes));
    asking->published_notes = asking->notes.length;
}

static void open_first(struct asking *asking)
{
    for (const struct sc_accelerator *const *next = asking->shared->table; *next != NULL; next++) {
        asking->state = (*next)->open(&asking->notes);
        if (asking->state == NULL)
            continue;
        asking->accelerator = *next;
        asking->count = (*next)->devices(asking->state, asking->devices, SC_DEVICES_MAX);
        break;
    }
    struct sc_accelerators *shared = asking->shared;
    (void)pthread_mutex_lock(&shared->lock);
    if (!shared->is_closed) {
        publish_notes(asking);
        if (asking->count > 0)
            shared->kind = asking->accelerator->kind;
        sc_readings_begin(&shared->readings, asking->devices, asking->count);
    }
    (void)pthread_mutex_unlock(&shared->lock);
}

/* The lock is held. The pids are copied, since the driver is asked without it. */
static void copy_pids(struct asking *asking)
{
    asking->pids.count = 0;
    for (size_t i = 0; i < asking->shared->pids.count; i++)
        sc_vec_push(&asking->pids, asking->shared->pids.items[i]);
}

/* Asks once, without the lock held. The first time only tells the driver from when on. */
static void ask(struct asking *asking)
{
    struct sc_accelerators *shared = asking->shared;
    struct sc_device_state states[SC_DEVICES_MAX];
    memset(states, 0, sizeof(states));
    struct sc_watched watched = {.pids = asking->pids.items, .count = asking->pids.count};
    const struct sc_accelerator *accelerator = asking->accelerator;
    bool is_new =
        accelerator->has_news == NULL || accelerator->has_news(asking->state, &asking->notes);
    if (is_new)
        accelerator->read(asking->state, &watched, states, asking->count, &asking->notes);
    uint64_t now_ns = sc_now_ns();
    (void)pthread_mutex_lock(&shared->lock);
    if (!shared->is_closed) {
        if (asking->last_ns != 0 && is_new)
            sc_readings_add(&shared->readings, asking->last_ns, now_ns, states);
        publish_notes(asking);
    }
    (void)pthread_mutex_unlock(&shared->lock);
    if (is_new)
        asking->last_ns = now_ns;
}

/* Until it is time for the next reading, or for the last; false when that was made. */
static bool wait_until(struct asking *asking, uint64_t next_ns, bool *is_last)
{
    struct sc_accelerators *shared = asking->shared;
    struct timespec next = sc_timespec(next_ns);
    (void)pthread_mutex_lock(&shared->lock);
    while (!shared->is_closed && !shared->is_finishing &&
           pthread_cond_timedwait(&shared->changed, &shared->lock, &next) == 0)
        continue;
    bool goes_on = !shared->is_closed && !*is_last;
    *is_last = shared->is_finishing;
    copy_pids(asking);
    (void)pthread_mutex_unlock(&shared->lock);
    return goes_on;
}

static void ask_again_and_again(struct asking *asking)
{
    bool is_last = false;
    uint64_t next_ns = 0;
    while (wait_until(asking, next_ns, &is_last)) {
        uint64_t cpu_ns = sc_own_cpu_ns();
        ask(asking);
        uint64_t period_ns = (sc_own_cpu_ns() - cpu_ns) * COST_ONE_IN;
        if (period_ns < PERIOD_NS)
            period_ns = PERIOD_NS;
        next_ns = sc_now_ns() + (period_ns < PERIOD_MAX_NS ? period_ns : PERIOD_MAX_NS);
    }
}

static void tell(struct sc_accelerators *shared, bool *what)
{
    (void)pthread_mutex_lock(&shared->lock);
    *what = true;
    (void)pthread_cond_broadcast(&shared->changed);
    (void)pthread_mutex_unlock(&shared->lock);
}

static void *run(void *argument)
{
    struct sc_accelerators *shared = argument;
    struct asking *asking = sc_alloc(1, sizeof(*asking));
    asking->shared = shared;
    (void)pthread_setname_np(pthread_self(), "accelerators");
    open_first(asking);
    if (asking->count > 0)
        ask_again_and_again(asking);
    tell(shared, &shared->is_finished);
    if (asking->accelerator != NULL)
        asking->accelerator->close(asking->state);
    tell(shared, &shared->is_ended);
    sc_vec_done(&asking->pids);
    sc_str_done(&asking->notes);
    free(asking);
    release(shared);
    return NULL;
}

struct sc_accelerators *sc_accelerators_start_with(const struct sc_accelerator *const *table)
{
    struct sc_accelerators *shared = sc_alloc(1, sizeof(*shared));
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&shared->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&shared->lock, NULL);
    shared->table = table;
    shared->kind = "";
    shared->owners = 2;
    if (!sc_thread_start(run, shared)) {
        shared->owners = 1;
        shared->is_finished = shared->is_ended = true;
        sc_accelerator_note(&shared->notes, "GPUs are not measured: there is no room for a thread "
                                            "that asks their driver");
    }
    return shared;
}

struct sc_accelerators *sc_accelerators_start(void)
{
    return sc_accelerators_start_with(sc_accelerator_table);
}

void sc_accelerators_watch(struct sc_accelerators *accelerators, const pid_t *pids, size_t count)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    accelerators->pids.count = 0;
    for (size_t i = 0; i < count; i++)
        sc_vec_push(&accelerators->pids, pids[i]);
    (void)pthread_mutex_unlock(&accelerators->lock);
}

size_t sc_accelerators_take(struct sc_accelerators *accelerators, struct sc_device_reading *ret,
                            size_t limit)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    size_t count = sc_readings_take(&accelerators->readings, ret, limit);
    (void)pthread_mutex_unlock(&accelerators->lock);
    return count;
}

size_t sc_accelerators_devices(struct sc_accelerators *accelerators, struct sc_device *ret,
                               size_t limit)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    const struct sc_readings *readings = &accelerators->readings;
    size_t count = readings->device_count < limit ? readings->device_count : limit;
    if (count > 0)
        memcpy(ret, readings->devices, count * sizeof(*ret));
    (void)pthread_mutex_unlock(&accelerators->lock);
    return count;
}

const char *sc_accelerators_kind(struct sc_accelerators *accelerators)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    const char *kind = accelerators->kind;
    (void)pthread_mutex_unlock(&accelerators->lock);
    return kind;
}

char *sc_accelerators_notes(struct sc_accelerators *accelerators)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    char *notes = sc_strdup(sc_str_text(&accelerators->notes));
    (void)pthread_mutex_unlock(&accelerators->lock);
    return notes;
}

/* The lock is held. */
static void wait_for(struct sc_accelerators *accelerators, const bool *what, uint64_t patience_ns)
{
    struct timespec end = sc_timespec(sc_now_ns() + patience_ns);
    while (!*what && pthread_cond_timedwait(&accelerators->changed, &accelerators->lock, &end) == 0)
        continue;
}

void sc_accelerators_finish(struct sc_accelerators *accelerators)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    accelerators->is_finishing = true;
    (void)pthread_cond_broadcast(&accelerators->changed);
    wait_for(accelerators, &accelerators->is_finished,
             accelerators->kind[0] != '\0' ? PATIENCE_NS : OPEN_PATIENCE_NS);
    if (!accelerators->is_finished && !accelerators->is_closed && accelerators->kind[0] != '\0')
        sc_accelerator_note(&accelerators->notes,
                            "the driver of the %ss no longer answers, so the end of the run is "
                            "without their load and memory",
                            accelerators->kind);
    accelerators->is_closed = true;
    (void)pthread_mutex_unlock(&accelerators->lock);
}

void sc_accelerators_free(struct sc_accelerators *accelerators)
{
    if (accelerators == NULL)
        return;
    (void)pthread_mutex_lock(&accelerators->lock);
    accelerators->is_closed = true;
    (void)pthread_cond_broadcast(&accelerators->changed);
    wait_for(accelerators, &accelerators->is_ended,
             accelerators->kind[0] != '\0' ? PATIENCE_NS : OPEN_PATIENCE_NS);
    (void)pthread_mutex_unlock(&accelerators->lock);
    release(accelerators);
}
