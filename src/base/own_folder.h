/*
 * base/own_folder.h - folders in which no other user can create or replace files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* The value of an environment variable, if it is an absolute path; else NULL. Not owned. */
const char *sc_path_of_variable(const char *name);

/* Whether the path leads to a directory of this user that no other user can write to. */
bool sc_is_own_folder(const char *path);

/* A new folder that only this user can look into, in the first place for temporary files that takes
 * one and has room: its path, to be freed and the folder to be removed by the caller; NULL, with
 * err set, where none does. */
char *sc_new_private_folder(struct sc_err *err);
