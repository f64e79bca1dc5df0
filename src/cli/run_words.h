/*
 * cli/run_words.h - sorts the words of a `scalene run` line: our options, the interpreter's, the
 * program's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "observer/observer.h"

/* Words are borrowed from the command line, but for flags. */
struct sc_run_words {
    struct sc_words interpreter; /* flags for Python, with their arguments */
    char *flags;                 /* "-u" of "-um pkg": one of them, or NULL */
    bool found;                  /* something to run was named */
    enum sc_program_kind kind;
    char *program;           /* file, module, code or first word of the command */
    struct sc_words args;    /* the program's arguments, without the program */
    char *missing;           /* the first word that might have been a program but is no file */
    const char *typo;        /* an unknown option that looks like a mistyped one of ours, or NULL */
    const char *typo_meant;  /* that option's name */
    bool config_is_behind;   /* --config came behind the program, and may be its own */
    struct sc_words ignored; /* options of other versions of Scalene, and what follows them */
    bool ignored_is_behind;  /* one of them came behind the program, and may be its own */
};

#define SC_PROGRAMS_OWN "(write --- before options that are the program's own)"

/* Reads the words behind `run`. Options go to values; the rules are in docs/command-line.md. Stops
 * at once when help is asked for (its value is then set). words ends with NULL. is_old: the line
 * has the form that the original had before it had verbs, whose options are then ignored. */
bool sc_run_words_read(char *const *words, bool is_old, struct sc_values *values,
                       struct sc_run_words *ret_words, struct sc_err *err);

/* Whether the word is an option that the original had before it had verbs. */
bool sc_run_words_is_old(const char *word);

void sc_run_words_done(struct sc_run_words *words);
