/*
 * assist/root.h - the directory of a program, out of which nothing is written or copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/place.h"

/* The directory that the file lies in, both without links: that of the program or of the code in
 * scope, as the run has it; where this user has not made the run, the working directory, since a
 * profile may name any. False, with err set, when the file lies elsewhere. */
bool sc_ai_root_find(const struct sc_ai_program *program, const char *path, char **ret_root,
                     struct sc_err *err);

/* Whether path is below directory; both absolute. */
bool sc_ai_is_below(const char *path, const char *directory);
