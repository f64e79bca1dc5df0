/*
 * source/entry_point.h - console scripts: files that installers write, to start what a package
 * offers as a command.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* No installer writes a longer one. */
#define SC_CONSOLE_SCRIPT_BYTES_MAX 4096U

/* The package whose entry point the text does no more than import and call, without the underscores
 * it begins with ("pytest" for _pytest.config); to be freed. NULL: the text is no console script.
 * As written by pip, distlib, uv, poetry, conda and setuptools. */
char *sc_entry_point_package(const char *text, size_t length);
