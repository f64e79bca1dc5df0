/*
 * server/ai_stream.h - a task that takes long, as a stream of events for the page.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/session.h"
#include "server/request.h"

/* Begins the task in a thread of its own and fills in the stream of its events, which takes the
 * task over. The task is cancelled when the stream's reader has gone. On failure the task is
 * freed. */
bool sc_ai_stream_start(struct sc_ai_task *task, struct sc_stream *ret_stream, struct sc_err *err);
