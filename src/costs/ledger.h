/*
 * costs/ledger.h - memory during a run: what is allocated, alive and copied, by line, by function
 * and in all.
 *
 * Bytes are estimates from sampled blocks (agent/memory/stream.h): each comes with the bytes it
 * stands for. Blocks of the same line that are alive at once are summed here, in the order of time,
 * since no later sum would find their peak.
 *
 * A block is held from its allocation until it is freed. Of a large block the kernel may have
 * provided only some pages; only their bytes are alive (observer/memory/touched.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "costs/curve.h"
#include "costs/live_moments.h"
#include "costs/live_samples.h"
#include "costs/places.h"
#include "costs/succession.h"

/* The largest block of Python's allocator for small objects (Objects/obmalloc.c), and the longest
 * life of such a block that counts as freed at once: its memory is used over and over. */
#define SC_CHURN_BLOCK_BYTES_MAX 512U
#define SC_CHURN_LIFE_NS         1000000U

struct sc_ledger_account {
    uint32_t node;            /* a node of this line or function; SC_NONE: no line in scope */
    uint64_t allocated_bytes; /* without churn_bytes, as are all members below */
    uint64_t churn_bytes;     /* small objects that were freed at once */
    uint64_t moved_bytes;     /* that other lines had allocated, when it resized their blocks */
    uint64_t python_bytes;    /* the part through Python's own allocators */
    uint64_t copied_bytes;
    double allocations;        /* blocks */
    struct sc_scatter scatter; /* of the samples of allocated_bytes that are not exact */
    struct sc_scatter copy_scatter;
    struct sc_scatter live_scatter; /* of the samples of live_bytes that are not exact */
    struct sc_scatter peak_scatter; /* what it was when peak_bytes was reached */
    uint64_t samples_live;          /* sampled blocks that are alive */
    uint64_t samples_young[2]; /* of those, allocated in the second young_s or in the one before it;
                                  the index is the lowest bit of the second */
    uint64_t young_s;
    uint64_t samples_freed_late; /* freed when no longer young */
    uint64_t live_bytes;
    uint64_t live_python_bytes;
    uint64_t live_callee_bytes; /* of it, by functions out of scope that the line called */
    uint64_t peak_bytes;
    uint64_t held_bytes; /* live_bytes, and the bytes of live blocks that were never touched */
    uint64_t held_peak_bytes;
    uint64_t at_peak_bytes; /* live_bytes at the program's peak; see peak_serial */
    uint64_t peak_serial;   /* number of the peak that at_peak_bytes belongs to */
    double live_byte_ns;    /* live bytes summed over time */
    double alive_ns;        /* time with any live bytes */
    struct sc_curve curve;  /* of live_bytes */
    /* Set by sc_ledger_finish: the mean of live_bytes while there were any, and samples_young. */
    double mean_live_bytes;
    uint64_t young_at_end;
    /* Set by sc_leaks_of_worker: the likelihood of a leak, and its rate. */
    double worker_leak;
    double worker_leak_mb_s;
};

/* A block that is alive. */
struct sc_ledger_block {
    uint32_t line; /* account */
    uint32_t function;
    uint64_t weight_bytes; /* its part of held_bytes */
    uint64_t live_bytes;   /* its part of live_bytes; never more than weight_bytes */
    uint64_t born_s;
    uint64_t churn_bytes; /* its part of churn_bytes, when it is freed at once */
    uint64_t born_ns;
    uint32_t stack;                   /* index in stacks */
    struct sc_succession *succession; /* its sample is the number-th there; NULL: no sample */
    uint64_t number;
    uint32_t live_sample; /* in the ledger's live_samples; 0: none */
    uint16_t size_bytes;  /* of a block that may be churn, else 0 */
    bool is_pythons;
    bool is_callees; /* see live_callee_bytes */
};

struct sc_ledger_accounts SC_VEC_OF(struct sc_ledger_account);

struct sc_ledger {
    struct sc_places places;
    struct sc_ledger_account all;
    struct sc_ledger_accounts lines; /* first the one for no line in scope, then as in places */
    struct sc_ledger_accounts functions;
    struct sc_ledger_stacks stacks;
    struct sc_live_moments moments;
    struct sc_live_samples live_samples;
    struct sc_map stack_index; /* node -> stacks */
    uint64_t native_bytes;     /* allocated by threads without Python frames */
    uint64_t records;
    uint64_t peak_serial;
    uint64_t peak_python_bytes;
    uint32_t peak_line;       /* the line that allocated when the peak was reached */
    uint64_t peak_gain_bytes; /* what it had allocated there */
    uint64_t peak_ns;
    struct sc_curve rss;
};

/* owners, of the run, is not owned and outlives it. */
void sc_ledger_init(struct sc_ledger *ledger, struct sc_owners *owners);
void sc_ledger_done(struct sc_ledger *ledger);

struct sc_ledger_allocation {
    uint64_t time_ns;
    uint32_t node; /* the stack; 0 without Python frames */
    uint64_t size_bytes;
    uint64_t old_bytes;       /* of its size, what it had before it was resized */
    uint64_t untouched_bytes; /* of its size */
    uint64_t weight_bytes;
    uint64_t moved_bytes; /* what the block stood for before it was resized; 0: not known */
    uint32_t moved_line;  /* the account that held them */
    bool is_pythons;
    bool is_exact;
    bool is_young;                    /* for now size_bytes are held, not yet weight_bytes */
    uint32_t points;                  /* of agent/memory/stream.h, when it is not exact */
    struct sc_succession *succession; /* the samples before this one; must live as long as blocks
                                         do; NULL: not known */
};

/* Adds the block. stays: it is alive from now on. */
struct sc_ledger_block sc_ledger_allocate(struct sc_ledger *ledger,
                                          const struct sc_ledger_allocation *allocation,
                                          bool stays);
void sc_ledger_free(struct sc_ledger *ledger, const struct sc_ledger_block *block,
                    uint64_t time_ns);
/* Adds bytes to those that the block holds; the same part of them is alive as of those before. */
void sc_ledger_grow(struct sc_ledger *ledger, struct sc_ledger_block *block, uint64_t bytes,
                    uint64_t time_ns);

/* At time_ns, live_bytes of the bytes that the block holds are alive; since_ns: when that was known
 * last. A peak that another line has reached meanwhile stays that line's, unless more was touched
 * here than allocated there: what is seen late may have come before it. */
void sc_ledger_touch(struct sc_ledger *ledger, struct sc_ledger_block *block, uint64_t live_bytes,
                     uint64_t since_ns, uint64_t time_ns);

/* Splits bytes off the block's weight as a block of their own, which is returned. live_bytes: how
 * many of them are alive. */
struct sc_ledger_block sc_ledger_cut(struct sc_ledger *ledger, struct sc_ledger_block *block,
                                     uint64_t bytes, uint64_t live_bytes, uint64_t time_ns);

/* Bytes that were copied. points, succession: as for an allocation; points 0 for what is exact. */
struct sc_ledger_copied {
    uint32_t node;
    uint64_t bytes;
    uint32_t points;
    struct sc_succession *succession;
};

void sc_ledger_copy(struct sc_ledger *ledger, const struct sc_ledger_copied *copied);

/* Resident memory of the processes, as the kernel reports it. */
void sc_ledger_rss(struct sc_ledger *ledger, uint64_t time_ns, uint64_t bytes);

/* Brings every account up to a moment, for a report. Later records may still be added: no sum is
 * changed that they are added to. */
void sc_ledger_finish(struct sc_ledger *ledger, uint64_t end_ns);

/* The same for one line. */
void sc_ledger_finish_line(const struct sc_ledger *ledger, struct sc_ledger_account *line,
                           uint64_t end_ns);
