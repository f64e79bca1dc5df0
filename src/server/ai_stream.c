/*
 * server/ai_stream.c - a task that takes long, as a stream of events for the page.
 *
 * The task's thread puts events into a buffer, the connection's thread takes them out of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/ai_stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* How often a stream checks that its reader is still there. */
#define LOOK_MS 250

/* After this many checks without an event something is sent, so that the connection stays open. */
#define LOOKS_UNTIL_SIGN 60

struct ai_stream {
    struct sc_ai_task *task;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    struct sc_str buffer;
    size_t taken; /* of the buffer */
    bool is_over;
    bool is_cancelled;
};

static void on_event(void *context, const char *event, const char *json)
{
    struct ai_stream *stream = context;
    (void)pthread_mutex_lock(&stream->lock);
    sc_str_add_format(&stream->buffer, "event: %s\ndata: ", event);
    sc_str_add(&stream->buffer, json); /* one line: its newlines are escaped */
    sc_str_add(&stream->buffer, "\n\n");
    (void)pthread_cond_signal(&stream->changed);
    (void)pthread_mutex_unlock(&stream->lock);
}

static bool is_cancelled(void *context)
{
    struct ai_stream *stream = context;
    (void)pthread_mutex_lock(&stream->lock);
    bool cancelled = stream->is_cancelled;
    (void)pthread_mutex_unlock(&stream->lock);
    return cancelled;
}

static void *run(void *context)
{
    struct ai_stream *stream = context;
    struct sc_ai_follower follower = {on_event, is_cancelled, stream};
    sc_ai_task_run(stream->task, &follower);
    (void)pthread_mutex_lock(&stream->lock);
    stream->is_over = true;
    (void)pthread_cond_signal(&stream->changed);
    (void)pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* The lock is held. */
static size_t take(struct ai_stream *stream, char *bytes, size_t size)
{
    size_t left = stream->buffer.length - stream->taken;
    size_t count = left < size ? left : size;
    if (count > 0)
        memcpy(bytes, stream->buffer.data + stream->taken, count);
    stream->taken += count;
    if (stream->taken == stream->buffer.length) {
        sc_str_clear(&stream->buffer);
        stream->taken = 0;
    }
    return count;
}

/* The lock is held. Waits until something has changed, at most LOOK_MS. */
static void wait_a_moment(struct ai_stream *stream)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_cond_timedwait(&stream->changed, &stream->lock, &until);
}

static size_t more(void *state, char *bytes, size_t size, const struct sc_listener *listener)
{
    static const char sign[] = ": still here\n\n";
    struct ai_stream *stream = state;
    size_t count = 0;
    (void)pthread_mutex_lock(&stream->lock);
    for (int looks = 0; count == 0; looks++) {
        count = take(stream, bytes, size);
        if (count > 0 || stream->is_over || !sc_is_wanted(listener))
            break;
        if (looks == LOOKS_UNTIL_SIGN && size >= strlen(sign)) {
            count = strlen(sign);
            memcpy(bytes, sign, count);
        } else {
            wait_a_moment(stream);
        }
    }
    (void)pthread_mutex_unlock(&stream->lock);
    return count;
}

static void done(void *state)
{
    SC_AUTO_FREE struct ai_stream *stream = state;
    (void)pthread_mutex_lock(&stream->lock);
    stream->is_cancelled = true;
    (void)pthread_mutex_unlock(&stream->lock);
    (void)pthread_join(stream->thread, NULL);
    sc_ai_task_free(stream->task);
    (void)pthread_cond_destroy(&stream->changed);
    (void)pthread_mutex_destroy(&stream->lock);
    sc_str_done(&stream->buffer);
}

bool sc_ai_stream_start(struct sc_ai_task *task, struct sc_stream *ret_stream, struct sc_err *err)
{
    struct ai_stream *stream = sc_alloc(1, sizeof(*stream));
    stream->task = task;
    (void)pthread_mutex_init(&stream->lock, NULL);
    (void)pthread_cond_init(&stream->changed, NULL);
    int code = pthread_create(&stream->thread, NULL, run, stream);
    if (code != 0) {
        sc_ai_task_free(task);
        free(stream);
        return sc_fail_errno(err, code, "cannot start a thread");
    }
    *ret_stream = (struct sc_stream){more, done, stream};
    return true;
}
