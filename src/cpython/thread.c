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

/* Whether a thread state has a frame. */
static bool is_in_use(const struct sc_layout *layout, const struct sc_target *target,
                      uint64_t thread)
{
    struct sc_walk walk;
    sc_walk_begin(&walk, layout, target, 0, thread);
    return walk.end == SC_WALK_MORE && walk.next_frame != 0;
}

bool sc_interpreters_are_many(const struct sc_layout *layout, const struct sc_target *target,
                              uint64_t runtime_address)
{
    uint64_t interpreter = 0;
    uint64_t next = 0;
    return sc_read_u64(target, runtime_address, layout->rt_interpreters_head, &interpreter) &&
           sc_is_object_address(interpreter) &&
           sc_read_u64(target, interpreter, layout->is_next, &next) && next != 0;
}

bool sc_thread_is_finalizing(const struct sc_layout *layout, const struct sc_target *target,
                             uint64_t runtime_address, uint64_t thread_state)
{
    uint64_t finalizing = 0;
    return thread_state != 0 &&
           sc_read_u64(target, runtime_address, layout->rt_finalizing, &finalizing) &&
           finalizing == thread_state;
}

/* The thread state that is searched for in the lists. */
struct search {
    int32_t id_field;
    uint64_t wanted;
    bool is_only; /* there is one interpreter, so a thread has one state */
    uint32_t threads_seen;
    uint64_t first; /* the first that was found, in use or not */
};

/* The state in use among the threads of an interpreter; 0 without one. */
static uint64_t search_interpreter(struct search *search, const struct sc_layout *layout,
                                   const struct sc_target *target, uint64_t interpreter)
{
    uint64_t thread = 0;
    bool read = sc_read_u64(target, interpreter, layout->is_threads_head, &thread);
    while (read && sc_is_object_address(thread) && search->threads_seen++ < THREAD_LIMIT) {
        uint64_t id = 0;
        if (!sc_read_u64(target, thread, search->id_field, &id))
            return 0;
        if (id == search->wanted && (search->is_only || is_in_use(layout, target, thread)))
            return thread;
        if (id == search->wanted && search->first == 0)
            search->first = thread;
        read = sc_read_u64(target, thread, layout->ts_next, &thread);
    }
    return 0;
}

uint64_t sc_thread_state_find(const struct sc_layout *layout, const struct sc_target *target,
                              uint64_t runtime_address, uint64_t native_id, uint64_t pthread_self)
{
    bool by_native_id = layout->ts_native_thread_id >= 0;
    struct search search = {
        .id_field = by_native_id ? layout->ts_native_thread_id : layout->ts_thread_id,
        .wanted = by_native_id ? native_id : pthread_self,
        .is_only = !sc_interpreters_are_many(layout, target, runtime_address),
    };
    uint64_t interpreter = 0;
    if (search.wanted == 0 ||
        !sc_read_u64(target, runtime_address, layout->rt_interpreters_head, &interpreter))
        return 0;
    for (uint32_t i = 0; i < INTERPRETER_LIMIT && sc_is_object_address(interpreter); i++) {
        uint64_t found = search_interpreter(&search, layout, target, interpreter);
        if (found != 0)
            return found;
        if (!sc_read_u64(target, interpreter, layout->is_next, &interpreter))
            break;
    }
    return search.first;
}
