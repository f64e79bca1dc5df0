/*
 * agent/hook_dlsym.c - makes dlsym return our hooks for the functions that we hook.
 *
 * Functions that the loader binds resolve to ours. ctypes.CDLL("libc.so.6").prctl does not, nor
 * does CDLL(None).prctl in a program that runs already: that look-up does not find ours. dlsym
 * returns a hook only in place of the very function that the hook calls next: a library between us
 * and libc that looks up the next function in libc must not get ours, or the calls would loop.
 * Libraries look up CUPTI's functions (cuda/hook_cupti.h), as XLA's profiler does.
 * Allocation and copying are left out: code that looks up the malloc of one library wants that one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/cuda/hook_cupti.h"
#include "agent/import_table.h"
#include "agent/late.h"
#include "agent/loaded_object.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "unwind/unwind.h"

typedef void *look_up(void *library, const char *name);

static look_up *_Atomic next;

/* The dlsym that the program would call without us. We cannot look it up with dlsym, which is this
 * hook. glibc has dlvsym; that is used where it exists, since dl_iterate_phdr and strcmp may be
 * those of an address sanitizer that calls us while it starts, and are not ready then. */
#if SC_HAS_DLVSYM
static void *next_symbol(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    void *symbol = NULL;
    for (size_t i = 0; symbol == NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
        symbol = dlvsym(sc_late_is() ? RTLD_DEFAULT : RTLD_NEXT, "dlsym", versions[i]);
    return symbol;
}
#else
static void *next_symbol(void)
{
    return sc_object_next(&sc_agent, "dlsym", sc_late_is());
}
#endif

static look_up *find_next(void)
{
    look_up *found = NULL;
    void *symbol = next_symbol();
    __builtin_memcpy(&found, &symbol, sizeof(found));
    atomic_store_explicit(&next, found, memory_order_release);
    return found;
}

/* With these handles the result depends on the caller, so the call is passed on unchanged, by a
 * jump. */
static bool is_of_caller(const void *library)
{
    return library == RTLD_NEXT || library == RTLD_DEFAULT;
}

/* A library may just have been loaded, in the place of another one. */
static void follow_modules(void)
{
    uint32_t unloads = sc_unwind_modules_follow();
    sc_agent_enter();
    if (sc_agent_is_active())
        atomic_store_explicit(&sc_agent.segment->unloads, unloads, memory_order_relaxed);
    sc_agent_leave();
}

SC_EXPORT void *dlsym(void *restrict library, const char *restrict name)
{
    look_up *real = atomic_load_explicit(&next, memory_order_acquire);
    if (real == NULL)
        real = find_next();
    if (is_of_caller(library) || !sc_agent_is_active())
        return real(library, name);
    follow_modules();
    void *found = real(library, name);
    bool is_hooked = found != NULL && (sc_real_has(found) ||
                                       sc_hook_cupti_is(name, found, __builtin_return_address(0)));
    void *ours = is_hooked ? sc_imports_own(name) : NULL;
    return ours != NULL ? ours : found;
}
