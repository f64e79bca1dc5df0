/*
 * observer/waiting/awaiting.c - what the asyncio tasks of a process wait for, read from outside.
 *
 * Tasks cannot change while the process does not run, so a look is due only after it has run, and
 * what was seen holds as long as its CPU clock stands still, before the look and after it. A look
 * costs a few microseconds per task, so looks use only a small share of the time, and a look at
 * many tasks is made in parts of a few milliseconds per poll. If the process ran during a part, the
 * words that change when a task continues are read again; a task that has changed is left out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/waiting/awaiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/sort.h"
#include "observer/process/process.h"

#define FIND_AGE_PARTS 20U /* asyncio is looked for again after the run's age / this */
#define FIND_MAX_NS    500000000U
#define LOOK_SHARE     50U      /* looks use at most one part in so many of the time */
#define PART_NS        3000000U /* of a look in one poll: the rest is read in later polls */
#define PART_TASKS     256U
#define TASKS_FIRST    1024U /* room for so many addresses at first */
#define TASKS_MAX      ((size_t)1 << 20)
#define READ_MAX       20000U /* of more tasks than this only every nth is read */
#define NAME_BYTES     128

struct sc_awaiting *sc_awaiting_new(struct sc_awaits *awaits, struct sc_remote *remote,
                                    const struct sc_process *parent)
{
    struct sc_awaiting *awaiting = sc_alloc(1, sizeof(*awaiting));
    awaiting->awaits = awaits;
    awaiting->remote = remote;
    remote->reads_ahead = true;
    awaiting->target = (struct sc_target){.read = sc_remote_read, .context = remote};
    awaiting->fresh = (struct sc_target){.read = sc_remote_read_now, .context = remote};
    awaiting->look_cpu_ns = UINT64_MAX;
    for (size_t i = 0;
         parent != NULL && parent->tasks.awaiting != NULL && i < parent->tasks.awaiting->seen.count;
         i++)
        sc_map_put(&awaiting->inherited, parent->tasks.awaiting->seen.items[i], 1);
    return awaiting;
}

void sc_awaiting_free(struct sc_awaiting *awaiting)
{
    if (awaiting == NULL)
        return;
    free(awaiting->addresses);
    sc_vec_done(&awaiting->seen);
    sc_vec_done(&awaiting->seeing);
    sc_map_done(&awaiting->inherited);
    sc_await_look_done(&awaiting->looks[0]);
    sc_await_look_done(&awaiting->looks[1]);
    free(awaiting);
}

/* For a program without asyncio only a few words are read now and then, and only while it runs.
 * Programs import most modules early. */
static uint64_t find_interval_ns(const struct sc_process *process, uint64_t now_ns)
{
    uint64_t age_ns = now_ns > process->charge.begun_ns ? now_ns - process->charge.begun_ns : 0;
    uint64_t interval_ns = age_ns / FIND_AGE_PARTS;
    return interval_ns < FIND_MAX_NS ? interval_ns : FIND_MAX_NS;
}

static bool find(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    bool has_run = process->gap.polled_cpu_ns != awaiting->look_cpu_ns;
    if (!has_run || awaiting->look_cpu_ns == UINT64_MAX)
        awaiting->charged_ns = now_ns;
    if (!has_run || now_ns < awaiting->next_ns || process->stacks.remote.forbidden)
        return false;
    awaiting->look_cpu_ns = process->gap.polled_cpu_ns;
    awaiting->next_ns = now_ns + find_interval_ns(process, now_ns);
    sc_remote_forget(&process->stacks.remote);
    if (!awaiting->is_known)
        awaiting->is_known =
            sc_tasks_init(&awaiting->tasks, &process->layout, &process->stacks.target,
                          process->facts.runtime, process->facts.code_type);
    bool is_found = awaiting->is_known && sc_tasks_find(&awaiting->tasks);
    process->tasks.is_refused = awaiting->is_known && sc_tasks_refused(&awaiting->tasks);
    if (!is_found) {
        awaiting->charged_ns = now_ns;
        return false;
    }
    sc_tasks_read_by(&awaiting->tasks, &awaiting->target, &awaiting->fresh);
    awaiting->is_found = true;
    awaiting->look_cpu_ns = UINT64_MAX;
    awaiting->next_ns = 0;
    return true;
}

/* Lists the tasks by address, so that neighbours are read together. One that has ended meanwhile,
 * and another in its memory, have the same address. */
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
        qsort(awaiting->addresses, count, sizeof(*awaiting->addresses), sc_by_count);
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++) {
        if (awaiting->addresses[i] != awaiting->addresses[i - 1])
            awaiting->addresses[kept++] = awaiting->addresses[i];
    }
    return kept;
}

/* The node of the collect for a task's stack; false when code could not be named. */
static bool node_of(struct sc_process *process, const struct sc_task *task, uint32_t *ret_node)
{
    const struct sc_target *target = &process->tasks.awaiting->target;
    uint32_t node = 0;
    for (size_t i = 0; i < task->count; i++) {
        uint64_t key =
            sc_codes_add_remote(&process->stacks.codes, &process->layout, target,
                                process->tasks.awaiting->interpreter, task->frames[i].code);
        if (key == 0)
            return false;
        node = sc_codes_frame(&process->stacks.codes, node, key, task->frames[i].instruction);
    }
    *ret_node = node;
    return node != 0;
}

/* What is kept of a waiting task until the part of the look that has read it is checked. */
struct reading {
    uint64_t key;
    uint64_t name;
    uint32_t node;
    struct sc_remote_word words[2]; /* what changes when the task continues */
};

/* Notes the task's two words (what it waits for, its coroutine) and the position of its innermost
 * frame. A task class written in Python keeps the two words anywhere, so only the frame is
 * noted. */
static void save_resume_state(const struct sc_process *process, uint64_t address,
                              const struct sc_task *task, struct sc_remote_word words[2])
{
    const struct sc_layout *layout = &process->layout;
    const struct sc_py_frame *frame = &task->frames[task->count - 1];
    const struct sc_task_layout *at = &process->tasks.awaiting->tasks.at;
    uint64_t pair[2] = {task->waiter, task->coro};
    uint64_t place = frame->bytecode + (uint32_t)frame->instruction;
    bool is_pointer = layout->instruction_kind == SC_INSTRUCTION_POINTER;
    if (!is_pointer)
        place = (uint32_t)frame->instruction /
                (layout->instruction_kind == SC_INSTRUCTION_LASTI_UNITS ? 2U : 1U);
    words[0] = (struct sc_remote_word){.address = address + (uint32_t)at->tk_waiter,
                                       .length = sizeof(pair)};
    memcpy(words[0].bytes, pair, sizeof(pair));
    words[1] = (struct sc_remote_word){.address = frame->address + (uint32_t)layout->fr_instruction,
                                       .length = is_pointer ? 8 : 4};
    memcpy(words[1].bytes, &place, sizeof(place));
    if (task->is_python)
        words[0] = words[1];
}

/* Reads a task; false when it does not wait, or is a copy of one of the process's parent. */
static bool read_task(struct sc_process *process, uint64_t address, struct reading *ret_reading)
{
    static struct sc_task task; /* too large for the stack */
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    if (sc_task_read(&awaiting->tasks, address, &task) != SC_TASK_WAITING)
        return false;
    ret_reading->key = sc_mix(address, task.coro);
    ret_reading->name = task.name;
    if (sc_map_get(&awaiting->inherited, ret_reading->key) != SC_NONE ||
        !node_of(process, &task, &ret_reading->node))
        return false;
    save_resume_state(process, address, &task, ret_reading->words);
    return true;
}

/* "" when it cannot be read. */
static void name_of(struct sc_awaiting *awaiting, const struct reading *reading,
                    char name[NAME_BYTES])
{
    if (!sc_task_name(&awaiting->tasks, reading->name, name, NAME_BYTES))
        name[0] = '\0';
}

/* Another task may have the memory of one that has ended: after a pause its name is compared. */
static void note_lane(struct sc_process *process, const struct reading *reading,
                      struct sc_place place)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    struct sc_task_lanes *lanes = &awaiting->awaits->lanes;
    uint32_t node = awaiting->awaits->lines.items[place.line].node;
    uint64_t key = sc_mix(reading->key, reading->name);
    struct sc_task_lane *lane = sc_task_lanes_find(lanes, process->pid, key);
    char name[NAME_BYTES];
    if (lane == NULL && lanes->is_full)
        return;
    if (lane == NULL || !lane->is_waiting)
        name_of(awaiting, reading, name);
    if (lane == NULL || (!lane->is_waiting && strcmp(lane->name, name) != 0))
        sc_task_lanes_add(lanes, process->pid, key, name, node, awaiting->charged_ns);
    else
        lane->seen_node = node;
}

static void note_waiting(struct sc_process *process, const struct reading *reading)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    struct sc_place place = sc_awaits_place(awaiting->awaits, reading->node);
    if (sc_awaits_wants_name(awaiting->awaits, place)) {
        char name[NAME_BYTES];
        name_of(awaiting, reading, name);
        if (name[0] != '\0')
            sc_awaits_name(awaiting->awaits, place, name);
    }
    if (place.line != SC_NONE && awaiting->stride == 1)
        note_lane(process, reading, place);
    sc_awaits_count(&awaiting->looks[1 - awaiting->current], place);
    sc_vec_push(&awaiting->seeing, reading->key);
}

/* Whether the words now hold what was read of the task before. */
static bool is_task_unchanged(const struct reading *reading, const struct sc_remote_word words[2])
{
    return memcmp(words[0].bytes, reading->words[0].bytes, words[0].length) == 0 &&
           memcmp(words[1].bytes, reading->words[1].bytes, words[1].length) == 0;
}

/* Notes the tasks that have not changed since they were read. */
static void note_checked(struct sc_process *process, const struct reading *readings, size_t count)
{
    static struct sc_remote_word words[2 * PART_TASKS];
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    for (size_t i = 0; i < 2 * count; i++)
        words[i] = readings[i / 2].words[i % 2];
    bool all = sc_remote_words(awaiting->remote, words, 2 * count);
    for (size_t i = 0; i < count; i++) {
        /* the call fails for all when one task is gone */
        if ((all || sc_remote_words(awaiting->remote, &words[2 * i], 2)) &&
            is_task_unchanged(&readings[i], &words[2 * i]))
            note_waiting(process, &readings[i]);
        else
            process->tasks.moved++;
    }
}

/* Reads the next tasks. If the process did not run meanwhile, what was read is consistent; else the
 * words that would have changed are read again. */
static void read_part(struct sc_process *process)
{
    static struct reading readings[PART_TASKS];
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    size_t count = 0;
    uint64_t before_ns = 0;
    uint64_t after_ns = 1;
    (void)sc_process_cpu(process->pid, &before_ns);
    if (awaiting->forgotten_ns != before_ns)
        sc_remote_forget(awaiting->remote);
    awaiting->forgotten_ns = before_ns;
    for (size_t i = 0; i < PART_TASKS && awaiting->read < awaiting->listed; i++) {
        uint64_t address = awaiting->addresses[awaiting->read];
        awaiting->read += awaiting->stride;
        count += read_task(process, address, &readings[count]);
    }
    (void)sc_process_cpu(process->pid, &after_ns);
    if (before_ns != after_ns) {
        note_checked(process, readings, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        note_waiting(process, &readings[i]);
}

static void begin_look(struct sc_process *process)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    awaiting->is_looking = true;
    awaiting->look_cpu_ns = process->gap.polled_cpu_ns;
    awaiting->last_cost_ns = awaiting->cost_ns;
    awaiting->cost_ns = 0;
    awaiting->stacks = process->collect->nodes.count;
    awaiting->read = 0;
    awaiting->seeing.count = 0;
    sc_awaits_begin(&awaiting->looks[1 - awaiting->current]);
    sc_remote_forget(awaiting->remote);
    (void)sc_tasks_find(&awaiting->tasks); /* other interpreters may have asyncio by now */
    awaiting->interpreter = 0; /* of several interpreters it is not known which runs a task */
    if (awaiting->tasks.home_count == 1)
        awaiting->interpreter = sc_interpreter_number(&process->layout, &awaiting->target,
                                                      awaiting->tasks.homes[0].interpreter);
    awaiting->listed = list_tasks(awaiting);
    awaiting->stride = 1 + awaiting->listed / READ_MAX;
}

/* Since when what the look has seen holds: if the process did not run during the look, since it
 * last ran. */
static uint64_t held_ns(const struct sc_process *process, uint64_t now_ns)
{
    const struct sc_awaiting *awaiting = process->tasks.awaiting;
    uint64_t cpu_ns = 0;
    if (!sc_process_cpu(process->pid, &cpu_ns) || cpu_ns != awaiting->look_cpu_ns)
        return now_ns;
    return awaiting->still_ns > awaiting->charged_ns ? awaiting->still_ns : awaiting->charged_ns;
}

/* When the next look may come. What it costs to name a stack is never paid again, and is much on a
 * slow machine: after a look at new stacks the cheaper one of two looks counts. */
static uint64_t next_look_ns(const struct sc_process *process, uint64_t now_ns)
{
    const struct sc_awaiting *awaiting = process->tasks.awaiting;
    uint64_t cost_ns = awaiting->cost_ns;
    if (process->collect->nodes.count > awaiting->stacks && awaiting->last_cost_ns < cost_ns)
        cost_ns = awaiting->last_cost_ns;
    return now_ns + LOOK_SHARE * cost_ns;
}

static void end_look(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    const struct sc_await_look *before = &awaiting->looks[awaiting->current];
    struct sc_await_look *after = &awaiting->looks[1 - awaiting->current];
    size_t read = (awaiting->listed + awaiting->stride - 1) / awaiting->stride;
    sc_awaits_finish(awaiting->awaits, after,
                     read > 0 ? (double)awaiting->listed / (double)read : 1.0);
    uint64_t since_ns = held_ns(process, now_ns);
    /* after a pause nothing is known of where tasks waited before */
    sc_awaits_charge(awaiting->awaits, awaiting->was_paused ? after : before, after,
                     since_ns - awaiting->charged_ns);
    awaiting->was_paused = false;
    sc_awaits_charge(awaiting->awaits, after, after, now_ns - since_ns);
    sc_task_lanes_charge(&awaiting->awaits->lanes, process->pid, awaiting->charged_ns, since_ns);
    sc_task_lanes_stay(&awaiting->awaits->lanes, process->pid, now_ns);
    awaiting->charged_ns = now_ns;
    awaiting->current = 1 - awaiting->current;
    awaiting->is_looking = false;
    awaiting->next_ns = next_look_ns(process, now_ns);
    awaiting->seen.count = 0;
    for (size_t i = 0; i < awaiting->seeing.count; i++)
        sc_vec_push(&awaiting->seen, awaiting->seeing.items[i]);
}

void sc_awaiting_poll(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    if (awaiting == NULL)
        return;
    if (process->gap.ran)
        awaiting->still_ns = now_ns;
    if ((!awaiting->is_found && !find(process, now_ns)) || now_ns <= awaiting->charged_ns)
        return;
    if (!awaiting->is_looking && process->gap.polled_cpu_ns == awaiting->look_cpu_ns) {
        const struct sc_await_look *last = &awaiting->looks[awaiting->current];
        sc_awaits_charge(awaiting->awaits, last, last, now_ns - awaiting->charged_ns);
        sc_task_lanes_stay(&awaiting->awaits->lanes, process->pid, now_ns);
        awaiting->charged_ns = now_ns;
        return;
    }
    if (now_ns < awaiting->next_ns || awaiting->is_forbidden)
        return;
    sc_remote_use(awaiting->remote, process->pid);
    uint64_t began_ns = sc_own_cpu_ns();
    uint64_t used_ns = 0;
    if (!awaiting->is_looking)
        begin_look(process);
    while (awaiting->read < awaiting->listed && used_ns < PART_NS) {
        read_part(process);
        used_ns = sc_own_cpu_ns() - began_ns;
    }
    awaiting->cost_ns += sc_own_cpu_ns() - began_ns;
    awaiting->is_forbidden = awaiting->remote->forbidden;
    if (awaiting->read >= awaiting->listed)
        end_look(process, now_ns);
}

void sc_awaiting_skip(struct sc_process *process, uint64_t now_ns)
{
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    if (awaiting == NULL)
        return;
    awaiting->charged_ns = now_ns;
    awaiting->look_cpu_ns = UINT64_MAX;
    awaiting->is_looking = false;
    awaiting->was_paused = true;
    sc_task_lanes_break(&awaiting->awaits->lanes, process->pid);
}

void sc_awaiting_end(struct sc_process *process, uint64_t now_ns)
{
    static const struct sc_await_look nothing;
    struct sc_awaiting *awaiting = process->tasks.awaiting;
    if (awaiting == NULL || !awaiting->is_found || now_ns <= awaiting->charged_ns)
        return;
    const struct sc_await_look *last = &awaiting->looks[awaiting->current];
    bool ran = process->gap.polled_cpu_ns != awaiting->look_cpu_ns;
    sc_awaits_charge(awaiting->awaits, last, ran ? &nothing : last, now_ns - awaiting->charged_ns);
    if (ran)
        sc_task_lanes_charge(&awaiting->awaits->lanes, process->pid, awaiting->charged_ns, now_ns);
    else
        sc_task_lanes_stay(&awaiting->awaits->lanes, process->pid, now_ns);
    sc_task_lanes_break(&awaiting->awaits->lanes, process->pid);
    awaiting->charged_ns = now_ns;
}
