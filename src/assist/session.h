/*
 * assist/session.h - the questions of the page about proposals: JSON in, JSON out.
 *
 * docs/design/0011-proposals.md lists them. A slow request is a task: it is prepared while the
 * profile is there, and run without it. Only what a service has proposed can be applied or run: the
 * page names a proposal by its number.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/input.h"
#include "assist/watch.h"
#include "base/err.h"
#include "base/str.h"

/* The proposals of one server, safe for several threads at a time. */
struct sc_ai_session;
/* python: the interpreter that programs are measured with, borrowed; NULL: as `scalene run`. */
struct sc_ai_session *sc_ai_session_new(const char *python);
void sc_ai_session_free(struct sc_ai_session *session);

void sc_ai_providers_json(struct sc_str *ret_json);
bool sc_ai_models_json(const struct sc_ai_body *body, const struct sc_ai_watch *watch,
                       struct sc_str *ret_json, struct sc_err *err);
bool sc_ai_prompt_json(const struct sc_ai_files *files, const struct sc_ai_body *body,
                       struct sc_str *ret_json, struct sc_err *err);
bool sc_ai_apply_json(struct sc_ai_session *session, const struct sc_ai_body *body,
                      struct sc_str *ret_json, struct sc_err *err);

/* A request that takes long. */
struct sc_ai_task;

/* NULL, with err set, when the request is not valid. */
struct sc_ai_task *sc_ai_task_ask(struct sc_ai_session *session, const struct sc_ai_files *files,
                                  const struct sc_ai_body *body, struct sc_err *err);
struct sc_ai_task *sc_ai_task_measure(struct sc_ai_session *session, const struct sc_ai_body *body,
                                      struct sc_err *err);

/* Callbacks for the events of a task. event is a word, json a whole text; the last event is "done"
 * or "error". */
struct sc_ai_follower {
    void (*event)(void *context, const char *event, const char *json);
    bool (*is_cancelled)(void *context);
    void *context;
};

/* Runs the task to its end, in any thread, once. */
void sc_ai_task_run(struct sc_ai_task *task, const struct sc_ai_follower *follower);
void sc_ai_task_free(struct sc_ai_task *task);
