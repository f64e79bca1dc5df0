/*
 * profile/lock_waits.h - waiting for the interpreter lock, by the line that waits and the line that
 * has the lock meanwhile.
 *
 * Nothing says who holds it. But whoever runs Python code does, so it is taken to be where the
 * other thread was that was sampled last. Stacks are kept by their innermost Python frames; which
 * lines those belong to is known when the profile is built.
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

/* Initialise with {0}. At most 65,536 pairs are told apart; time of further ones has no holder. */
struct sc_lock_waits {
    SC_VEC(struct sc_lock_wait) items;
    struct sc_map index;
};

void sc_lock_waits_add(struct sc_lock_waits *waits, uint32_t waiter, uint32_t holder, uint64_t ns);
void sc_lock_waits_done(struct sc_lock_waits *waits);
