/*
 * cli/profile_file.h - the profiles that a command is given, and the page that it writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

#define SC_DEFAULT_PROFILE "scalene-profile.json"

struct sc_page;

/* Reads a profile. ret_profile is set only on success; err is a sentence that names the file. */
bool sc_profile_file_read(const char *path, struct sc_profile *ret_profile, struct sc_err *err);

/* The same for a file that the server will read again and again. One of another profiler is
 * refused, as the server would refuse it when it is written anew. */
bool sc_profile_file_read_followed(const char *path, struct sc_profile *ret_profile,
                                   struct sc_err *err);

/* Writes the page as one file and says so. what: of what it is the page. */
bool sc_page_file_write(struct sc_page *page, const char *what, const char *path,
                        struct sc_err *err);

/* -------- the profiles of several runs, as files and folders name them -------- */

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
