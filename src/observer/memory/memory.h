/*
 * observer/memory/memory.h - enters the agent's records of blocks and copies into the ledger.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "channel/format.h"
#include "channel/small_blocks.h"
#include "costs/ledger.h"
#include "costs/units.h"

/* Size classes of blocks: of those that malloc has given, and the streams of small ones. */
#define SC_MALLOC_KINDS 65
#define SC_MEMORY_KINDS (SC_MALLOC_KINDS + SC_SMALL_STREAMS)

/* The successions of samples, one for each size class of blocks and one for copies. */
struct sc_followed_successions {
    struct sc_succession blocks[SC_MEMORY_KINDS];
    struct sc_succession copies;
};

/* Of one process. Initialise with the ledger alone. */
struct sc_followed_memory {
    struct sc_ledger *ledger;     /* not owned; NULL when memory is not measured */
    struct sc_map stacks;         /* stack key -> node, of those named in this round (codes.h) */
    struct sc_map last_stacks;    /* of the last round */
    struct sc_live_block *blocks; /* SC_BLOCK_SLOTS of them, NULL before the first */
    struct sc_live_block *young[SC_MEMORY_KINDS]; /* the last of each size class, or NULL */
    struct sc_followed_successions *successions;  /* NULL before the first sample */
    struct sc_units *units;                       /* of the run, or NULL; not owned */
    struct sc_unit_memory labels;
    uint64_t freed_ns;    /* the last block */
    uint64_t freed_bytes; /* what it stood for */
    uint32_t freed_line;  /* its account */
};

void sc_followed_memory_done(struct sc_followed_memory *memory);

/* Whether the stack is not known yet; then it is to be added with its node. Also without a ledger:
 * GPUs' work has such stacks, too. */
bool sc_memory_wants_stack(struct sc_followed_memory *memory, uint64_t stack_key);
void sc_memory_add_stack(struct sc_followed_memory *memory, uint64_t stack_key, uint32_t node);

/* The node of a stack; 0, as for a thread without frames, when the record of it was lost. */
uint32_t sc_memory_node(struct sc_followed_memory *memory, uint64_t stack_key);

/* Whether a new round is due, and its beginning: the agent is to name all stacks again. */
bool sc_memory_has_many_stacks(const struct sc_followed_memory *memory);
void sc_memory_begin_round(struct sc_followed_memory *memory);

/* touched_bytes: how many bytes of the block, or of the cut part, are present as far as known
 * (touched.h); UINT64_MAX for all. */
void sc_memory_add_allocation(struct sc_followed_memory *memory,
                              const struct sc_record_allocation *record, uint64_t touched_bytes);
void sc_memory_add_free(struct sc_followed_memory *memory, const struct sc_record_free *record);
void sc_memory_add_cut(struct sc_followed_memory *memory, const struct sc_record_cut *record,
                       uint64_t touched_bytes);

/* So many bytes of a block are present at time_ns; since_ns: when that was known last. */
void sc_memory_touch(struct sc_followed_memory *memory, uint32_t slot, uint64_t touched_bytes,
                     uint64_t since_ns, uint64_t time_ns);
void sc_memory_add_copy(struct sc_followed_memory *memory, const struct sc_record_copy *record);

/* A label of the unit is entered; SC_NONE: the one of that span is left. */
void sc_memory_add_label(struct sc_followed_memory *memory, uint64_t span, uint32_t unit);

/* The process has ended: what is alive now has stayed. */
void sc_memory_finish(struct sc_followed_memory *memory, uint64_t time_ns);

/* The process has ended, while others continue: frees all its blocks. */
void sc_memory_drop(struct sc_followed_memory *memory, uint64_t time_ns);
