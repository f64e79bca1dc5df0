/*
 * assist/client.h - asks a service: sends a request, follows the answer, reports errors.
 *
 * No redirect is followed, and certificates are checked. Proxies are those of the environment.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/provider.h"
#include "assist/watch.h"

/* How long a service may be silent, in seconds; $SCALENE_AI_TIMEOUT sets another time. A local
 * model has to be loaded first. */
#define SC_AI_SILENCE_S 300

/* Waits for the whole answer and adds it to ret_text. The watch gets each part of it as it comes.
 * False, with one sentence in err, on any error; "cancelled" when the question was cancelled. No
 * message holds a key. */
bool sc_ai_ask(const struct sc_ai_settings *settings, const struct sc_ai_question *question,
               const struct sc_ai_watch *watch, struct sc_str *ret_text, struct sc_err *err);

/* Adds the names of the models there are, those of the built-in list where the service has none;
 * last, those that seem to be for something else than questions. */
bool sc_ai_list(const struct sc_ai_settings *settings, const struct sc_ai_watch *watch,
                struct sc_texts *ret_models, struct sc_err *err);
