/*
 * tests/fuzz/cells_fuzz.c - any bytes as the memory of a notebook's kernel, in which a cell is
 * looked for, and asyncio's tasks.
 *
 * The first byte chooses the layout. Then come the addresses of the runtime and of code's type, and
 * pieces: an address, a length, that many bytes. The seeds are what was read of real processes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "cpython/cells.h"
#include "cpython/find_layout.h"
#include "cpython/layout_data.h"
#include "cpython/tasks.h"

enum {
    HEADER_BYTES = 17,
    PIECE_BYTES = 10, /* before its bytes */
    READ_LIMIT = 1 << 21,
    BYTES_LIMIT = 1 << 28,
    TASK_LIMIT = 64,
    NAME_BYTES = 40,
};

/* As the seeds have it. */
static const char cell_name[] = "<ipython-input-7-0123456789ab>";

struct pieces {
    const uint8_t *data;
    size_t size;
    size_t reads;
    size_t bytes;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first piece that holds all of it. */
static bool read_pieces(void *context, uint64_t address, void *bytes, size_t length)
{
    struct pieces *pieces = context;
    if (++pieces->reads > READ_LIMIT || (pieces->bytes += length) > BYTES_LIMIT)
        abort();
    for (size_t at = 0; pieces->size - at >= PIECE_BYTES;) {
        uint64_t start = 0;
        uint16_t count = 0;
        memcpy(&start, pieces->data + at, sizeof(start));
        memcpy(&count, pieces->data + at + sizeof(start), sizeof(count));
        at += PIECE_BYTES;
        if (count > pieces->size - at)
            return false;
        if (length <= count && address >= start && address - start <= count - length) {
            memcpy(bytes, pieces->data + at + (address - start), length);
            return true;
        }
        at += count;
    }
    return false;
}

static void read_cell(const struct sc_layout *layout, const struct sc_target *target,
                      uint64_t runtime)
{
    static char text[SC_CELL_BYTES_MAX];
    static char other[SC_CELL_BYTES_MAX];
    struct sc_task_layout at;
    struct sc_python python;
    size_t length = 0;
    uint64_t number = 0;
    if (!sc_python_init(&python, &at, layout, target, runtime))
        return;
    uint64_t interpreter = sc_main_interpreter(&python, runtime);
    if (sc_cell_read(&python, interpreter, cell_name, text, other, &length, &number) &&
        (length == 0 || length >= SC_CELL_BYTES_MAX))
        abort();
}

static void read_tasks(const struct sc_layout *layout, const struct sc_target *target,
                       uint64_t runtime, uint64_t code_type)
{
    static struct sc_tasks tasks;
    static struct sc_task task;
    uint64_t addresses[TASK_LIMIT];
    char name[NAME_BYTES];
    if (!sc_tasks_init(&tasks, layout, target, runtime, code_type) || !sc_tasks_find(&tasks))
        return;
    size_t count = sc_tasks_list(&tasks, addresses, TASK_LIMIT);
    if (count > TASK_LIMIT)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (sc_task_read(&tasks, addresses[i], &task) != SC_TASK_WAITING)
            continue;
        if (task.count == 0 || task.count > SC_TASK_FRAMES_MAX)
            abort();
        if (sc_task_name(&tasks, task.name, name, sizeof(name)) && strlen(name) >= sizeof(name))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t runtime = 0;
    uint64_t code_type = 0;
    if (size < HEADER_BYTES)
        return 0;
    memcpy(&runtime, data + 1, sizeof(runtime));
    memcpy(&code_type, data + 1 + sizeof(runtime), sizeof(code_type));
    struct pieces pieces = {.data = data + HEADER_BYTES, .size = size - HEADER_BYTES};
    struct sc_target target = {.read = read_pieces, .context = &pieces};
    const struct sc_layout *layout = &sc_layouts[data[0] % sc_layouts_count];
    struct sc_layout published;
    if (sc_layout_init(&published, layout->version, layout->free_threaded, &target, runtime,
                       true) == SC_LAYOUT_OK)
        layout = &published;
    read_cell(layout, &target, runtime);
    pieces.reads = pieces.bytes = 0;
    read_tasks(layout, &target, runtime, code_type);
    return 0;
}
