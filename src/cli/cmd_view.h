/*
 * cli/cmd_view.h - `scalene view`: showing a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#define SC_DEFAULT_PROFILE "scalene-profile.json"

#define SC_DEFAULT_PAGE "scalene-profile.html"

/* Initialise with {0}. The options below reduced belong to the page. */
struct sc_view_options {
    const char *file; /* NULL: SC_DEFAULT_PROFILE */
    bool cli;
    bool reduced;
    bool html;
    bool standalone;
    bool notebook; /* to standard output */
    bool no_browser;
    unsigned port;    /* 0: any */
    const char *host; /* NULL: the loopback address */
};

/* Reads a profile; a sentence that names the file otherwise. */
struct sc_profile;
struct sc_err;
bool sc_view_load(const char *path, struct sc_profile *ret_profile, struct sc_err *err);

/* Shows the profile in the browser, or writes it as a page. */
bool sc_view_page(const struct sc_view_options *options, struct sc_err *err);

/* Returns the exit status; what went wrong is said on stderr. */
int sc_cmd_view(const struct sc_view_options *options);
