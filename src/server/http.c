/*
 * server/http.c - HTTP around a site, by libmicrohttpd.
 *
 * Every connection has a thread: requests of a page are few, and one that waits (a stream) delays
 * no other. The number of connections is limited, as are the sizes of headers and bodies and the
 * time without traffic.
 *
 * Connections are counted here: libmicrohttpd 0.9.74 to 0.9.77 keeps a lock for ever when a
 * connection that it has already queued exceeds its limit (new_connection_process_() in its
 * daemon.c), and answers no request from then on. It is given a limit that is never reached.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "server/http.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "server/peer.h"

/* -------- connections are accepted, or closed before a byte of them is read -------- */

/* A connection of another user is closed at once: it does not count towards the server's limit of
 * connections, and nothing that it sends is read. */

/* Called in a thread of the acceptor's own with each connection of this user, of root, or of
 * another machine where the socket can be reached from one; takes the descriptor over. */
typedef void acceptor_take(void *context, int connection, const struct sockaddr *from,
                           socklen_t length);

/* How long to wait when there are no descriptors left. */
#define PAUSE_MS 100

struct acceptor {
    int listening;
    int end; /* an eventfd, readable when the acceptor closes */
    acceptor_take *accepted;
    void *context;
    pthread_t thread;
    bool has_reported_foreign;
    bool has_reported_unknown;
};

/* Reports each kind of refusal once, so that many attempts do not fill the terminal. */
static void report_refusal(struct acceptor *acceptor, enum sc_peer peer, unsigned uid)
{
    if (peer == SC_PEER_FOREIGN && !acceptor->has_reported_foreign) {
        acceptor->has_reported_foreign = true;
        (void)fprintf(stderr,
                      "scalene: view: a connection of user %u was refused: the page is for user %u "
                      "alone\n",
                      uid, (unsigned)getuid());
    } else if (peer == SC_PEER_UNKNOWN && !acceptor->has_reported_unknown) {
        acceptor->has_reported_unknown = true;
        (void)fprintf(stderr, "scalene: view: a connection was refused, as it cannot be seen whose "
                              "it is; 'scalene view --html' writes a file instead\n");
    }
}

static void take(struct acceptor *acceptor)
{
    struct sockaddr_storage from = {0};
    socklen_t length = sizeof(from);
    unsigned uid = 0;
    int fd = accept4(acceptor->listening, (struct sockaddr *)&from, &length,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
        return;
    }
    enum sc_peer peer = sc_peer_of(fd, &uid);
    if (peer == SC_PEER_OWN || peer == SC_PEER_ELSEWHERE) {
        acceptor->accepted(acceptor->context, fd, (const struct sockaddr *)&from, length);
        return;
    }
    (void)close(fd);
    report_refusal(acceptor, peer, uid);
}

static void *run_acceptor(void *context)
{
    struct acceptor *acceptor = context;
    struct pollfd ready[2] = {{.fd = acceptor->end, .events = POLLIN},
                              {.fd = acceptor->listening, .events = POLLIN}};
    while (ready[0].revents == 0) {
        if (poll(ready, 2, -1) > 0 && ready[0].revents == 0 && ready[1].revents != 0)
            take(acceptor);
    }
    return NULL;
}

static void free_acceptor(struct acceptor *acceptor)
{
    (void)close(acceptor->listening);
    sc_close(&acceptor->end);
    free(acceptor);
}

/* Takes the listening socket over. NULL on failure, the socket closed. */
static struct acceptor *acceptor_open(int listening, acceptor_take *accepted, void *context,
                                      struct sc_err *err)
{
    struct acceptor *acceptor = sc_alloc(1, sizeof(*acceptor));
    acceptor->listening = listening;
    acceptor->accepted = accepted;
    acceptor->context = context;
    acceptor->end = eventfd(0, EFD_CLOEXEC);
    int code =
        acceptor->end < 0 ? errno : pthread_create(&acceptor->thread, NULL, run_acceptor, acceptor);
    if (code == 0)
        return acceptor;
    free_acceptor(acceptor);
    (void)sc_fail_errno(err, code, "the page's server could not be started");
    return NULL;
}

/* No connection is accepted any more when this returns. */
static void acceptor_close(struct acceptor *acceptor)
{
    (void)eventfd_write(acceptor->end, 1);
    (void)pthread_join(acceptor->thread, NULL);
    free_acceptor(acceptor);
}

/* -------- HTTP -------- */

enum {
    CONNECTIONS = 200,
    SILENCE_S = 75,
    HEADER_BYTES = 64 * 1024, /* of a request, with what libmicrohttpd keeps of it */
    STREAM_BYTES = 16 * 1024,
};

struct sc_http {
    struct sc_site *site;
    struct MHD_Daemon *daemon;
    struct acceptor *acceptor;
    atomic_uint connections; /* given to libmicrohttpd and not closed yet */
    atomic_bool ended;
};

/* What is known of a request while it comes in. */
struct exchange {
    struct sc_http *http;
    char *target;
    struct sc_str body;
    size_t body_limit;
    bool is_begun; /* the headers were checked */
    bool is_too_large;
};

/* A stream that is being read, and its reader. */
struct reader {
    struct sc_stream stream;
    struct sc_listener listener;
};

/* Drops libmicrohttpd's messages: they would be mixed with what the user reads. */
static void ignore_log(void *http, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void ignore_log(void *http, const char *format, va_list arguments)
{
    (void)http;
    (void)format;
    (void)arguments;
}

/* Called for each request with its address as it came; the result is the state of the request. */
static void *begin(void *http, const char *target, struct MHD_Connection *connection)
{
    (void)connection;
    struct exchange *exchange = sc_alloc(1, sizeof(*exchange));
    exchange->http = http;
    exchange->target = sc_strdup(target);
    return exchange;
}

static void end(void *http, struct MHD_Connection *connection, void **state,
                enum MHD_RequestTerminationCode how)
{
    (void)http;
    (void)connection;
    (void)how;
    struct exchange *exchange = *state;
    if (exchange == NULL)
        return;
    free(exchange->target);
    if (exchange->body.data != NULL) /* it may hold a key that was typed in */
        explicit_bzero(exchange->body.data, exchange->body.length);
    sc_str_done(&exchange->body);
    free(exchange);
    *state = NULL;
}

/* Leaves the percent escapes in values. */
static size_t keep_escapes(void *http, struct MHD_Connection *connection, char *text)
{
    (void)http;
    (void)connection;
    return strlen(text);
}

static ssize_t read_stream(void *state, uint64_t position, char *bytes, size_t size)
{
    (void)position;
    struct reader *reader = state;
    size_t got = reader->stream.more(reader->stream.state, bytes, size, &reader->listener);
    return got > 0 ? (ssize_t)got : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_reader(void *state)
{
    SC_AUTO_FREE struct reader *reader = state;
    if (reader->stream.done != NULL)
        reader->stream.done(reader->stream.state);
}

static struct MHD_Response *stream_of(struct exchange *exchange, struct MHD_Connection *connection,
                                      struct sc_response *response)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct reader *reader = sc_alloc(1, sizeof(*reader));
    reader->stream = response->stream;
    reader->listener = (struct sc_listener){.fd = info != NULL ? info->connect_fd : -1,
                                            .ended = &exchange->http->ended};
    response->stream = (struct sc_stream){0};
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES, read_stream, reader,
                                             free_reader);
}

static struct MHD_Response *body_of(struct exchange *exchange, struct MHD_Connection *connection,
                                    struct sc_response *response)
{
    if (response->stream.more != NULL)
        return stream_of(exchange, connection, response);
    if (response->bytes != NULL)
        return MHD_create_response_from_buffer(response->length, (void *)(uintptr_t)response->bytes,
                                               MHD_RESPMEM_PERSISTENT);
    sc_str_add(&response->text, ""); /* so that text.data, which the response frees, is not NULL */
    struct MHD_Response *made = MHD_create_response_from_buffer(
        response->text.length, response->text.data, MHD_RESPMEM_MUST_FREE);
    if (made != NULL)
        response->text = (struct sc_str){0};
    return made;
}

static void add_headers(struct MHD_Response *made, const struct sc_response *response)
{
    static const char *const always[][2] = {
        /* The page may load nothing but itself; no script or style stands in its markup. */
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        (void)MHD_add_response_header(made, always[i][0], always[i][1]);
    (void)MHD_add_response_header(made, "Content-Type", response->type);
    if (response->version != 0) {
        SC_AUTO_FREE char *version = sc_format("%llu", (unsigned long long)response->version);
        (void)MHD_add_response_header(made, "Profile-Version", version);
    }
    if (response->allow != NULL)
        (void)MHD_add_response_header(made, "Allow", response->allow);
    if (response->location != NULL)
        (void)MHD_add_response_header(made, "Location", response->location);
}

static enum MHD_Result send_response(struct exchange *exchange, struct MHD_Connection *connection,
                                     struct sc_response *response)
{
    struct MHD_Response *made = body_of(exchange, connection, response);
    enum MHD_Result result = MHD_NO; /* closes the connection */
    if (made != NULL) {
        add_headers(made, response);
        result = MHD_queue_response(connection, (unsigned)response->status, made);
        MHD_destroy_response(made);
    }
    sc_response_done(response);
    return result;
}

/* A header that may stand once; NULL: it is not there. Of one that is there twice, which is an
 * error (RFC 9112, 3.2), neither counts. */
struct single {
    const char *name;
    const char *value;
};

static enum MHD_Result note_single(void *context, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct single *single = context;
    (void)kind;
    if (strcasecmp(name, single->name) == 0)
        single->value = single->value == NULL && value != NULL ? value : "";
    return MHD_YES;
}

static const char *single_header(struct MHD_Connection *connection, const char *name)
{
    struct single single = {.name = name};
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, note_single, &single);
    return single.value;
}

static struct sc_request request_of(const struct exchange *exchange,
                                    struct MHD_Connection *connection, const char *method)
{
    return (struct sc_request){
        .method = method,
        .target = exchange->target,
        .host = single_header(connection, "Host"),
        .origin = single_header(connection, "Origin"),
        .body = sc_str_text(&exchange->body),
        .body_length = exchange->body.length,
    };
}

/* Called when the headers are there and the body is not: a request that is not allowed, or whose
 * body is too large, gets its error response before the body is read. */
static enum MHD_Result look_at_headers(struct exchange *exchange, struct MHD_Connection *connection,
                                       const char *method)
{
    struct sc_request request = request_of(exchange, connection, method);
    struct sc_response response = {0};
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    exchange->is_begun = true;
    exchange->body_limit = sc_site_body_limit(exchange->http->site, &request);
    if (!sc_site_admits(exchange->http->site, &request, &response))
        return send_response(exchange, connection, &response);
    if (length != NULL && strtoull(length, NULL, 10) > exchange->body_limit) {
        sc_response_fail(&response, SC_STATUS_TOO_LARGE, "that is more than can be taken");
        return send_response(exchange, connection, &response);
    }
    return MHD_YES;
}

static void take_body(struct exchange *exchange, const char *bytes, size_t length)
{
    if (length > exchange->body_limit - exchange->body.length) {
        exchange->is_too_large = true;
        sc_str_done(&exchange->body);
        exchange->body_limit = 0;
    } else {
        sc_str_add_bytes(&exchange->body, bytes, length);
    }
}

/* Called once for the headers, for each piece of the body, and at its end. */
static enum MHD_Result handle(void *http, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *bytes,
                              size_t *length, void **state)
{
    (void)http;
    (void)url;
    (void)version;
    struct exchange *exchange = *state;
    if (!exchange->is_begun)
        return look_at_headers(exchange, connection, method);
    if (*length > 0) {
        take_body(exchange, bytes, *length);
        *length = 0;
        return MHD_YES;
    }
    struct sc_request request = request_of(exchange, connection, method);
    struct sc_response response = {0};
    if (exchange->is_too_large)
        sc_response_fail(&response, SC_STATUS_TOO_LARGE, "that is more than can be taken");
    else
        sc_site_answer(exchange->http->site, &request, &response);
    return send_response(exchange, connection, &response);
}

/* A connection beyond the limit is closed. Only the acceptor's thread increments the count. For a
 * connection that libmicrohttpd has no memory for, leave() is not called: it stays counted until
 * the server ends. */
static void enter(void *context, int connection, const struct sockaddr *from, socklen_t length)
{
    struct sc_http *http = context;
    if (http->connections >= CONNECTIONS) {
        (void)close(connection);
        return;
    }
    http->connections++;
    if (MHD_add_connection(http->daemon, connection, from, length) != MHD_YES)
        http->connections--; /* libmicrohttpd has closed it */
}

static void leave(void *context, struct MHD_Connection *connection, void **state,
                  enum MHD_ConnectionNotificationCode what)
{
    struct sc_http *http = context;
    (void)connection;
    (void)state;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        http->connections--;
}

struct sc_http *sc_http_start(struct sc_site *site, int listening, struct sc_err *err)
{
    struct sc_http *http = sc_alloc(1, sizeof(*http));
    http->site = site;
    http->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ITC | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET,
        0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL,
        MHD_OPTION_URI_LOG_CALLBACK, begin, http, MHD_OPTION_NOTIFY_COMPLETED, end, http,
        MHD_OPTION_NOTIFY_CONNECTION, leave, http, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_CONNECTION_LIMIT, UINT_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_END);
    if (http->daemon == NULL) {
        (void)close(listening);
        (void)sc_fail(err, SC_ERR_FAILED, "the page's server could not be started");
    } else {
        http->acceptor = acceptor_open(listening, enter, http, err);
    }
    if (http->acceptor != NULL)
        return http;
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    free(http);
    return NULL;
}

void sc_http_stop(struct sc_http *http)
{
    http->ended = true;
    acceptor_close(http->acceptor);
    MHD_stop_daemon(http->daemon);
    free(http);
}
