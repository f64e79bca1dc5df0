/*
 * report/call_tree.h - the stacks of a profile as rows of a tree that people read from top to
 * bottom: what was called, most expensive first.
 *
 * A flame chart has room for every frame, a page of text has not. So frames that say nothing about
 * the program are folded into their callers, unless all are asked for:
 *   - native code, and what system calls do: the time of the Python function that called it
 *   - the machinery of imports and of `python -m`
 *   - what a library does inside: of each call of a library the first frame stays, with the number
 *     and the modules of the frames below it; functions of the program that a library calls back
 *     stay, too
 *   - a function that calls itself directly
 * Calls below 1 % of the time are summed up in one row of their caller.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "report/hots.h"
#include "report/stacks.h"

struct sc_call_row {
    uint32_t depth; /* of the outermost frames: 0 */
    bool is_last;   /* of its caller's rows */
    bool is_rest; /* stands for the caller's small calls, or for native code that nothing called */
    enum sc_frame_kind kind;
    char *name;   /* of the function; owned */
    char *place;  /* "json/decoder.py:355", the line with most of the time; owned, may be "" */
    char *hidden; /* "3 hidden: json, re"; owned, NULL where there are none */
    double total_percent, self_percent;
    double total_s, self_s; /* 0 unless is_timed */
};

struct sc_call_tree {
    SC_VEC(struct sc_call_row) rows;
    bool is_timed; /* there are seconds, not only shares */
    bool is_cut;   /* the profile's stacks are not all there, or too deep */
    double total_s;
};

/* Freed by sc_call_tree_done. is_all: nothing is folded. unit: of all time only what this unit of
 * work spent (sc_unit_find); SC_NONE: all. No rows where the profile has no such stacks. */
void sc_call_tree_init(struct sc_call_tree *tree, const struct sc_profile *profile, bool is_all,
                       uint32_t unit);
void sc_call_tree_done(struct sc_call_tree *tree);
