/*
 * observer/system/executable.h - whether the agent can be loaded into the process that executes a
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/helper.h"

/* Only regular files are opened, and read in bounded parts. */

/* Whether the file is an ELF executable without a program interpreter. */
bool sc_executable_is_static(const char *path);

/* Why a process of our user that executes this file is not followed although it may be or start a
 * Python; for a script, its interpreter is examined. The text continues a sentence about the file,
 * such as "is set-uid"; NULL: no reason. */
const char *sc_executable_obstacle(const char *path);

/* Finds the file that a name stands for, which is searched in our PATH if it has no slash. Answers
 * with its path and the obstacle, or "", each with its NUL; with nothing when there is no file. */
sc_helper_work sc_executable_examine;
