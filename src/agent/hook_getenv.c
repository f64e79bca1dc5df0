/*
 * agent/hook_getenv.c - the driver's question for a library to inject is answered with this one.
 *
 * CUDA's driver, in cuInit, loads the library that the variable CUDA_INJECTION64_PATH names and
 * calls its InitializeInjection (cuda.c). It asks by getenv, so that is where we stand: the
 * variable is in no environment, and what the program starts does not see it. Python keeps a copy
 * of its environment and never asks here; other code that calls getenv for this very name will see
 * our path.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/cuda/cuda.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

static const char asked_for[] = "CUDA_INJECTION64_PATH";

/* As libc's, for who asks before the constructor has looked that up: it may be called from inside
 * an allocator, and dlsym may allocate. */
static char *look_up(const char *name)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        size_t i = 0;
        while (name[i] != '\0' && name[i] == (*entry)[i])
            i++;
        if (i > 0 && name[i] == '\0' && (*entry)[i] == '=')
            return *entry + i + 1;
    }
    return NULL;
}

static __attribute__((cold, noinline)) char *answer(const char *name)
{
    for (size_t i = 0; i < sizeof(asked_for); i++) {
        if (name[i] != asked_for[i])
            return NULL;
    }
    return sc_cuda_injection();
}

SC_EXPORT char *getenv(const char *name)
{
    const struct sc_real *real = sc_real_if_known();
    char *value = real != NULL ? real->getenv(name) : look_up(name);
    if (SC_LIKELY(value != NULL || name[0] != 'C' || name[1] != 'U' || name[2] != 'D' ||
                  name[3] != 'A' || name[4] != '_' || name[5] != 'I'))
        return value;
    return answer(name);
}
