/*
 * agent/memory/mappings.h - the program's anonymous mappings: where they are, and which parts
 * count.
 *
 * A program may unmap other pieces than it has mapped: it unmaps the ends of a mapping to align the
 * rest, or reserves addresses and makes them usable bit by bit (PROT_NONE, then mprotect or another
 * mmap on top). So the table has ranges of addresses, each reserved or usable, which are split at
 * the bounds of a call.
 *
 * A table of fixed size without locks. Each of these functions is called after the system call that
 * it records. Mappings that other threads have made since that call began may be at the same
 * addresses and must be left alone, so sc_mappings_take is passed the moment at which it began.
 *
 * Async-signal-safe.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_MAPPINGS_MAX 3072U

enum sc_mapping_state {
    SC_MAPPING_RESERVED = 1, /* addresses only: PROT_NONE */
    SC_MAPPING_USABLE = 2,
};

#define SC_MAPPING_ANY ((unsigned)SC_MAPPING_RESERVED | (unsigned)SC_MAPPING_USABLE)

struct sc_mapping {
    uint64_t start;
    uint64_t end;
    enum sc_mapping_state state;
};

/* The current moment: ranges added from now on are younger. */
uint64_t sc_mappings_now(void);

/* Adds a mapped range, where the table has nothing else. slot: the one of the block that it was
 * sent as (memory.h); SC_NO_SLOT when it is reserved, or was not sampled. Adjacent ranges of the
 * same state are merged; blocks are not. */
void sc_mappings_add(uint64_t start, uint64_t end, enum sc_mapping_state state, uint32_t slot);

/* Removes one piece of [start, end) that is in one of the states and no younger than the moment.
 * False when there is none left; then the frees of all sampled bytes in what was removed have been
 * sent. */
bool sc_mappings_take(uint64_t start, uint64_t end, unsigned states, uint64_t moment,
                      struct sc_mapping *ret_piece);

/* The states that parts of [start, end) are in. */
unsigned sc_mappings_states(uint64_t start, uint64_t end);

/* How many of SC_MAPPINGS_MAX are in use. */
uint32_t sc_mappings_count(void);

/* Empties the table. Not while other threads use it. */
void sc_mappings_clear(void);

/* In the child of a fork: other threads do not exist there, so entries that they owned are reset.
 */
void sc_mappings_after_fork(void);
