/*
 * observer/memory/touched.h - how much of each large block is present, and the agent's records of
 * blocks with that added.
 *
 * The kernel provides memory when it is first touched, so a program may allocate much more than it
 * uses. Which pages of a block are present can be read (pages.h) only while the block is alive. So
 * records wait here until all that have come are read and the blocks that are alive have been
 * looked at. Then they go to the ledger, in their order, each block with the bytes of it that are
 * present.
 *
 * Blocks that are allocated and freed between two looks are taken to be touched, no faster than
 * memory allows. A block that is freed after a look is taken to have been touched further at its
 * pace between the last two looks, or as fast as memory allows if there was only one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/vec.h"
#include "observer/memory/memory.h"
#include "observer/system/pages.h"

/* Smaller blocks are not looked at: they are taken to be touched. */
#define SC_TOUCHED_MIN_BYTES ((uint64_t)128 << 10)

/* Where the facts of a process come from. */
struct sc_touched_source {
    void *context;
    /* As sc_pages_count. *ret_never: it will not be known later either. */
    bool (*count)(void *context, struct sc_pages_range range, uint64_t *ret_bytes, bool *ret_never);
    /* Resident memory of the process in bytes; 0 when it is gone, or no longer reports what it
     * frees. */
    uint64_t (*resident)(void *context);
    uint64_t (*now_ns)(void);
    uint64_t (*cpu_ns)(void); /* of the thread that looks: what a look costs */
};

/* A label is entered or left (costs/units.h), in the order of the records of blocks. */
struct sc_touched_label {
    uint64_t span;
    uint32_t unit; /* SC_NONE: it is left */
};

struct sc_touched_event {
    union {
        struct sc_record_header header;
        struct sc_record_allocation allocation;
        struct sc_record_free free;
        struct sc_record_cut cut;
        struct sc_touched_label label;
    } record;
    enum sc_record_kind kind;
    uint32_t above; /* of a cut: index + 1 of the first event of the block that was cut, while that
                       waits; else 0 */
    uint32_t path;  /* of an allocation: its thread's labels */
    uint64_t touched_bytes;
    bool is_early; /* of a free: touched_bytes is entered before all events */
};

/* A block that is large, and alive. */
struct sc_touched_block {
    struct sc_pages_range range;
    uint32_t slot;
    uint32_t birth;         /* index + 1 of its first event, while that waits; else 0 */
    bool may_be_filled;     /* by the allocation itself */
    bool is_shared;         /* with children of the process */
    bool is_cut;            /* by an event that waits */
    bool has_seen;          /* this look has set seen_bytes and seen_ns */
    uint64_t seen_bytes;    /* how many bytes were present */
    uint64_t seen_ns;       /* when it was looked at */
    uint64_t touched_bytes; /* as last known */
    uint64_t known_ns;      /* time of touched_bytes, or of the allocation */
    double pace;            /* bytes a nanosecond */
};

/* Of one process. Initialise with memory and source alone. */
struct sc_touched {
    struct sc_followed_memory *memory; /* not owned */
    struct sc_touched_source source;
    bool is_blind;   /* the pages cannot be read: all is taken to be touched */
    bool is_over;    /* at this look the process had no pages to read any more */
    bool has_forked; /* others may touch what is shared */
    SC_VEC(struct sc_touched_event) events;
    size_t foreseen_count; /* so many events, from the first on, are applied to blocks */
    SC_VEC(struct sc_touched_block) blocks;
    uint32_t
        *places; /* slot -> place in blocks, + 1; SC_BLOCK_SLOTS of them, NULL before the first */
    size_t cursor;
    bool has_begun;
    int64_t allowance_ns; /* CPU time left for looks */
    uint64_t looked_ns;
    uint64_t settled_ns;
    uint64_t looks;    /* at blocks, so far */
    uint64_t still_ns; /* resident memory had not changed up to then */
    uint64_t resident_bytes;
};

void sc_touched_done(struct sc_touched *touched);

/* A record of SC_RECORD_ALLOCATION, _FREE or _CUT. */
void sc_touched_add(struct sc_touched *touched, enum sc_record_kind kind, const void *record);

/* The labels that the thread of the allocation that was added last has set. */
void sc_touched_add_path(struct sc_touched *touched, uint32_t path);

/* unit as in struct sc_touched_label. */
void sc_touched_add_label(struct sc_touched *touched, uint64_t span, uint32_t unit);

/* Looks at the blocks that are alive after all records so far. */
void sc_touched_measure(struct sc_touched *touched, uint64_t now_ns);

/* Passes what was added before the look to the ledger. What has been added since shows which blocks
 * were gone when they were looked at. */
void sc_touched_flush(struct sc_touched *touched, uint64_t now_ns);
