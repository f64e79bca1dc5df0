/*
 * base/libraries.h - what a file of native code is, by its name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* Whether the file is a Python interpreter, or its library. */
bool sc_is_interpreter_file(const char *path);

/* Whether the file is part of C's run-time, an allocator, or what a sanitizer or this profiler has
 * put in between: the interpreter's own work calls these, too. */
bool sc_is_runtime_library(const char *path);
