/*
 * channel/reader.h - the observer's half of the ring, and of the segment.
 *
 * The target may write anything into the segment at any time: every field is read once, into
 * memory of our own, and checked there. Of the segment itself only counters are looked at later,
 * which are shown and nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "channel/format.h"

struct sc_reader {
    struct sc_segment *segment;
    uint64_t tail;       /* bytes consumed; the segment's own field is written, never believed */
    unsigned char *copy; /* of the record that was returned last */
    size_t copy_capacity;
    bool broken;        /* the ring no longer makes sense; nothing more is read */
    uint64_t paused_at; /* tail when NULL was returned last */
    uint32_t round;     /* of names; the segment's own field is written, never believed */
    uint64_t now_ns;    /* the clock, as of a moment that may be a while ago */

    /* of the segment, as they were when it came */
    uint32_t pid; /* its number, and that of its parent, in its own namespace of them */
    uint32_t parent_pid;
    bool is_forked;
    struct sc_pace pace; /* its interval is neither 0 nor so large that a few of them overflow */
};

/* Maps the descriptor (closed in any case), which must be of a memory file whose size is sealed. */
bool sc_reader_open(struct sc_reader *ret_reader, int fd, struct sc_err *err);
void sc_reader_close(struct sc_reader *reader);

/* A copy of what the agent knows of its interpreter, which may change until user code begins. Only
 * the number of ranges is checked: addresses are for the target's memory alone. */
void sc_reader_facts(const struct sc_reader *reader, struct sc_segment_facts *ret_facts);

/* From now on the agent tells all names again (codes, stacks) when it uses them next. What comes
 * until it has seen that is still in the names of before. */
void sc_reader_ask_names_again(struct sc_reader *reader);

/* The next finished record, or NULL when there is none now, or when so much was read that it is
 * somebody else's turn. Its kind is one of the enum but NONE and PAD, and it has passed record.h.
 * Valid until the next call. */
const void *sc_reader_next(struct sc_reader *reader, enum sc_record_kind *ret_kind);
