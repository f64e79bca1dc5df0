/*
 * mcp/channel.h - messages of JSON-RPC 2.0, one on each line, from and to the client.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>

#include "base/str.h"

/* Codes of https://www.jsonrpc.org/specification#error_object */
enum {
    SC_RPC_NO_JSON = -32700,
    SC_RPC_NO_REQUEST = -32600,
    SC_RPC_NO_METHOD = -32601,
    SC_RPC_WRONG_PARAMETERS = -32602,
};

struct sc_mcp_channel {
    int in, out;
    const volatile sig_atomic_t *is_stopping; /* then no answer waits for its reader */
    struct sc_str read;                       /* bytes that are not a whole line yet */
    json_t *batch;                            /* of a line that is a list; NULL before the first */
    size_t batch_at;                          /* the next of it */
    bool is_skipping;                         /* the line is longer than any that is taken */
    bool has_ended;                           /* nothing will come any more */
    bool has_failed;                          /* nothing can be written any more */
};

void sc_mcp_channel_done(struct sc_mcp_channel *channel);

/* The next message that is an object, also out of a list of them; what is none is answered with an
 * error. timeout_ms: how long to wait for one. NULL when there is none, the channel has
 * ended, or a signal came. To be freed. */
json_t *sc_mcp_receive(struct sc_mcp_channel *channel, int timeout_ms);

/* Takes over the reference to message. */
void sc_mcp_send(struct sc_mcp_channel *channel, json_t *message);

/* Take over the reference to result; id is borrowed. */
void sc_mcp_reply(struct sc_mcp_channel *channel, json_t *id, json_t *result);
void sc_mcp_reply_error(struct sc_mcp_channel *channel, json_t *id, int code, const char *text);
