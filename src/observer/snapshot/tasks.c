/*
 * observer/snapshot/tasks.c - the asyncio tasks that wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "observer/snapshot/taking.h"

#define TASKS_MAX   65536U
#define TASKS_SHOWN 200U
#define NAME_BYTES  128U

static char *name_of(struct sc_taking *taking, uint64_t name)
{
    char text[NAME_BYTES];
    if (!sc_task_name(&taking->tasks, name, text, sizeof(text)))
        text[0] = '\0';
    return sc_strdup(text);
}

/* The name of the task at an address, to be freed; NULL when there is none. */
static char *awaited_task(struct sc_taking *taking, uint64_t address, const uint64_t *addresses,
                          size_t count)
{
    static struct sc_task task; /* too large for the stack */
    for (size_t i = 0; i < count; i++) {
        if (addresses[i] == address &&
            sc_task_read(&taking->tasks, address, &task) != SC_TASK_UNREADABLE)
            return name_of(taking, task.name);
    }
    return NULL;
}

static void add_task(struct sc_taking *taking, const struct sc_task *task,
                     const uint64_t *addresses, size_t count)
{
    struct sc_py_frame frames[SC_TASK_FRAMES_MAX];
    struct sc_snapshot_task shown = {.name = name_of(taking, task->name)};
    shown.awaited = awaited_task(taking, task->waiter, addresses, count);
    for (size_t i = 0; i < task->count; i++)
        frames[i] = task->frames[task->count - 1 - i];
    (void)sc_snapshot_name_frames(taking, frames, task->count, 0, 0, NULL, &shown.frames);
    sc_vec_push(&taking->snapshot->tasks, shown);
}

void sc_snapshot_take_tasks(struct sc_taking *taking)
{
    static struct sc_task task; /* too large for the stack */
    struct sc_process *process = &taking->process;
    if (!sc_tasks_init(&taking->tasks, &process->layout, &process->stacks.target,
                       process->facts.runtime, process->facts.code_type) ||
        !sc_tasks_find(&taking->tasks))
        return;
    SC_AUTO_FREE uint64_t *addresses = sc_alloc(TASKS_MAX, sizeof(*addresses));
    size_t count = sc_tasks_list(&taking->tasks, addresses, TASKS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (sc_task_read(&taking->tasks, addresses[i], &task) != SC_TASK_WAITING)
            continue;
        if (taking->snapshot->tasks.count < TASKS_SHOWN)
            add_task(taking, &task, addresses, count);
        else
            taking->snapshot->tasks_left_out++;
    }
}
