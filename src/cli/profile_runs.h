/*
 * cli/profile_runs.h - the profiles of several runs, as files and folders name them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

/* Each owned. Initialise with {0}. */
struct sc_profile_paths SC_VEC_OF(char *);

/* Adds a file, or for a folder the profiles in it: its *.json, by name. command: what messages
 * begin with. */
bool sc_profile_paths_add(struct sc_profile_paths *paths, const char *operand, const char *command,
                          struct sc_err *err);
/* Leaves out, and says so, files that are there already: their numbers would count as those of a
 * further run. */
void sc_profile_paths_once(struct sc_profile_paths *paths);
void sc_profile_paths_done(struct sc_profile_paths *paths);

/* Of one version of a program. Initialise with {0}. */
struct sc_profile_runs SC_VEC_OF(struct sc_profile);

/* Reads one more, slimmed by the first (compare/compare.h). One without data is refused. */
bool sc_profile_runs_add(struct sc_profile_runs *runs, const char *path, const char *command,
                         struct sc_err *err);
void sc_profile_runs_done(struct sc_profile_runs *runs);
