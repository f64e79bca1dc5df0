/*
 * accelerator/poll.c - the thread that polls the driver, and what it shares with its owner.
 *
 * The thread is detached, and it and its owner share one reference-counted object that the last of
 * the two frees. If a driver never answers, the thread and that object stay; nobody waits for them.
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

/* Drivers take a sample of their own every 170 ms to 1 s, so polling more often shows nothing new.
 */
#define PERIOD_NS     100000000U
#define PERIOD_MAX_NS 2000000000U
#define TIMEOUT_NS    250000000U
/* A program that ends before its driver has woken up was not measured, so it need not wait long. */
#define OPEN_TIMEOUT_NS 20000000U
/* Readings may take at most 1/COST_ONE_IN of a core's time. */
#define COST_ONE_IN 300U
/* Limits what is kept when a driver does not answer while processes come and go. */
#define PAST_PIDS_MAX 1024U

/* An interval during which profiling is paused; to_ns is UINT64_MAX while it lasts. */
struct pause {
    uint64_t from_ns;
    uint64_t to_ns;
};

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
    SC_VEC(pid_t) past_pids;     /* watched until recently; the next reading still counts them */
    SC_VEC(struct pause) pauses; /* that a future reading may cover, in order of time */
    struct sc_readings readings;
    const char *kind;
    struct sc_str notes;
};

/* State of the polling thread alone. */
struct asking {
    struct sc_accelerators *shared;
    const struct sc_accelerator *accelerator;
    void *state;
    struct sc_device devices[SC_DEVICES_MAX];
    size_t count;
    struct sc_str notes;
    size_t published_notes; /* bytes of notes that the owner has been given */
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
    sc_vec_done(&shared->past_pids);
    sc_vec_done(&shared->pauses);
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

static bool has_pid(const struct asking *asking, pid_t pid)
{
    for (size_t i = 0; i < asking->pids.count; i++)
        if (asking->pids.items[i] == pid)
            return true;
    return false;
}

/* The pids that the next readings are about: copied, since the driver is polled without the lock.
 * Processes that have ended since the previous reading count too, as they may have used devices
 * since then. */
static void copy_pids(struct asking *asking)
{
    struct sc_accelerators *shared = asking->shared;
    asking->pids.count = 0;
    (void)pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < shared->pids.count; i++)
        sc_vec_push(&asking->pids, shared->pids.items[i]);
    for (size_t i = 0; i < shared->past_pids.count; i++)
        if (!has_pid(asking, shared->past_pids.items[i])) /* the pid may have been reused */
            sc_vec_push(&asking->pids, shared->past_pids.items[i]);
    shared->past_pids.count = 0;
    (void)pthread_mutex_unlock(&shared->lock);
}

/* The lock is held. */
static uint64_t counted_between(const struct sc_accelerators *shared, uint64_t from_ns,
                                uint64_t to_ns)
{
    uint64_t counted_ns = to_ns - from_ns;
    for (size_t i = 0; i < shared->pauses.count; i++) {
        struct pause pause = shared->pauses.items[i];
        uint64_t begin_ns = pause.from_ns > from_ns ? pause.from_ns : from_ns;
        uint64_t end_ns = pause.to_ns < to_ns ? pause.to_ns : to_ns;
        counted_ns -= end_ns > begin_ns ? end_ns - begin_ns : 0;
    }
    return counted_ns;
}

/* The lock is held. */
static void forget_pauses(struct sc_accelerators *shared, uint64_t until_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < shared->pauses.count; i++)
        if (shared->pauses.items[i].to_ns > until_ns)
            shared->pauses.items[kept++] = shared->pauses.items[i];
    shared->pauses.count = kept;
}

/* Takes the count readings that are waiting, without the lock held. They cover equal parts of the
 * time since the previous readings; the very first reading only starts that time. */
static void take_readings(struct asking *asking, unsigned count)
{
    struct sc_accelerators *shared = asking->shared;
    struct sc_device_state states[SC_DEVICES_MAX];
    uint64_t first_ns = asking->last_ns;
    uint64_t from_ns = first_ns;
    copy_pids(asking);
    struct sc_watched watched = {.pids = asking->pids.items, .count = asking->pids.count};
    for (unsigned i = 1; i <= count; i++) {
        memset(states, 0, sizeof(states));
        asking->accelerator->read(asking->state, &watched, states, asking->count, &asking->notes);
        if (i == 1) /* what the driver reports covers the time until now */
            asking->last_ns = sc_now_ns();
        uint64_t to_ns = first_ns + (asking->last_ns - first_ns) / count * i;
        (void)pthread_mutex_lock(&shared->lock);
        if (!shared->is_closed && first_ns != 0)
            sc_readings_add(&shared->readings, from_ns, to_ns,
                            counted_between(shared, from_ns, to_ns), states);
        (void)pthread_mutex_unlock(&shared->lock);
        from_ns = to_ns;
    }
}

static void ask(struct asking *asking)
{
    struct sc_accelerators *shared = asking->shared;
    const struct sc_accelerator *accelerator = asking->accelerator;
    unsigned count =
        accelerator->news != NULL ? accelerator->news(asking->state, &asking->notes) : 1;
    if (count > 0)
        take_readings(asking, count);
    (void)pthread_mutex_lock(&shared->lock);
    forget_pauses(shared, asking->last_ns);
    if (!shared->is_closed)
        publish_notes(asking);
    (void)pthread_mutex_unlock(&shared->lock);
}

/* Waits until it is time for the next reading or for the last one; false when the last was made. */
static bool wait_until(struct asking *asking, uint64_t next_ns, bool *is_last)
{
    struct sc_accelerators *shared = asking->shared;
    struct timespec next = sc_libcs_moment(next_ns);
    (void)pthread_mutex_lock(&shared->lock);
    while (!shared->is_closed && !shared->is_finishing &&
           pthread_cond_timedwait(&shared->changed, &shared->lock, &next) == 0)
        continue;
    bool goes_on = !shared->is_closed && !*is_last;
    *is_last = shared->is_finishing;
    (void)pthread_mutex_unlock(&shared->lock);
    return goes_on;
}

static void poll_loop(struct asking *asking)
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

static void signal(struct sc_accelerators *shared, bool *what)
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
        poll_loop(asking);
    signal(shared, &shared->is_finished);
    if (asking->accelerator != NULL)
        asking->accelerator->close(asking->state);
    signal(shared, &shared->is_ended);
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
    size_t same = 0; /* both lists are in the same order */
    for (size_t i = 0; i < accelerators->pids.count; i++) {
        if (same < count && pids[same] == accelerators->pids.items[i])
            same++;
        else if (accelerators->past_pids.count < PAST_PIDS_MAX)
            sc_vec_push(&accelerators->past_pids, accelerators->pids.items[i]);
    }
    accelerators->pids.count = 0;
    for (size_t i = 0; i < count; i++)
        sc_vec_push(&accelerators->pids, pids[i]);
    (void)pthread_mutex_unlock(&accelerators->lock);
}

void sc_accelerators_pause(struct sc_accelerators *accelerators, bool paused, uint64_t now_ns)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    size_t count = accelerators->pauses.count;
    bool is_paused = count > 0 && accelerators->pauses.items[count - 1].to_ns == UINT64_MAX;
    if (paused && !is_paused)
        sc_vec_push(&accelerators->pauses, (struct pause){now_ns, UINT64_MAX});
    else if (!paused && is_paused)
        accelerators->pauses.items[count - 1].to_ns = now_ns;
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
static void wait_for(struct sc_accelerators *accelerators, const bool *what, uint64_t timeout_ns)
{
    struct timespec end = sc_libcs_moment(sc_now_ns() + timeout_ns);
    while (!*what && pthread_cond_timedwait(&accelerators->changed, &accelerators->lock, &end) == 0)
        continue;
}

void sc_accelerators_finish(struct sc_accelerators *accelerators)
{
    (void)pthread_mutex_lock(&accelerators->lock);
    accelerators->is_finishing = true;
    (void)pthread_cond_broadcast(&accelerators->changed);
    wait_for(accelerators, &accelerators->is_finished,
             accelerators->kind[0] != '\0' ? TIMEOUT_NS : OPEN_TIMEOUT_NS);
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
             accelerators->kind[0] != '\0' ? TIMEOUT_NS : OPEN_TIMEOUT_NS);
    (void)pthread_mutex_unlock(&accelerators->lock);
    release(accelerators);
}
