/*
 * cli/script.h - which Python a script names in its first lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* The Python that the kernel starts for this script: a path, or the name that env looks for. Owned
 * by the caller; NULL for all other files. */
char *sc_script_python(const char *path);

/* That Python, where it lies beside the script, as installers write console scripts. Links to the
 * script are followed, as pipx and `uv tool` make them. Owned by the caller; else NULL. */
char *sc_script_neighbour(const char *path);

/* Whether the file is a program in machine code. */
bool sc_script_is_machine_code(const char *path);
