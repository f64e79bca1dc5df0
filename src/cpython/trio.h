/*
 * cpython/trio.h - the tasks of trio, read through a callback.
 *
 * trio is written in Python. Its module trio._core._run has GLOBAL_RUN_CONTEXT, a threading.local
 * with a Runner for each thread that is in trio.run, and a Runner has the set of its tasks. Both
 * Runner and Task have slots: where they are is read from the descriptors of their classes. A task
 * has an _abort_func exactly while it waits.
 *
 * What is read may change meanwhile, or be freed: types are checked, loops are bounded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cpython/attributes.h"

/* trio as one interpreter has it. */
struct sc_trio {
    struct sc_dict_position position; /* in sys.modules */
    bool found;
    uint64_t context; /* GLOBAL_RUN_CONTEXT */
    uint64_t runner_type;
    uint64_t task_type;
    int32_t tasks; /* of a Runner */
    int32_t coro;  /* of a Task */
    int32_t name;
    int32_t abort_func;
};

/* Looks for trio among the modules that were imported since the last call. */
void sc_trio_find(struct sc_trio *trio, const struct sc_python *python, uint64_t modules);

/* The sets of tasks of the threads that are in trio.run, at most capacity. */
size_t sc_trio_sets(const struct sc_trio *trio, const struct sc_python *python, uint64_t *sets,
                    size_t capacity);
