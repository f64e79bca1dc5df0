/*
 * assist/terms.h - how a proposal is tried.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

/* How it is tried. Initialise with {0}. */
struct sc_ai_trial {
    const char *scalene; /* path of the command; NULL: this program itself */
    const char *command; /* for a shell; NULL: the profiled program with its arguments */
    const char *python;  /* the interpreter, for the profiled program; NULL: as `scalene run` */
    unsigned rounds;     /* of each version; 0: as many as fit, SC_AI_ROUNDS at most */
    /* called when each run has ended; may be NULL */
    void (*progress)(void *context, const char *sentence);
    bool (*is_cancelled)(void *context);
    void *context;
};

enum { SC_AI_ROUNDS = 5, SC_AI_ROUNDS_MAX = 50 };
