/*
 * benchmark/timed_run.h - runs a command to its end and says what that took.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* All is borrowed. The command's input is empty, and it is in a session of its own.
 * It gets SIGTERM when the process that waits for it is killed. */
struct sc_timed_command {
    char *const *words; /* the first is found as a shell does; ended by NULL */
    char *const *environment;
    const char *directory; /* where it is started; NULL: here */
    const char *output;    /* the file that gets its output and its errors, from the start */
    double limit_s;        /* it is ended after that; 0: never */
    double grace_s;        /* it is ended by SIGINT, this much later, which is_cancelled may change,
                            * by SIGTERM, and killed 5 s or as much later again; 0: it is killed */
    bool (*is_cancelled)(void *context); /* or NULL; it is ended when that is true */
    void *context;
};

struct sc_timed_run {
    double elapsed_s;
    double cpu_s;      /* user and system, of all its processes that were waited for */
    double max_rss_mb; /* the most resident memory of any of these */
    int status;        /* exit status, negative: the signal that ended it */
};

/* False when it could not be started, or was ended by the limit or by the user. Processes that it
 * leaves in its process group are killed. */
bool sc_timed_run(const struct sc_timed_command *command, struct sc_timed_run *ret_run,
                  struct sc_err *err);
