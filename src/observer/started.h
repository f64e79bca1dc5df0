/*
 * observer/started.h - what a Python was started to run, by its command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* Both NULL where code runs that has no file, or no more is known; else one of them, in the words.
 */
struct sc_started {
    const char *module; /* of -m */
    const char *script;
};

/* words: a command line as in /proc/PID/cmdline, each word ended by a zero; words[length] is 0. */
struct sc_started sc_started_of(const char *words, size_t length);
