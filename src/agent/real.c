/*
 * agent/real.c - the functions we stand in front of.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/real.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

static struct sc_real real;
static _Atomic bool looked_up;

const struct sc_real *sc_real(void)
{
    /* two threads may both look: they write the same values */
    if (!atomic_load_explicit(&looked_up, memory_order_acquire)) {
#define X_LOOK_UP(result, name, parameters)                                                        \
    {                                                                                              \
        void *symbol = dlsym(RTLD_NEXT, #name);                                                    \
        __builtin_memcpy(&real.name, &symbol, sizeof(symbol));                                     \
    }
        SC_REAL_FUNCTIONS(X_LOOK_UP)
#undef X_LOOK_UP
        atomic_store_explicit(&looked_up, true, memory_order_release);
    }
    return &real;
}
