/*
 * base/own_folder.h - folders in which no other user can create or replace files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* The value of an environment variable, if it is an absolute path; else NULL. Not owned. */
const char *sc_path_of_variable(const char *name);

/* Whether the path leads to a directory of this user that no other user can write to. */
bool sc_is_own_folder(const char *path);
