/*
 * cpython/task_chain.c - where a task waits: from its coroutine inwards along what is awaited.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "cpython/load.h"
#include "cpython/tasks.h"

enum {
    STEPS_LIMIT = 4096,
    INNER_FRAMES = SC_TASK_FRAMES_MAX - 1,
    BASES_LIMIT = 32,
    TASK_BLOCK_BYTES = 256,
    DEPTH_LIMIT = 1 << 20, /* of a frame's stack */
    YIELD_FROM = 72,       /* opcode of 3.8 to 3.10 (Include/opcode.h) */
    AFTER_YIELD_FROM = 2,  /* argument of RESUME, 3 after an await (Python/compile.c) */
    DIGIT_BITS = 30,
    SIZE_SHIFT = 3, /* lv_tag (pycore_long.h) */
};

/* Objects of these types are known by the names of the types. */
static const struct {
    const char *name;
    enum sc_task_kind kind;
} named_kinds[] = {
    {"coroutine", SC_KIND_GENERATOR},
    {"generator", SC_KIND_GENERATOR},
    {"async_generator", SC_KIND_GENERATOR},
    {"async_generator_asend", SC_KIND_WRAPPER},
    {"async_generator_athrow", SC_KIND_WRAPPER},
    {"coroutine_wrapper", SC_KIND_WRAPPER},
    {"anext_awaitable", SC_KIND_WRAPPER},
    {"str", SC_KIND_TEXT},
    {"int", SC_KIND_NUMBER},
};

static enum sc_task_kind kind_by_name(const struct sc_tasks *tasks, uint64_t type)
{
    char name[32];
    uint64_t size = 0;
    if (!sc_type_name(&tasks->python, type, name, sizeof(name)))
        return SC_KIND_OTHER;
    for (size_t i = 0; i < sizeof(named_kinds) / sizeof(named_kinds[0]); i++) {
        if (strcmp(named_kinds[i].name, name) != 0)
            continue;
        /* other makers of coroutines use the same names */
        if (named_kinds[i].kind == SC_KIND_GENERATOR &&
            (!sc_read_u64(tasks->python.target, type, tasks->at.tp_basicsize, &size) ||
             size < (uint64_t)tasks->at.ge_size || size > (uint64_t)tasks->at.ge_size + 64))
            return SC_KIND_OTHER;
        return named_kinds[i].kind;
    }
    return SC_KIND_OTHER;
}

static enum sc_task_kind judge(const struct sc_tasks *tasks, uint64_t type)
{
    uint64_t base = type;
    for (int i = 0; i < BASES_LIMIT && sc_is_object_address(base); i++) {
        for (size_t k = 0; k < tasks->home_count; k++) {
            if (base == tasks->homes[k].task_type)
                return SC_KIND_TASK;
            if (base == tasks->homes[k].future_type)
                return SC_KIND_FUTURE;
            if (base == tasks->homes[k].trio.task_type)
                return SC_KIND_TRIO_TASK;
        }
        if (!sc_read_u64(tasks->python.target, base, tasks->at.tp_base, &base))
            break;
    }
    return kind_by_name(tasks, type);
}

static enum sc_task_kind kind_of_type(struct sc_tasks *tasks, uint64_t type)
{
    size_t slot = (size_t)(type / 64) % SC_TASK_KINDS_CACHED;
    if (!sc_is_object_address(type))
        return SC_KIND_OTHER;
    if (tasks->kinds[slot].type != type) {
        tasks->kinds[slot].kind = judge(tasks, type);
        tasks->kinds[slot].type = type;
    }
    return tasks->kinds[slot].kind;
}

static enum sc_task_kind kind_of(struct sc_tasks *tasks, uint64_t object)
{
    uint64_t type = 0;
    if (!sc_is_object_address(object) ||
        !sc_read_u64(tasks->python.target, object, tasks->python.layout->ob_type, &type))
        return SC_KIND_OTHER;
    return kind_of_type(tasks, type);
}

/* One frame by its address. */
static bool read_frame(const struct sc_tasks *tasks, uint64_t address, struct sc_py_frame *ret)
{
    struct sc_walk walk;
    sc_walk_begin(&walk, tasks->python.layout, tasks->python.target, tasks->code_type, 0);
    walk.end = SC_WALK_MORE;
    walk.next_frame = address;
    return sc_walk_next(&walk, ret) && ret->address == address;
}

/* The frame of a generator that is suspended; 0 when it is not. */
static uint64_t suspended_frame(const struct sc_tasks *tasks, uint64_t generator, int8_t *ret_state)
{
    const struct sc_task_layout *at = &tasks->at;
    const struct sc_target *target = tasks->python.target;
    uint64_t frame = 0;
    uint64_t top = 0;
    uint32_t state = 0;
    *ret_state = 0;
    if (at->ge_iframe >= 0) {
        if (!sc_target_read(target, generator + (uint32_t)at->ge_state, ret_state, 1))
            return 0;
        return *ret_state >= at->suspended_first && *ret_state <= at->suspended_last
                   ? generator + (uint32_t)at->ge_iframe
                   : 0;
    }
    if (!sc_read_u64(target, generator, at->ge_frame, &frame) || !sc_is_object_address(frame))
        return 0;
    if (at->fr_state >= 0) {
        if (!sc_read_u32(target, frame, at->fr_state, &state))
            return 0;
        *ret_state = (int8_t)state;
        return *ret_state >= at->suspended_first && *ret_state <= at->suspended_last ? frame : 0;
    }
    uint8_t executing = 1;
    if (!sc_target_read(target, frame + (uint32_t)at->fr_executing, &executing, 1) ||
        !sc_read_u64(target, frame, at->fr_stack_top, &top))
        return 0;
    return executing == 0 && top != 0 ? frame : 0;
}

/* Whether the frame waits for another awaitable, and has not just yielded something. */
static bool is_awaiting(const struct sc_tasks *tasks, const struct sc_py_frame *frame, int8_t state)
{
    uint8_t unit[2] = {0, 0};
    if (tasks->at.awaiting_first != INT8_MAX)
        return state >= tasks->at.awaiting_first;
    /* the unit behind the one that has yielded */
    if (!sc_target_read(tasks->python.target, frame->bytecode + (uint32_t)frame->instruction + 2,
                        unit, sizeof(unit)))
        return false;
    return tasks->at.ge_iframe < 0 ? unit[0] == YIELD_FROM : unit[1] >= AFTER_YIELD_FROM;
}

/* What the frame awaits: it is kept on the frame's stack. */
static uint64_t awaited(const struct sc_tasks *tasks, uint64_t frame)
{
    const struct sc_task_layout *at = &tasks->at;
    const struct sc_target *target = tasks->python.target;
    uint64_t top = 0;
    uint64_t object = 0;
    uint32_t depth = 0;
    if (at->fr_stack_depth >= 0) {
        if (!sc_read_u32(target, frame, at->fr_stack_depth, &depth) || depth == 0 ||
            depth > DEPTH_LIMIT)
            return 0;
        if (at->fr_value_stack >= 0) {
            if (!sc_read_u64(target, frame, at->fr_value_stack, &top))
                return 0;
        } else {
            top = frame + (uint32_t)tasks->python.layout->fr_localsplus;
        }
        top += (uint64_t)depth * 8;
    } else if (!sc_read_u64(target, frame, at->fr_stack_top, &top)) {
        return 0;
    }
    if (!sc_read_u64(target, top - (uint64_t)at->await_depth * 8, 0, &object))
        return 0;
    return object & ~(uint64_t)tasks->python.layout->code_tag_mask;
}

/* Frames beyond the limit go round behind the outermost one, so that the innermost ones are kept.
 */
static void push(struct sc_task *task, const struct sc_py_frame *frame)
{
    size_t at = task->count++;
    task->frames[at == 0 ? 0 : 1 + (at - 1) % INNER_FRAMES] = *frame;
}

/* Puts frames that have gone round in the order of the chain. */
static void put_in_order(struct sc_task *task)
{
    struct sc_py_frame inner[INNER_FRAMES];
    if (task->count <= SC_TASK_FRAMES_MAX)
        return;
    memcpy(inner, task->frames + 1, sizeof(inner));
    for (size_t i = 0; i < INNER_FRAMES; i++)
        task->frames[1 + i] = inner[(task->count - 1 + i) % INNER_FRAMES];
    task->count = SC_TASK_FRAMES_MAX;
}

static enum sc_task_state follow_chain(struct sc_tasks *tasks, uint64_t object,
                                       struct sc_task *task)
{
    for (int i = 0; i < STEPS_LIMIT; i++) {
        struct sc_py_frame frame;
        int8_t state = 0;
        enum sc_task_kind kind = kind_of(tasks, object);
        if (kind == SC_KIND_WRAPPER) {
            if (!sc_read_u64(tasks->python.target, object, tasks->at.ob_size, &object))
                return SC_TASK_UNREADABLE;
            continue;
        }
        if (kind != SC_KIND_GENERATOR)
            return task->count > 0 ? SC_TASK_WAITING : SC_TASK_UNREADABLE;
        uint64_t address = suspended_frame(tasks, object, &state);
        if (address == 0) /* of the task's own coroutine: it runs, or has not begun */
            return task->count > 0 ? SC_TASK_UNREADABLE : SC_TASK_NOT_WAITING;
        if (!read_frame(tasks, address, &frame))
            return SC_TASK_UNREADABLE;
        if (frame.instruction < 0)
            return SC_TASK_NOT_WAITING;
        push(task, &frame);
        if (!is_awaiting(tasks, &frame, state))
            return SC_TASK_WAITING;
        object = awaited(tasks, address);
    }
    return SC_TASK_UNREADABLE;
}

static enum sc_task_state follow(struct sc_tasks *tasks, uint64_t object, struct sc_task *task)
{
    enum sc_task_state state = follow_chain(tasks, object, task);
    put_in_order(task);
    return state;
}

/* A future written in Python has a state of its own only when it is over
 * (Lib/asyncio/futures.py). */
bool sc_task_is_over(struct sc_tasks *tasks, uint64_t future)
{
    enum sc_task_kind kind = kind_of(tasks, future);
    uint64_t text = 0;
    uint32_t state = 0;
    if (kind == SC_KIND_FUTURE || kind == SC_KIND_TASK)
        return !sc_read_u32(tasks->python.target, future, tasks->at.fu_state, &state) || state != 0;
    return kind == SC_KIND_OTHER && sc_instance_find(&tasks->python, future, "_state", &text) &&
           !sc_is_text(&tasks->python, text, "PENDING");
}

/* A task of the class that asyncio has in Python, too (Lib/asyncio/tasks.py): what it waits for,
 * None or a future, and its coroutine are attributes. */
static enum sc_task_state read_python_task(struct sc_tasks *tasks, uint64_t address,
                                           struct sc_task *task)
{
    const struct sc_python *python = &tasks->python;
    if (!sc_instance_find(python, address, "_coro", &task->coro) ||
        !sc_instance_find(python, address, "_fut_waiter", &task->waiter) ||
        !sc_instance_find(python, address, "_name", &task->name))
        return SC_TASK_UNREADABLE;
    task->is_python = true;
    /* what is over already leaves the task only waiting to be run */
    if (sc_is_of_type(python, task->waiter, "NoneType") || sc_task_is_over(tasks, task->waiter))
        return SC_TASK_NOT_WAITING;
    return follow(tasks, task->coro, task);
}

/* A task of trio; its slots are at the same place in all interpreters. What it is waited for with
 * stands for what it waits for. */
static enum sc_task_state read_trio_task(struct sc_tasks *tasks, uint64_t address,
                                         struct sc_task *task)
{
    const struct sc_python *python = &tasks->python;
    const struct sc_trio *trio = &tasks->homes[0].trio;
    for (size_t i = 1; i < tasks->home_count && !trio->found; i++)
        trio = &tasks->homes[i].trio;
    task->is_python = true;
    if (!sc_read_u64(python->target, address, trio->coro, &task->coro) ||
        !sc_read_u64(python->target, address, trio->name, &task->name) ||
        !sc_read_u64(python->target, address, trio->abort_func, &task->waiter))
        return SC_TASK_UNREADABLE;
    if (sc_is_of_type(python, task->waiter, "NoneType"))
        return SC_TASK_NOT_WAITING;
    return follow(tasks, task->coro, task);
}

enum sc_task_state sc_task_read(struct sc_tasks *tasks, uint64_t address, struct sc_task *ret_task)
{
    const struct sc_task_layout *at = &tasks->at;
    uint8_t block[TASK_BLOCK_BYTES];
    int32_t end = at->tk_name + 8;
    ret_task->count = 0;
    ret_task->is_python = false;
    ret_task->name = ret_task->coro = ret_task->waiter = 0;
    if (!sc_is_object_address(address) || end > TASK_BLOCK_BYTES ||
        !sc_target_read(tasks->python.target, address, block, (size_t)end))
        return SC_TASK_UNREADABLE;
    enum sc_task_kind kind =
        kind_of_type(tasks, sc_load_u64(block + tasks->python.layout->ob_type));
    if (kind == SC_KIND_TRIO_TASK)
        return read_trio_task(tasks, address, ret_task);
    if (kind != SC_KIND_TASK)
        return read_python_task(tasks, address, ret_task);
    ret_task->name = sc_load_u64(block + at->tk_name);
    ret_task->coro = sc_load_u64(block + at->tk_coro);
    ret_task->waiter = sc_load_u64(block + at->tk_waiter);
    if (sc_load_u32(block + at->fu_state) != 0 || ret_task->waiter == 0 ||
        sc_task_is_over(tasks, ret_task->waiter))
        return SC_TASK_NOT_WAITING;
    return follow(tasks, ret_task->coro, ret_task);
}

/* From 3.12 on, default names are kept as a number. */
static bool number_name(const struct sc_tasks *tasks, uint64_t object, char *text, size_t capacity)
{
    const struct sc_target *target = tasks->python.target;
    uint64_t digits = 0;
    uint32_t digit = 0;
    uint64_t number = 0;
    if (!sc_read_u64(target, object, tasks->at.lo_tag, &digits))
        return false;
    digits >>= SIZE_SHIFT;
    for (uint64_t i = 0; i < digits && digits <= 2; i++) {
        if (!sc_read_u32(target, object + i * 4, tasks->at.lo_digits, &digit))
            return false;
        number |= (uint64_t)digit << (i * DIGIT_BITS);
    }
    (void)snprintf(text, capacity, "Task-%llu", (unsigned long long)number);
    return number > 0;
}

bool sc_task_name(struct sc_tasks *tasks, uint64_t name, char *text, size_t capacity)
{
    size_t length = 0;
    enum sc_task_kind kind = kind_of(tasks, name);
    if (kind == SC_KIND_NUMBER)
        return number_name(tasks, name, text, capacity);
    if (kind != SC_KIND_TEXT || !sc_unicode_read(tasks->python.layout, tasks->python.target, name,
                                                 text, capacity - 1, &length))
        return false;
    text[length] = '\0';
    return true;
}
