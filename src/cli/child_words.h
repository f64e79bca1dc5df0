/*
 * cli/child_words.h - the words of a command that shows a run while it goes on: its own options,
 * options of `run` or `attach`, and what is to be run or watched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "cli/options.h"

/* Items are borrowed from the command line. */
struct sc_child_words {
    pid_t pid;                 /* of the process that is to be watched; 0: a program is to be run */
    struct sc_words options;   /* of `run` */
    struct sc_words of_attach; /* of `attach` alone; none without a process */
    struct sc_words program;   /* as `run` takes it; empty: nothing was named */
};

/* Sorts the words behind the command verb. Its own options go to values, also those that `run` has
 * under the same name. What follows the program's name is the program's. A number is that of a
 * process. Initialise ret_words with {0}. */
bool sc_child_words_read(enum sc_verb verb, char *const *words, struct sc_values *values,
                         struct sc_child_words *ret_words, struct sc_err *err);

void sc_child_words_done(struct sc_child_words *words);
