/*
 * channel/reader.h - the observer reads the ring and the segment.
 *
 * The target may write anything into the segment at any time: every field is read once, into memory
 * of our own, and checked there. Later, only counters are read from the segment itself, and they
 * are only displayed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "channel/format.h"

struct sc_reader {
    struct sc_segment *segment;
    uint64_t tail;       /* bytes consumed */
    uint64_t freed;      /* of them; the segment's tail, which is written, never read */
    unsigned char *copy; /* of the record that was returned last */
    size_t copy_capacity;
    bool broken;        /* the ring no longer makes sense; nothing more is read */
    uint64_t paused_at; /* tail when NULL was returned last */
    uint32_t round;     /* of names; the segment's own field is written, never read */
    uint64_t now_ns;    /* the clock, possibly read a while ago */

    /* fields of the segment, copied when it arrived */
    uint32_t pid; /* its pid and its parent's, in its own pid namespace */
    uint32_t parent_pid;
    bool is_forked;
    struct sc_pace pace; /* the interval is neither 0 nor so large that a sum of a few overflows */
};

/* Maps the descriptor (closed in any case), which must be of a memory file whose size is sealed. */
bool sc_reader_open(struct sc_reader *ret_reader, int fd, struct sc_err *err);

/* A segment of our own, which no agent writes to, for a process that is only read from outside: it
 * has the facts, and user code has begun. False with err set without memory. */
bool sc_reader_make_segment(struct sc_reader *ret_reader, uint32_t pid,
                            const struct sc_segment_facts *facts, uint64_t interval_ns,
                            uint64_t now_ns, struct sc_err *err);
void sc_reader_close(struct sc_reader *reader);

/* Copies the facts about the target's interpreter, which may change until user code begins. Only
 * the number of ranges is checked: addresses are used only in the target's memory. */
void sc_reader_facts(const struct sc_reader *reader, struct sc_segment_facts *ret_facts);

/* From now on the agent sends each name (of a code object or a stack) again when it uses it next.
 * Records that it sends before it has seen the request still use the old names. */
void sc_reader_ask_names_again(struct sc_reader *reader);

/* Whether reading has come to a record that is not finished. When no writer is left, nothing is
 * ever read beyond it. */
bool sc_reader_is_held_up(const struct sc_reader *reader);

/* The next finished record, or NULL when there is none now, or when so much was read that other
 * work should have its turn. Its kind is one of the enum except NONE and PAD, and sc_record_check
 * has accepted it. Valid until the next call. */
const void *sc_reader_next(struct sc_reader *reader, enum sc_record_kind *ret_kind);
