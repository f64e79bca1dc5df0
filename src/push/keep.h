/*
 * push/keep.h - leaves what a program costs in a folder while it runs, piece by piece.
 *
 * Each piece has what was measured since the last one (export/deltas.h), and what is in use at its
 * end, as a file of pprof. A piece is there whole or not at all, whatever ends the run. The oldest
 * are removed when all together are larger than they may be.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "profile/profile.h"

#define SC_KEEP_BYTES_MIN ((uint64_t)1 << 20U)

struct sc_keep;

/* The folder is made where it is not there yet. NULL, with err set, where it cannot be used. */
struct sc_keep *sc_keep_new(const char *folder, uint64_t bytes_max, struct sc_err *err);

/* This and the next two are the callbacks of a run (observer/link/run_plan.h). */
bool sc_keep_is_ready(void *context);
void sc_keep_take(void *context, const struct sc_profile *profile);

/* Takes the rest. The sentence about what got lost, to be freed; NULL where nothing was. */
char *sc_keep_end(void *context, const struct sc_profile *profile);

/* NULL is allowed. */
void sc_keep_free(struct sc_keep *keep);
