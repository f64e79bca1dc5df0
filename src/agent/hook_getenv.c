/*
 * agent/hook_getenv.c - makes CUDA's driver load this library.
 *
 * CUDA's driver, in cuInit, loads the library that the variable CUDA_INJECTION64_PATH names and
 * calls its InitializeInjection (cuda.c). It reads the variable with getenv, so we hook that: the
 * variable itself is in no environment, and programs that this one starts do not see it. Python
 * keeps a copy of its environment and does not call getenv for it; other code that calls getenv
 * with this very name gets our path.
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

/* Does what libc's getenv does, for calls before the constructor has looked that up: such a call
 * may come from inside an allocator, and dlsym may allocate. */
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

static __attribute__((cold, noinline)) char *answer(const char *name, char *value)
{
    for (size_t i = 0; i < sizeof(asked_for); i++) {
        if (name[i] != asked_for[i])
            return value;
    }
    return sc_cuda_injection(value);
}

SC_EXPORT char *getenv(const char *name)
{
    const struct sc_real *real = sc_real_if_known();
    char *value = real != NULL ? real->getenv(name) : look_up(name);
    if (SC_LIKELY(name[0] != 'C' || name[1] != 'U' || name[2] != 'D' || name[3] != 'A' ||
                  name[4] != '_' || name[5] != 'I'))
        return value;
    return answer(name, value);
}
