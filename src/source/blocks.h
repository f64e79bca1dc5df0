/*
 * source/blocks.h - the blocks of a program by indentation, and from them the regions of its lines.
 *
 * Lines are 0-based here. Statement lines come in the order of the text; the work is linear in the
 * number of lines, whatever the nesting.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>

#include "source/parsed.h"

enum sc_block_kind {
    SC_BLOCK_NONE, /* a simple statement */
    SC_BLOCK_IF,
    SC_BLOCK_LOOP,
    SC_BLOCK_TRY,
    SC_BLOCK_WITH,
    SC_BLOCK_DEF,
    SC_BLOCK_CLASS,
    SC_BLOCK_MATCH,
    SC_BLOCK_CASE,
    SC_BLOCK_ELIF,   /* ends with its if */
    SC_BLOCK_CLAUSE, /* else, except, finally */
};

/* One statement line. */
struct sc_block_line {
    enum sc_block_kind kind;
    uint32_t first_line;
    uint32_t colon_line; /* where the header ends; used for blocks */
    uint32_t last_line;
};

struct sc_block {
    enum sc_block_kind kind;
    uint32_t column;
    uint32_t first_line, header_line, last_line;
    uint32_t parent; /* indices of blocks, SC_NONE when there is none */
    uint32_t loop, outer_loop;
    uint32_t function, class_block;
    uint32_t scope; /* innermost def or class */
};

struct sc_blocks {
    SC_VEC(struct sc_block) blocks;
    SC_VEC(uint32_t) open;     /* indices, innermost last */
    SC_VEC(uint32_t) block_of; /* by line: the innermost block, or SC_NONE */
};

/* A statement line begins: ends the blocks it is not in. A clause goes on with the statement it
 * belongs to. */
void sc_blocks_indent(struct sc_blocks *blocks, uint32_t column, bool is_clause,
                      uint32_t first_line);

/* Whether the innermost open block is a match statement. */
bool sc_blocks_in_match(const struct sc_blocks *blocks);

/* The statement line is complete. */
void sc_blocks_add(struct sc_blocks *blocks, uint32_t column, const struct sc_block_line *line);

/* All lines have been seen: adds line_count regions to the source and frees the blocks. */
void sc_blocks_finish(struct sc_blocks *blocks, size_t line_count, struct sc_source *source);
