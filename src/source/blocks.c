/*
 * source/blocks.c - the blocks of a program by indentation, and the regions of its lines.
 *
 * A block copies the loops, function and class around it from its parent when it opens, so a line
 * needs nothing but its own innermost block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/blocks.h"

#include "base/map.h"

static struct sc_block *innermost(const struct sc_blocks *blocks)
{
    if (blocks->open.count == 0)
        return NULL;
    return &blocks->blocks.items[blocks->open.items[blocks->open.count - 1]];
}

static uint32_t innermost_index(const struct sc_blocks *blocks)
{
    return blocks->open.count > 0 ? blocks->open.items[blocks->open.count - 1] : SC_NONE;
}

static void extend(struct sc_block *block, uint32_t last_line)
{
    if (block != NULL && block->last_line < last_line)
        block->last_line = last_line;
}

static void close_innermost(struct sc_blocks *blocks)
{
    uint32_t last_line = innermost(blocks)->last_line;
    blocks->open.count--;
    extend(innermost(blocks), last_line);
}

static bool has_clauses(enum sc_block_kind kind)
{
    return kind == SC_BLOCK_IF || kind == SC_BLOCK_LOOP || kind == SC_BLOCK_TRY;
}

/* Assigns the block to the lines before end_line that have none yet. */
static void give_lines(struct sc_blocks *blocks, uint32_t end_line, uint32_t block)
{
    while (blocks->block_of.count < end_line)
        sc_vec_push(&blocks->block_of, block);
}

void sc_blocks_indent(struct sc_blocks *blocks, uint32_t column, bool is_clause,
                      uint32_t first_line)
{
    for (const struct sc_block *top; (top = innermost(blocks)) != NULL;) {
        bool goes_on = is_clause && has_clauses(top->kind) && top->column == column;
        if (top->column < column || goes_on)
            break;
        close_innermost(blocks);
    }
    give_lines(blocks, first_line, innermost_index(blocks));
}

bool sc_blocks_in_match(const struct sc_blocks *blocks)
{
    const struct sc_block *top = innermost(blocks);
    return top != NULL && top->kind == SC_BLOCK_MATCH;
}

static void inherit(struct sc_block *block, uint32_t self, const struct sc_block *parent)
{
    block->loop = parent ? parent->loop : SC_NONE;
    block->outer_loop = parent ? parent->outer_loop : SC_NONE;
    block->function = parent ? parent->function : SC_NONE;
    block->class_block = parent ? parent->class_block : SC_NONE;
    block->scope = parent ? parent->scope : SC_NONE;
    if (block->kind == SC_BLOCK_LOOP) {
        block->loop = self;
        if (block->outer_loop == SC_NONE)
            block->outer_loop = self;
    } else if (block->kind == SC_BLOCK_DEF) {
        block->loop = block->outer_loop = SC_NONE;
        block->function = block->scope = self;
    } else if (block->kind == SC_BLOCK_CLASS) {
        block->class_block = block->scope = self;
    }
}

void sc_blocks_add(struct sc_blocks *blocks, uint32_t column, const struct sc_block_line *line)
{
    if (line->kind == SC_BLOCK_NONE) {
        extend(innermost(blocks), line->last_line);
        give_lines(blocks, line->last_line + 1, innermost_index(blocks));
        return;
    }
    struct sc_block block = {.kind = line->kind,
                             .column = column,
                             .first_line = line->first_line,
                             .header_line = line->colon_line,
                             .last_line = line->last_line,
                             .parent = innermost_index(blocks)};
    uint32_t self = (uint32_t)blocks->blocks.count;
    inherit(&block, self, innermost(blocks));
    sc_vec_push(&blocks->blocks, block);
    sc_vec_push(&blocks->open, self);
    give_lines(blocks, line->last_line + 1, self);
}

/* Where an elif ends is where its if ends: to the grammar it is an if in an else. */
static uint32_t last_line_of(const struct sc_blocks *blocks, const struct sc_block *block)
{
    if (block->kind == SC_BLOCK_ELIF && block->parent != SC_NONE)
        return blocks->blocks.items[block->parent].last_line;
    return block->last_line;
}

static void set_range(const struct sc_blocks *blocks, uint32_t index, uint32_t *ret_start,
                      uint32_t *ret_end)
{
    const struct sc_block *block = &blocks->blocks.items[index];
    *ret_start = block->first_line + 1;
    *ret_end = last_line_of(blocks, block) + 1;
}

static struct sc_region region_of(const struct sc_blocks *blocks, uint32_t line, uint32_t index)
{
    struct sc_region region = {.start_region_line = line + 1,
                               .end_region_line = line + 1,
                               .start_outermost_loop = line + 1,
                               .end_outermost_loop = line + 1};
    if (index == SC_NONE)
        return region;
    const struct sc_block *block = &blocks->blocks.items[index];
    uint32_t around = block->loop;
    if (around == SC_NONE)
        around = block->function;
    if (around == SC_NONE)
        around = block->class_block;
    if (around != SC_NONE)
        set_range(blocks, around, &region.start_region_line, &region.end_region_line);
    uint32_t outer = block->outer_loop;
    if (outer == SC_NONE && line <= block->header_line)
        outer = index;
    if (outer != SC_NONE)
        set_range(blocks, outer, &region.start_outermost_loop, &region.end_outermost_loop);
    if (block->scope != SC_NONE)
        set_range(blocks, block->scope, &region.start_function_line, &region.end_function_line);
    return region;
}

/* The innermost block that holds the line, searched from the block index outwards. A block ends
 * before the line where only blank lines, and perhaps decorators without a def, followed it. */
static uint32_t block_around(const struct sc_blocks *blocks, size_t line, uint32_t index)
{
    while (index != SC_NONE && last_line_of(blocks, &blocks->blocks.items[index]) < line)
        index = blocks->blocks.items[index].parent;
    return index;
}

void sc_blocks_finish(struct sc_blocks *blocks, size_t line_count, struct sc_source *source)
{
    while (blocks->open.count > 0)
        close_innermost(blocks);
    uint32_t before = SC_NONE;
    uint32_t around = SC_NONE;
    for (size_t line = 0; line < line_count; line++) {
        uint32_t own = line < blocks->block_of.count ? blocks->block_of.items[line] : SC_NONE;
        /* a block that does not hold a line holds no later line: so blank lines need no search
         * each */
        around = block_around(blocks, line, own != before ? own : around);
        before = own;
        sc_vec_push(&source->regions, region_of(blocks, (uint32_t)line, around));
    }
    sc_vec_done(&blocks->blocks);
    sc_vec_done(&blocks->open);
    sc_vec_done(&blocks->block_of);
}
