/*
 * push/sender.h - sends requests in their order, in a thread of its own, again where that helps.
 *
 * Nobody waits for it. What is not sent yet is bounded: where there is no room, the next push
 * comes later, and covers a longer time. A request is lost if the receiver refuses it, or answers
 * it with errors of its own again and again, or if the end of the run comes first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "push/post.h"

struct sc_sender;

struct sc_push_losses {
    unsigned pushes; /* of which all or a part was lost */
    double span_s;   /* of the run */
    char why[128];   /* the last one: "it answered 500"; "" where nothing was lost */
};

/* The target is borrowed. No thread is started yet. */
struct sc_sender *sc_sender_new(const struct sc_curl *curl, const struct sc_push_target *target);

bool sc_sender_has_room(struct sc_sender *sender);

/* Takes the request over. */
void sc_sender_add(struct sc_sender *sender, struct sc_push_request *request);

/* Waits until all is sent, for a few seconds at most, less if a signal of the user's comes; what is
 * left then is lost. */
void sc_sender_end(struct sc_sender *sender, struct sc_push_losses *ret_losses);

/* Whether a thread that did not stop in time may still run, within a library: the process must not
 * end in a way that calls what libraries do at the end. */
bool sc_sender_is_left(void);

/* NULL is allowed. */
void sc_sender_free(struct sc_sender *sender);
