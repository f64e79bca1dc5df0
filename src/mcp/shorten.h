/*
 * mcp/shorten.h - a command's JSON, cut to what an agent can read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct sc_mcp_limits {
    const char *root; /* paths below it lose it */
    size_t items; /* of a list that is no pair of numbers or texts; a text behind them says how many
                     were left out */
    size_t text;  /* bytes of a text */
    bool is_sparse; /* members that are 0, null or empty go */
};

/* The text of value within bytes, with numbers of four digits. The limits of lists and texts shrink
 * until it fits. NULL when it cannot. Owned. */
char *sc_mcp_shorten(const json_t *value, struct sc_mcp_limits limits, size_t bytes);
