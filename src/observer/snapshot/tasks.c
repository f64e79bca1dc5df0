/*
 * observer/snapshot/tasks.c - the asyncio tasks that wait.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "observer/snapshot/taking.h"

#define TASKS_MAX     ((size_t)1 << 20)
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

/* Keeps the addresses of tasks that wait, and notes who awaits whom; returns how many. One that has
 * ended meanwhile, and another in its memory, have the same address. Beside has room for as many.
 */
static size_t find_waiting(struct sc_taking *taking, uint64_t *addresses, size_t count,
                           uint64_t *beside, struct pairs *pairs)
{
    static struct sc_task task; /* too large for the stack */
    SC_AUTO(sc_map_done) struct sc_map seen = {0};
    size_t waiting = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = addresses[i];
        if (sc_map_get(&seen, address) != SC_NONE)
            continue;
        sc_map_put(&seen, address, 1);
        size_t found = sc_task_awaited_by(&taking->tasks, address, beside, TASKS_MAX);
        for (size_t k = 0; k < found && pairs->count < PAIRS_MAX; k++)
            sc_vec_push(pairs, (struct pair){beside[k], address});
        if (sc_task_read(&taking->tasks, address, &task) == SC_TASK_WAITING)
            addresses[waiting++] = address;
    }
    return waiting;
}

static void add_awaited(struct sc_taking *taking, uint64_t address, struct sc_snapshot_task *shown)
{
    static struct sc_task task; /* too large for the stack */
    if (sc_task_read(&taking->tasks, address, &task) == SC_TASK_UNREADABLE)
        return; /* a future, and no task */
    if (shown->awaited.count < AWAITED_SHOWN)
        sc_vec_push(&shown->awaited, name_of(taking, task.name));
    else
        shown->awaited_left_out++;
}

static void add_task(struct sc_taking *taking, uint64_t address, const struct sc_task *task,
                     uint64_t *beside, const struct pairs *pairs)
{
    struct sc_py_frame frames[SC_TASK_FRAMES_MAX];
    struct sc_snapshot_task shown = {.name = name_of(taking, task->name)};
    SC_EACH(const struct pair, pair, pairs)
        if (pair->awaiting == address)
            add_awaited(taking, pair->awaited, &shown);
    size_t found = sc_task_awaits(&taking->tasks, task, beside, TASKS_MAX);
    for (size_t k = 0; k < found; k++)
        add_awaited(taking, beside[k], &shown);
    for (size_t i = 0; i < task->count; i++)
        frames[i] = task->frames[task->count - 1 - i];
    (void)sc_snapshot_name_frames(taking, frames, task->count, 0, 0, NULL, &shown.frames);
    sc_vec_push(&taking->snapshot->tasks, shown);
}

/* In a busy program tasks have ended before others are read: they are listed as late as can be,
 * many are read at once, and all that wait are found before any is shown. */
void sc_snapshot_take_tasks(struct sc_taking *taking)
{
    static struct sc_task task; /* too large for the stack */
    struct sc_process *process = &taking->process;
    struct sc_remote *remote = &process->stacks.remote;
    const struct sc_target fresh = {.read = sc_remote_read_now, .context = remote};
    sc_remote_done(remote);
    remote->reads_ahead = remote->core == NULL;
    if (!sc_tasks_init(&taking->tasks, &process->layout, &process->stacks.target,
                       process->facts.runtime, process->facts.code_type) ||
        !sc_tasks_find(&taking->tasks))
        return;
    SC_AUTO_FREE uint64_t *addresses = sc_alloc(TASKS_MAX, sizeof(*addresses));
    SC_AUTO_FREE uint64_t *beside = sc_alloc(TASKS_MAX, sizeof(*beside));
    struct pairs pairs = {0};
    sc_tasks_read_by(&taking->tasks, &process->stacks.target, &fresh);
    size_t count = sc_tasks_list(&taking->tasks, addresses, TASKS_MAX);
    count = find_waiting(taking, addresses, count, beside, &pairs);
    size_t shown = 0;
    for (; shown < count && taking->snapshot->tasks.count < TASKS_SHOWN; shown++) {
        if (sc_task_read(&taking->tasks, addresses[shown], &task) == SC_TASK_WAITING)
            add_task(taking, addresses[shown], &task, beside, &pairs);
    }
    taking->snapshot->tasks_left_out = count - shown;
    sc_vec_done(&pairs);
}
