/*
 * observer/executable.h - whether the agent can be loaded into what a file becomes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Only regular files are opened, and read in bounded parts. */

/* Whether the file is an ELF executable without a program interpreter. */
bool sc_executable_is_static(const char *path);

/* Why what is executed by this name, by a process of our user, is not followed although it may be
 * or start a Python; of a script, its interpreter counts. "is set-uid", to be said of the file, or
 * NULL. */
const char *sc_executable_obstacle(const char *path);
