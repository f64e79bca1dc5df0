/*
 * source/source.h - what the profiler needs from a Python source text: lines, regions, imports.
 *
 * Works on any bytes: source that is not valid Python gives fewer regions, never an error. Nothing
 * is imported or run. Handles tabs, continuation lines, brackets, strings (also triple and
 * f-strings), comments, decorators, async def / for / with, match, one-line suites and any line
 * ending.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/vec.h"
#include "source/parsed.h"

/* How many lines a text has at most, counted in one pass: "\r\n" counts as two. */
size_t sc_source_lines_at_most(const char *text, size_t length);

/* Takes a copy of the text. */
void sc_source_init(struct sc_source *source, const char *text, size_t length);
void sc_source_done(struct sc_source *source);

struct sc_span {
    size_t start; /* offset in the line */
    size_t length;
    enum sc_token token;
};

/* Adds the spans of one line (0-based) to ret_spans, in order and without gaps; strings that began
 * on an earlier line are known. */
struct sc_spans SC_VEC_OF(struct sc_span);
void sc_source_highlight(const struct sc_source *source, size_t line, struct sc_spans *ret_spans);
