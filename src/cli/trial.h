/*
 * cli/trial.h - runs a program of ours as `scalene run` runs a program of the user's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "profile/profile.h"

/* What became of it. Initialise with {0}. */
struct sc_trial {
    bool is_started;      /* there was a folder for its files, and a process for it */
    int status;           /* as wait(2) has it, of `scalene run` */
    struct sc_str output; /* what the program printed */
    struct sc_str errors; /* what it and `scalene run` wrote on standard error */
    bool has_profile;
    struct sc_profile profile;
};

/* program: a name in sc_own_programs. python: as for --python; NULL: the usual one. False when it
 * could not be tried at all; a program or a profile that fails is no failure here. A signal that
 * ends us does so once nothing is left of the run. */
bool sc_trial_run(const char *program, const char *python, struct sc_trial *ret_trial,
                  struct sc_err *err);

void sc_trial_done(struct sc_trial *trial);

/* The value of a line KEY=VALUE that the program has printed, to be freed, or NULL. */
char *sc_trial_value(const struct sc_trial *trial, const char *key);

/* Why there is no profile, or an empty one, to be freed, or NULL when neither is so. err: what
 * sc_trial_run has set where it has failed. */
char *sc_trial_obstacle(const struct sc_trial *trial, const struct sc_err *err);
