/*
 * agent/python.c - the CPython of this process.
 *
 * No Python header is used: functions are looked up by name, and only such as have kept their
 * signature from 3.8 on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/python.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/clock.h"
#include "agent/lagging.h"
#include "agent/safe_read.h"
#include "cpython/walk.h"

typedef void object;
typedef int audit_hook(const char *event, object *arguments, void *user_data);

/* Looked up by name; a member is NULL when the interpreter has no such function. */
static struct {
    int (*add_audit_hook)(audit_hook *, void *);
    int (*gil_is_ours)(void);
    object *(*module_dict)(void);
    object *(*dict_get)(object *, const char *);
    object *(*get_attribute)(object *, const char *);
    object *(*generic_get_attribute)(object *, object *);
    object *(*string_new)(const char *);
    const char *(*string_utf8)(object *);
    void (*release)(object *);
    object *(*error_occurred)(void);
    void (*error_clear)(void);
} python;

static void *symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

#define LOOK_UP(member, name)                                                                      \
    do {                                                                                           \
        void *found_ = symbol(name);                                                               \
        __builtin_memcpy(&(member), &found_, sizeof(found_));                                      \
    } while (0)

bool sc_python_is_here(void)
{
    return symbol("_PyRuntime") != NULL && symbol("Py_GetVersion") != NULL;
}

/* "3.12.1+ (main, ...": Py_Version exists from 3.11 on only. */
static uint32_t version_hex(void)
{
    const char *(*get_version)(void);
    LOOK_UP(get_version, "Py_GetVersion");
    const char *text = get_version();
    char *end = NULL;
    unsigned long major = strtoul(text, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    unsigned long micro = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    return (uint32_t)(major << 24 | minor << 16 | micro << 8 | 0xf0);
}

/* The word at offset of an exported object, 0 without it. */
static uint64_t slot(const char *type_name, int32_t offset)
{
    const unsigned char *type = symbol(type_name);
    uint64_t value = 0;
    if (type != NULL && offset >= 0)
        memcpy(&value, type + offset, sizeof(value));
    return value;
}

static uint64_t size_of_symbol(const void *address)
{
    Dl_info info;
    const ElfW(Sym) *entry = NULL;
    void *extra = NULL;
    if (dladdr1(address, &info, &extra, RTLD_DL_SYMENT) == 0 || extra == NULL)
        return 0;
    entry = extra;
    return entry->st_size;
}

static uint64_t address_of(const char *name)
{
    return (uint64_t)(uintptr_t)symbol(name);
}

static void fill_facts(struct sc_segment_facts *facts)
{
    const struct sc_layout *layout = &sc_agent.layout;
    facts->runtime = sc_agent.runtime;
    facts->runtime_size = size_of_symbol(symbol("_PyRuntime"));
    facts->code_type = sc_agent.code_type;
    facts->eval_function = address_of("_PyEval_EvalFrameDefault");
    facts->generic_alloc = address_of("PyType_GenericAlloc");
    facts->type_call = slot("PyType_Type", layout->tp_call);
    facts->object_new = slot("PyBaseObject_Type", layout->tp_new_);
    facts->object_init = slot("PyBaseObject_Type", layout->tp_init);
    facts->function_call = slot("PyFunction_Type", layout->tp_call);
    facts->method_call = slot("PyMethod_Type", layout->tp_call);
    facts->frame_dealloc = slot("PyFrame_Type", layout->tp_dealloc);
    facts->free_threaded = layout->free_threaded;
}

static void look_up_functions(void)
{
    LOOK_UP(python.add_audit_hook, "PySys_AddAuditHook");
    LOOK_UP(python.gil_is_ours, "PyGILState_Check");
    LOOK_UP(python.module_dict, "PyImport_GetModuleDict");
    LOOK_UP(python.dict_get, "PyDict_GetItemString");
    LOOK_UP(python.get_attribute, "PyObject_GetAttrString");
    LOOK_UP(python.generic_get_attribute, "PyObject_GenericGetAttr");
    LOOK_UP(python.string_new, "PyUnicode_FromString");
    LOOK_UP(python.string_utf8, "PyUnicode_AsUTF8");
    LOOK_UP(python.release, "Py_DecRef");
    LOOK_UP(python.error_occurred, "PyErr_Occurred");
    LOOK_UP(python.error_clear, "PyErr_Clear");
}

static void look_up_getters(uint16_t version)
{
    LOOK_UP(sc_agent.own_thread_state, "PyGILState_GetThisThreadState");
    sc_agent.attached_thread_state = NULL;
    if (version >= 0x030d)
        LOOK_UP(sc_agent.attached_thread_state, "PyThreadState_GetUnchecked");
    else if (version == 0x030c)
        LOOK_UP(sc_agent.attached_thread_state, "_PyThreadState_UncheckedGet");
}

/* Free-threaded builds say so at the start of _PyRuntime (_Py_DebugOffsets: a cookie of 8 bytes,
 * the version, then the flag; Include/internal/pycore_debug_offsets.h). */
static bool is_free_threaded(uint16_t version)
{
    uint64_t head[3];
    if (version < 0x030d)
        return false;
    memcpy(head, symbol("_PyRuntime"), sizeof(head));
    return memcmp(head, "xdebugpy", 8) == 0 && head[2] == 1;
}

enum sc_hello_status sc_python_find(struct sc_segment_facts *ret_facts, bool allow_unknown)
{
    ret_facts->version_hex = version_hex();
    uint16_t version = (uint16_t)(ret_facts->version_hex >> 16);
    sc_agent.runtime = address_of("_PyRuntime");
    sc_agent.code_type = address_of("PyCode_Type");
    struct sc_safe_reader reader = {0};
    struct sc_memory memory = {.read = sc_safe_read, .context = &reader};
    switch (sc_layout_init(&sc_agent.layout, version, is_free_threaded(version), &memory,
                           sc_agent.runtime, allow_unknown)) {
    case SC_LAYOUT_OK:
        break;
    case SC_LAYOUT_TOO_OLD:
        return SC_HELLO_TOO_OLD;
    case SC_LAYOUT_UNKNOWN:
        return SC_HELLO_UNKNOWN;
    case SC_LAYOUT_UNREADABLE:
        return SC_HELLO_UNREADABLE;
    }
    look_up_functions();
    look_up_getters(version);
    fill_facts(ret_facts);
    if (sc_agent.code_type == 0 || sc_agent.own_thread_state == NULL ||
        ret_facts->eval_function == 0)
        return SC_HELLO_NO_SYMBOLS;
    void *eval = symbol("_PyEval_EvalFrameDefault");
    sc_eval_ranges_find(&sc_agent.eval_ranges, ret_facts->eval_function, size_of_symbol(eval));
    if (sc_agent.layout.instruction_may_lag)
        sc_lagging_init();
    return SC_HELLO_OK;
}

/* A slot of the class of an object in a module, found without running Python code. */
static uint64_t class_slot(const char *module, const char *name, bool of_its_type, int32_t offset)
{
    object *found = python.dict_get(python.module_dict(), module); /* borrowed */
    object *attribute = found != NULL ? python.get_attribute(found, name) : NULL;
    if (attribute == NULL) {
        if (python.error_occurred() != NULL)
            python.error_clear();
        return 0;
    }
    const unsigned char *type = attribute;
    uint64_t value = 0;
    if (of_its_type)
        memcpy(&type, type + sc_agent.layout.ob_type, sizeof(type));
    memcpy(&value, type + offset, sizeof(value));
    python.release(attribute);
    return value;
}

/* The C function of the method object.__new__, which classes with a __new__ in Python call. A
 * builtin function is its object head, then a pointer to {name, function, ...} (PyCFunctionObject
 * and PyMethodDef, Include/cpython/methodobject.h, v3.8.18 to v3.14.0). */
static uint64_t object_new_method(void)
{
    object *base = symbol("PyBaseObject_Type");
    object *method = base != NULL ? python.get_attribute(base, "__new__") : NULL;
    if (method == NULL) {
        if (python.error_occurred() != NULL)
            python.error_clear();
        return 0;
    }
    size_t head_bytes = (size_t)sc_agent.layout.ob_type + sizeof(void *);
    const unsigned char *bytes = method;
    const void *type = NULL;
    void *const *definition = NULL;
    uint64_t function = 0;
    memcpy(&type, bytes + sc_agent.layout.ob_type, sizeof(type));
    if (type == symbol("PyCFunction_Type")) {
        memcpy(&definition, bytes + head_bytes, sizeof(definition));
        function = (uint64_t)(uintptr_t)definition[1];
    }
    python.release(method);
    return function;
}

/* Slots of classes written in Python: the interpreter's own functions behind them are not exported.
 * Each class here exists in every version before a program starts. */
static void complete_facts(void)
{
    struct sc_segment_facts *facts = &sc_agent.segment->facts;
    const struct sc_layout *layout = &sc_agent.layout;
    if (python.module_dict == NULL || python.dict_get == NULL || python.get_attribute == NULL ||
        python.release == NULL || python.error_occurred == NULL || python.error_clear == NULL)
        return;
    facts->heap_init = class_slot("_frozen_importlib", "ModuleSpec", false, layout->tp_init);
    facts->heap_new = class_slot("abc", "ABCMeta", false, layout->tp_new_);
    facts->object_new_method = object_new_method();
    facts->heap_dealloc = class_slot("_frozen_importlib", "ModuleSpec", false, layout->tp_dealloc);
    facts->heap_call = class_slot("builtins", "exit", true, layout->tp_call);
}

/* The list of audit hooks in _PyRuntime, found by what adding ours changed there, so that ours can
 * be taken out again: while any hook is installed every audit event builds a tuple. Up to the first
 * hook of others the head of the list is ours. Entries are {next, function, user data}. */
struct hook_entry {
    struct hook_entry *next;
    audit_hook *function;
    void *user_data;
};

#define RUNTIME_SCAN_BYTES (64U << 10)

static struct hook_entry **hook_list;

static void unlink_hook(audit_hook *function)
{
    if (hook_list == NULL)
        return;
    for (struct hook_entry **link = hook_list; *link != NULL; link = &(*link)->next) {
        if ((*link)->function == function) {
            *link = (*link)->next; /* the entry itself stays: a walk may stand on it */
            return;
        }
    }
}

static int on_audit_event(const char *event, object *arguments, void *user_data)
{
    (void)arguments;
    (void)user_data;
    if (strncmp(event, "cpython.run_", 12) != 0 || !sc_agent_is_active())
        return 0;
    struct sc_segment *segment = sc_agent.segment;
    if (atomic_load(&segment->program_started_ns) == 0) {
        complete_facts();
        atomic_store(&segment->program_started_cpu_ns, sc_clock_ns(CLOCK_THREAD_CPUTIME_ID));
        atomic_store(&segment->program_started_ns, sc_clock_ns(CLOCK_MONOTONIC));
    }
    unlink_hook(on_audit_event);
    return 0;
}

void sc_python_watch_start(void)
{
    size_t words = (size_t)(sc_agent.segment->facts.runtime_size) / sizeof(void *);
    size_t limit = RUNTIME_SCAN_BYTES / sizeof(void *);
    static void *before[RUNTIME_SCAN_BYTES / sizeof(void *)];
    void **runtime = symbol("_PyRuntime");
    if (python.add_audit_hook == NULL)
        return;
    words = words < limit ? words : limit;
    memcpy(before, runtime, words * sizeof(void *));
    if (python.add_audit_hook(on_audit_event, NULL) != 0)
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

/* self of the innermost frame when that is threading's Thread.start, else 0. */
static uint64_t starting_thread_object(void)
{
    const struct sc_layout *layout = &sc_agent.layout;
    struct sc_safe_reader reader = {0};
    struct sc_memory memory = {.read = sc_safe_read, .context = &reader};
    struct sc_walk walk;
    struct sc_py_frame frame;
    struct sc_code_facts facts;
    char name[32];
    char file[4096];
    size_t name_length = 0;
    size_t file_length = 0;
    uint64_t state = (uint64_t)(uintptr_t)sc_agent.own_thread_state();
    if (state == 0 || layout->fr_localsplus < 0)
        return 0;
    sc_walk_begin(&walk, layout, &memory, sc_agent.code_type, state);
    if (!sc_walk_next(&walk, &frame) || !sc_code_read(layout, &memory, frame.code, &facts) ||
        !sc_unicode_read(layout, &memory, facts.name, name, sizeof(name), &name_length) ||
        !sc_unicode_read(layout, &memory, facts.filename, file, sizeof(file), &file_length))
        return 0;
    static const char wanted_file[] = "/threading.py";
    size_t tail = sizeof(wanted_file) - 1;
    bool is_start = (name_length == 5 && memcmp(name, "start", 5) == 0) ||
                    (name_length == 12 && memcmp(name, "Thread.start", 12) == 0);
    if (!is_start || file_length < tail ||
        memcmp(file + file_length - tail, wanted_file, tail) != 0)
        return 0;
    uint64_t self = 0;
    if (!sc_memory_read(&memory, frame.address + (uint64_t)layout->fr_localsplus, &self,
                        sizeof(self)))
        return 0;
    return self & ~(uint64_t)7; /* from 3.14 on references carry tags in their low bits */
}

void sc_python_starting_thread_name(char *name)
{
    if (python.gil_is_ours == NULL || python.generic_get_attribute == NULL ||
        python.string_new == NULL || python.string_utf8 == NULL || python.release == NULL ||
        python.error_occurred == NULL || python.error_clear == NULL)
        return;
    if (sc_agent.own_thread_state() == NULL || python.gil_is_ours() == 0)
        return;
    object *thread = (object *)(uintptr_t)starting_thread_object();
    if (thread == NULL || python.error_occurred() != NULL)
        return;
    object *key = python.string_new("_name");
    object *value = key != NULL ? python.generic_get_attribute(thread, key) : NULL;
    const char *text = value != NULL ? python.string_utf8(value) : NULL;
    for (size_t i = 0; text != NULL && i < 63; i++) {
        name[i] = text[i];
        name[i + 1] = '\0';
        if (text[i] == '\0')
            break;
    }
    if (value != NULL)
        python.release(value);
    if (key != NULL)
        python.release(key);
    if (python.error_occurred() != NULL)
        python.error_clear();
}
