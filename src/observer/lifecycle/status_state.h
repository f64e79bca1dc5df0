/*
 * observer/lifecycle/status_state.h - whether the terminal's title is ours, and when it is shown
 * again; for status.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Initialise with {0}: shows nothing. */
struct sc_status {
    bool is_wanted;
    bool is_shown;      /* the terminal has our title */
    uint64_t looked_ns; /* the CPU times are of then */
    uint64_t next_ns;   /* when to show it again */
    double cores;       /* used since the look before */
};
