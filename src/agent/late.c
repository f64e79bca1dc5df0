/*
 * agent/late.c - entry points for this library when it is loaded into a program that runs already.
 *
 * The functions below are called from Python with the GIL held.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/late.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "agent/import_table.h"
#include "agent/memory/start.h"
#include "agent/real.h"
#include "agent/rules.h"
#include "agent/state.h"
#include "agent/thread.h"
#include "agent/timer.h"
#include "agent/timers.h"

static _Atomic bool is_late;
static struct sc_import imports[SC_IMPORTS_MAX + 1];
static size_t import_count;
static bool follows_memory; /* imports includes the functions of allocation and copying */
static void *(*real_dlopen)(const char *file, int mode);

bool sc_late_is(void)
{
    return atomic_load(&is_late);
}

void sc_late_become(void)
{
    sc_real_is_late();
    sc_memory_prepare();
    atomic_store(&is_late, true);
}

SC_SIGNAL_SAFE static void drop_timer(const siginfo_t *tick)
{
    if (tick->si_code == SI_TIMER && !sc_agent.is_sealed)
        sc_timers_delete(tick->si_timerid);
}

SC_SIGNAL_SAFE bool sc_late_accepts(const siginfo_t *tick)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (!atomic_load_explicit(&is_late, memory_order_relaxed))
        return true;
    bool is_its_own =
        tick->si_code != SI_TIMER || (thread->has_timer && thread->timer_id == tick->si_timerid);
    if (!sc_agent_is_active()) {
        if (!is_its_own)
            drop_timer(tick);
        sc_timer_stop(thread);
        thread->registered = false;
        return false;
    }
    if (!thread->registered) {
        sc_thread_adopt(tick->si_timerid);
    } else if (!is_its_own && (thread->tick_held || tick->si_timerid > thread->timer_id)) {
        sc_timer_stop(thread); /* of an earlier profile, or a duplicate: ids only grow */
        thread->tick_held = false;
        sc_thread_adopt(tick->si_timerid);
    } else if (!is_its_own) {
        drop_timer(tick);
        return false;
    }
    return true;
}

/* Whether calls of the function are redirected to ours. */
static bool is_redirected(const char *name)
{
    static const struct {
        const char *name;
        bool is_memorys;
    } hooks[] = {
#define HOOK(function)        {#function, false},
#define MEMORY_HOOK(function) {#function, true},
#define ENTRY(function)
#include "agent/exports.def"
#undef HOOK
#undef MEMORY_HOOK
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
        if (strcmp(hooks[i].name, name) == 0)
            return follows_memory || !hooks[i].is_memorys;
    }
    return false;
}

/* Whether the file depends on the caller: a name without a slash is searched along the caller's
 * RUNPATH, and $ORIGIN is the folder of the caller's library. */
static bool is_of_caller(const char *file)
{
    return file == NULL || strchr(file, '/') == NULL || strchr(file, '$') != NULL;
}

/* A newly loaded object has import tables of its own, which are patched here. Where the loader must
 * see the original caller, the call is passed on by a jump, and the object is patched at the next
 * call of sc_imports_redirect. */
static void *redirected_dlopen(const char *file, int mode)
{
    if (is_of_caller(file))
        return real_dlopen(file, mode);
    void *handle = real_dlopen(file, mode);
    if (handle != NULL && sc_agent_is_active()) {
        int saved_errno = errno;
        (void)sc_imports_redirect(imports, import_count, false);
        errno = saved_errno;
    }
    return handle;
}

void sc_late_redirect_imports(void)
{
    bool had_all = import_count > 0 && (follows_memory || sc_agent.memory_window_bytes == 0);
    if (!had_all) {
        follows_memory = sc_agent.memory_window_bytes != 0;
        size_t count = sc_imports_find(imports, is_redirected);
        void *theirs = sc_real_symbol("dlopen");
        void *(*ours)(const char *, int) = redirected_dlopen;
        __builtin_memcpy(&real_dlopen, &theirs, sizeof(theirs));
        imports[count].name = "dlopen";
        imports[count].theirs = theirs;
        __builtin_memcpy(&imports[count].ours, &ours, sizeof(ours));
        import_count = theirs != NULL ? count + 1 : count;
    }
    (void)sc_imports_redirect(imports, import_count, !had_all);
}

void sc_late_redirect(const char *name, void *ours, void *theirs)
{
    if (!atomic_load(&is_late) || theirs == NULL || theirs == ours)
        return;
    size_t at = 0;
    while (at < import_count && strcmp(imports[at].name, name) != 0)
        at++;
    if (at > SC_IMPORTS_MAX)
        return;
    imports[at] = (struct sc_import){.name = name, .ours = ours, .theirs = theirs};
    import_count += at == import_count;
    (void)sc_imports_redirect(imports, import_count, true);
}
