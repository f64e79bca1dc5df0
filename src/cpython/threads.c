/* cpython/threads.c - see threads.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/threads.h"

#include "cpython/load.h"
#include "cpython/modules.h"
#include "cpython/value.h"
#include "cpython/walk.h"

enum { INTERPRETERS_LIMIT = 1024, ACTIVE_LIMIT = 4096 };

struct sc_gil sc_gil_read(const struct sc_python *python, uint64_t runtime, uint64_t interpreter)
{
    const struct sc_task_layout *at = python->at;
    const struct sc_target *target = python->target;
    struct sc_gil gil = {0};
    uint64_t lock = 0;
    uint32_t locked = 0;
    if (at->rt_current >= 0) {
        bool is_read = sc_read_u64(target, runtime, at->rt_current, &gil.holder) &&
                       sc_read_u64(target, runtime, at->rt_switches, &gil.switches);
        return is_read ? gil : (struct sc_gil){0};
    }
    if (python->layout->free_threaded || !sc_read_u64(target, interpreter, at->is_gil, &lock) ||
        !sc_is_object_address(lock) || !sc_read_u32(target, lock, at->gl_locked, &locked) ||
        locked != 1 || !sc_read_u64(target, lock, at->gl_holder, &gil.holder) ||
        !sc_read_u64(target, lock, at->gl_switches, &gil.switches))
        return (struct sc_gil){0};
    return gil;
}

static bool read_entry(const struct sc_python *python, uint64_t state,
                       struct sc_thread_entry *ret_entry)
{
    const struct sc_layout *layout = python->layout;
    ret_entry->state = state;
    ret_entry->native_id = 0;
    return sc_read_u64(python->target, state, layout->ts_thread_id, &ret_entry->ident) &&
           (layout->ts_native_thread_id < 0 ||
            sc_read_u64(python->target, state, layout->ts_native_thread_id, &ret_entry->native_id));
}

/* The threads of one interpreter; each that is read leads on to the next. False when one does not.
 */
static bool read_list(const struct sc_python *python, uint64_t interpreter,
                      struct sc_thread_entry *entries, size_t capacity, size_t *count)
{
    uint64_t state = 0;
    if (!sc_read_u64(python->target, interpreter, python->layout->is_threads_head, &state))
        return false;
    while (sc_is_object_address(state) && *count < capacity) {
        struct sc_thread_entry *entry = &entries[*count];
        uint64_t owner = 0;
        if (!read_entry(python, state, entry) ||
            !sc_read_u64(python->target, state, python->layout->ts_interp, &owner) ||
            owner != interpreter ||
            !sc_read_u64(python->target, state, python->layout->ts_next, &state))
            return false;
        entry->interpreter = interpreter;
        ++*count;
    }
    return state == 0 || *count == capacity;
}

size_t sc_threads_read(const struct sc_python *python, uint64_t runtime,
                       struct sc_thread_entry *entries, size_t capacity, bool *ret_is_whole)
{
    const struct sc_layout *layout = python->layout;
    uint64_t interpreter = 0;
    size_t count = 0;
    *ret_is_whole =
        sc_read_u64(python->target, runtime, layout->rt_interpreters_head, &interpreter);
    for (int i = 0; i < INTERPRETERS_LIMIT && sc_is_object_address(interpreter); i++) {
        if (!read_list(python, interpreter, entries, capacity, &count) ||
            !sc_read_u64(python->target, interpreter, layout->is_next, &interpreter)) {
            *ret_is_whole = false;
            break;
        }
    }
    return count;
}

bool sc_named_thread_read(const struct sc_python *python, uint64_t object,
                          struct sc_named_thread *ret_thread)
{
    uint64_t name = 0;
    uint64_t ident = 0;
    uint64_t daemon = 0;
    size_t length = 0;
    int64_t number = 0;
    *ret_thread = (struct sc_named_thread){.object = object};
    if (!sc_instance_find(python, object, "_name", &name) ||
        !sc_unicode_read(python->layout, python->target, name, ret_thread->name,
                         sizeof(ret_thread->name) - 1, &length) ||
        !sc_instance_find(python, object, "_ident", &ident) ||
        !sc_integer_read(python, ident, &number))
        return false;
    ret_thread->name[length] = '\0';
    ret_thread->ident = (uint64_t)number;
    ret_thread->is_daemon = sc_instance_find(python, object, "_daemonic", &daemon) &&
                            sc_integer_read(python, daemon, &number) && number != 0;
    return true;
}

size_t sc_named_threads_read(const struct sc_python *python, uint64_t interpreter,
                             struct sc_named_thread *threads, size_t capacity)
{
    static struct sc_dict_item items[ACTIVE_LIMIT]; /* too large for the stack */
    uint64_t module = 0;
    uint64_t active = 0;
    size_t count = 0;
    if (!sc_imported_find(python, interpreter, "threading", &module) ||
        !sc_module_find(python, module, "_active", &active))
        return 0;
    size_t found = sc_dict_items(python, active, items, ACTIVE_LIMIT);
    for (size_t i = 0; i < found && count < capacity; i++)
        count += sc_named_thread_read(python, items[i].value, &threads[count]);
    return count;
}
