/*
 * server/serve.h - shows a page in the browser until it is closed or the server is interrupted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "page/page.h"

struct sc_serve_options {
    const char *host; /* NULL: the loopback address, which no other machine reaches */
    unsigned port;    /* 0: any */
    bool no_browser;
    const char
        *python; /* the interpreter that programs are measured with; NULL: as `scalene run` */
};

/* Prints the address on one line of stdout, opens it where there is a browser with windows, and
 * returns when interrupted or when all pages have closed. Takes the page over, which is allocated
 * with sc_alloc. */
bool sc_serve(struct sc_page *page, const struct sc_serve_options *options, struct sc_err *err);
