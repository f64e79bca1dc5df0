/*
 * cli/name_pattern.h - names of files with places for what is known of a run:
 * "profile-{rank}.json".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <time.h>

#include "base/err.h"
#include "profile/labels.h"

/* What the places stand for: {pid}, {time}, and each label. */
struct sc_name_facts {
    const struct sc_labels *labels;
    long pid;
    time_t time;
};

/* *ret_name, owned by the caller, is the name with its places filled. "{{" is a brace. What a value
 * has that is no part of a file's name (a slash, a control character) becomes "_". False, with the
 * names that there are, where one is not known. */
bool sc_name_fill(const char *pattern, const struct sc_name_facts *facts, char **ret_name,
                  struct sc_err *err);

/* Whether two ranks of the run could get the same name by it. */
bool sc_name_is_shared(const char *pattern, const struct sc_labels *labels);
