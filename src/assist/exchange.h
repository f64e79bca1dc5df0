/*
 * assist/exchange.h - one request and what has come back of it; between client.c and its parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/client.h"
#include "assist/framing.h"

struct sc_ai_exchange {
    const struct sc_ai_settings *settings;
    const struct sc_ai_watch *watch; /* never NULL */
    const struct sc_ai_request *request;
    bool is_question;   /* not a list of models */
    long status;        /* of HTTP; 0 before */
    bool is_whole_json; /* the answer is one JSON text */
    long wait_s;        /* what the service asked to be left alone for */
    struct sc_str body; /* of an error, or of a whole answer */
    struct sc_ai_frames frames;
    struct sc_ai_reply reply;
    size_t told; /* of reply.text, bytes that the watch has */
    size_t received;
    bool is_over;          /* no more bytes come */
    struct sc_err trouble; /* what ended it from within */
};

/* Takes in bytes of the body, status and is_whole_json being known. False ends the transfer. */
bool sc_ai_exchange_take(struct sc_ai_exchange *exchange, const char *bytes, size_t length);

/* The transfer is over: what a whole answer holds is taken in. */
void sc_ai_exchange_end(struct sc_ai_exchange *exchange);

/* Whether the exchange has brought what it was for; else one sentence. */
bool sc_ai_exchange_judge(const struct sc_ai_exchange *exchange, struct sc_err *err);

/* Whether the service has said that it did nothing and might if asked again now. */
bool sc_ai_exchange_may_repeat(const struct sc_ai_exchange *exchange);

void sc_ai_exchange_done(struct sc_ai_exchange *exchange);
