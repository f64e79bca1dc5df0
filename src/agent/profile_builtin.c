/*
 * agent/profile_builtin.c - adds the decorator `profile` to the builtins.
 *
 * @profile returns its function unchanged and sends the key of its code object to the observer: a
 * profile with marked functions shows only their lines. It is a C function, so a program that uses
 * it runs no Python code of ours. As each builtin function it has a module, its __self__: the one
 * of label.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/profile_builtin.h"

#include <stddef.h>
#include <stdint.h>

#include "agent/label.h"
#include "agent/python_api.h"
#include "agent/safe_read.h"
#include "agent/scratch.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "channel/writer.h"

/* A new reference to an attribute, or NULL without an error. */
static sc_object *attribute_of(sc_object *object, const char *name)
{
    sc_object *found = sc_python_api.get_attribute(object, name);
    if (found == NULL)
        sc_python_api.error_clear();
    return found;
}

/* The code object behind a function, a static or class method, or a wrapper that names what it
 * wraps. */
static sc_object *code_of(sc_object *object)
{
    static const char *const inner[] = {"__func__", "__wrapped__", "fget"};
    sc_object *code = attribute_of(object, "__code__");
    for (size_t i = 0; code == NULL && i < sizeof(inner) / sizeof(inner[0]); i++) {
        sc_object *function = attribute_of(object, inner[i]);
        if (function == NULL)
            continue;
        code = attribute_of(function, "__code__");
        sc_python_api.release(function);
    }
    return code;
}

static void send_marked(const sc_object *code)
{
    struct sc_scratch *scratch = sc_scratch_acquire(0);
    if (scratch == NULL)
        return;
    struct sc_target target = {.read = sc_safe_read, .context = &scratch->reader};
    sc_scratch_read_of(scratch, &target, sc_own_thread_state());
    uint64_t key = sc_scratch_key(scratch, &target, (uint64_t)(uintptr_t)code);
    sc_scratch_release(scratch);
    struct sc_record_mark *record =
        key != 0 ? sc_ring_reserve(sc_agent.segment, sizeof(*record)) : NULL;
    if (record == NULL)
        return;
    record->code_key = key;
    sc_ring_commit(record, SC_RECORD_MARK, sizeof(*record));
}

static sc_object *mark(sc_object *self, sc_object *function)
{
    (void)self;
    sc_object *code = sc_agent_is_active() ? code_of(function) : NULL;
    if (code != NULL) {
        send_marked(code);
        sc_python_api.release(code);
    }
    sc_python_api.retain(function);
    return function;
}

void sc_profile_builtin_add(void)
{
    static struct sc_method_definition definition = {
        .name = "profile",
        .function = mark,
        .flags = SC_METH_O,
        /* with a signature, as every builtin that takes arguments has one */
        .doc = "profile(function, /)\n--\n\n"
               "Marks a function: the profile shows the lines of marked functions only.",
    };
    sc_object *builtins = sc_python_api.builtins(); /* borrowed */
    if (builtins == NULL || sc_python_api.dict_get(builtins, "profile") != NULL)
        return;
    sc_object *module = sc_label_module_new();
    sc_object *function = sc_python_api.c_function_new(&definition, module, NULL);
    if (module != NULL)
        sc_python_api.release(module);
    if (function == NULL || sc_python_api.dict_set(builtins, "profile", function) != 0)
        sc_python_api.error_clear();
    if (function != NULL)
        sc_python_api.release(function);
}
