/*
 * assist/root.h - the directory of a program, out of which nothing is written or copied.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/place.h"

/* The directory below which the file is, both with links resolved: that of the code in scope or of
 * the program, as the profile records them; for a run of another user, whose profile may name any
 * directory, the current one. False, with err set, when the file is not below it. */
bool sc_ai_root_find(const struct sc_ai_program *program, const char *path, char **ret_root,
                     struct sc_err *err);

/* The path of a file with links resolved, owned; NULL, with err set, where there is no such file.
 */
char *sc_ai_real_path(const char *path, struct sc_err *err);

/* Whether path is below directory; both absolute. */
bool sc_ai_is_below(const char *path, const char *directory);
