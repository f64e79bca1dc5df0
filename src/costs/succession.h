/*
 * costs/succession.h - which lines and functions successive samples of bytes belong to.
 *
 * The error of what a line has allocated depends on whether samples of it follow each other
 * (scatter.h). A sample that is taken back, since its block was freed at once (ledger.h), no longer
 * belongs to a line, which changes what the samples after it follow.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "costs/scatter.h"

/* A sample can be taken back until this many have followed: half a megabyte in windows of 8 KB,
 * which few programs allocate within the millisecond that this takes at most. */
#define SC_SUCCESSION_KEPT 64U

/* A sample of a line and of a function, which are identified by any unique numbers. */
struct sc_sampled_bytes {
    uint32_t line;
    uint32_t function;
    uint32_t points; /* of agent/memory/stream.h, at least 1 */
    double square;   /* of the bytes that each point stands for */
    bool is_gone;
    uint32_t same_lines[2]; /* points whose previous point is of the same line, too; whose second
                               previous point is */
    uint32_t same_functions[2];
    uint32_t first[2]; /* points that have no previous point; no second previous one */
};

/* Samples of one kind in the order in which they came. Initialise with {0}. */
struct sc_succession {
    uint64_t count;
    struct sc_sampled_bytes kept[SC_SUCCESSION_KEPT];
    uint32_t last_live; /* of the samples whose blocks are alive (live_samples.h); 0: none */
};

/* Adds a sample, of which same_lines, same_functions and first need not be set. Returns its number.
 */
uint64_t sc_succession_add(struct sc_succession *succession, const struct sc_sampled_bytes *sample);

/* The sample of that number, NULL when it is not kept any more. */
struct sc_sampled_bytes *sc_succession_at(struct sc_succession *succession, uint64_t number);

/* The numbers of the samples that the last two points before a sample are of; UINT64_MAX where none
 * is known. */
void sc_succession_before(struct sc_succession *succession, uint64_t number,
                          uint64_t ret_before[2]);

/* Of a sample's points, which follow each other, those whose previous one is of the same place, and
 * those whose second previous one is. is_same: of the two points before the first. */
void sc_succession_count_same(uint32_t points, const bool is_same[2], uint32_t ret_same[2]);

/* Sets same_lines, same_functions and first of a sample anew. */
void sc_succession_relate(struct sc_succession *succession, uint64_t number);

/* Adds a sample's points to those of a place; same is its same_lines or same_functions. times: 1,
 * or -1 to take them back. */
void sc_succession_count(struct sc_scatter *scatter, const struct sc_sampled_bytes *sample,
                         const uint32_t same[2], double times);
