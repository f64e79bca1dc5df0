/* cpython/modules.c - see modules.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/modules.h"

#include "cpython/load.h"

enum {
    INTERPRETERS_LIMIT = 1024,
    FIRST_PUBLISHED = 0x030d,
    INTERPRETER_LIMIT_BYTES = 64 << 20,
};

static const struct sc_task_layout *layout_of(uint16_t version, bool free_threaded)
{
    for (size_t i = 0; i < sc_task_layouts_count; i++) {
        if (sc_task_layouts[i].version == version &&
            sc_task_layouts[i].free_threaded == free_threaded)
            return &sc_task_layouts[i];
    }
    return NULL;
}

/* From 3.13 on the interpreter publishes where sys.modules is. */
static bool correct(struct sc_task_layout *at, const struct sc_target *target, uint64_t runtime)
{
    uint64_t modules = 0;
    if (at->version < FIRST_PUBLISHED)
        return true;
    if (!sc_read_u64(target, runtime, at->published_modules, &modules) || modules % 8 != 0 ||
        modules > INTERPRETER_LIMIT_BYTES)
        return false;
    at->is_modules = (int32_t)modules;
    return true;
}

bool sc_python_init(struct sc_python *ret_python, struct sc_task_layout *ret_at,
                    const struct sc_layout *layout, const struct sc_target *target,
                    uint64_t runtime)
{
    const struct sc_task_layout *known = layout_of(layout->version, layout->free_threaded);
    if (known == NULL)
        return false;
    *ret_at = *known;
    *ret_python = (struct sc_python){.layout = layout, .at = ret_at, .target = target};
    return correct(ret_at, target, runtime);
}

uint64_t sc_main_interpreter(const struct sc_python *python, uint64_t runtime)
{
    uint64_t last = 0;
    uint64_t at = 0;
    if (!sc_read_u64(python->target, runtime, python->layout->rt_interpreters_head, &at))
        return 0;
    for (int i = 0; i < INTERPRETERS_LIMIT && sc_is_object_address(at); i++) {
        last = at;
        if (!sc_read_u64(python->target, at, python->layout->is_next, &at))
            break;
    }
    return last;
}

bool sc_imported_find(const struct sc_python *python, uint64_t interpreter, const char *name,
                      uint64_t *ret_module)
{
    uint64_t modules = 0;
    return sc_is_object_address(interpreter) &&
           sc_read_u64(python->target, interpreter, python->at->is_modules, &modules) &&
           sc_is_of_type(python, modules, "dict") &&
           sc_dict_find(python, modules, name, NULL, ret_module);
}

bool sc_runs_program(const struct sc_python *python, uint64_t runtime)
{
    uint64_t finalizing = 0;
    uint64_t module = 0;
    return sc_read_u64(python->target, runtime, python->layout->rt_finalizing, &finalizing) &&
           finalizing == 0 &&
           sc_imported_find(python, sc_main_interpreter(python, runtime), "__main__", &module);
}
