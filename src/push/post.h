/*
 * push/post.h - sends one request over HTTP, by libcurl.
 *
 * No redirect is followed, certificates are checked, and what is answered is not kept. Proxies are
 * those of the environment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

#include "assist/curl.h"
#include "base/str.h"
#include "push/target.h"

/* A request, with what is told of it should it get lost. */
struct sc_push_request {
    char *url; /* owned */
    struct sc_str body;
    unsigned push; /* which one it is a part of */
    double span_s; /* how much of the run that is */
};

void sc_push_request_done(struct sc_push_request *request);

struct sc_posted {
    long status;  /* 0: no answer */
    long asked_s; /* after which time to come again, 0: not said */
    CURLcode code;
};

struct sc_poster {
    const struct sc_curl *curl;
    const struct sc_push_target *target;
    CURL *handle; /* keeps its connection; NULL: not begun */
    CURLM *multi;
    struct curl_slist *headers;
};

/* Waits for the answer, for half a minute at most, and not beyond *deadline_ns, which another
 * thread may set meanwhile. */
struct sc_posted sc_post(struct sc_poster *poster, const struct sc_push_request *request,
                         const _Atomic uint64_t *deadline_ns);

void sc_poster_done(struct sc_poster *poster);
