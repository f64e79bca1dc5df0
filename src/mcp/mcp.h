/*
 * mcp/mcp.h - a server for coding agents: profiles, findings and measurements as tools of the Model
 * Context Protocol (https://modelcontextprotocol.io/specification/2025-06-18), over standard input
 * and output.
 *
 * Each tool runs this program's own command and passes its JSON on, cut to what an agent can read.
 * So the server parses no profile itself, and answers what the commands answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* All is borrowed. */
struct sc_mcp_settings {
    const char *executable; /* of this program */
    const char *root; /* an absolute path without links: nothing outside of it is named to tools */
    const char *python; /* that runs programs; NULL: as `scalene run` finds it */
    /* What may be run: each is the first words of a command, separated by blanks, or "*" for any;
     * ended by NULL. */
    char *const *allowed;
};

/* Serves until in ends, or SIGINT or SIGTERM comes. False, with err set, when out cannot be
 * written. */
bool sc_mcp_serve(const struct sc_mcp_settings *settings, int in, int out, struct sc_err *err);
