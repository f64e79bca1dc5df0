/*
 * agent/memory/stream.h - which bytes of a stream of blocks are sampled.
 *
 * The stream is cut into windows, and one byte of each, drawn evenly, is its point. A block that
 * holds points stands for their windows' sizes, so that every byte of the stream has the same
 * expected weight of 1, and a sum over many blocks is off by no more than the windows at its edges:
 * far less than with points at independent exponential distances. A block at least as long as the
 * longest distance between two points would always be sampled; it is counted as itself, exactly,
 * and the stream continues as if it had not been there.
 *
 * The fast path is a subtraction and a test of its sign:
 *
 *     if (sc_stream_passes(stream, size))
 *         weight = sc_stream_take(stream, size, window, &random);
 *
 * Initialise with {0}: the first block then calls sc_stream_begin. Async-signal-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_stream {
    int64_t left;   /* bytes before the next point */
    int64_t window; /* of the next point; 0 before the stream has begun */
    int64_t rest;   /* bytes of that window after its point */
    int64_t exact;  /* blocks of this size or more are counted as themselves */
};

/* Adds a block of size to the stream; true when it may hold a point. */
static inline bool sc_stream_passes(struct sc_stream *stream, uint64_t size)
{
    stream->left = (int64_t)((uint64_t)stream->left - size);
    return stream->left < 0;
}

/* Draws the point of a new window of that many bytes. random: a uniform random number. */
static inline void sc_stream_draw(struct sc_stream *stream, int64_t window, uint64_t random)
{
    int64_t at = (int64_t)(random % (uint64_t)window);
    stream->left += stream->rest + at;
    stream->exact = stream->window + window;
    stream->window = window;
    stream->rest = window - at;
}

/* xorshift64*, https://doi.org/10.18637/jss.v008.i14; the state is never 0. */
static inline uint64_t sc_stream_random(uint64_t *state)
{
    uint64_t random = *state;
    random ^= random >> 12;
    random ^= random << 25;
    random ^= random >> 27;
    *state = random;
    return random * 0x2545f4914f6cdd1dU;
}

/* Begins the stream with a block of size, which has been subtracted from left already. */
static inline void sc_stream_begin(struct sc_stream *stream, uint64_t size, int64_t window,
                                   uint64_t *random)
{
    *stream = (struct sc_stream){.left = -(int64_t)size};
    sc_stream_draw(stream, window, sc_stream_random(random));
    stream->exact = 2 * window;
}

/* Whether a block of size would be counted as itself. */
static inline bool sc_stream_is_exact(const struct sc_stream *stream, uint64_t size, int64_t window)
{
    return size >= (uint64_t)stream->exact && size >= 2 * (uint64_t)window;
}

/* How many points a weight has that sc_stream_take has returned for a block that is not counted as
 * itself. before: the stream's window when it was called. */
static inline uint32_t sc_stream_points(uint64_t weight, int64_t before, int64_t window)
{
    uint64_t more = weight > (uint64_t)before ? (weight - (uint64_t)before) / (uint64_t)window : 0;
    return more < UINT16_MAX ? (uint32_t)more + 1 : UINT16_MAX;
}

/* The bytes that a block of size stands for, 0 when it holds no point. Called when left has become
 * negative by subtracting size, of a stream that has begun; window is the size of windows from now
 * on, in bytes, > 0. */
static inline uint64_t sc_stream_take(struct sc_stream *stream, uint64_t size, int64_t window,
                                      uint64_t *random)
{
    uint64_t weight = 0;
    /* If windows get wider from now on, the stream has to continue for that to take effect: blocks
     * that are counted as themselves draw no window. */
    if (sc_stream_is_exact(stream, size, window)) {
        stream->left += (int64_t)size;
        return size;
    }
    while (stream->left < 0) {
        weight += (uint64_t)stream->window;
        sc_stream_draw(stream, window, sc_stream_random(random));
    }
    return weight;
}
