/*
 * profile/labels.h - where and of what a run was: its rank, host, job, commit, what the user says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "profile/profile.h"

/* Names of labels that the program itself sets (cli/run_labels.c). */
#define SC_LABEL_RANK       "rank"
#define SC_LABEL_LOCAL_RANK "local_rank"
#define SC_LABEL_WORLD_SIZE "world_size"
#define SC_LABEL_NODE       "node"
#define SC_LABEL_JOB        "job"
#define SC_LABEL_POD        "pod"
#define SC_LABEL_WORKER     "worker"
#define SC_LABEL_HOST       "host"
#define SC_LABEL_CONTAINER  "container"
#define SC_LABEL_COMMIT     "commit"

/* Labels of a merged profile that no other may have: how many it is of. */
#define SC_LABEL_RANKS    "ranks"
#define SC_LABEL_PROFILES "profiles"

/* Of a name, and of a value, in bytes. */
enum { SC_LABEL_NAME_MAX = 64, SC_LABEL_VALUE_MAX = 200 };

/* The value of that name, or NULL. Borrowed. */
const char *sc_label_of(const struct sc_labels *labels, const char *name);

/* Whether a value is the number of a rank, or of all. */
bool sc_label_is_number(const char *value);

/* Sets the value of that name. It is cut at SC_LABEL_VALUE_MAX; what is not UTF-8 becomes "?". */
void sc_labels_set(struct sc_labels *labels, const char *name, const char *value);

void sc_labels_copy(struct sc_labels *to, const struct sc_labels *from);
void sc_labels_done(struct sc_labels *labels);
