/* cpython/tasks.c - see tasks.h. SPDX-License-Identifier: Apache-2.0 */
#include "cpython/tasks.h"

#include <string.h>

#include "cpython/load.h"
#include "cpython/modules.h"

enum {
    THREADS_LIMIT = 65536,
    NODE_BYTES = 16, /* llist_node: next, prev */
    WALKS_MAX = 4,
    TRIO_SETS_MAX = 64,
};

bool sc_tasks_init(struct sc_tasks *tasks, const struct sc_layout *layout,
                   const struct sc_target *target, uint64_t runtime, uint64_t code_type)
{
    memset(tasks, 0, sizeof(*tasks));
    tasks->runtime = runtime;
    tasks->code_type = code_type;
    tasks->fresh = target;
    return sc_python_init(&tasks->python, &tasks->at, layout, target, runtime);
}

void sc_tasks_read_by(struct sc_tasks *tasks, const struct sc_target *target,
                      const struct sc_target *fresh)
{
    tasks->python.target = target;
    tasks->fresh = fresh;
}

static bool has_size(const struct sc_tasks *tasks, uint64_t type, int32_t size_bytes)
{
    uint64_t found = 0;
    return sc_is_object_address(type) &&
           sc_read_u64(tasks->python.target, type, tasks->at.tp_basicsize, &found) &&
           found == (uint64_t)size_bytes;
}

/* The set of references to tasks, inside the weak set that the module has. */
static bool find_set(const struct sc_tasks *tasks, uint64_t module, uint64_t *ret_set)
{
    const struct sc_python *python = &tasks->python;
    uint64_t weak_set = 0;
    const char *name = tasks->at.version < 0x030c ? "_all_tasks" : "_scheduled_tasks";
    return sc_module_find(python, module, name, &weak_set) &&
           sc_is_of_type(python, weak_set, "WeakSet") &&
           sc_instance_find(python, weak_set, "data", ret_set) &&
           sc_is_of_type(python, *ret_set, "set");
}

/* They were made before the types of tasks were known. */
static void forget_kinds(struct sc_tasks *tasks)
{
    memset(tasks->kinds, 0, sizeof(tasks->kinds));
}

/* True when the module has all that is needed, which is not so while it is being imported. */
static bool look_into_module(struct sc_tasks *tasks, struct sc_tasks_home *home, uint64_t module)
{
    const struct sc_python *python = &tasks->python;
    uint64_t task_type = 0;
    uint64_t future_type = 0;
    uint64_t all_tasks = 0;
    if (!sc_module_find(python, module, "Task", &task_type) ||
        !sc_module_find(python, module, "Future", &future_type))
        return false;
    home->refused = !has_size(tasks, task_type, tasks->at.tk_size) ||
                    !has_size(tasks, future_type, tasks->at.fu_size);
    if (home->refused || (tasks->at.tk_node < 0 && !find_set(tasks, module, &all_tasks)))
        return false;
    home->task_type = task_type;
    home->future_type = future_type;
    home->all_tasks = all_tasks;
    home->found = true;
    forget_kinds(tasks);
    return true;
}

/* Also after it was found: tools that remove modules from sys.modules have it imported anew, and
 * from CPython 3.12 on its types are then others. */
static void look_for_asyncio(struct sc_tasks *tasks, struct sc_tasks_home *home, uint64_t modules)
{
    struct sc_dict_position before = home->position;
    uint64_t module = 0;
    if (sc_dict_find(&tasks->python, modules, "_asyncio", &home->position, &module) &&
        !look_into_module(tasks, home, module) && !home->refused)
        home->position = before; /* it is still being imported: look again */
}

static bool is_behind(const struct sc_dict_position *position, const struct sc_dict_position *end)
{
    return position->keys != end->keys || position->entries != end->entries;
}

static void look_at_modules(struct sc_tasks *tasks, struct sc_tasks_home *home)
{
    const struct sc_python *python = &tasks->python;
    bool had_trio = home->trio.found;
    struct sc_dict_position end = {0};
    uint64_t modules = 0;
    if (!sc_read_u64(python->target, home->interpreter, tasks->at.is_modules, &modules) ||
        !sc_dict_end(python, modules, &end) ||
        !(is_behind(&home->position, &end) ||
          (!had_trio && is_behind(&home->trio.position, &end))) ||
        !sc_is_of_type(python, modules, "dict"))
        return;
    look_for_asyncio(tasks, home, modules);
    if (!had_trio)
        sc_trio_find(&home->trio, python, modules);
    if (had_trio != home->trio.found)
        forget_kinds(tasks);
}

static struct sc_tasks_home *home_of(struct sc_tasks *tasks, uint64_t interpreter)
{
    for (size_t i = 0; i < tasks->home_count; i++) {
        if (tasks->homes[i].interpreter == interpreter)
            return &tasks->homes[i];
    }
    if (tasks->home_count == SC_TASKS_INTERPRETERS)
        return NULL;
    tasks->homes[tasks->home_count] = (struct sc_tasks_home){.interpreter = interpreter};
    return &tasks->homes[tasks->home_count++];
}

static bool look_at(struct sc_tasks *tasks, uint64_t interpreter)
{
    struct sc_tasks_home *home = home_of(tasks, interpreter);
    if (home != NULL)
        look_at_modules(tasks, home);
    return home != NULL && (home->found || home->trio.found);
}

/* The main interpreter is the last of the list, and the one that matters most. */
bool sc_tasks_find(struct sc_tasks *tasks)
{
    const struct sc_layout *layout = tasks->python.layout;
    const struct sc_target *target = tasks->python.target;
    uint64_t head = 0;
    uint64_t last = sc_main_interpreter(&tasks->python, tasks->runtime);
    if (!sc_read_u64(target, tasks->runtime, layout->rt_interpreters_head, &head))
        return false;
    bool found = last != 0 && look_at(tasks, last);
    uint64_t at = head;
    for (int i = 1; i < SC_TASKS_INTERPRETERS && at != last && sc_is_object_address(at); i++) {
        found = look_at(tasks, at) || found;
        if (!sc_read_u64(target, at, layout->is_next, &at))
            break;
    }
    return found;
}

bool sc_tasks_refused(const struct sc_tasks *tasks)
{
    for (size_t i = 0; i < tasks->home_count; i++) {
        if (tasks->homes[i].refused)
            return true;
    }
    return false;
}

/* Where addresses are put. */
struct sink {
    uint64_t *addresses;
    size_t capacity;
    size_t count;
};

static void add(struct sink *sink, uint64_t address)
{
    if (sink->count < sink->capacity)
        sink->addresses[sink->count++] = address;
}

/* What the references in a weak set refer to. */
static void list_weak_set(const struct sc_tasks *tasks, uint64_t set, struct sink *sink)
{
    uint64_t *addresses = sink->addresses + sink->count;
    size_t count = sc_set_items(&tasks->python, set, addresses, sink->capacity - sink->count);
    for (size_t i = 0; i < count; i++) {
        uint64_t task = 0;
        if (sc_read_u64(tasks->python.target, addresses[i], tasks->at.wr_object, &task) &&
            sc_is_object_address(task))
            add(sink, task); /* over a reference that was read, or the one read now */
    }
}

/* Adds the tasks of a list whose head is given; false when a node does not lead back to the one
 * before. */
static bool walk_links(const struct sc_tasks *tasks, const struct sc_target *target, uint64_t head,
                       struct sink *sink)
{
    uint8_t node[NODE_BYTES];
    uint64_t before = head;
    uint64_t at = 0;
    if (!sc_read_u64(target, head, 0, &at))
        return false;
    while (at != head && sc_is_object_address(at) && sink->count < sink->capacity) {
        if (!sc_target_read(target, at, node, sizeof(node)) || sc_load_u64(node + 8) != before)
            return false;
        add(sink, at - (uint32_t)tasks->at.tk_node);
        before = at;
        at = sc_load_u64(node);
    }
    return true;
}

/* In a busy program tasks come and go between the readings of two pages, and the list seems to end
 * there: then nothing that was read before is used. */
static void list_links(const struct sc_tasks *tasks, uint64_t head, struct sink *sink)
{
    const size_t first = sink->count;
    const struct sc_target *target = tasks->python.target;
    for (int i = 0; i < WALKS_MAX; i++) {
        sink->count = first;
        if (walk_links(tasks, target, head, sink))
            return;
        target = tasks->fresh;
    }
}

static void list_threads(const struct sc_tasks *tasks, uint64_t interpreter, struct sink *sink)
{
    const struct sc_layout *layout = tasks->python.layout;
    const struct sc_target *target = tasks->python.target;
    uint64_t thread = 0;
    list_links(tasks, interpreter + (uint32_t)tasks->at.is_tasks_head, sink);
    if (!sc_read_u64(target, interpreter, layout->is_threads_head, &thread))
        return;
    for (int i = 0; i < THREADS_LIMIT && sc_is_object_address(thread); i++) {
        list_links(tasks, thread + (uint32_t)tasks->at.ts_tasks_head, sink);
        if (!sc_read_u64(target, thread, layout->ts_next, &thread))
            return;
    }
}

static void list_trio(const struct sc_tasks *tasks, const struct sc_trio *trio, struct sink *sink)
{
    uint64_t sets[TRIO_SETS_MAX];
    size_t count = sc_trio_sets(trio, &tasks->python, sets, TRIO_SETS_MAX);
    for (size_t i = 0; i < count; i++)
        sink->count += sc_set_items(&tasks->python, sets[i], sink->addresses + sink->count,
                                    sink->capacity - sink->count);
}

size_t sc_tasks_list(const struct sc_tasks *tasks, uint64_t *addresses, size_t capacity)
{
    struct sink sink = {.addresses = addresses, .capacity = capacity};
    for (size_t i = 0; i < tasks->home_count; i++) {
        const struct sc_tasks_home *home = &tasks->homes[i];
        list_trio(tasks, &home->trio, &sink);
        if (!home->found)
            continue;
        if (tasks->at.tk_node >= 0)
            list_threads(tasks, home->interpreter, &sink);
        else
            list_weak_set(tasks, home->all_tasks, &sink);
    }
    return sink.count;
}
