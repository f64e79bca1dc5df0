/*
 * agent/memory/mappings.h - anonymous memory that the program has from the kernel: where it is, and
 * which of it counts.
 *
 * A program maps in one piece and unmaps in another: it gives back the ends of a mapping to have
 * the rest aligned, reserves addresses and takes them into use bit by bit (PROT_NONE, then
 * mprotect or another mmap on top). So this is kept by ranges of addresses, each of which is
 * reserved or usable, and which are cut where a call ends.
 *
 * A table of fixed size without locks. Each of these functions comes after the system call that it
 * is about. What has been mapped since that call began belongs to others, who may have got the
 * same addresses: hence the moments.
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
    SC_MAPPING_RESERVED = 1, /* addresses alone: PROT_NONE */
    SC_MAPPING_USABLE = 2,
};

#define SC_MAPPING_ANY ((unsigned)SC_MAPPING_RESERVED | (unsigned)SC_MAPPING_USABLE)

struct sc_mapping {
    uint64_t start;
    uint64_t end;
    enum sc_mapping_state state;
};

/* A moment: what is added from now on is younger. */
uint64_t sc_mappings_now(void);

/* The range is mapped, and nothing else there is known. slot: under which it was sent as a
 * block (memory.h); SC_NO_SLOT when it is reserved, or was not sampled. Ranges of the same state
 * that lie side by side become one; blocks do not. */
void sc_mappings_add(uint64_t start, uint64_t end, enum sc_mapping_state state, uint32_t slot);

/* Takes one piece of [start, end) out that is in one of the states and no younger than the moment.
 * False when there is none; then the end of all bytes of blocks in what was taken was sent.
 */
bool sc_mappings_take(uint64_t start, uint64_t end, unsigned states, uint64_t moment,
                      struct sc_mapping *ret_piece);

/* The states that any of [start, end) is in. */
unsigned sc_mappings_states(uint64_t start, uint64_t end);

/* How many of SC_MAPPINGS_MAX are in use. */
uint32_t sc_mappings_count(void);

/* Nothing is known any more. Not while others use it. */
void sc_mappings_forget(void);

/* In the child of a fork: whoever was changing something is not here. */
void sc_mappings_after_fork(void);
