/*
 * agent/hook_dlsym.c - who looks a function up in a library by its name finds ours before it, too.
 *
 * What a program is bound to by the loader leads here. ctypes.CDLL("libc.so.6").prctl does not, nor
 * CDLL(None).prctl in a program that runs already: the look-up begins at libc itself. Only what is
 * right behind ours is led here: a library that stands behind us and asks libc for the next
 * function must not come back to us. Allocation and copying are left out: who asks a library for
 * its malloc by name wants that one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "agent/import_table.h"
#include "agent/late.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"

typedef void *look_up(void *library, const char *name);

static look_up *_Atomic next;

/* Of the versions that libc has of it: since 2.34, and before. */
static look_up *find_next(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    look_up *found = NULL;
    for (size_t i = 0; found == NULL && i < sizeof(versions) / sizeof(versions[0]); i++) {
        void *symbol = dlvsym(sc_late_is() ? RTLD_DEFAULT : RTLD_NEXT, "dlsym", versions[i]);
        __builtin_memcpy(&found, &symbol, sizeof(found));
    }
    atomic_store_explicit(&next, found, memory_order_release);
    return found;
}

/* What is found depends on who asks: the call is passed on as it came, by a jump. */
static bool is_of_caller(const void *library)
{
    return library == RTLD_NEXT || library == RTLD_DEFAULT;
}

SC_EXPORT void *dlsym(void *restrict library, const char *restrict name)
{
    look_up *real = atomic_load_explicit(&next, memory_order_acquire);
    if (real == NULL)
        real = find_next();
    if (is_of_caller(library) || !sc_agent_is_active())
        return real(library, name);
    void *found = real(library, name);
    void *ours = found != NULL && sc_real_has(found) ? sc_imports_own(name) : NULL;
    return ours != NULL ? ours : found;
}
