/*
 * observer/process/examiner.h - looks at the files that a program executes, in a thread of its own.
 *
 * The program chooses the names, and to look at such a file may block: it may be on a server that
 * does not answer, or in a file system of the program's own. So the observer's loop asks,
 * continues, and takes the answer when it writes the profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_examiner;

/* What was found out about a file. */
struct sc_examined {
    char *path; /* where it is; NULL when it is not there, or not known yet. To be freed */
    const char *obstacle; /* as in executable.h */
};

/* Never NULL. The thread begins with the first question. */
struct sc_examiner *sc_examiner_new(void);

/* Asks about a name, which is copied; returns the question's number, counted from 0. Without a
 * slash it is searched in our PATH. Never waits. */
uint32_t sc_examiner_ask(struct sc_examiner *examiner, const char *name);

/* Waits until everything is answered, a quarter of a second at most. */
void sc_examiner_wait(struct sc_examiner *examiner);

struct sc_examined sc_examiner_answer(struct sc_examiner *examiner, uint32_t number);

/* Takes NULL. A thread that is blocked is left running; it frees what it uses when it continues. */
void sc_examiner_free(struct sc_examiner *examiner);
