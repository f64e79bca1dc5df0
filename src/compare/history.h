/*
 * compare/history.h - which profiles are of one version of a program, and which version came first.
 *
 * A version is a commit of git. A profile without one is a version by itself. Versions are in the
 * order of their commits where that is known, else of their first runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

struct sc_history_run {
    char *path;
    char *commit; /* NULL: not known */
    double started_s;
};

struct sc_history_version {
    size_t first, count; /* of the runs */
    double started_s;    /* the first of them */
};

/* Initialise with {0}. */
struct sc_history {
    SC_VEC(struct sc_history_run) runs;
    SC_VEC(struct sc_history_version) versions; /* after sc_history_order, the oldest first */
    bool is_by_commit;                          /* their order */
};

/* path: of the profile, from which no more than this is kept. */
void sc_history_add(struct sc_history *history, const char *path, const struct sc_profile *profile);

/* Each commit once, to be freed with the list; empty where a run has none, so that they decide
 * nothing. */
struct sc_history_commits {
    const char **items; /* the runs' */
    size_t count;
    size_t capacity;
};
struct sc_history_commits sc_history_commits(const struct sc_history *history);

/* Puts the runs in order and finds the versions. order: commits, one on each line, the oldest
 * first; it counts only where it has all of them, and may be NULL. */
void sc_history_order(struct sc_history *history, const char *order);

/* What a version is called: the first digits of its commit, or the name of its file. Owned by the
 * caller. */
char *sc_history_name(const struct sc_history *history, size_t version);

void sc_history_done(struct sc_history *history);
