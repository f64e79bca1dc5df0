/* agent/python.c - see python.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/python.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/current_instruction.h"
#include "agent/loaded_object.h"
#include "agent/python_api.h"
#include "agent/safe_read.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "cpython/find_layout.h"
#include "cpython/walk.h"
#include "unwind/record.h"

static void *symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}

#define LOOK_UP(member, name)                                                                      \
    do {                                                                                           \
        void *found_ = symbol(name);                                                               \
        __builtin_memcpy(&(member), &found_, sizeof(found_));                                      \
    } while (0)

bool sc_python_is_loaded(void)
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

/* The word at offset in an exported type object, 0 if there is none. */
static uint64_t slot(const char *type_name, int32_t offset)
{
    uint64_t type = (uint64_t)(uintptr_t)symbol(type_name);
    struct sc_safe_reader reader = {0};
    uint64_t value = 0;
    if (offset < 0 || !sc_safe_read(&reader, type + (uint64_t)offset, &value, sizeof(value)))
        return 0;
    return value;
}

static uint64_t size_of_symbol(const void *address)
{
    ElfW(Sym) entry;
    return sc_object_symbol(address, &entry) ? entry.st_size : 0;
}

static uint64_t address_of(const char *name)
{
    return (uint64_t)(uintptr_t)symbol(name);
}

static void copy_runtime_head(struct sc_segment_facts *facts)
{
    struct sc_safe_reader reader = {0};
    size_t length = sizeof(facts->runtime_head);
    if (facts->interpreter.runtime_size < length)
        length = (size_t)facts->interpreter.runtime_size;
    if (!sc_safe_read(&reader, facts->interpreter.runtime, facts->runtime_head, length))
        memset(facts->runtime_head, 0, sizeof(facts->runtime_head));
}

static void fill_facts(struct sc_segment_facts *sent)
{
    struct sc_interpreter_facts *facts = &sent->interpreter;
    const struct sc_layout *layout = &sc_agent.layout;
    facts->runtime = sc_agent.runtime;
    facts->runtime_size = size_of_symbol(symbol("_PyRuntime"));
    copy_runtime_head(sent);
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

/* Free-threaded builds are marked at the start of _PyRuntime (_Py_DebugOffsets: a cookie of 8
 * bytes, the version, then the flag; Include/internal/pycore_debug_offsets.h). */
static bool is_free_threaded(uint16_t version)
{
    uint64_t head[3];
    if (version < 0x030d)
        return false;
    memcpy(head, symbol("_PyRuntime"), sizeof(head));
    return memcmp(head, "xdebugpy", 8) == 0 && head[2] == 1;
}

static void fill_eval_ranges(struct sc_interpreter_facts *facts)
{
    const struct sc_eval_ranges *found = &sc_agent.eval_ranges;
    facts->eval_range_count = found->count <= SC_EVAL_RANGES_SENT ? found->count : 0;
    for (uint32_t i = 0; i < facts->eval_range_count; i++)
        facts->eval_ranges[i] =
            (struct sc_code_range){found->ranges[i].start, found->ranges[i].end};
}

enum sc_hello_status sc_python_find(struct sc_segment_facts *ret_facts, bool allow_unknown)
{
    ret_facts->interpreter.version_hex = version_hex();
    uint16_t version = (uint16_t)(ret_facts->interpreter.version_hex >> 16);
    sc_agent.runtime = address_of("_PyRuntime");
    sc_agent.code_type = address_of("PyCode_Type");
    struct sc_safe_reader reader = {0};
    struct sc_target target = {.read = sc_safe_read, .context = &reader};
    switch (sc_layout_init(&sc_agent.layout, version, is_free_threaded(version), &target,
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
    if (!sc_layout_fits(&sc_agent.layout, &target, sc_agent.code_type))
        return SC_HELLO_UNREADABLE;
    sc_python_api_init();
    bool has_states = sc_thread_state_init(version);
    fill_facts(ret_facts);
    if (sc_agent.code_type == 0 || !has_states || ret_facts->interpreter.eval_function == 0)
        return SC_HELLO_NO_SYMBOLS;
    void *eval = symbol("_PyEval_EvalFrameDefault");
    sc_eval_ranges_find(&sc_agent.eval_ranges, &target, ret_facts->interpreter.eval_function,
                        size_of_symbol(eval));
    fill_eval_ranges(&ret_facts->interpreter);
    struct sc_unwind_module module;
    if (sc_unwind_module_find(ret_facts->interpreter.eval_function, &target, &module)) {
        sc_agent.python_start = module.start;
        sc_agent.python_end = module.end;
    }
    if (sc_agent.layout.instruction_may_lag)
        sc_current_instruction_init();
    return SC_HELLO_OK;
}
