/*
 * server/request.h - a request and its response, without the socket between them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Borrowed, and valid while the response is made. */
struct sc_request {
    const char *method;
    const char *target; /* as it came: "/TOKEN/api/file?file=0", percent signs and all */
    const char *host;   /* the header; NULL without one */
    const char *origin; /* the header; NULL without one */
    const char *body;   /* a NUL follows it; "" without one */
    size_t body_length;
};

/* Where a stream learns whether its reader is still connected. */
struct sc_listener {
    int fd;                   /* of the connection, or -1 */
    const atomic_bool *ended; /* the server ends; may be NULL */
};

/* False when the other side has closed, or the server ends. */
bool sc_is_wanted(const struct sc_listener *listener);

/* A body that is sent in pieces, for results that take time. Each connection has a thread of its
 * own, so more() may wait; it should look at sc_is_wanted about once a second meanwhile. */
struct sc_stream {
    /* Fills in up to size bytes and returns how many; 0 is the end. NULL: there is no stream. */
    size_t (*more)(void *state, char *bytes, size_t size, const struct sc_listener *listener);
    void (*done)(void *state); /* frees the state; called once, read to the end or not */
    void *state;
};

enum sc_status {
    SC_STATUS_OK = 200,
    SC_STATUS_SEE_OTHER = 303,
    SC_STATUS_BAD = 400,
    SC_STATUS_FORBIDDEN = 403,
    SC_STATUS_MISSING = 404,
    SC_STATUS_METHOD = 405,
    SC_STATUS_TOO_LARGE = 413,
    SC_STATUS_FAILED = 500,
};

/* Initialise with {0}. The body is the stream, else the borrowed bytes, else the text. */
struct sc_response {
    enum sc_status status;
    const char *type; /* a constant */
    uint64_t version; /* of the profile that the answer is about (site.h); 0: about none */
    struct sc_stream stream;
    const char *bytes; /* constants */
    size_t length;
    struct sc_str text;
    const char *allow; /* of SC_STATUS_METHOD: a constant */
    char *location;    /* of SC_STATUS_SEE_OTHER; owned */
};

void sc_response_done(struct sc_response *response);

/* {"error": text} with the status. */
void sc_response_fail(struct sc_response *response, enum sc_status status, const char *text);

/* The type of most responses. */
#define SC_TYPE_JSON "application/json"
