/*
 * assist/command.h - what measuring would run, for the user who has to allow it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assist/answer.h"
#include "assist/terms.h"

/* All owned; safe to be shown (sc_visible_add). */
struct sc_ai_command {
    char *line;   /* as one would type it; NULL: there is none that may be run */
    char *why;    /* why there is none; NULL */
    char *folder; /* the folder that is copied; it is started in the copy. NULL: none is known */
};

void sc_ai_command_describe(const struct sc_ai_proposal *proposal, const struct sc_ai_trial *trial,
                            struct sc_ai_command *ret_command);
void sc_ai_command_done(struct sc_ai_command *command);

/* Whether the profiled program is a file that can be read; else the name of a module is meant.
 * False, with err set, when its command must not be run or cannot be known. */
bool sc_ai_command_check(const struct sc_ai_program *program, bool *ret_is_file,
                         struct sc_err *err);

/* Where the program is started, relative to the root: the current directory if it is below the
 * root, else "". Owned. */
char *sc_ai_command_directory(const char *root);
