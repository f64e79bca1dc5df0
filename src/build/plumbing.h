/*
 * build/plumbing.h - which native functions only pass a call on: the interpreter's between two
 * frames of Python, and the start of programs and threads.
 *
 * They cost next to nothing, and there are many of them, with other names in each version. A chart
 * is easier to read without them (the observer leaves out the functions that are part of every
 * call, and cannot recognise the others by their addresses).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* By the path of the module's file and the name of the function. */
bool sc_plumbing_is(const char *module, const char *name);
