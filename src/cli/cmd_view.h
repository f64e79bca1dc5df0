/*
 * cli/cmd_view.h - `scalene view`: showing a profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#define SC_DEFAULT_PROFILE "scalene-profile.json"

/* Initialise with {0}. The options below reduced belong to the browser view. */
struct sc_view_options {
    const char *file; /* NULL: SC_DEFAULT_PROFILE */
    bool cli;
    bool reduced;
    bool html;
    bool standalone;
    bool no_browser;
    int port; /* 0: any */
};

/* Returns the exit status; what went wrong is said on stderr. */
int sc_cmd_view(const struct sc_view_options *options);
