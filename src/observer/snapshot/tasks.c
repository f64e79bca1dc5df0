/*
 * observer/snapshot/tasks.c - the asyncio tasks that wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "observer/snapshot/taking.h"

#define TASKS_MAX     65536U
#define TASKS_SHOWN   200U
#define PAIRS_MAX     ((size_t)1 << 20)
#define AWAITED_SHOWN 100U /* of one task */
#define NAME_BYTES    128U

static char *name_of(struct sc_taking *taking, uint64_t name)
{
    char text[NAME_BYTES];
    if (!sc_task_name(&taking->tasks, name, text, sizeof(text)))
        text[0] = '\0';
    return sc_strdup(text);
}

/* One task awaits the other: addresses. */
struct pair {
    uint64_t awaiting;
    uint64_t awaited;
};

struct pairs SC_VEC_OF(struct pair);

/* Who awaits whom. Beside has room for as many addresses. */
static void find_pairs(struct sc_taking *taking, const uint64_t *addresses, size_t count,
                       uint64_t *beside, struct pairs *pairs)
{
    static struct sc_task task; /* too large for the stack */
    for (size_t i = 0; i < count && pairs->count < PAIRS_MAX; i++) {
        size_t found = sc_task_awaited_by(&taking->tasks, addresses[i], beside, TASKS_MAX);
        for (size_t k = 0; k < found; k++)
            sc_vec_push(pairs, (struct pair){beside[k], addresses[i]});
        if (sc_task_read(&taking->tasks, addresses[i], &task) != SC_TASK_WAITING)
            continue;
        found = sc_task_awaits(&taking->tasks, &task, beside, TASKS_MAX);
        for (size_t k = 0; k < found; k++)
            sc_vec_push(pairs, (struct pair){addresses[i], beside[k]});
    }
}

static void name_awaited(struct sc_taking *taking, uint64_t address, const struct pairs *pairs,
                         struct sc_snapshot_task *shown)
{
    static struct sc_task task; /* too large for the stack */
    SC_EACH(const struct pair, pair, pairs) {
        if (pair->awaiting != address ||
            sc_task_read(&taking->tasks, pair->awaited, &task) == SC_TASK_UNREADABLE)
            continue; /* a future, and no task */
        if (shown->awaited.count < AWAITED_SHOWN)
            sc_vec_push(&shown->awaited, name_of(taking, task.name));
        else
            shown->awaited_left_out++;
    }
}

static void add_task(struct sc_taking *taking, uint64_t address, const struct sc_task *task,
                     const struct pairs *pairs)
{
    struct sc_py_frame frames[SC_TASK_FRAMES_MAX];
    struct sc_snapshot_task shown = {.name = name_of(taking, task->name)};
    name_awaited(taking, address, pairs, &shown);
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
    SC_AUTO_FREE uint64_t *beside = sc_alloc(TASKS_MAX, sizeof(*beside));
    struct pairs pairs = {0};
    size_t count = sc_tasks_list(&taking->tasks, addresses, TASKS_MAX);
    find_pairs(taking, addresses, count, beside, &pairs);
    for (size_t i = 0; i < count; i++) {
        if (sc_task_read(&taking->tasks, addresses[i], &task) != SC_TASK_WAITING)
            continue;
        if (taking->snapshot->tasks.count < TASKS_SHOWN)
            add_task(taking, addresses[i], &task, &pairs);
        else
            taking->snapshot->tasks_left_out++;
    }
    sc_vec_done(&pairs);
}
