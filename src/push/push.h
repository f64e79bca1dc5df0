/*
 * push/push.h - sends what a program costs to another machine while it runs.
 *
 * Each push has what was measured since the last one (export/deltas.h), with the labels of the run.
 * Making it is the observer's work; sending it is that of a thread of its own (sender.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "profile/profile.h"

struct sc_push;

/* address, token_file: as in target.h. service: the name that the receiver shows, NULL for the
 * program's. NULL, with err set, where it cannot be done. */
struct sc_push *sc_push_new(const char *address, const char *service, const char *token_file,
                            struct sc_err *err);

/* False while too much has not been sent yet. This and the next two are the callbacks of a run
 * (observer/link/run_plan.h); context: the push. */
bool sc_push_has_room(void *context);

/* Takes what has come to the profile of the run so far. Never waits. */
void sc_push_take(void *context, const struct sc_profile *profile);

/* Takes the rest, and waits a few seconds until all is sent. The sentence about what got lost, to
 * be freed; NULL where nothing was. */
char *sc_push_end(void *context, const struct sc_profile *profile);

/* Ends the process with the status where its usual end could meet a thread that still sends
 * (sender.h); otherwise returns it. */
int sc_push_leave(int status);

/* NULL is allowed. */
void sc_push_free(struct sc_push *push);
