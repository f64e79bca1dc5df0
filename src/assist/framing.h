/*
 * assist/framing.h - a streamed answer, cut into its pieces as the bytes come in.
 *
 * The bytes come from outside: whatever they are, the result is pieces or an error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/provider.h"

/* One piece: its text, and its type where that is outside of the text, else "". */
typedef void sc_ai_take_frame(void *context, const char *text, size_t length, const char *type);

/* Initialise with {0} and the kind. */
struct sc_ai_frames {
    enum sc_ai_framing kind;
    sc_ai_take_frame *take;
    void *context;
    struct sc_str pending; /* bytes of an incomplete line or message */
    struct sc_str event;   /* lines of data of the event that is being read */
};

/* Passes on every piece that is complete now. False when the bytes are not such a stream. */
bool sc_ai_frames_add(struct sc_ai_frames *frames, const char *bytes, size_t length,
                      struct sc_err *err);

/* The stream is over: passes on what its last line may still hold. */
void sc_ai_frames_end(struct sc_ai_frames *frames);

void sc_ai_frames_done(struct sc_ai_frames *frames);
