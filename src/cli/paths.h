/*
 * cli/paths.h - names of files as users write them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* New strings, owned by the caller. */

/* With "~" or "~/" at the front replaced by $HOME. */
char *sc_path_expand(const char *path);

/* Against the working directory; links and ".." are left as they are. */
char *sc_path_absolute(const char *path);

/* Without the last component. */
char *sc_path_directory(const char *path);

/* The file that execvp would start for this word, or NULL. */
char *sc_path_find_command(const char *word);
