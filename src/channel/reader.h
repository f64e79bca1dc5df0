/*
 * channel/reader.h - the observer's half of the ring, and of the segment.
 *
 * The target may write anything into the segment at any time: every size is checked, and a record
 * is copied out before it is looked at.
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
    bool broken; /* the ring no longer makes sense; nothing more is read */
};

/* Maps the descriptor (closed in any case). */
bool sc_reader_open(struct sc_reader *ret_reader, int fd, struct sc_err *err);
void sc_reader_close(struct sc_reader *reader);

/* The next finished record, or NULL when there is none now. Its kind is one of the enum but NONE
 * and PAD; it holds at least the structure of its kind, with the counted parts inside the size.
 * Valid until the next call. */
const void *sc_reader_next(struct sc_reader *reader, enum sc_record_kind *ret_kind);
