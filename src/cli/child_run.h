/*
 * cli/child_run.h - a run whose profile is shown while it goes on: this program, started again as a
 * child that writes the profile again and again.
 *
 * The one who shows it only looks at a file. So what is measured is what `scalene run` and `scalene
 * attach` measure, and neither a slow terminal nor a slow browser holds up the observer.
 *
 *     sc_child_run_start(&child, &wish, err)
 *     while (sc_child_run_look(&child))             several times a second
 *         if (child.has_news) sc_child_run_read(&child, &profile, err)
 *     sc_child_run_done(&child)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "cli/options.h"
#include "profile/profile.h"

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

struct sc_child_options {
    const struct sc_child_words *words;
    double interval_s;   /* between two profiles */
    const char *outfile; /* where the profile is written, and stays; NULL: in a private folder */
    /* The program's output and the child's messages go into a file, its input is empty, and it is
     * in a session of its own: neither the terminal nor its keys reach it. */
    bool is_apart;
};

/* Initialise with {0}. */
struct sc_child_run {
    pid_t pid; /* 0: not started, or ended */
    bool is_apart;
    bool has_news; /* there is a profile that sc_child_run_read has not read */
    int status;    /* as wait(2) has it, once pid is 0 */
    char *folder;  /* private, for the files; NULL: the profile is kept elsewhere */
    char *profile_path;
    char *output_path; /* of a child that is apart: what it and its program have printed */
    struct stat seen;  /* the profile's file, when it was last looked at */
};

/* Starts the child. To be called before signals are ignored, or if it is not apart blocked, which
 * it would inherit. */
bool sc_child_run_start(struct sc_child_run *child, const struct sc_child_options *wish,
                        struct sc_err *err);

/* Sees whether there is a new profile, and whether the child has ended. False once it has: its
 * last profile, if there is one, may still be news then. A profile that was there before the child
 * is none. */
bool sc_child_run_look(struct sc_child_run *child);

/* Reads the newest profile, which may be empty while nothing has been measured. ret_profile is set
 * on success only. */
bool sc_child_run_read(struct sc_child_run *child, struct sc_profile *ret_profile,
                       struct sc_err *err);

/* Sends a signal as a terminal does: a child that is apart gets it with the program and the
 * program's own children, another one alone, which hands it on. A child that is attached ends by
 * SIGINT or SIGTERM, and its process goes on. Nothing when it has ended. */
void sc_child_run_signal(const struct sc_child_run *child, int number);

/* Ends a child that still runs, and its program with it, at first by SIGTERM and after some seconds
 * by SIGKILL. Removes the files, but keeps output that is not empty, whose path is then to be told
 * beforehand. Takes a child that was never started. */
void sc_child_run_done(struct sc_child_run *child);
