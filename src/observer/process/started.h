/*
 * observer/process/started.h - what a Python was started to run, by its command line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

/* At most one of the first three is set; all point into the words. */
struct sc_started {
    const char *module; /* of -m */
    const char *script;
    const char *text;      /* of -c */
    const char *arguments; /* the first of the words behind it; NULL: none */
};

/* words: a command line as in /proc/PID/cmdline, each word ended by a zero; words[length] is 0. */
struct sc_started sc_started_of(const char *words, size_t length);

/* The length of the package's name that a word may begin with, as in `pytest --pyargs pkg.tests` or
 * `gunicorn pkg.app:app`; 0 when it names none. */
size_t sc_started_package(const char *word);
