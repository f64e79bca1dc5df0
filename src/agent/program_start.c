/*
 * agent/program_start.c - detects with an audit hook that user code is about to run.
 *
 * Python raises an audit event for it (cpython.run_*) when it was given a file, a module or a
 * command. A program that embeds Python raises none: there user code begins when the interpreter is
 * ready and something is compiled, run or imported while no Python frame is running.
 *
 * The hook is removed as soon as user code begins: while any hook is installed, every audit event
 * of the program builds a tuple, which makes functions like id() several times slower.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "agent/clock.h"
#include "agent/memory/start.h"
#include "agent/profile_builtin.h"
#include "agent/python.h"
#include "agent/python_api.h"
#include "agent/safe_read.h"
#include "agent/state.h"
#include "agent/thread_state.h"

/* The word at an offset of an object, 0 where it cannot be read. */
static uint64_t word_at(uint64_t object, int32_t offset)
{
    struct sc_safe_reader reader = {0};
    uint64_t value = 0;
    return sc_safe_read(&reader, object + (uint64_t)(int64_t)offset, &value, sizeof(value)) ? value
                                                                                            : 0;
}

/* A slot of a class in a module, or (of_its_type) of an object's class, found without running
 * Python code. */
static uint64_t class_slot(const char *module, const char *name, bool of_its_type, int32_t offset)
{
    sc_object *found = sc_python_api.dict_get(sc_python_api.module_dict(), module); /* borrowed */
    sc_object *attribute = found != NULL ? sc_python_api.get_attribute(found, name) : NULL;
    if (attribute == NULL) {
        if (sc_python_api.error_occurred() != NULL)
            sc_python_api.error_clear();
        return 0;
    }
    uint64_t type = (uint64_t)(uintptr_t)attribute;
    if (of_its_type)
        type = word_at(type, sc_agent.layout.ob_type);
    uint64_t value = word_at(type, offset);
    sc_python_api.release(attribute);
    return value;
}

/* The C function of the method object.__new__, which classes with a __new__ in Python call. A
 * builtin function is its object head, then a pointer to {name, function, ...} (PyCFunctionObject
 * and PyMethodDef, Include/cpython/methodobject.h, v3.8.18 to v3.14.0). */
static uint64_t object_new_method(void)
{
    sc_object *base = dlsym(RTLD_DEFAULT, "PyBaseObject_Type");
    sc_object *method = base != NULL ? sc_python_api.get_attribute(base, "__new__") : NULL;
    if (method == NULL) {
        if (sc_python_api.error_occurred() != NULL)
            sc_python_api.error_clear();
        return 0;
    }
    int32_t type_at = sc_agent.layout.ob_type;
    int32_t pointer_bytes = (int32_t)sizeof(void *);
    uint64_t object = (uint64_t)(uintptr_t)method;
    uint64_t wanted = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "PyCFunction_Type");
    uint64_t function = 0;
    if (wanted != 0 && word_at(object, type_at) == wanted)
        function = word_at(word_at(object, type_at + pointer_bytes), pointer_bytes);
    sc_python_api.release(method);
    return function;
}

/* Whether sys._jit.is_enabled() denies that the interpreter compiles; 3.13 has no such function. */
static bool jit_is_off(void)
{
    sc_object *sys = sc_python_api.dict_get(sc_python_api.module_dict(), "sys"); /* borrowed */
    sc_object *jit = sys != NULL ? sc_python_api.get_attribute(sys, "_jit") : NULL;
    sc_object *ask = jit != NULL ? sc_python_api.get_attribute(jit, "is_enabled") : NULL;
    sc_object *answer = ask != NULL ? sc_python_api.call(ask, NULL) : NULL;
    bool is_off = answer != NULL && sc_python_api.is_true(answer) == 0;
    if (sc_python_api.error_occurred() != NULL)
        sc_python_api.error_clear();
    sc_python_api.release(answer);
    sc_python_api.release(ask);
    sc_python_api.release(jit);
    return is_off;
}

/* Fills in facts from slots of classes written in Python: they hold functions that the interpreter
 * does not export. Each of these classes exists in every version before a program starts. */
static void complete_facts(void)
{
    struct sc_interpreter_facts *facts = &sc_agent.segment->facts.interpreter;
    const struct sc_layout *layout = &sc_agent.layout;
    if (!sc_python_api.is_complete)
        return;
    facts->heap_init = class_slot("_frozen_importlib", "ModuleSpec", false, layout->tp_init);
    facts->heap_new = class_slot("abc", "ABCMeta", false, layout->tp_new_);
    facts->object_new_method = object_new_method();
    facts->heap_dealloc = class_slot("_frozen_importlib", "ModuleSpec", false, layout->tp_dealloc);
    facts->heap_call = class_slot("builtins", "exit", true, layout->tp_call);
    /* not earlier: a look that finds nothing leaves an error, which the next one frees, and a
     * library in front of free may look for that as long as it has not found it */
    facts->has_jit =
        layout->version >= 0x030d && dlsym(RTLD_DEFAULT, SC_JIT_SYMBOL) != NULL && !jit_is_off();
    sc_profile_builtin_add();
}

/* An entry of the list of audit hooks. hook_list is the head of that list in _PyRuntime, found by
 * looking for the word that changed to point to our entry when we added our hook. With it our hook
 * can be removed from the list again. */
struct hook_entry {
    struct hook_entry *next;
    sc_audit_hook *function;
    void *user_data;
};

#define RUNTIME_SCAN_BYTES (64U << 10)

static struct hook_entry **hook_list;

static void unlink_hook(sc_audit_hook *function)
{
    if (hook_list == NULL)
        return;
    for (struct hook_entry **link = hook_list; *link != NULL; link = &(*link)->next) {
        if ((*link)->function == function) {
            *link = (*link)->next; /* the entry itself stays valid: another thread that walks
                                    * the list may be at it */
            return;
        }
    }
}

void sc_python_begin_now(bool is_late)
{
    struct sc_segment *segment = sc_agent.segment;
    complete_facts();
    sc_thread_state_locate(is_late);
    sc_memory_start();
    atomic_store(&segment->program_started_cpu_ns, sc_clock_ns(sc_clock_of_thread(sc_agent.pid)));
    atomic_store(&segment->program_started_ns, sc_clock_ns(CLOCK_MONOTONIC));
}

static bool is_embedded; /* the program embeds Python, it is not the python executable */

/* Whether the import is that of site: the interpreter's own last one, made when it is already
 * marked as initialized (init_interp_main in Python/pylifecycle.c, v3.8.18 to v3.14.0). */
static bool imports_site(sc_object *arguments)
{
    sc_object *name = sc_python_api.tuple_item(arguments, 0); /* borrowed */
    const char *text = name != NULL ? sc_python_api.string_utf8(name) : NULL;
    if (text == NULL)
        sc_python_api.error_clear();
    return text == NULL || strcmp(text, "site") == 0;
}

/* Whether the event was caused by C code of the program: no Python frame is running. */
static bool is_asked_for_in_c(const char *event, sc_object *arguments)
{
    bool is_import = strcmp(event, "import") == 0;
    if (!is_import && strcmp(event, "compile") != 0 && strcmp(event, "exec") != 0)
        return false;
    return sc_python_api.is_complete && sc_python_api.is_initialized() != 0 &&
           sc_python_api.current_frame() == NULL && !(is_import && imports_site(arguments));
}

static int on_audit_event(const char *event, sc_object *arguments, void *user_data)
{
    (void)user_data;
    if (!sc_agent_is_active() || (strncmp(event, "cpython.run_", 12) != 0 &&
                                  !(is_embedded && is_asked_for_in_c(event, arguments))))
        return 0;
    struct sc_segment *segment = sc_agent.segment;
    if (atomic_load(&segment->program_started_ns) == 0)
        sc_python_begin_now(false); /* in the main thread */
    unlink_hook(on_audit_event);
    return 0;
}

void sc_python_watch_start(void)
{
    size_t words = (size_t)(sc_agent.segment->facts.interpreter.runtime_size) / sizeof(void *);
    size_t limit = RUNTIME_SCAN_BYTES / sizeof(void *);
    static void *before[RUNTIME_SCAN_BYTES / sizeof(void *)];
    void **runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (sc_python_api.add_audit_hook == NULL)
        return;
    is_embedded = !sc_agent_thread.begins_in_python;
    words = words < limit ? words : limit;
    memcpy(before, runtime, words * sizeof(void *));
    if (sc_python_api.add_audit_hook(on_audit_event, NULL) != 0)
        return;
    for (size_t i = 0; i < words; i++) {
        if (runtime[i] == before[i] || runtime[i] == NULL)
            continue;
        struct hook_entry entry;
        struct sc_safe_reader reader = {0};
        if (sc_safe_read(&reader, (uint64_t)(uintptr_t)runtime[i], &entry, sizeof(entry)) &&
            entry.function == on_audit_event && entry.next == NULL) {
            hook_list = (struct hook_entry **)&runtime[i];
            return;
        }
    }
}
