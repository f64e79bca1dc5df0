/*
 * cpython/frame_values.c - the variables of a frame, and the locks that it holds or waits for.
 *
 * A lock of Python's does not know who holds it. But a `with` block keeps what will leave it on the
 * frame's stack for as long as it lasts, and how deep the stack is there, is known: up to 3.10 from
 * the frame's blocks, from 3.11 on from the exception table (Objects/exception_handling_notes.txt,
 * InternalDocs/exception_handling.md of python/cpython).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/frame_values.h"

#include <string.h>

#include "cpython/load.h"
#include "cpython/value.h"

enum {
    VARIABLES_LIMIT = 65536,
    STACK_LIMIT = 4096,
    STACK_SEARCHED = 32, /* slots behind those in use for certain */
    BLOCKS_MAX = 20,     /* CO_MAXBLOCKS */
    BLOCK_BYTES = 12,    /* PyTryBlock */
    TABLE_LIMIT = 1 << 20,
    FUNCTION_WORDS = 16,    /* PyFunctionObject, without its head */
    TOP_IS_STORED = 0x030e, /* by each call out of the evaluation loop */
    TAG_INTEGER = 3,        /* Py_INT_TAG: a slot that holds a number itself */
};

/* The object in a slot of a frame, 0 without one. */
static uint64_t slot(const struct sc_python *python, uint64_t address)
{
    uint64_t value = 0;
    uint64_t mask = python->layout->code_tag_mask;
    if (!sc_read_u64(python->target, address, 0, &value) ||
        (mask == TAG_INTEGER && (value & mask) == TAG_INTEGER))
        return 0;
    value &= ~mask;
    return sc_is_object_address(value) ? value : 0;
}

/* A number of the exception table, big end first; the bits above the lowest 6 are marks. */
static bool next_number(const uint8_t *table, size_t length, size_t *at, uint32_t *ret_number)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < 5 && *at < length; i++) {
        uint8_t byte = table[(*at)++];
        number = number << 6 | (byte & 0x3fU);
        if ((byte & 0x40U) == 0) {
            *ret_number = number;
            return true;
        }
    }
    return false;
}

/* The depth of the stack that the handler of an instruction finds, 0 without a handler. Entries do
 * not overlap: each names the innermost handler. */
static uint32_t handler_depth(const uint8_t *table, size_t length, uint32_t unit)
{
    size_t at = 0;
    uint32_t start;
    uint32_t size;
    uint32_t handler;
    uint32_t depth;
    while (next_number(table, length, &at, &start) && next_number(table, length, &at, &size) &&
           next_number(table, length, &at, &handler) && next_number(table, length, &at, &depth)) {
        if (unit >= start && unit - start < size)
            return depth >> 1;
    }
    return 0;
}

static size_t depth_by_table(const struct sc_python *python, const struct sc_py_frame *frame)
{
    static uint8_t bytes[TABLE_LIMIT]; /* too large for the stack */
    uint64_t table = 0;
    size_t length = 0;
    if (frame->instruction < 0 ||
        !sc_read_u64(python->target, frame->code, python->at->co_exceptions, &table) ||
        !sc_bytes_size(python->layout, python->target, table, &length) || length > TABLE_LIMIT ||
        !sc_bytes_read(python->layout, python->target, table, bytes, length))
        return 0;
    return handler_depth(bytes, length, (uint32_t)frame->instruction / 2);
}

static size_t depth_by_blocks(const struct sc_python *python, const struct sc_py_frame *frame)
{
    uint32_t count = 0;
    uint32_t depth = 0;
    if (!sc_read_u32(python->target, frame->address, python->at->fr_block_count, &count) ||
        count == 0 || count > BLOCKS_MAX ||
        !sc_read_u32(python->target, frame->address + (uint64_t)(count - 1) * BLOCK_BYTES + 8,
                     python->at->fr_blocks, &depth))
        return 0;
    return depth;
}

static bool read_names(const struct sc_python *python, uint64_t code,
                       struct sc_frame_values *values)
{
    const int32_t fields[SC_NAME_TUPLES] = {python->at->co_variables, python->at->co_cells,
                                            python->at->co_free};
    for (size_t i = 0; i < SC_NAME_TUPLES && fields[i] >= 0; i++) {
        if (!sc_read_u64(python->target, code, fields[i], &values->names[i]))
            return false;
        values->named[i] = sc_tuple_count(python, values->names[i]);
        values->variables += values->named[i];
        if (values->named[i] > VARIABLES_LIMIT)
            return false;
    }
    return true;
}

bool sc_frame_values_read(const struct sc_python *python, const struct sc_py_frame *frame,
                          struct sc_frame_values *ret_values)
{
    const struct sc_task_layout *at = python->at;
    *ret_values = (struct sc_frame_values){
        .base = frame->address + (uint32_t)python->layout->fr_localsplus,
    };
    if (!read_names(python, frame->code, ret_values))
        return false;
    if (at->fr_stack_base >= 0) {
        if (!sc_read_u64(python->target, frame->address, at->fr_stack_base,
                         &ret_values->stack_base) ||
            ret_values->stack_base != ret_values->base + 8 * ret_values->variables)
            return false;
        ret_values->certain = depth_by_blocks(python, frame);
    } else {
        ret_values->stack_base = ret_values->base + 8 * ret_values->variables;
        ret_values->certain = depth_by_table(python, frame);
    }
    if (ret_values->certain > STACK_LIMIT)
        ret_values->certain = 0;
    ret_values->end = ret_values->stack_base + 8 * (ret_values->certain + STACK_SEARCHED);
    uint64_t top = 0;
    if (python->layout->version >= TOP_IS_STORED &&
        sc_read_u64(python->target, frame->address, at->fr_stack_top, &top) &&
        top >= ret_values->stack_base && top < ret_values->end)
        ret_values->end = top;
    return true;
}

bool sc_frame_variable(const struct sc_python *python, const struct sc_frame_values *values,
                       size_t index, uint64_t *ret_name, uint64_t *ret_value)
{
    uint64_t value = slot(python, values->base + 8 * index);
    if (sc_is_built_in(python, value, "cell") &&
        !sc_read_u64(python->target, value, python->at->ob_size, &value))
        return false;
    size_t tuple = 0;
    while (tuple + 1 < SC_NAME_TUPLES && index >= values->named[tuple])
        index -= values->named[tuple++];
    *ret_value = value;
    return sc_is_object_address(value) && index < values->named[tuple] &&
           sc_tuple_item(python, values->names[tuple], index, ret_name);
}

bool sc_code_names(const struct sc_python *python, uint64_t code, const char *name)
{
    uint64_t names = 0;
    uint64_t item = 0;
    if (!sc_read_u64(python->target, code, python->at->co_names, &names))
        return false;
    size_t count = sc_tuple_count(python, names);
    for (size_t i = 0; i < count && i < VARIABLES_LIMIT; i++) {
        if (sc_tuple_item(python, names, i, &item) && sc_is_text(python, item, name))
            return true;
    }
    return false;
}

/* A lock is a pointer to one of the platform, or, in late 3.13 and after, a byte: a PyMutex (1:
 * locked, 2: a thread is parked; Include/internal/pycore_lock.h). An RLock then has its owner, 0
 * for none (Modules/_threadmodule.c). */
static bool read_lock(const struct sc_python *python, uint64_t object, struct sc_lock *ret_lock)
{
    uint64_t word = 0;
    *ret_lock = (struct sc_lock){
        .object = object,
        .is_recursive = sc_is_of_type(python, object, "_thread.RLock"),
    };
    if ((!ret_lock->is_recursive && !sc_is_of_type(python, object, "_thread.lock")) ||
        !sc_read_u64(python->target, object, python->at->ob_size, &word) || word == 0)
        return false;
    ret_lock->word = word > UINT8_MAX ? word : object + (uint32_t)python->at->ob_size;
    return !ret_lock->is_recursive ||
           sc_read_u64(python->target, object + 8, python->at->ob_size, &ret_lock->owner);
}

/* struct wait_entry (Python/parking_lot.c): what is waited for, and the semaphore. */
bool sc_lock_of_parked(const struct sc_python *python, uint64_t address, struct sc_lock *ret_lock)
{
    uint64_t word = 0;
    return sc_is_object_address(address) && sc_read_u64(python->target, address - 8, 0, &word) &&
           read_lock(python, word - (uint32_t)python->at->ob_size, ret_lock) &&
           ret_lock->word == word;
}

/* A lock, or the one inside a Condition. */
static bool lock_of(const struct sc_python *python, uint64_t object, struct sc_lock *ret_lock)
{
    uint64_t inner = 0;
    return read_lock(python, object, ret_lock) ||
           (sc_is_of_type(python, object, "Condition") &&
            sc_instance_find(python, object, "_lock", &inner) &&
            read_lock(python, inner, ret_lock));
}

static bool has_c_name(const struct sc_python *python, uint64_t definition, const char *name)
{
    uint64_t address = 0;
    char found[16] = "";
    return sc_read_u64(python->target, definition, 0, &address) && address >= 4096 &&
           sc_target_read(python->target, address, found, strlen(name) + 1) &&
           strcmp(found, name) == 0;
}

/* Whether a function written in Python has that name: it is among the function's first members, in
 * another place in each version. */
static bool has_python_name(const struct sc_python *python, uint64_t function, const char *name)
{
    uint64_t member = 0;
    for (int32_t i = 0; i < FUNCTION_WORDS; i++) {
        if (sc_read_u64(python->target, function, python->at->ob_size + 8 * i, &member) &&
            sc_is_text(python, member, name))
            return true;
    }
    return false;
}

/* Whether an object is the function of a class that has that name. */
static bool is_function(const struct sc_python *python, uint64_t object, const char *name)
{
    uint64_t found = 0;
    if (sc_is_built_in(python, object, "method_descriptor")) /* type, then name */
        return sc_read_u64(python->target, object + 8, python->at->ob_size, &found) &&
               sc_is_text(python, found, name);
    return sc_is_built_in(python, object, "function") && has_python_name(python, object, name);
}

/* The object of a bound method of that name; 0 when it is none. A built-in one has its definition
 * first, which has its name first, and then its object; one of Python's has a function and then its
 * object. */
static uint64_t bound_to(const struct sc_python *python, uint64_t method, const char *name)
{
    uint64_t first = 0;
    uint64_t object = 0;
    bool is_built_in = sc_is_built_in(python, method, "builtin_function_or_method");
    if ((!is_built_in && !sc_is_built_in(python, method, "method")) ||
        !sc_read_u64(python->target, method, python->at->ob_size, &first) ||
        !sc_read_u64(python->target, method + 8, python->at->ob_size, &object))
        return 0;
    bool is_named =
        is_built_in ? has_c_name(python, first, name) : has_python_name(python, first, name);
    return is_named ? object : 0;
}

/* The object whose method of that name is at a slot, bound to it or in front of it; 0 without one.
 */
static uint64_t object_of(const struct sc_python *python, uint64_t address, const char *name)
{
    uint64_t object = slot(python, address);
    if (object == 0)
        return 0;
    uint64_t bound = bound_to(python, object, name);
    return bound == 0 && is_function(python, object, name) ? slot(python, address + 8) : bound;
}

static size_t add_once(struct sc_lock *locks, size_t count, const struct sc_lock *lock)
{
    for (size_t i = 0; i < count; i++) {
        if (locks[i].object == lock->object)
            return count;
    }
    locks[count] = *lock;
    return count + 1;
}

size_t sc_frame_locks_held(const struct sc_python *python, const struct sc_frame_values *values,
                           struct sc_lock *locks, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < values->certain && count < capacity; i++) {
        struct sc_lock lock;
        uint64_t object = object_of(python, values->stack_base + 8 * i, "__exit__");
        if (object != 0 && lock_of(python, object, &lock))
            count = add_once(locks, count, &lock);
    }
    return count;
}

/* The lock in a slot, or that a method in it is bound to. */
static bool lock_in(const struct sc_python *python, uint64_t address, struct sc_lock *ret_lock)
{
    uint64_t object = slot(python, address);
    uint64_t bound = 0;
    if (object == 0)
        return false;
    if (sc_is_built_in(python, object, "builtin_function_or_method") &&
        !sc_read_u64(python->target, object + 8, python->at->ob_size, &bound))
        return false;
    return read_lock(python, bound != 0 ? bound : object, ret_lock);
}

size_t sc_frame_locks_seen(const struct sc_python *python, const struct sc_frame_values *values,
                           struct sc_lock *locks, size_t capacity)
{
    size_t count = 0;
    for (uint64_t at = values->base; at < values->end && count < capacity; at += 8) {
        struct sc_lock lock;
        if (lock_in(python, at, &lock))
            count = add_once(locks, count, &lock);
    }
    return count;
}
