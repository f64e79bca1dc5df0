/*
 * source/parsed.h - what is known of a source: its lines, and what the statements in them are.
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
