/*
 * observer/awaiting.c - what the asyncio tasks of a process wait for, looked at from outside.
 *
 * Tasks cannot change while the process does not run, so a look is due only after it has run, and
 * what was seen holds as long as its CPU clock stands still. A look costs about a microsecond per
 * task, so the next one comes when it has been paid for many times over. While the process runs
 * every task is read twice; one that changes in between is left out of this look.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/awaiting.h"

#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "observer/process.h"

#define FIND_INTERVAL_NS 100000000U
#define LOOK_SHARE       50U /* a look's cost is at most one part in so many */
#define LOOK_MIN_NS      5000000U
#define TASKS_FIRST      1024U /* room for so many addresses at first */
#define TASKS_MAX        ((size_t)1 << 20)
#define READ_MAX         20000U /* of more tasks than this a part stands for all */
#define CHUNK_TASKS      128U
#define NAME_BYTES       128

struct sc_awaiting *sc_awaiting_new(const struct sc_process *process, struct sc_awaits *awaits,
                                    const struct sc_process *parent)
{
    struct sc_awaiting *awaiting = sc_alloc(1, sizeof(*awaiting));
    awaiting->awaits = awaits;
    awaiting->memory =
        (struct sc_memory){.read = sc_remote_blocks_read, .context = &awaiting->blocks};
    awaiting->blocks.pid = process->pid;
    awaiting->look_cpu_ns = UINT64_MAX;
    for (size_t i = 0;
         parent != NULL && parent->awaiting != NULL && i < parent->awaiting->seen.count; i++)
        sc_map_put(&awaiting->inherited, parent->awaiting->seen.items[i], 1);
    return awaiting;
}

void sc_awaiting_free(struct sc_awaiting *awaiting)
{
    if (awaiting == NULL)
        return;
    sc_remote_blocks_done(&awaiting->blocks);
    free(awaiting->addresses);
    sc_vec_done(&awaiting->seen);
    sc_map_done(&awaiting->inherited);
    sc_await_look_done(&awaiting->looks[0]);
    sc_await_look_done(&awaiting->looks[1]);
    free(awaiting);
}

static uint64_t own_cpu_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* A program without asyncio costs a few words ten times a second, and only while it runs. */
static bool find(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->awaiting;
    if (!process->ran || now_ns < awaiting->next_ns)
        return false;
    awaiting->next_ns = now_ns + FIND_INTERVAL_NS;
    if (awaiting->blocks.blocks == NULL)
        sc_remote_blocks_init(&awaiting->blocks, process->pid);
    if (awaiting->blocks.forbidden)
        return false;
    sc_remote_blocks_forget(&awaiting->blocks);
    if (!awaiting->is_known)
        awaiting->is_known = sc_tasks_init(&awaiting->tasks, &process->layout, &awaiting->memory,
                                           process->facts.runtime, process->facts.code_type);
    if (!awaiting->is_known || !sc_tasks_find(&awaiting->tasks))
        return false;
    awaiting->is_found = true;
    awaiting->charged_ns = now_ns;
    awaiting->next_ns = 0;
    return true;
}

static int by_address(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* In the order of their addresses, so that neighbours are read together. */
static size_t list_tasks(struct sc_awaiting *awaiting)
{
    size_t count = 0;
    while (true) {
        if (awaiting->capacity > 0)
            count = sc_tasks_list(&awaiting->tasks, awaiting->addresses, awaiting->capacity);
        if (count < awaiting->capacity || awaiting->capacity >= TASKS_MAX)
            break;
        awaiting->capacity = awaiting->capacity == 0 ? TASKS_FIRST : 4 * awaiting->capacity;
        awaiting->addresses =
            sc_realloc(awaiting->addresses, awaiting->capacity, sizeof(*awaiting->addresses));
    }
    if (count > 0)
        qsort(awaiting->addresses, count, sizeof(*awaiting->addresses), by_address);
    return count;
}

/* The node of the collect for a task's stack; false when code could not be named. */
static bool node_of(struct sc_process *process, const struct sc_task *task, uint32_t *ret_node)
{
    const struct sc_memory *memory = &process->awaiting->memory;
    uint32_t node = 0;
    for (size_t i = 0; i < task->count; i++) {
        struct sc_code_facts facts;
        if (!sc_code_read(&process->layout, memory, task->frames[i].code, &facts) ||
            !sc_codes_add_remote(&process->codes, &process->layout, memory, &facts))
            return false;
        node = sc_codes_frame(&process->codes, node, facts.key, task->frames[i].instruction);
    }
    *ret_node = node;
    return true;
}

static void note_waiting(struct sc_process *process, const struct sc_task *task, uint32_t node)
{
    struct sc_awaiting *awaiting = process->awaiting;
    char name[NAME_BYTES];
    struct sc_await_place place = sc_awaits_place(awaiting->awaits, node);
    if (sc_awaits_wants_name(awaiting->awaits, place) &&
        sc_task_name(&awaiting->tasks, task, name, sizeof(name)))
        sc_awaits_name(awaiting->awaits, place, name);
    sc_awaits_count(awaiting->awaits, &awaiting->looks[1 - awaiting->current], place);
}

struct reading {
    uint64_t key;
    uint32_t node;
    uint64_t waiter;
};

/* Reads a task; false when it does not wait, or was there before the process was forked. */
static bool read_task(struct sc_process *process, uint64_t address, struct sc_task *task,
                      struct reading *ret_reading)
{
    struct sc_awaiting *awaiting = process->awaiting;
    enum sc_task_state state = sc_task_read(&awaiting->tasks, address, task);
    if (state == SC_TASK_UNREADABLE)
        return false;
    ret_reading->key = sc_mix(address, task->coro);
    ret_reading->waiter = task->waiter;
    ret_reading->node = 0;
    return state == SC_TASK_WAITING &&
           sc_map_get(&awaiting->inherited, ret_reading->key) == SC_NONE &&
           node_of(process, task, &ret_reading->node) && ret_reading->node != 0;
}

/* While the process runs, what is read twice the same was there in between. */
static void read_chunk(struct sc_process *process, const uint64_t *addresses, size_t count,
                       size_t stride)
{
    struct sc_awaiting *awaiting = process->awaiting;
    struct reading readings[CHUNK_TASKS];
    bool waits[CHUNK_TASKS];
    static struct sc_task task; /* too large for the stack */
    if (awaiting->is_busy)
        sc_remote_blocks_forget(&awaiting->blocks);
    for (size_t i = 0; i < count; i++) {
        waits[i] = read_task(process, addresses[i * stride], &task, &readings[i]);
        if (waits[i])
            sc_vec_push(&awaiting->seen, readings[i].key);
        if (waits[i] && !awaiting->is_busy)
            note_waiting(process, &task, readings[i].node);
    }
    if (!awaiting->is_busy)
        return;
    sc_remote_blocks_forget(&awaiting->blocks);
    for (size_t i = 0; i < count; i++) {
        struct reading again;
        if (!waits[i])
            continue;
        if (read_task(process, addresses[i * stride], &task, &again) &&
            again.key == readings[i].key && again.node == readings[i].node &&
            again.waiter == readings[i].waiter)
            note_waiting(process, &task, again.node);
        else
            awaiting->moved++;
    }
}

/* Reads where all tasks wait. */
static void look(struct sc_process *process)
{
    struct sc_awaiting *awaiting = process->awaiting;
    struct sc_await_look *next = &awaiting->looks[1 - awaiting->current];
    uint64_t cpu_ns = 0;
    sc_remote_blocks_forget(&awaiting->blocks);
    if (sc_process_cpu(process->pid, &cpu_ns))
        awaiting->is_busy = awaiting->is_busy || cpu_ns != process->ticked_cpu_ns;
    sc_awaits_begin(next);
    awaiting->seen.count = 0;
    (void)sc_tasks_find(&awaiting->tasks); /* of other interpreters */
    size_t count = list_tasks(awaiting);
    size_t stride = (count + READ_MAX - 1) / READ_MAX;
    size_t read = stride > 1 ? count / stride : count;
    stride = stride > 0 ? stride : 1;
    for (size_t i = 0; i < read; i += CHUNK_TASKS) {
        size_t held = read - i < CHUNK_TASKS ? read - i : CHUNK_TASKS;
        read_chunk(process, awaiting->addresses + i * stride, held, stride);
    }
    sc_awaits_finish(awaiting->awaits, next, read > 0 ? (double)count / (double)read : 1);
    uint64_t after_ns = 0;
    if (sc_process_cpu(process->pid, &after_ns))
        awaiting->is_busy = after_ns != cpu_ns;
}

void sc_awaiting_tick(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->awaiting;
    if (awaiting == NULL || (!awaiting->is_found && !find(process, now_ns)))
        return;
    const struct sc_await_look *before = &awaiting->looks[awaiting->current];
    if (process->ticked_cpu_ns != awaiting->look_cpu_ns) {
        if (now_ns < awaiting->next_ns || awaiting->blocks.forbidden)
            return;
        uint64_t began_ns = own_cpu_ns();
        awaiting->look_cpu_ns = process->ticked_cpu_ns;
        look(process);
        uint64_t cost_ns = LOOK_SHARE * (own_cpu_ns() - began_ns);
        awaiting->next_ns = now_ns + (cost_ns > LOOK_MIN_NS ? cost_ns : LOOK_MIN_NS);
        awaiting->current = 1 - awaiting->current;
    }
    if (now_ns > awaiting->charged_ns)
        sc_awaits_charge(awaiting->awaits, before, &awaiting->looks[awaiting->current],
                         now_ns - awaiting->charged_ns);
    awaiting->charged_ns = now_ns;
}

void sc_awaiting_skip(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->awaiting;
    if (awaiting == NULL || !awaiting->is_found)
        return;
    awaiting->charged_ns = now_ns;
    awaiting->look_cpu_ns = UINT64_MAX;
}

void sc_awaiting_end(struct sc_process *process, uint64_t now_ns)
{
    static const struct sc_await_look nothing;
    struct sc_awaiting *awaiting = process->awaiting;
    if (awaiting == NULL || !awaiting->is_found || now_ns <= awaiting->charged_ns)
        return;
    const struct sc_await_look *last = &awaiting->looks[awaiting->current];
    bool ran = process->ticked_cpu_ns != awaiting->look_cpu_ns;
    sc_awaits_charge(awaiting->awaits, last, ran ? &nothing : last, now_ns - awaiting->charged_ns);
    awaiting->charged_ns = now_ns;
}
