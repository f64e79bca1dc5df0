/*
 * agent/timers.c - the timers of all threads, so that one thread can delete those of the others.
 *
 * The kernel gives the timers of a process consecutive ids, so the first place tried for an id
 * (id modulo PLACES) is mostly free.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/timers.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/rules.h"

#define PLACES 8192U
#define TRIES  32U

static _Atomic uint32_t places[PLACES]; /* id + 1, or 0 */

/* Replaces before by after in the first of the id's places that holds it. */
SC_SIGNAL_SAFE static void replace(int id, uint32_t before, uint32_t after)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        uint32_t expected = before;
        if (atomic_compare_exchange_strong(&places[((uint32_t)id + i) % PLACES], &expected, after))
            return;
    }
}

SC_SIGNAL_SAFE void sc_timers_add(int id)
{
    replace(id, 0, (uint32_t)id + 1);
}

SC_SIGNAL_SAFE void sc_timers_delete(int id)
{
    replace(id, (uint32_t)id + 1, 0);
    (void)syscall(SYS_timer_delete, id);
}

SC_SIGNAL_SAFE void sc_timers_delete_all(void)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        uint32_t found = atomic_exchange(&places[i], 0);
        if (found != 0)
            (void)syscall(SYS_timer_delete, (int)(found - 1));
    }
}

SC_SIGNAL_SAFE void sc_timers_after_fork(void)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        if (atomic_load_explicit(&places[i], memory_order_relaxed) != 0)
            atomic_store_explicit(&places[i], 0, memory_order_relaxed);
    }
}
