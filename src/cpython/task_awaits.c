/*
 * cpython/task_awaits.c - which tasks of asyncio await which.
 *
 * From 3.14 on every future knows the tasks that await it (fut_awaited_by of
 * Modules/_asynciomodule.c). Before, a task knows the one future that it waits for: that of
 * gather() has a list of what it gathers, and for those of wait(), wait_for() and a TaskGroup the
 * function that waits has it in its variables (Lib/asyncio/tasks.py, taskgroups.py).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/frame_values.h"
#include "cpython/load.h"
#include "cpython/tasks.h"
#include "cpython/value.h"

enum {
    KNOWS_AWAITING = 0x030e,
    LIST_LIMIT = 1 << 20,
};

size_t sc_task_awaited_by(const struct sc_tasks *tasks, uint64_t address, uint64_t *ret_tasks,
                          size_t capacity)
{
    uint64_t by = 0;
    /* the last of the pointers in front of the state: a task, or a set of them */
    if (tasks->at.version < KNOWS_AWAITING || capacity == 0 || !sc_is_object_address(address) ||
        !sc_read_u64(tasks->python.target, address, tasks->at.fu_state - 8, &by) ||
        !sc_is_object_address(by))
        return 0;
    if (sc_is_built_in(&tasks->python, by, "set"))
        return sc_set_items(&tasks->python, by, ret_tasks, capacity);
    ret_tasks[0] = by;
    return 1;
}

/* A list has the number of its items, and a pointer to them (Include/cpython/listobject.h). */
static size_t list_items(const struct sc_python *python, uint64_t list, uint64_t *items,
                         size_t capacity)
{
    uint64_t count = 0;
    uint64_t address = 0;
    if (!sc_is_built_in(python, list, "list") ||
        !sc_read_u64(python->target, list, python->at->ob_size, &count) || count > LIST_LIMIT ||
        !sc_read_u64(python->target, list, python->at->ob_size + 8, &address))
        return 0;
    count = count < capacity ? count : capacity;
    return sc_target_read(python->target, address, items, (size_t)count * 8) ? (size_t)count : 0;
}

/* The value of a variable of the frame, 0 without one. */
static uint64_t variable(const struct sc_python *python, const struct sc_frame_values *values,
                         const char *name)
{
    uint64_t found = 0;
    uint64_t value = 0;
    for (size_t i = 0; i < values->variables; i++) {
        if (sc_frame_variable(python, values, i, &found, &value) && sc_is_text(python, found, name))
            return value;
    }
    return 0;
}

/* By the variables of the function that waits. */
static size_t awaited_by_function(const struct sc_python *python, const struct sc_py_frame *frame,
                                  uint64_t *ret_awaited, size_t capacity)
{
    struct sc_frame_values values;
    uint64_t members = 0;
    if (!sc_frame_values_read(python, frame, &values))
        return 0;
    uint64_t self = variable(python, &values, "self");
    if (self != 0 && sc_is_of_type(python, self, "TaskGroup"))
        return sc_instance_find(python, self, "_tasks", &members) &&
                       sc_is_built_in(python, members, "set")
                   ? sc_set_items(python, members, ret_awaited, capacity)
                   : 0;
    if ((members = variable(python, &values, "fs")) != 0 &&
        variable(python, &values, "return_when") != 0)
        return sc_is_built_in(python, members, "set")
                   ? sc_set_items(python, members, ret_awaited, capacity)
                   : 0;
    ret_awaited[0] = variable(python, &values, "fut");
    return ret_awaited[0] != 0 && variable(python, &values, "timeout_handle") != 0 ? 1 : 0;
}

size_t sc_task_awaits(struct sc_tasks *tasks, const struct sc_task *task, uint64_t *ret_awaited,
                      size_t capacity)
{
    const struct sc_python *python = &tasks->python;
    uint64_t gathered = 0;
    size_t count = 0;
    if (tasks->at.version >= KNOWS_AWAITING || capacity == 0 || task->count == 0)
        return 0;
    if (sc_is_of_type(python, task->waiter, "_GatheringFuture"))
        count = sc_instance_find(python, task->waiter, "_children", &gathered)
                    ? list_items(python, gathered, ret_awaited, capacity)
                    : 0;
    else
        count = awaited_by_function(python, &task->frames[task->count - 1], ret_awaited, capacity);
    if (count == 0)
        ret_awaited[count++] = task->waiter;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!sc_task_is_over(tasks, ret_awaited[i]))
            ret_awaited[kept++] = ret_awaited[i];
    }
    return kept;
}
