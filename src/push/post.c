/* push/post.c - see post.h. SPDX-License-Identifier: Apache-2.0 */
#include "push/post.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"

#define CONNECT_TIMEOUT_MS 5000L
#define TIMEOUT_MS         30000L
#define POLL_MS            100
#define ANSWER_BYTES_MAX   65536U /* it is not read; more than that is no answer */

void sc_push_request_done(struct sc_push_request *request)
{
    free(request->url);
    sc_str_done(&request->body);
}

static size_t drop(char *bytes, size_t size, size_t count, void *context)
{
    size_t *seen = context;
    (void)bytes;
    *seen += size * count;
    return *seen <= ANSWER_BYTES_MAX ? size * count : 0;
}

static void add_header(struct sc_poster *poster, const char *header)
{
    poster->headers = poster->curl->slist_append(poster->headers, header);
}

/* What all requests have. */
static bool begin(struct sc_poster *poster)
{
    const struct sc_curl *curl = poster->curl;
    bool is_otlp = poster->target->kind == SC_PUSH_OTLP;
    poster->multi = curl->multi_init();
    CURL *handle = poster->handle = curl->easy_init();
    if (poster->multi == NULL || handle == NULL)
        return false;
    add_header(poster, "expect:");
    /* the body of pprof is zipped in itself; one of a form's type would be read as a form */
    add_header(poster, is_otlp ? "content-type: application/x-protobuf"
                               : "content-type: application/octet-stream");
    if (is_otlp)
        add_header(poster, "content-encoding: gzip");
    if (poster->target->token != NULL) {
        char *header = sc_format("authorization: Bearer %s", poster->target->token);
        add_header(poster, header);
        explicit_bzero(header, strlen(header));
        free(header);
    }
    sc_curl_prepare(handle, poster->target->url, poster->headers);
    (void)curl->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
    (void)curl->easy_setopt(handle, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    (void)curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, drop);
    (void)curl->easy_setopt(handle, CURLOPT_POST, 1L);
    return true;
}

static CURLcode transfer(struct sc_poster *poster, const _Atomic uint64_t *deadline_ns)
{
    const struct sc_curl *curl = poster->curl;
    int running = 1;
    int left = 0;
    while (running > 0 && sc_now_ns() < atomic_load(deadline_ns)) {
        if (curl->multi_perform(poster->multi, &running) != CURLM_OK)
            return CURLE_FAILED_INIT;
        if (running > 0)
            (void)curl->multi_poll(poster->multi, NULL, 0, POLL_MS, NULL);
    }
    for (CURLMsg *message; (message = curl->multi_info_read(poster->multi, &left)) != NULL;) {
        if (message->msg == CURLMSG_DONE)
            return message->data.result;
    }
    return CURLE_OPERATION_TIMEDOUT;
}

struct sc_posted sc_post(struct sc_poster *poster, const struct sc_push_request *request,
                         const _Atomic uint64_t *deadline_ns)
{
    const struct sc_curl *curl = poster->curl;
    struct sc_posted posted = {.code = CURLE_FAILED_INIT};
    curl_off_t asked_s = 0;
    size_t seen = 0;
    if (poster->handle == NULL && !begin(poster))
        return posted;
    (void)curl->easy_setopt(poster->handle, CURLOPT_URL, request->url);
    (void)curl->easy_setopt(poster->handle, CURLOPT_WRITEDATA, &seen);
    (void)curl->easy_setopt(poster->handle, CURLOPT_POSTFIELDS, request->body.data);
    (void)curl->easy_setopt(poster->handle, CURLOPT_POSTFIELDSIZE_LARGE,
                            (curl_off_t)request->body.length);
    (void)curl->multi_add_handle(poster->multi, poster->handle);
    posted.code = transfer(poster, deadline_ns);
    (void)curl->easy_getinfo(poster->handle, CURLINFO_RESPONSE_CODE, &posted.status);
    (void)curl->easy_getinfo(poster->handle, CURLINFO_RETRY_AFTER, &asked_s);
    posted.asked_s = (long)asked_s;
    (void)curl->multi_remove_handle(poster->multi, poster->handle);
    return posted;
}

void sc_poster_done(struct sc_poster *poster)
{
    if (poster->handle != NULL)
        poster->curl->easy_cleanup(poster->handle);
    if (poster->multi != NULL)
        (void)poster->curl->multi_cleanup(poster->multi);
    for (struct curl_slist *header = poster->headers; header != NULL; header = header->next)
        explicit_bzero(header->data, strlen(header->data));
    if (poster->headers != NULL)
        poster->curl->slist_free_all(poster->headers);
    poster->handle = NULL;
}
