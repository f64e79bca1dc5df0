/*
 * server/ai.c - the page's questions about proposals (docs/design/0011-proposals.md).
 *
 * src/assist answers them; this file passes it the profile and makes HTTP responses of the results.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assist/session.h"
#include "assist/settings.h"
#include "base/mem.h"
#include "server/request.h"
#include "server/site.h"

/* -------- a task that takes long, as a stream of events for the page --------
 *
 * The task's thread puts events into a buffer, the connection's thread takes them out of it. */

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

/* Begins the task in a thread of its own and fills in the stream of its events, which takes the
 * task over. The task is cancelled when the stream's reader has gone. On failure the task is
 * freed. */
static bool ai_stream_start(struct sc_ai_task *task, struct sc_stream *ret_stream,
                            struct sc_err *err)
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

static void fail(struct sc_response *response, const struct sc_err *err)
{
    sc_str_clear(&response->text);
    sc_response_fail(response, err->kind == SC_ERR_USAGE ? SC_STATUS_BAD : SC_STATUS_FAILED,
                     err->text);
}

static void give_json(struct sc_response *response, bool good, const struct sc_err *err)
{
    response->status = SC_STATUS_OK;
    response->type = SC_TYPE_JSON;
    if (!good)
        fail(response, err);
}

/* Refuses proposals where other machines can reach the server: keys that are typed in must not be
 * sent unencrypted, and no other machine may run or change anything here. */
static bool refuses(const struct sc_exchange *exchange)
{
    const struct sc_site *site = exchange->site;
    bool is_local = !site->is_any_host && sc_ai_is_loopback(site->host);
    if (!is_local)
        sc_response_fail(exchange->response, SC_STATUS_FORBIDDEN,
                         "with --host, other machines reach this page: proposals are only for the "
                         "loopback address");
    return !is_local;
}

static struct sc_ai_body body_of(const struct sc_exchange *exchange)
{
    return (struct sc_ai_body){exchange->request->body, exchange->request->body_length};
}

static const struct sc_file *find_file(void *context, size_t number)
{
    const struct sc_page *page = context;
    return number < page->report.files.count ? page->report.files.items[number].file : NULL;
}

/* The page must be held (sc_site_hold). */
static struct sc_ai_files files_of(struct sc_page *page)
{
    return (struct sc_ai_files){&page->profile, find_file, page};
}

void sc_route_ai_providers(const struct sc_exchange *exchange)
{
    sc_ai_providers_json(&exchange->response->text);
    give_json(exchange->response, true, NULL);
}

void sc_route_ai_models(const struct sc_exchange *exchange)
{
    if (refuses(exchange))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(exchange);
    bool good = sc_ai_models_json(&body, NULL, &exchange->response->text, &err);
    give_json(exchange->response, good, &err);
}

void sc_route_ai_prompt(const struct sc_exchange *exchange)
{
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(exchange);
    struct sc_ai_files files = files_of(sc_site_hold(exchange->site));
    bool good = sc_ai_prompt_json(&files, &body, &exchange->response->text, &err);
    sc_site_release(exchange->site);
    give_json(exchange->response, good, &err);
}

void sc_route_ai_apply(const struct sc_exchange *exchange)
{
    if (refuses(exchange))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(exchange);
    bool good = sc_ai_apply_json(exchange->site->ai, &body, &exchange->response->text, &err);
    give_json(exchange->response, good, &err);
}

static void stream(struct sc_ai_task *task, struct sc_response *response, struct sc_err *err)
{
    if (task != NULL && ai_stream_start(task, &response->stream, err)) {
        response->status = SC_STATUS_OK;
        response->type = "text/event-stream";
    } else {
        fail(response, err);
    }
}

void sc_route_ai_ask(const struct sc_exchange *exchange)
{
    if (refuses(exchange))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(exchange);
    struct sc_ai_files files = files_of(sc_site_hold(exchange->site));
    struct sc_ai_task *task = sc_ai_task_ask(exchange->site->ai, &files, &body, &err);
    sc_site_release(exchange->site);
    stream(task, exchange->response, &err);
}

void sc_route_ai_measure(const struct sc_exchange *exchange)
{
    if (refuses(exchange))
        return;
    struct sc_err err = {0};
    struct sc_ai_body body = body_of(exchange);
    stream(sc_ai_task_measure(exchange->site->ai, &body, &err), exchange->response, &err);
}
