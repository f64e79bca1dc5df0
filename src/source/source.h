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
#include <stdint.h>

#include "base/vec.h"

/* One physical line: bytes [start, start + length), its newline included. */
struct sc_source_line {
    size_t start;
    size_t length;
};

/* Region numbers of a line, as scalene-profile.json has them: 1-based, inclusive. A def or class
 * begins at its first decorator; every block ends with its last statement. */
struct sc_region {
    /* innermost loop of the innermost def; else that def; else the class; else the line itself */
    uint32_t start_region_line, end_region_line;
    /* outermost loop of the innermost def; else, on the header of a block, the block; else the line
     * itself */
    uint32_t start_outermost_loop, end_outermost_loop;
    /* innermost def or class, or 0, 0 */
    uint32_t start_function_line, end_function_line;
};

/* One import of one module: "import os" and "os"; a statement that names several modules gives one
 * item for each, all with the whole statement. Relative imports have a module of leading dots. */
struct sc_import {
    const char *statement; /* normalised as ast.unparse does; shared by the items of a statement */
    char *module;          /* dotted */
};

/* A coloured stretch of the text; what lies between two of them is plain. A string may go over many
 * lines. */
struct sc_source_mark {
    uint32_t start;
    uint32_t length : 28;
    uint32_t token : 4; /* enum sc_token */
};

struct sc_source {
    char *text; /* owned */
    size_t length;
    SC_VEC(struct sc_source_line) lines;
    SC_VEC(struct sc_region) regions;    /* one per line */
    SC_VEC(struct sc_import) imports;    /* in the order of the text */
    SC_VEC(char *) import_statements;    /* owns the statements */
    SC_VEC(struct sc_source_mark) marks; /* in order */
};

/* How many lines a text has at most, counted in one pass: "\r\n" counts as two. */
size_t sc_source_lines_at_most(const char *text, size_t length);

/* Takes a copy of the text. */
void sc_source_init(struct sc_source *source, const char *text, size_t length);
void sc_source_done(struct sc_source *source);

/* Kinds of token for highlighting. */
enum sc_token {
    SC_TOKEN_TEXT,
    SC_TOKEN_KEYWORD,
    SC_TOKEN_BUILTIN,
    SC_TOKEN_STRING,
    SC_TOKEN_NUMBER,
    SC_TOKEN_COMMENT,
    SC_TOKEN_DECORATOR,
    SC_TOKEN_DEFINITION, /* the name after def or class */
    SC_TOKEN_OPERATOR,
};

struct sc_span {
    size_t start; /* offset in the line */
    size_t length;
    enum sc_token token;
};

/* Adds the spans of one line (0-based) to ret_spans, in order and without gaps; strings that began
 * on an earlier line are known. */
struct sc_spans {
    struct sc_span *items;
    size_t count;
    size_t capacity;
};
void sc_source_highlight(const struct sc_source *source, size_t line, struct sc_spans *ret_spans);
