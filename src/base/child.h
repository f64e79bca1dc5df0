/*
 * base/child.h - starts other programs, waits until they end, and ends them.
 *
 * A child is started by fork, and told what it needs by one struct. Between fork and exec it only
 * makes system calls, as another thread of ours may have held any lock.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

#define SC_CHILD_NOTHING (-1) /* instead of a descriptor: /dev/null */

#define SC_CHILD_OUR_STREAMS                                                                       \
    {                                                                                              \
        0, 1, 2                                                                                    \
    }
#define SC_CHILD_NO_STREAMS                                                                        \
    {                                                                                              \
        SC_CHILD_NOTHING, SC_CHILD_NOTHING, SC_CHILD_NOTHING                                       \
    }

/* All is borrowed. */
struct sc_child {
    const char *program;      /* its file; NULL: the first word, found as a shell finds it */
    char *const *words;       /* its command line, ended by NULL */
    char *const *environment; /* NULL: ours */
    const char *directory;    /* where it is started; NULL: here */
    int streams[3];       /* which descriptors of ours are its standard input, output and error */
    const sigset_t *mask; /* the signals that it blocks; NULL: those that we do */
    int end_signal;       /* it gets that when the thread that has started it ends; 0: none */
    bool is_apart; /* in a session of its own, so that no key of a terminal reaches it; it blocks no
                    * signals, and SIGPIPE ends it */
    bool has_streams_alone; /* it inherits no other descriptor */
    bool takes_our_place;   /* orphans that would become our children become its own */
    bool is_left;           /* it becomes no child of ours, and nobody waits for it */
};

/* Called first of all, before anything is opened. Where our parent ignores the ends of children
 * (SIGCHLD), so would we, and the kernel would say nothing of them. They are heeded from then on;
 * what sc_child_start starts ignores them as before. Standard streams that are closed are /dev/null
 * for us, so that no message is written to what is opened next, and closed for what we start. */
void sc_child_prepare(void);

/* Whether a terminal that is closed ends nothing, as nohup has it. Before SIGHUP is given another
 * action. */
bool sc_ignores_hangup(void);

/* Blocks the signals that end a program that does not expect them, but for those that are ignored.
 * ret_before: the mask before. */
void sc_hold_ends(sigset_t *ret_before);

/* Whether one of them has come while they are blocked. */
bool sc_is_told_to_end(void);

/* ret_pid is set on success only; of a child that is left it says nothing. */
bool sc_child_start(const struct sc_child *child, pid_t *ret_pid, struct sc_err *err);

/* Whether it has ended, or is no child of ours, after waiting for that no longer than limit_ms. It
 * is not reaped. */
bool sc_child_await(pid_t pid, unsigned limit_ms);

/* Waits for its end. Returns its status, as wait(2) has it. ret_usage, NULL or what it and the
 * processes that it waited for have used. */
int sc_child_reap(pid_t pid, struct rusage *ret_usage);

/* Kills it and, of one that is apart, all that is left in its process group; then as
 * sc_child_reap. */
int sc_child_kill(pid_t pid, struct rusage *ret_usage);

/* The file of the program that runs, to be started again. Where its file was replaced, the path
 * leads there from this process and its children alone. Owned. */
char *sc_own_executable(void);
