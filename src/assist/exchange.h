/*
 * assist/exchange.h - one request and its response; shared by client.c and its parts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/framing.h"
#include "assist/provider.h"
#include "assist/watch.h"

struct sc_ai_exchange {
    const struct sc_ai_settings *settings;
    const struct sc_ai_watch *watch; /* never NULL */
    const struct sc_ai_request *request;
    bool is_question;   /* not a list of models */
    long status;        /* of HTTP; 0 before */
    bool is_whole_json; /* the answer is one JSON text */
    long wait_s;        /* how long the service asks to wait before another request */
    struct sc_str body; /* of an error, or of a whole answer */
    struct sc_ai_frames frames;
    struct sc_ai_reply reply;
    size_t passed_bytes; /* bytes of reply.text that the watch was given */
    size_t received;
    bool is_over;          /* no more bytes come */
    struct sc_err trouble; /* our own error that ended it */
};

/* Takes in bytes of the body, status and is_whole_json being known. False ends the transfer. */
bool sc_ai_exchange_take(struct sc_ai_exchange *exchange, const char *bytes, size_t length);

/* The transfer is over: parses an answer that came as one JSON text. */
void sc_ai_exchange_end(struct sc_ai_exchange *exchange);

/* Whether the exchange has succeeded; else err gets one sentence. */
bool sc_ai_exchange_judge(const struct sc_ai_exchange *exchange, struct sc_err *err);

/* Whether the service has refused the request without processing it, as its response shows, and may
 * accept it when it is soon sent again. */
bool sc_ai_exchange_may_repeat(const struct sc_ai_exchange *exchange);

void sc_ai_exchange_done(struct sc_ai_exchange *exchange);
