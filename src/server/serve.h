/*
 * server/serve.h - shows a page in the browser until it is closed or the server is interrupted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "page/page.h"
#include "server/follow.h"

/* The program whose profile is shown while it runs. */
struct sc_serve_program {
    const char *at_interrupt; /* what Ctrl-C does meanwhile: "reaches the program" */
    void *context;
    /* False once it has ended and its last profile is written; *ret_ending then is how it ended, in
     * words, to be freed. Called several times a second. */
    bool (*is_running)(void *context, char **ret_ending);
    /* Gets the signals that come while it runs. */
    void (*take_signal)(void *context, const siginfo_t *info);
};

struct sc_serve_options {
    const char *host; /* NULL: the loopback address, which no other machine reaches */
    unsigned port;    /* 0: any */
    bool no_browser;
    const char
        *python; /* the interpreter that programs are measured with; NULL: as `scalene run` */
    struct sc_follow *follow;               /* the page's file; NULL: it is read once */
    const struct sc_serve_program *program; /* what writes that; NULL: it is not known */
    bool *is_unseen; /* set where no browser shows the page: it is served no longer, and stays the
                      * caller's; NULL: it is served all the same */
};

/* Prints the address on one line of stdout (of stderr where a program runs, whose output has the
 * other), opens it where there is a browser with windows, and
 * returns when interrupted or when all pages have closed, but not before the program has ended.
 * Takes the page over, which is allocated with sc_alloc. */
bool sc_serve(struct sc_page *page, const struct sc_serve_options *options, struct sc_err *err);
