/*
 * tests/layout/tasks_of.c - prints where the asyncio tasks of another process wait.
 *
 *     tasks_of PID VERSION FREE_THREADED
 *
 * VERSION is the upper half of PY_VERSION_HEX. Output, tab separated: for each task that waits
 * "task" and its name, then one line per frame, outermost first (file, line, name); last "end" and
 * how many tasks wait, do not wait, and could not be read. "none" when there is no asyncio. For
 * each character of its input it looks again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "cpython/find_layout.h"
#include "cpython/tasks.h"
#include "frame_text.h"
#include "target.h"

enum { TASKS_LIMIT = 1 << 16, NAME_BYTES = 128, EXIT_NOT_FOUND = 3 };

static uint64_t addresses[TASKS_LIMIT];

static bool print_task(struct sc_tasks *tasks, const struct sc_task *task)
{
    char name[NAME_BYTES];
    if (!sc_task_name(tasks, task->name, name, sizeof(name)))
        return false;
    (void)printf("task\t%s\n", name);
    for (size_t i = 0; i < task->count; i++) {
        if (!print_frame(tasks->python.layout, tasks->python.target, &task->frames[i]))
            return false;
    }
    return true;
}

static bool print_tasks(struct sc_tasks *tasks)
{
    static struct sc_task task;
    size_t states[3] = {0};
    size_t count = sc_tasks_list(tasks, addresses, TASKS_LIMIT);
    for (size_t i = 0; i < count; i++) {
        enum sc_task_state state = sc_task_read(tasks, addresses[i], &task);
        states[state]++;
        if (state == SC_TASK_WAITING && !print_task(tasks, &task)) {
            (void)fprintf(stderr, "task %zu cannot be named\n", i);
            return false;
        }
    }
    (void)printf("end\t%zu\t%zu\t%zu\n", states[SC_TASK_WAITING], states[SC_TASK_NOT_WAITING],
                 states[SC_TASK_UNREADABLE]);
    return true;
}

int main(int argc, char **argv)
{
    struct sc_layout layout;
    struct sc_target target = {.read = target_read};
    static struct sc_tasks tasks;
    if (argc != 4) {
        (void)fprintf(stderr, "usage: tasks_of PID VERSION FREE_THREADED\n");
        return EXIT_FAILURE;
    }
    pid_t pid = (pid_t)strtol(argv[1], NULL, 10);
    target.context = &pid;
    uint64_t runtime = target_symbol(pid, "_PyRuntime");
    uint64_t code_type = target_symbol(pid, "PyCode_Type");
    if (runtime == 0 || code_type == 0) {
        (void)fprintf(stderr, "no _PyRuntime or PyCode_Type in process %d\n", (int)pid);
        return EXIT_NOT_FOUND;
    }
    if (sc_layout_init(&layout, (uint16_t)strtoul(argv[2], NULL, 0), argv[3][0] == '1', &target,
                       runtime, false) != SC_LAYOUT_OK ||
        !sc_tasks_init(&tasks, &layout, &target, runtime, code_type)) {
        (void)fprintf(stderr, "no layout\n");
        return EXIT_FAILURE;
    }
    do {
        if (!sc_tasks_find(&tasks))
            (void)printf("none\t%d\n", (int)sc_tasks_refused(&tasks));
        else if (!print_tasks(&tasks))
            return EXIT_FAILURE;
        (void)fflush(stdout);
    } while (getchar() != EOF);
    return EXIT_SUCCESS;
}
