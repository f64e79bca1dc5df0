/*
 * cpython/thread.c - finds the interpreter's record of an operating system thread.
 *
 * The lists may change while they are read, and may be followed into freed memory: both loops are
 * bounded, and a look that fails is repeated by the caller at its next tick.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cpython/load.h"
#include "cpython/walk.h"

enum { INTERPRETER_LIMIT = 1024, THREAD_LIMIT = 65536 };

uint64_t sc_thread_state_find(const struct sc_layout *layout, const struct sc_memory *memory,
                              uint64_t runtime_address, uint64_t native_id, uint64_t pthread_self)
{
    bool by_native_id = layout->ts_native_thread_id >= 0;
    int32_t id_field = by_native_id ? layout->ts_native_thread_id : layout->ts_thread_id;
    uint64_t wanted = by_native_id ? native_id : pthread_self;
    uint64_t interpreter = 0;
    uint32_t threads_seen = 0;
    if (wanted == 0 ||
        !sc_read_u64(memory, runtime_address, layout->rt_interpreters_head, &interpreter))
        return 0;
    for (uint32_t i = 0; i < INTERPRETER_LIMIT && sc_is_object_address(interpreter); i++) {
        uint64_t thread = 0;
        if (!sc_read_u64(memory, interpreter, layout->is_threads_head, &thread))
            return 0;
        while (sc_is_object_address(thread) && threads_seen++ < THREAD_LIMIT) {
            uint64_t id = 0;
            if (!sc_read_u64(memory, thread, id_field, &id))
                return 0;
            if (id == wanted)
                return thread;
            if (!sc_read_u64(memory, thread, layout->ts_next, &thread))
                return 0;
        }
        if (!sc_read_u64(memory, interpreter, layout->is_next, &interpreter))
            return 0;
    }
    return 0;
}
