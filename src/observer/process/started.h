/*
 * observer/process/started.h - what a Python was started to run, by its command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* Both are NULL where the code that runs has no file, or is not known; else one is set and points
 * into the words. */
struct sc_started {
    const char *module; /* of -m */
    const char *script;
    const char *text; /* of -c */
};

/* words: a command line as in /proc/PID/cmdline, each word ended by a zero; words[length] is 0. */
struct sc_started sc_started_of(const char *words, size_t length);
