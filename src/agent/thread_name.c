/*
 * agent/thread_name.c - reads the name of a threading.Thread while it is being started.
 *
 * CPython sets it in the kernel only from 3.14 on. In pthread_create the frame of Thread.start is
 * the innermost one and holds the thread object as its first local variable.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <string.h>

#include "agent/python.h"
#include "agent/python_api.h"
#include "agent/safe_read.h"
#include "agent/state.h"
#include "agent/thread_state.h"
#include "cpython/walk.h"

/* self of the innermost frame when that is threading's Thread.start, else 0. */
static uint64_t starting_thread_object(void)
{
    const struct sc_layout *layout = &sc_agent.layout;
    struct sc_safe_reader reader = {0};
    struct sc_target target = {.read = sc_safe_read, .context = &reader};
    struct sc_walk walk;
    struct sc_py_frame frame;
    struct sc_code_facts facts;
    char name[32];
    char file[4096];
    size_t name_length = 0;
    size_t file_length = 0;
    uint64_t state = sc_own_thread_state();
    if (state == 0 || layout->fr_localsplus < 0)
        return 0;
    sc_walk_begin(&walk, layout, &target, sc_agent.code_type, state);
    if (!sc_walk_next(&walk, &frame) || !sc_code_read(layout, &target, frame.code, &facts) ||
        !sc_unicode_read(layout, &target, facts.name, name, sizeof(name), &name_length) ||
        !sc_unicode_read(layout, &target, facts.filename, file, sizeof(file), &file_length))
        return 0;
    static const char wanted_file[] = "/threading.py";
    size_t tail = sizeof(wanted_file) - 1;
    bool is_start = (name_length == 5 && memcmp(name, "start", 5) == 0) ||
                    (name_length == 12 && memcmp(name, "Thread.start", 12) == 0);
    if (!is_start || file_length < tail ||
        memcmp(file + file_length - tail, wanted_file, tail) != 0)
        return 0;
    uint64_t self = 0;
    if (!sc_target_read(&target, frame.address + (uint64_t)layout->fr_localsplus, &self,
                        sizeof(self)))
        return 0;
    return self & ~(uint64_t)7; /* from 3.14 on references carry tags in their low bits */
}

void sc_python_starting_thread_name(char *name)
{
    if (!sc_python_api.is_complete)
        return;
    if (sc_own_thread_state() == 0 || sc_python_api.gil_is_ours() == 0)
        return;
    sc_object *thread = (sc_object *)(uintptr_t)starting_thread_object();
    if (thread == NULL || sc_python_api.error_occurred() != NULL)
        return;
    sc_object *key = sc_python_api.string_new("_name");
    sc_object *value = key != NULL ? sc_python_api.generic_get_attribute(thread, key) : NULL;
    const char *text = value != NULL ? sc_python_api.string_utf8(value) : NULL;
    for (size_t i = 0; text != NULL && i < 63; i++) {
        name[i] = text[i];
        name[i + 1] = '\0';
        if (text[i] == '\0')
            break;
    }
    if (value != NULL)
        sc_python_api.release(value);
    if (key != NULL)
        sc_python_api.release(key);
    if (sc_python_api.error_occurred() != NULL)
        sc_python_api.error_clear();
}
