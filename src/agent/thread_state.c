/*
 * agent/thread_state.c - see thread_state.h.
 *
 * CPython keeps the thread state in thread-local variables: from 3.12 on that of the interpreter
 * that the thread runs (_Py_tss_tstate), from 3.15 on also the one it was begun with
 * (_Py_tss_gilstate; Python/pystate.c, v3.12.0 to v3.15.0a1). The functions that return them may
 * not be called in a signal handler or a hook of malloc: in a shared libpython they ask the loader
 * for the variable's address, and after libraries with thread-local variables have been loaded, the
 * loader calls realloc for that. A thread that was interrupted in malloc would wait for itself.
 *
 * So we look for the variables once. Those of what is loaded at the program's start lie at the same
 * distance from the thread pointer, thus from our own, in every thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/thread_state.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/loaded_object.h"
#include "agent/rules.h"
#include "agent/safe_read.h"
#include "agent/state.h"
#include "cpython/walk.h"

#define KERNEL_MASK_BYTES 8U

typedef void *getter(void);

/* A thread-local variable of the interpreter. */
struct variable {
    getter *get;        /* NULL: there is none in this version */
    ptrdiff_t distance; /* from sc_agent_thread; 0: not known */
};

static struct variable attached; /* PyThreadState_GetUnchecked: 3.12 and later */
static struct variable begun;    /* PyGILState_GetThisThreadState: it calls pthread_getspecific up
                                  * to 3.14, and reads a variable from then on */
static getter *current;          /* of the GIL's holder, from an ordinary variable: up to 3.11 */

static getter *look_up(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    getter *function = NULL;
    __builtin_memcpy(&function, &found, sizeof(found));
    return function;
}

bool sc_thread_state_init(uint16_t version)
{
    getter *unchecked =
        look_up(version >= 0x030d ? "PyThreadState_GetUnchecked" : "_PyThreadState_UncheckedGet");
    begun = (struct variable){.get = look_up("PyGILState_GetThisThreadState")};
    attached = (struct variable){.get = version >= 0x030c ? unchecked : NULL};
    current = version < 0x030c ? unchecked : NULL;
    return begun.get != NULL;
}

/* The calling thread's thread-local variables in the object that holds an address. */
struct block {
    const void *address;
    uintptr_t loader; /* where the program's loader was loaded; 0: not known */
    void **words;
    size_t count;
    bool is_behind_loader;
};

static int find_block(struct dl_phdr_info *info, size_t size, void *context)
{
    struct block *block = context;
    struct sc_object object;
    (void)size;
    block->is_behind_loader |= block->loader == 0 || info->dlpi_addr == block->loader;
    if (!sc_object_read(info, &object) || !sc_object_has(&object, block->address))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum && info->dlpi_tls_data != NULL; i++) {
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            block->words = info->dlpi_tls_data;
            block->count = info->dlpi_phdr[i].p_memsz / sizeof(void *);
        }
    }
    return 1;
}

/* The variable is the word that changes what its function returns. */
static void locate(struct variable *variable, const struct block *block)
{
    static char other;
    void *value = variable->get != NULL ? variable->get() : NULL;
    variable->distance = 0;
    for (size_t i = 0; value != NULL && i < block->count; i++) {
        if (block->words[i] != value)
            continue;
        block->words[i] = &other;
        bool is_it = variable->get() == &other;
        block->words[i] = value;
        if (is_it)
            variable->distance = (char *)&block->words[i] - (char *)&sc_agent_thread;
    }
}

/* Whether the object was there at the program's start, as we were. When we were preloaded, we
 * looked for the interpreter before the program could load anything. When loaded late, only glibc
 * gives us a fixed place, too; objects of the start come before the loader in the list of objects,
 * as it is the last that they need, and those that the program has loaded come behind it. */
static bool is_of_start(const struct block *block, bool is_late)
{
#ifdef __GLIBC__
    return !is_late || !block->is_behind_loader;
#else
    (void)block;
    return !is_late;
#endif
}

void sc_thread_state_locate(bool is_late)
{
    struct block block = {.address = (const void *)(uintptr_t)sc_agent.runtime, // NOLINT
                          .loader = sc_object_loader()};
    uint64_t all = UINT64_MAX;
    uint64_t before = 0;
    (void)dl_iterate_phdr(find_block, &block);
    if (block.words == NULL || !is_of_start(&block, is_late))
        return;
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, KERNEL_MASK_BYTES);
    locate(&attached, &block);
    locate(&begun, &block);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_MASK_BYTES);
}

SC_SIGNAL_SAFE static uint64_t load(const struct variable *variable)
{
    uint64_t value = 0;
    if (variable->distance != 0)
        __builtin_memcpy(&value, (char *)&sc_agent_thread + variable->distance, sizeof(value));
    return value;
}

SC_SIGNAL_SAFE static uint64_t read_id(const struct sc_target *target, uint64_t state,
                                       int32_t field)
{
    uint64_t id = 0;
    if (state == 0 || field < 0 ||
        !sc_target_read(target, state + (uint64_t)field, &id, sizeof(id)))
        return 0;
    return id;
}

/* Up to 3.11 a thread in a subinterpreter runs with another thread state than the one that
 * PyGILState_GetThisThreadState returns: the current one, that of the thread that holds the GIL. It
 * is the calling thread's if both states were made by the same thread. Another thread's state may
 * have been freed by now. While the thread has released the GIL, its states are searched. */
SC_SIGNAL_SAFE static uint64_t state_in_use(uint64_t own)
{
    struct sc_safe_reader reader = {0};
    struct sc_target target = {.read = sc_safe_read, .context = &reader};
    const struct sc_layout *layout = &sc_agent.layout;
    uint64_t holders = (uint64_t)(uintptr_t)current();
    uint64_t thread = holders != own ? read_id(&target, own, layout->ts_thread_id) : 0;
    if (thread == 0)
        return own;
    if (read_id(&target, holders, layout->ts_thread_id) == thread)
        return holders;
    uint64_t found = 0;
    if (sc_interpreters_are_many(layout, &target, sc_agent.runtime))
        found = sc_thread_state_find(layout, &target, sc_agent.runtime,
                                     read_id(&target, own, layout->ts_native_thread_id), thread);
    return found != 0 ? found : own;
}

/* The bits _status of PyThreadState follow interp, from 3.13 on behind eval_breaker
 * (Include/cpython/pystate.h, v3.12.0 to v3.15.0). */
SC_SIGNAL_SAFE bool sc_thread_state_is_running(uint64_t state)
{
    static const uint32_t active = 1U << 4;
    struct sc_safe_reader reader = {0};
    const struct sc_layout *layout = &sc_agent.layout;
    uint64_t place = state + (uint64_t)layout->ts_interp + (layout->version >= 0x030d ? 16 : 8);
    uint32_t status = 0;
    if (current != NULL)
        return (uint64_t)(uintptr_t)current() == state;
    return !sc_safe_read(&reader, place, &status, sizeof(status)) || (status & active) != 0;
}

/* Where begun's distance is not known from 3.15 on (a program that has loaded CPython by dlopen),
 * the function is the only way. */
SC_SIGNAL_SAFE uint64_t sc_own_thread_state(void)
{
    uint64_t state = load(&attached);
    if (state == 0)
        state = begun.distance != 0 ? load(&begun) : (uint64_t)(uintptr_t)begun.get();
    return state != 0 && current != NULL ? state_in_use(state) : state;
}
