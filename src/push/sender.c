/* push/sender.c - see sender.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/sender.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/io.h"
#include "base/map.h"
#include "base/thread.h"
#include "base/vec.h"
#include "push/backoff.h"

/* Five minutes at the usual interval, of programs of a usual size. */
#define QUEUE_MAX       90U
#define QUEUE_BYTES_MAX (8U << 20)

/* A receiver that fails each time at one request may fail because of it. */
#define FAILURES_MAX 6U

#define END_NS      4000000000U
#define LEAVING_NS  1000000000U /* how long a transfer takes to notice that it is to stop */
#define END_POLL_NS 50000000U
#define END_WAIT_NS 500000000U /* the longest wait between two attempts then */

struct sc_sender {
    struct sc_poster poster;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Atomic uint64_t deadline_ns; /* UINT64_MAX until the end */
    SC_VEC(struct sc_push_request) queue;
    size_t bytes;
    unsigned failures;      /* of the first request */
    unsigned own_failures;  /* of them, those that may be because of the request */
    uint64_t not_before_ns; /* when it is sent again */
    bool is_asked;          /* the receiver has said when */
    bool has_thread;        /* that has not been joined */
    pthread_t thread;
    unsigned last_lost; /* push */
    struct sc_push_losses losses;
};

/* A thread did not stop in time: it looks up a name, say. */
static bool is_left;

bool sc_sender_is_left(void)
{
    return is_left;
}

struct sc_sender *sc_sender_new(const struct sc_curl *curl, const struct sc_push_target *target)
{
    struct sc_sender *sender = sc_alloc(1, sizeof(*sender));
    pthread_condattr_t attributes;
    sender->poster = (struct sc_poster){.curl = curl, .target = target};
    sender->last_lost = UINT32_MAX;
    atomic_store(&sender->deadline_ns, UINT64_MAX);
    (void)pthread_mutex_init(&sender->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&sender->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return sender;
}

/* -------- the thread, with the lock -------- */

static void remove_first(struct sc_sender *sender)
{
    sender->bytes -= sender->queue.items[0].body.length;
    sc_push_request_done(&sender->queue.items[0]);
    sender->queue.count--;
    memmove(sender->queue.items, sender->queue.items + 1,
            sender->queue.count * sizeof(sender->queue.items[0]));
    sender->failures = 0;
    sender->own_failures = 0;
    sender->not_before_ns = 0;
    sender->is_asked = false;
}

static void lose_first(struct sc_sender *sender, const char *why)
{
    const struct sc_push_request *request = &sender->queue.items[0];
    if (request->push != sender->last_lost) {
        sender->losses.pushes++;
        sender->losses.span_s += request->span_s;
    }
    sender->last_lost = request->push;
    if (why[0] != '\0' || sender->losses.why[0] == '\0')
        (void)snprintf(sender->losses.why, sizeof(sender->losses.why), "%s", why);
    remove_first(sender);
}

/* What the last attempt has met with, for people. */
static void describe(const struct sc_sender *sender, const struct sc_posted *posted, char *ret_why,
                     size_t size)
{
    if (posted->status / 100 == 3)
        (void)snprintf(ret_why, size, "it answered %ld, and redirects are not followed",
                       posted->status);
    else if (posted->status != 0)
        (void)snprintf(ret_why, size, "it answered %ld", posted->status);
    else if (posted->code == CURLE_OPERATION_TIMEDOUT)
        (void)snprintf(ret_why, size, "it did not answer in time");
    else
        (void)snprintf(ret_why, size, "%s", sender->poster.curl->easy_strerror(posted->code));
}

/* Whether the same request may be taken later: those that OTLP names, and others for some time
 * (Pyroscope answers 422 also where a part of its own is not ready). */
static bool is_passing(struct sc_sender *sender, long status)
{
    if (status == 0 || status == 429 || status == 502 || status == 503 || status == 504)
        return true;
    sender->own_failures++;
    return (status == 408 || status == 422 || status / 100 == 5) &&
           sender->own_failures < FAILURES_MAX;
}

static void settle(struct sc_sender *sender, const struct sc_posted *posted, char *why, size_t size)
{
    if (posted->status / 100 == 2) {
        why[0] = '\0';
        remove_first(sender);
        return;
    }
    /* an attempt that the end of the run has cut says less than the one before */
    bool is_cut = posted->status == 0 && sc_now_ns() >= atomic_load(&sender->deadline_ns);
    if (!is_cut || why[0] == '\0')
        describe(sender, posted, why, size);
    sender->failures++;
    if (!is_passing(sender, posted->status)) {
        lose_first(sender, why);
        return;
    }
    uint64_t now_ns = sc_now_ns();
    sender->is_asked = posted->asked_s > 0;
    sender->not_before_ns =
        now_ns +
        sc_push_backoff_ns(sender->failures, sc_mix(now_ns, (uintptr_t)sender), posted->asked_s);
}

/* When the first request is sent, if there is one; once the run has ended, there is no time for
 * long waits. */
static uint64_t next_ns(const struct sc_sender *sender, uint64_t deadline_ns, uint64_t now_ns)
{
    if (sender->queue.count == 0)
        return UINT64_MAX;
    bool is_short = deadline_ns != UINT64_MAX && !sender->is_asked;
    uint64_t latest_ns = is_short ? now_ns + END_WAIT_NS : UINT64_MAX;
    return sender->not_before_ns < latest_ns ? sender->not_before_ns : latest_ns;
}

static void wait_until(struct sc_sender *sender, uint64_t until_ns)
{
    if (until_ns == UINT64_MAX) {
        (void)pthread_cond_wait(&sender->changed, &sender->lock);
        return;
    }
    const struct timespec until = sc_libcs_moment(until_ns);
    (void)pthread_cond_timedwait(&sender->changed, &sender->lock, &until);
}

static void *work(void *context)
{
    struct sc_sender *sender = context;
    char why[sizeof(sender->losses.why)] = "";
    uint64_t due_ns = 0;
    (void)pthread_mutex_lock(&sender->lock);
    for (;;) {
        uint64_t now_ns = sc_now_ns();
        uint64_t deadline_ns = atomic_load(&sender->deadline_ns);
        if (deadline_ns != UINT64_MAX && (sender->queue.count == 0 || now_ns >= deadline_ns))
            break;
        due_ns = next_ns(sender, deadline_ns, now_ns);
        if (now_ns < due_ns) {
            sender->not_before_ns = sender->queue.count > 0 ? due_ns : 0;
            wait_until(sender, due_ns < deadline_ns ? due_ns : deadline_ns);
            continue;
        }
        const struct sc_push_request first = sender->queue.items[0];
        (void)pthread_mutex_unlock(&sender->lock);
        struct sc_posted posted = sc_post(&sender->poster, &first, &sender->deadline_ns);
        (void)pthread_mutex_lock(&sender->lock);
        settle(sender, &posted, why, sizeof(why));
    }
    while (sender->queue.count > 0)
        lose_first(sender, why);
    (void)pthread_mutex_unlock(&sender->lock);
    sc_poster_done(&sender->poster);
    return NULL;
}

/* -------- the observer's side -------- */

bool sc_sender_has_room(struct sc_sender *sender)
{
    (void)pthread_mutex_lock(&sender->lock);
    bool has_room = sender->queue.count < QUEUE_MAX && sender->bytes < QUEUE_BYTES_MAX;
    (void)pthread_mutex_unlock(&sender->lock);
    return has_room;
}

void sc_sender_add(struct sc_sender *sender, struct sc_push_request *request)
{
    (void)pthread_mutex_lock(&sender->lock);
    sender->bytes += request->body.length;
    sc_vec_push(&sender->queue, *request);
    *request = (struct sc_push_request){0};
    if (!sender->has_thread) /* as late as that: before, the program is started */
        sender->has_thread = sc_thread_start_joinable(work, sender, &sender->thread);
    (void)pthread_cond_signal(&sender->changed);
    (void)pthread_mutex_unlock(&sender->lock);
}

/* Of the thread nothing is left then, nor of what libraries have kept for it. */
static bool has_ended(struct sc_sender *sender)
{
    if (sender->has_thread && pthread_tryjoin_np(sender->thread, NULL) == 0)
        sender->has_thread = false;
    return !sender->has_thread;
}

static void set_deadline(struct sc_sender *sender, uint64_t deadline_ns)
{
    (void)pthread_mutex_lock(&sender->lock);
    atomic_store(&sender->deadline_ns, deadline_ns);
    (void)pthread_cond_signal(&sender->changed);
    (void)pthread_mutex_unlock(&sender->lock);
}

/* Until the deadline, and as long as a transfer then takes to stop. */
static void wait_for_thread(struct sc_sender *sender, uint64_t deadline_ns)
{
    const struct timespec pause = sc_timespec(END_POLL_NS);
    bool is_cut = false;
    set_deadline(sender, deadline_ns);
    while (!has_ended(sender) && sc_now_ns() < deadline_ns + LEAVING_NS) {
        if (!is_cut && sc_is_told_to_end()) { /* our caller has blocked those signals */
            is_cut = true;
            deadline_ns = sc_now_ns();
            set_deadline(sender, deadline_ns);
        }
        (void)nanosleep(&pause, NULL);
    }
    is_left = is_left || !has_ended(sender);
}

void sc_sender_end(struct sc_sender *sender, struct sc_push_losses *ret_losses)
{
    wait_for_thread(sender, sc_now_ns() + END_NS);
    (void)pthread_mutex_lock(&sender->lock);
    struct sc_push_losses losses = sender->losses;
    unsigned last = sender->last_lost;
    for (size_t i = 0; i < sender->queue.count; i++) { /* where no thread has cleared it */
        const struct sc_push_request *request = &sender->queue.items[i];
        losses.pushes += request->push != last;
        losses.span_s += request->push != last ? request->span_s : 0;
        last = request->push;
        (void)snprintf(losses.why, sizeof(losses.why), "%s",
                       sender->has_thread ? "it did not answer in time" : "there is no thread");
    }
    (void)pthread_mutex_unlock(&sender->lock);
    *ret_losses = losses;
}

void sc_sender_free(struct sc_sender *sender)
{
    if (sender == NULL)
        return;
    if (atomic_load(&sender->deadline_ns) == UINT64_MAX)
        wait_for_thread(sender, sc_now_ns());
    if (!has_ended(sender)) /* it keeps what it has */
        return;
    (void)pthread_mutex_destroy(&sender->lock);
    (void)pthread_cond_destroy(&sender->changed);
    sc_vec_done_each(&sender->queue, sc_push_request_done);
    free(sender);
}
