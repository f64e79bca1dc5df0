/*
 * source/diff.h - how two texts differ, line by line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum sc_diff_kind { SC_DIFF_SAME, SC_DIFF_REMOVED, SC_DIFF_ADDED };

/* A line of one or both texts; borrowed from them, without its newline. Numbers are 1-based, 0
 * where the text has no such line. */
struct sc_diff_row {
    enum sc_diff_kind kind;
    uint32_t old_lineno;
    uint32_t new_lineno;
    const char *text;
    size_t length;
};

struct sc_diff {
    SC_VEC(struct sc_diff_row) rows; /* all lines of both, in order; removed before added */
};

/* Fewest changes where the part that differs has at most 4 million pairs of lines. A larger one is
 * divided at lines that are there once in both; of a piece that is as large still, all old lines
 * come first, then all new. */
void sc_diff_init(struct sc_diff *diff, const char *old_text, size_t old_length,
                  const char *new_text, size_t new_length);
void sc_diff_done(struct sc_diff *diff);

/* Adds the differences in the form of `diff -u`, with three lines around each; nothing when there
 * are none. name is that of the file. */
void sc_diff_unified(const struct sc_diff *diff, const char *name, struct sc_str *ret_text);
