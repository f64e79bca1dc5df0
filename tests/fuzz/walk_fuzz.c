/*
 * tests/fuzz/walk_fuzz.c - any bytes as the memory of a process.
 *
 * The first byte chooses the layout; the other bytes are memory that begins at a low address, so
 * that pointers into it are small numbers the fuzzer can find. A fault, a loop without end and a
 * string longer than asked for are what must not happen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "cpython/code_key.h"
#include "cpython/find_layout.h"
#include "cpython/frame_values.h"
#include "cpython/greenlets.h"
#include "cpython/layout_data.h"
#include "cpython/modules.h"
#include "cpython/tasks.h"
#include "cpython/threads.h"
#include "cpython/value.h"

enum {
    MEMORY_START = 4096,
    FRAME_LIMIT = 64,
    TASK_LIMIT = 64,
    READ_LIMIT = 1 << 21,
    TEXT_BYTES = 40,
    VARIABLE_LIMIT = 16,
    LOCK_LIMIT = 4,
};

struct bytes {
    const uint8_t *data;
    size_t size;
    size_t reads;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_bytes(void *context, uint64_t address, void *bytes, size_t length)
{
    struct bytes *target = context;
    if (++target->reads > READ_LIMIT)
        abort();
    if (address < MEMORY_START || length > target->size ||
        address - MEMORY_START > target->size - length)
        return false;
    memcpy(bytes, target->data + (address - MEMORY_START), length);
    return true;
}

static void read_text(const struct sc_layout *layout, const struct sc_target *target,
                      uint64_t object)
{
    char text[TEXT_BYTES];
    size_t length = 0;
    if (sc_unicode_read(layout, target, object, text, sizeof(text), &length) &&
        length > sizeof(text))
        abort();
    if (sc_bytes_size(layout, target, object, &length) && length <= sizeof(text))
        (void)sc_bytes_read(layout, target, object, text, length);
}

static void name_code(const struct sc_layout *layout, const struct sc_target *target,
                      const struct sc_code_facts *facts)
{
    static struct sc_code_key_slot slots[16];
    struct sc_code_namer namer = {
        .layout = layout,
        .target = target,
        .keys = {.slots = slots, .count = 16},
        .interpreter = sc_thread_interpreter_number(layout, target, MEMORY_START),
    };
    uint64_t token = sc_code_token(&namer, facts);
    uint64_t key = sc_code_key_make(&namer, facts);
    if (token == 0 || key == 0)
        return;
    sc_code_key_keep(&namer, token, key);
    if (sc_code_key_find(&namer, token) != key)
        abort();
}

static void walk(const struct sc_layout *layout, const struct sc_target *target)
{
    struct sc_walk walk;
    struct sc_py_frame frame;
    struct sc_code_facts facts;
    uint16_t unit = 0;
    sc_walk_begin(&walk, layout, target, MEMORY_START + 64, MEMORY_START);
    for (int i = 0; i < FRAME_LIMIT && sc_walk_next(&walk, &frame); i++) {
        if (frame.instruction < -1 || walk.end != SC_WALK_MORE)
            abort();
        (void)sc_frame_opcode(layout, target, &frame, &unit);
        if (!sc_code_read(layout, target, frame.code, &facts))
            continue;
        name_code(layout, target, &facts);
        read_text(layout, target, facts.filename);
        read_text(layout, target, facts.name);
    }
    (void)sc_thread_state_find(layout, target, MEMORY_START, 1, 1);
}

static void read_tasks(struct sc_tasks *tasks)
{
    static struct sc_task task;
    uint64_t addresses[TASK_LIMIT];
    char name[TEXT_BYTES];
    size_t count = sc_tasks_list(tasks, addresses, TASK_LIMIT);
    if (count > TASK_LIMIT)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (sc_task_read(tasks, addresses[i], &task) != SC_TASK_WAITING)
            continue;
        if (task.count == 0 || task.count > SC_TASK_FRAMES_MAX)
            abort();
        if (sc_task_name(tasks, task.name, name, sizeof(name)) && strlen(name) >= sizeof(name))
            abort();
    }
}

static void find_tasks(const struct sc_layout *layout, const struct sc_target *target)
{
    static struct sc_tasks tasks;
    (void)sc_tasks_init(&tasks, layout, target, MEMORY_START, MEMORY_START + 64);
    if (sc_tasks_find(&tasks))
        read_tasks(&tasks);
    /* as if it had been found, so that this needs no luck */
    tasks.home_count = 1;
    tasks.homes[0] = (struct sc_tasks_home){.interpreter = MEMORY_START,
                                            .found = true,
                                            .task_type = MEMORY_START + 128,
                                            .future_type = MEMORY_START + 192,
                                            .all_tasks = MEMORY_START + 256};
    read_tasks(&tasks);
}

static void read_value(const struct sc_python *python, uint64_t object)
{
    char text[TEXT_BYTES];
    sc_value_text(python, object, text, sizeof(text));
    if (strlen(text) >= sizeof(text))
        abort();
}

static void read_frame(const struct sc_python *python, const struct sc_py_frame *frame)
{
    struct sc_frame_values values;
    struct sc_lock locks[LOCK_LIMIT];
    if (!sc_frame_values_read(python, frame, &values))
        return;
    for (size_t i = 0; i < values.variables && i < VARIABLE_LIMIT; i++) {
        uint64_t name = 0;
        uint64_t value = 0;
        if (!sc_frame_variable(python, &values, i, &name, &value))
            continue;
        read_value(python, name);
        read_value(python, value);
    }
    if (sc_frame_locks_held(python, &values, locks, LOCK_LIMIT) > LOCK_LIMIT ||
        sc_frame_locks_seen(python, &values, locks, LOCK_LIMIT) > LOCK_LIMIT)
        abort();
}

static void read_values(const struct sc_layout *layout, const struct sc_target *target)
{
    struct sc_task_layout at;
    struct sc_python python;
    struct sc_walk walk;
    struct sc_py_frame frame;
    struct sc_thread_entry entries[TASK_LIMIT];
    struct sc_named_thread threads[LOCK_LIMIT];
    if (!sc_python_init(&python, &at, layout, target, MEMORY_START))
        return;
    sc_walk_begin(&walk, layout, target, MEMORY_START + 64, MEMORY_START);
    for (int i = 0; i < FRAME_LIMIT && sc_walk_next(&walk, &frame); i++)
        read_frame(&python, &frame);
    frame = (struct sc_py_frame){.address = MEMORY_START, .code = MEMORY_START + 64};
    read_frame(&python, &frame);
    for (uint64_t object = MEMORY_START; object < MEMORY_START + 256; object += 8)
        read_value(&python, object);
    bool is_whole;
    if (sc_threads_read(&python, MEMORY_START, entries, TASK_LIMIT, &is_whole) > TASK_LIMIT)
        abort();
    (void)sc_gil_read(&python, MEMORY_START, MEMORY_START);
    struct sc_greenlet greenlets[LOCK_LIMIT];
    struct sc_py_frame frames[LOCK_LIMIT];
    size_t count = 0;
    (void)sc_greenlets_list(&python, MEMORY_START, MEMORY_START, greenlets, LOCK_LIMIT, &count);
    (void)sc_greenlet_read(&python, MEMORY_START, &greenlets[0]);
    greenlets[0].frame = MEMORY_START;
    if (count > LOCK_LIMIT || sc_greenlet_frames(&python, MEMORY_START + 64, &greenlets[0], frames,
                                                 LOCK_LIMIT) > LOCK_LIMIT)
        abort();
    (void)sc_named_threads_read(&python, MEMORY_START, threads, LOCK_LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sc_layout published;
    if (size < 1)
        return 0;
    struct bytes bytes = {.data = data + 1, .size = size - 1};
    struct sc_target target = {.read = read_bytes, .context = &bytes};
    const struct sc_layout *layout = &sc_layouts[data[0] % sc_layouts_count];
    walk(layout, &target);
    bytes.reads = 0;
    read_values(layout, &target);
    bytes.reads = 0;
    find_tasks(layout, &target);
    bytes.reads = 0;
    /* whatever passes for published offsets must be safe to walk by */
    if (sc_layout_init(&published, layout->version, layout->free_threaded, &target, MEMORY_START,
                       true) == SC_LAYOUT_OK)
        walk(&published, &target);
    return 0;
}
