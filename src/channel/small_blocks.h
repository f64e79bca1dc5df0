/*
 * channel/small_blocks.h - Python's small blocks are sampled in a few streams, by size.
 *
 * What a line keeps and what it frees at once mostly differ in size ("%d" % number: a long buffer,
 * then a string of the right length). In one stream chance decides which of the two a sample hits;
 * in streams of their own both are right up to a window.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/* Larger blocks, and those that malloc is asked for directly, are one further stream. */
#define SC_SMALL_BLOCK_BYTES 512U
#define SC_SMALL_STREAMS     8U

/* The stream of blocks of a size, below SC_SMALL_STREAMS: sizes 8 bytes apart are in different
 * ones, and so are those 64 bytes apart. */
static inline uint64_t sc_small_stream(uint64_t size_bytes)
{
    return (size_bytes / 8 ^ size_bytes / 64) % SC_SMALL_STREAMS;
}
