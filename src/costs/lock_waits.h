/*
 * costs/lock_waits.h - waiting for the interpreter lock, by the line that waits and the line that
 * has the lock meanwhile.
 *
 * The interpreter does not publish which thread holds the lock. But a thread that runs Python code
 * holds it, so the holder is taken to be the other thread that was sampled last, at the place of
 * that sample. Stacks are kept by their innermost Python frames; the lines that these belong to are
 * found when the profile is built.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"

struct sc_lock_wait {
    uint32_t waiter; /* nodes of the collect */
    uint32_t holder;
    uint64_t ns;
};

/* Initialise with {0}. At most 65,536 pairs are kept; waits of further pairs are left out. */
struct sc_lock_waits {
    SC_VEC(struct sc_lock_wait) items;
    struct sc_map index;
};

void sc_lock_waits_add(struct sc_lock_waits *waits, uint32_t waiter, uint32_t holder, uint64_t ns);
void sc_lock_waits_done(struct sc_lock_waits *waits);
