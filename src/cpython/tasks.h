/*
 * cpython/tasks.h - the tasks of asyncio and trio in an interpreter and where each of them waits,
 * read through a callback.
 *
 *     struct sc_tasks tasks;
 *     sc_tasks_init(&tasks, &layout, &memory, runtime, code_type);
 *     if (sc_tasks_find(&tasks)) {
 *         size_t count = sc_tasks_list(&tasks, addresses, capacity);
 *         for (size_t i = 0; i < count; i++)
 *             if (sc_task_read(&tasks, addresses[i], &task) == SC_TASK_WAITING)
 *                 ...
 *
 * Up to 3.13 the tasks are in a weak set that the module _asyncio holds, which is found through
 * sys.modules; from 3.14 on they are linked in a list of their thread. What is read may change
 * meanwhile, or be freed: types are checked by their names and sizes, lists by their links, loops
 * are bounded. Tasks whose class is not derived from _asyncio.Task are known only if they are of
 * the class that asyncio has in Python, up to 3.13.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/trio.h"
#include "cpython/walk.h"

#define SC_TASK_FRAMES_MAX    128
#define SC_TASK_KINDS_CACHED  64
#define SC_TASKS_INTERPRETERS 8

/* How objects of a type are read. */
enum sc_task_kind {
    SC_KIND_OTHER,
    SC_KIND_TASK,
    SC_KIND_TRIO_TASK,
    SC_KIND_FUTURE,
    SC_KIND_GENERATOR, /* coroutines and asynchronous generators too */
    SC_KIND_WRAPPER,   /* the object that it wraps is its first member */
    SC_KIND_TEXT,
    SC_KIND_NUMBER,
};

/* asyncio, and trio, as one interpreter has them. */
struct sc_tasks_home {
    uint64_t interpreter;
    struct sc_dict_position position; /* in sys.modules */
    bool found;
    bool refused; /* asyncio is there, but not in a known form */
    uint64_t task_type;
    uint64_t future_type;
    uint64_t all_tasks; /* the set in the weak set, up to 3.13 */
    struct sc_trio trio;
};

struct sc_tasks {
    struct sc_python python;
    const struct sc_target *fresh;
    struct sc_task_layout at; /* corrected by what the interpreter publishes */
    uint64_t runtime;
    uint64_t code_type;
    size_t home_count;
    struct sc_tasks_home homes[SC_TASKS_INTERPRETERS];
    struct {
        uint64_t type;
        enum sc_task_kind kind;
    } kinds[SC_TASK_KINDS_CACHED];
};

/* False when the version is not known, or does not publish what it should. The layout and the
 * memory are used from then on, not owned. */
bool sc_tasks_init(struct sc_tasks *tasks, const struct sc_layout *layout,
                   const struct sc_target *target, uint64_t runtime, uint64_t code_type);

/* From now on the process is read through another callback, and lists that have changed while they
 * were read so through fresh, which keeps nothing of what it has read before. */
void sc_tasks_read_by(struct sc_tasks *tasks, const struct sc_target *target,
                      const struct sc_target *fresh);

/* Looks for asyncio and trio among the modules imported since the last call; when there are none,
 * only a few words are read. True when any interpreter has one of them. */
bool sc_tasks_find(struct sc_tasks *tasks);

/* Whether asyncio was found, but not in a known form. */
bool sc_tasks_refused(const struct sc_tasks *tasks);

/* The addresses of tasks, at most capacity. Some may not be tasks. */
size_t sc_tasks_list(const struct sc_tasks *tasks, uint64_t *addresses, size_t capacity);

enum sc_task_state {
    SC_TASK_WAITING,     /* for something that has not happened yet */
    SC_TASK_NOT_WAITING, /* over, running, not begun, or ready to run */
    SC_TASK_UNREADABLE,  /* no task, or it changes while it is read */
};

struct sc_task {
    uint64_t name; /* objects */
    uint64_t coro;
    uint64_t waiter;
    bool is_python; /* its class is written in Python: its members are not those of TaskObj */
    size_t count;
    /* where its coroutine waits, then where the coroutine that this one awaits does, and so on
     * inwards; of more than SC_TASK_FRAMES_MAX frames the outermost and the innermost are kept */
    struct sc_py_frame frames[SC_TASK_FRAMES_MAX];
};

enum sc_task_state sc_task_read(struct sc_tasks *tasks, uint64_t address, struct sc_task *ret_task);

/* Whether a future, or a task, has its result. */
bool sc_task_is_over(struct sc_tasks *tasks, uint64_t future);

/* The tasks that await the one at an address: themselves, or by gather(), wait() or a TaskGroup. At
 * most capacity; none before 3.14, where a task does not know them. */
size_t sc_task_awaited_by(const struct sc_tasks *tasks, uint64_t address, uint64_t *ret_tasks,
                          size_t capacity);

/* What a task that waits awaits in these ways: tasks and other futures that are not over, at most
 * capacity. From 3.14 on nothing, as each of them says it. */
size_t sc_task_awaits(struct sc_tasks *tasks, const struct sc_task *task, uint64_t *ret_awaited,
                      size_t capacity);

/* The text of a task's name, at most capacity - 1 bytes, with a NUL. */
bool sc_task_name(struct sc_tasks *tasks, uint64_t name, char *text, size_t capacity);
