/* cpython/trio.c - see trio.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/trio.h"

#include "cpython/load.h"

enum {
    DICT_AFTER_BASE = 8,       /* tp_dict is the member behind tp_base (Include/cpython/object.h) */
    MEMBER_OF_DESCRIPTOR = 24, /* d_member is behind d_type, d_name, d_qualname (descrobject.h) */
    OFFSET_OF_MEMBER = 16,     /* offset is behind name and type (PyMemberDef) */
    SLOTS_LIMIT_BYTES = 1024,  /* of an object */
    THREADS_MAX = 64,          /* that run trio */
    LOCAL_WORDS = 5, /* of a threading.local: among them a dict whose values are those of its
                        threads (Modules/_threadmodule.c: dummies, from 3.13 on localdicts) */
};

/* Where the instances of a class have a slot; false when the class has none of that name. */
static bool find_slot(const struct sc_python *python, uint64_t type, const char *name,
                      int32_t *ret_offset)
{
    uint64_t dict = 0;
    uint64_t descriptor = 0;
    uint64_t member = 0;
    uint64_t offset = 0;
    if (!sc_read_u64(python->target, type, python->at->tp_base + DICT_AFTER_BASE, &dict) ||
        !sc_dict_find(python, dict, name, NULL, &descriptor) ||
        !sc_is_of_type(python, descriptor, "member_descriptor") ||
        !sc_read_u64(python->target, descriptor, python->at->ob_size + MEMBER_OF_DESCRIPTOR,
                     &member) ||
        !sc_read_u64(python->target, member, OFFSET_OF_MEMBER, &offset) ||
        offset > SLOTS_LIMIT_BYTES || offset % 8 != 0)
        return false;
    *ret_offset = (int32_t)offset;
    return true;
}

/* True when the module has all that is needed, which is not so while it is being imported. */
static bool look_into_module(struct sc_trio *trio, const struct sc_python *python, uint64_t module)
{
    return sc_module_find(python, module, "GLOBAL_RUN_CONTEXT", &trio->context) &&
           sc_module_find(python, module, "Runner", &trio->runner_type) &&
           sc_module_find(python, module, "Task", &trio->task_type) &&
           find_slot(python, trio->runner_type, "tasks", &trio->tasks) &&
           find_slot(python, trio->task_type, "coro", &trio->coro) &&
           find_slot(python, trio->task_type, "name", &trio->name) &&
           find_slot(python, trio->task_type, "_abort_func", &trio->abort_func);
}

void sc_trio_find(struct sc_trio *trio, const struct sc_python *python, uint64_t modules)
{
    struct sc_dict_position before = trio->position;
    uint64_t module = 0;
    if (!sc_dict_find(python, modules, "trio._core._run", &trio->position, &module))
        return;
    trio->found = look_into_module(trio, python, module);
    if (!trio->found)
        trio->position = before; /* it is still being imported: look again */
}

/* The set of a thread's runner, if its attributes have one. */
static bool find_set(const struct sc_trio *trio, const struct sc_python *python,
                     uint64_t attributes, uint64_t *ret_set)
{
    uint64_t runner = 0;
    uint64_t type = 0;
    return sc_is_of_type(python, attributes, "dict") &&
           sc_dict_find(python, attributes, "runner", NULL, &runner) &&
           sc_read_u64(python->target, runner, python->layout->ob_type, &type) &&
           type == trio->runner_type && sc_read_u64(python->target, runner, trio->tasks, ret_set) &&
           sc_is_of_type(python, *ret_set, "set");
}

size_t sc_trio_sets(const struct sc_trio *trio, const struct sc_python *python, uint64_t *sets,
                    size_t capacity)
{
    struct sc_dict_item threads[THREADS_MAX];
    uint64_t word = 0;
    size_t count = 0;
    size_t found = 0;
    for (int32_t i = 0; trio->found && i < LOCAL_WORDS && count == 0; i++) {
        if (sc_read_u64(python->target, trio->context, python->at->ob_size + i * 8, &word) &&
            sc_is_of_type(python, word, "dict"))
            count = sc_dict_items(python, word, threads, THREADS_MAX);
    }
    for (size_t i = 0; i < count && found < capacity; i++)
        found += find_set(trio, python, threads[i].value, &sets[found]);
    return found;
}
