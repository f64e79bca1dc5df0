/*
 * agent/memory/memory.c - what the hooks of allocation and copying do when a byte is sampled.
 *
 * Small blocks are streams of bytes that are cut into windows (stream.h, small_blocks.h). Large
 * ones, of two windows and more, are each considered on their own. When samples take too much time
 * (sampling_budget.h), or when the table of live blocks fills up, windows get wider, and only some
 * of the large blocks of each size class are sampled; a sample's weight says how many bytes it
 * stands for, so sums stay unbiased and only their error grows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "agent/caller_stack.h"
#include "agent/clock.h"
#include "agent/home.h"
#include "agent/memory/sampling_budget.h"
#include "agent/own_stack.h"
#include "agent/rules.h"
#include "channel/writer.h"
#include "unwind/registers_here.h"

#define WEYL 0x9e3779b9U /* 2^32 over the golden ratio, odd */

/* While memory is not profiled, a thread takes the slow path once per so many bytes. */
#define DORMANT_BYTES (1 << 16)

/* The longest distance of two points is two windows, and has to fit into 31 bits. */
#define SMALL_WINDOW_MAX (INT64_C(1) << 29)

/* A stream has so little left only in a thread that called sc_memory_pause_thread. */
#define LOOKING_AWAY (INT64_MIN / 2)

#define OWED_AT_ONCE 32U /* how many postponed frees one call sends */

static _Atomic bool following;
static int (*finalizing)(void);

_Atomic uint64_t sc_memory_large_bytes = UINT64_MAX;
size_t sc_memory_small_bytes;

SC_SIGNAL_SAFE static bool ring_is_filling(void)
{
    return sc_ring_used(sc_agent.segment) > SC_RING_BYTES / 2;
}

SC_SIGNAL_SAFE static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_usec * 1000U;
}

SC_SIGNAL_SAFE static struct sc_sampling_rusage own_usage(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return (struct sc_sampling_rusage){0};
    return (struct sc_sampling_rusage){
        .cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
        .waits = (uint64_t)usage.ru_nvcsw,
        .preemptions = (uint64_t)usage.ru_nivcsw,
    };
}

/* Half of the table is for windows of the requested size, half of the rest for windows twice as
 * wide, and so on, so it never fills up. */
SC_SIGNAL_SAFE static uint32_t shift_of(uint32_t capacity, uint32_t used)
{
    uint32_t shift = 0;
    uint32_t left = used < capacity ? capacity - used : 0;
    for (uint32_t half = capacity / 2; left < half && half > 1; half /= 2)
        shift++;
    return shift;
}

/* The shift that the tables for the next sample require; room: NULL when only the table of blocks
 * is used. */
SC_SIGNAL_SAFE static uint32_t room_shift(const struct sc_table_room *room)
{
    uint32_t shift = shift_of(SC_BLOCK_SLOTS, sc_blocks_count());
    uint32_t other = room != NULL ? shift_of(room->capacity, room->used) : 0;
    return shift > other ? shift : other;
}

SC_SIGNAL_SAFE static int64_t current_window(uint32_t room)
{
    uint32_t shift = sc_sampling_shift(SC_SAMPLING_SMALL);
    shift = shift > room ? shift : room;
    uint64_t window = sc_agent.memory_window_bytes;
    if (window == 0) /* meanwhile another profile, without memory, has begun */
        return DORMANT_BYTES;
    return (int64_t)(window << shift >> shift == window ? window << shift : window);
}

void sc_memory_begin(int (*is_finalizing)(void))
{
    finalizing = is_finalizing;
    sc_sampling_begin(sc_agent.memory_window_bytes, sc_clock_ns(CLOCK_MONOTONIC), ring_is_filling,
                      own_usage);
    sc_agent_thread.allocations.left = 0;
    sc_agent_thread.copies.left = 0;
    for (uint32_t i = 0; i < SC_SMALL_STREAMS; i++)
        sc_agent_thread.small_blocks.left[i] = 0;
    atomic_store(&following, true);
}

void sc_memory_begin_large(void)
{
    atomic_store(&sc_memory_large_bytes, sc_sampling_large_bytes());
}

/* Nothing is sampled any more: large blocks pass at once, and each thread's stream is reset when it
 * next reaches the slow path. */
SC_SIGNAL_SAFE void sc_memory_end_sampling(void)
{
    atomic_store(&sc_memory_large_bytes, UINT64_MAX);
    atomic_store(&following, false);
}

void sc_memory_blocks_after_fork(bool followed)
{
    sc_sampling_after_fork();
    sc_agent_thread.in_python_allocator = false;
    if (!followed)
        sc_memory_end_sampling();
}

/* Whether the calling thread's blocks are sampled. */
SC_SIGNAL_SAFE static bool is_thread_sampled(void)
{
    if (!atomic_load_explicit(&following, memory_order_acquire) || !sc_agent_is_active() ||
        !sc_home_is_this_process())
        return false;
    if (finalizing == NULL || finalizing() == 0)
        return true;
    atomic_store(&sc_agent.segment->memory_is_over, 1);
    sc_memory_end_sampling();
    return false;
}

SC_SIGNAL_SAFE static void make_dormant(struct sc_stream *stream)
{
    *stream = (struct sc_stream){.left = DORMANT_BYTES};
}

/* Whether the fast path of small blocks has had the block. */
SC_SIGNAL_SAFE static bool is_small_block(size_t size, bool is_pythons)
{
    return is_pythons && size <= sc_memory_small_bytes && !sc_agent_thread.in_python_allocator;
}

/* The stream of a block that is not a large one, to be put back after it was changed. */
SC_SIGNAL_SAFE static struct sc_stream stream_of(size_t size, bool is_pythons)
{
    if (!is_small_block(size, is_pythons))
        return sc_agent_thread.allocations;
    const struct sc_small_streams *all = &sc_agent_thread.small_blocks;
    uint64_t i = sc_small_stream(size);
    return (struct sc_stream){
        .left = all->left[i], .window = all->window[i], .rest = all->rest[i], .exact = INT64_MAX};
}

SC_SIGNAL_SAFE static void put_back(const struct sc_stream *stream, size_t size, bool is_pythons)
{
    if (!is_small_block(size, is_pythons)) {
        sc_agent_thread.allocations = *stream;
        return;
    }
    struct sc_small_streams *all = &sc_agent_thread.small_blocks;
    uint64_t i = sc_small_stream(size);
    all->left[i] = (int32_t)stream->left;
    all->window[i] = (uint32_t)stream->window;
    all->rest[i] = (uint32_t)stream->rest;
}

SC_SIGNAL_SAFE static uint64_t *random_state(struct sc_agent_thread *thread)
{
    if (thread->random == 0)
        thread->random = (sc_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)thread) | 1U;
    return &thread->random;
}

SC_SIGNAL_SAFE static void lose(enum sc_agent_loss loss, uint64_t weight)
{
    sc_agent_lose(loss);
    atomic_fetch_add_explicit(&sc_agent.segment->memory_lost_bytes, weight, memory_order_relaxed);
}

/* To be called while the caller holds the slot, so that the records of two blocks in one slot are
 * in order. */
SC_SIGNAL_SAFE static bool send_free(uint32_t slot, uint64_t time_ns)
{
    struct sc_record_free *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL)
        return false;
    record->time_ns = time_ns;
    record->slot = slot;
    sc_ring_commit(record, SC_RECORD_FREE, sizeof(*record));
    return true;
}

/* Sends frees that found no room in the ring before. */
SC_SIGNAL_SAFE static void pay_owed(uint32_t limit)
{
    for (uint32_t i = 0; i < limit && sc_blocks_owed() > 0; i++) {
        uint64_t time_ns = 0;
        uint32_t slot = sc_blocks_take_owed(&time_ns);
        if (slot == SC_NO_SLOT)
            return;
        if (!send_free(slot, time_ns)) {
            sc_blocks_owe(slot, NULL, time_ns);
            return;
        }
        sc_blocks_release(slot, NULL);
    }
}

/* Sends the free of a block whose slot the caller holds. address: as in sc_blocks_release. */
SC_SIGNAL_SAFE static void end_block(uint32_t slot, const void *address)
{
    uint64_t now_ns = sc_clock_ns(CLOCK_MONOTONIC);
    if (!send_free(slot, now_ns)) {
        sc_blocks_owe(slot, address, now_ns);
        return;
    }
    sc_blocks_release(slot, address);
    pay_owed(OWED_AT_ONCE);
}

SC_SIGNAL_SAFE void sc_memory_send_postponed_frees(void)
{
    pay_owed(SC_BLOCK_SLOTS);
    uint32_t owed = sc_blocks_owed();
    for (uint32_t i = 0; i < owed; i++)
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_RING_FULL);
}

/* An allocation, as a hook has seen it. */
struct given {
    const void *block;
    size_t size;
    size_t old_bytes; /* of size, what a resized block had before */
    bool is_pythons;
    /* how full the table of mappings is, if the block is in it and so is not freed by its address;
     * else NULL */
    const struct sc_table_room *mappings;
    uint32_t flags; /* further enum sc_allocation_flags */
    /* Registers at the entry of our hooks. The profile shows the caller's stack, and unwinding our
     * own frames would take a third of the time of a sample. */
    struct sc_registers *here;
};

/* What a block or a copy stands for. points: 0 when it stands for itself alone. */
struct stands_for {
    uint64_t bytes;
    uint32_t points;
};

/* The weight by a stream; bytes is 0 when there is nothing to sample. */
SC_SIGNAL_SAFE static struct stands_for weigh(struct sc_stream *stream, uint64_t size,
                                              int64_t window, uint64_t *random)
{
    if (stream->window == 0)
        sc_stream_begin(stream, size, window, random);
    int64_t before = stream->window;
    bool is_exact = sc_stream_is_exact(stream, size, window);
    uint64_t bytes = sc_stream_take(stream, size, window, random);
    return (struct stands_for){bytes, is_exact ? 0 : sc_stream_points(bytes, before, window)};
}

/* Sends the allocation and returns its slot, SC_NO_SLOT when it has none. */
SC_SIGNAL_SAFE static uint32_t send_allocation(const struct given *given, struct stands_for weight,
                                               uint64_t time_ns)
{
    uint64_t stack = 0;
    pay_owed(OWED_AT_ONCE);
    if (!sc_caller_stack(given->here, &stack)) {
        atomic_fetch_add_explicit(&sc_agent.segment->memory_lost_bytes, weight.bytes,
                                  memory_order_relaxed);
        return SC_NO_SLOT;
    }
    uint32_t slot = given->mappings != NULL ? sc_blocks_reserve_unfound(given->block)
                                            : sc_blocks_reserve(given->block);
    if (slot == SC_NO_SLOT) /* counted as allocated, but its free will not be seen */
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_TABLE_FULL);
    struct sc_record_allocation *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        lose(SC_AGENT_LOSS_MEMORY_RING_FULL, weight.bytes);
        if (slot != SC_NO_SLOT)
            sc_blocks_release(slot, given->mappings != NULL ? NULL : given->block);
        return SC_NO_SLOT;
    }
    record->time_ns = time_ns;
    record->stack_key = stack;
    record->address = (uint64_t)(uintptr_t)given->block;
    record->size_bytes = given->size;
    record->old_bytes = given->old_bytes;
    record->weight_bytes = weight.bytes;
    record->slot = slot;
    record->flags = (uint16_t)(given->flags | (given->is_pythons ? SC_ALLOCATION_PYTHON : 0U) |
                               (weight.points == 0 ? SC_ALLOCATION_EXACT : 0U));
    record->points = (uint16_t)weight.points;
    record->tid = (uint32_t)sc_agent_thread.tid;
    record->unused = 0;
    sc_ring_commit(record, SC_RECORD_ALLOCATION, sizeof(*record));
    if (slot != SC_NO_SLOT && given->mappings == NULL)
        sc_blocks_publish(slot, given->block);
    return slot;
}

/* Of a kind whose samples cost too much, one block in 2^shift is sampled. A Weyl sequence chooses
 * it: its points are evenly spread, and so are those of every n-th block, so a loop that allocates
 * different sizes in turn is sampled evenly, too. */
SC_SIGNAL_SAFE static uint32_t large_allocated(const struct given *given)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    uint32_t kind = sc_sampling_kind(given->size);
    if (SC_UNLIKELY(sc_sampling_shift(kind) > 0)) /* the burst may be over */
        sc_sampling_pass(kind, sc_clock_ns(CLOCK_MONOTONIC_COARSE));
    uint32_t shift = sc_sampling_shift(kind);
    uint32_t room = room_shift(given->mappings);
    /* a block of this kind counts at least half of memory_window_bytes << kind anyway */
    room -= room < kind ? room : kind;
    shift = shift > room ? shift : room;
    if (thread->larges == 0)
        thread->larges = (uint32_t)sc_stream_random(random_state(thread));
    thread->larges += WEYL;
    if (shift > 0 && thread->larges >> (32U - shift) != 0)
        return SC_NO_SLOT;
    uint64_t began_ns = sc_clock_ns(CLOCK_MONOTONIC);
    struct stands_for weight = {(uint64_t)given->size << shift, shift > 0};
    uint32_t slot = send_allocation(given, weight, began_ns);
    sc_sampling_add(kind, began_ns, sc_clock_ns(CLOCK_MONOTONIC));
    return slot;
}

/* What a block stands for that is not a large one. */
SC_SIGNAL_SAFE static struct stands_for weigh_block(size_t size, bool is_pythons,
                                                    const struct sc_table_room *mappings)
{
    int64_t window = current_window(room_shift(mappings));
    if (is_small_block(size, is_pythons) && window > SMALL_WINDOW_MAX)
        window = SMALL_WINDOW_MAX;
    struct sc_stream stream = stream_of(size, is_pythons);
    struct stands_for weight = weigh(&stream, size, window, random_state(&sc_agent_thread));
    put_back(&stream, size, is_pythons);
    return weight;
}

SC_SIGNAL_SAFE static uint32_t small_allocated(const struct given *given)
{
    struct stands_for weight = weigh_block(given->size, given->is_pythons, given->mappings);
    if (weight.bytes == 0)
        return SC_NO_SLOT;
    uint64_t began_ns = sc_clock_ns(CLOCK_MONOTONIC);
    uint32_t slot = send_allocation(given, weight, began_ns);
    sc_sampling_add(SC_SAMPLING_SMALL, began_ns, sc_clock_ns(CLOCK_MONOTONIC));
    return slot;
}

/* The stream of a block that is not sampled goes on as if without it, or is wound up. */
SC_SIGNAL_SAFE static void pass_over(size_t size, bool is_pythons, bool is_wound_up)
{
    struct sc_stream stream = stream_of(size, is_pythons);
    if (is_wound_up)
        make_dormant(&stream);
    else
        stream.left += (int64_t)size;
    put_back(&stream, size, is_pythons);
}

SC_SIGNAL_SAFE static uint32_t allocated(const struct given *given)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (thread->allocations.left <= LOOKING_AWAY) {
        thread->allocations.rest = (int64_t)(uintptr_t)given->block;
        return SC_NO_SLOT;
    }
    int saved_errno = errno;
    uint32_t slot = SC_NO_SLOT;
    sc_agent_enter();
    bool is_large =
        given->size >= atomic_load_explicit(&sc_memory_large_bytes, memory_order_relaxed);
    if (given->block == NULL) {
        if (!is_large)
            pass_over(given->size, given->is_pythons, false);
    } else if (!is_thread_sampled()) {
        if (!is_large)
            pass_over(given->size, given->is_pythons, true);
    } else if (sc_agent_is_paused()) { /* what is switched on next finds the stream running */
        if (!is_large)
            (void)weigh_block(given->size, given->is_pythons, given->mappings);
    } else if (is_large) {
        slot = large_allocated(given);
    } else {
        slot = small_allocated(given);
    }
    sc_agent_leave();
    errno = saved_errno;
    return slot;
}

/* With left so negative, each block comes to the slow path. */
SC_SIGNAL_SAFE struct sc_stream sc_memory_pause_thread(void)
{
    struct sc_stream stream = sc_agent_thread.allocations;
    sc_agent_thread.allocations = (struct sc_stream){.left = LOOKING_AWAY};
    return stream;
}

SC_SIGNAL_SAFE const void *sc_memory_resume_thread(const struct sc_stream *stream)
{
    const void *last = (const void *)(uintptr_t)sc_agent_thread.allocations.rest;
    sc_agent_thread.allocations = *stream;
    return last;
}

SC_SIGNAL_SAFE void sc_memory_count_lost(size_t size)
{
    if (!is_thread_sampled()) {
        pass_over(size, true, true);
        return;
    }
    struct stands_for weight = weigh_block(size, true, NULL);
    if (weight.bytes > 0 && !sc_agent_is_paused())
        lose(SC_AGENT_LOSS_MEMORY_TABLE_FULL, weight.bytes);
}

SC_SIGNAL_SAFE void sc_memory_allocated(const void *block, size_t size, bool is_pythons)
{
    struct sc_registers here;
    sc_registers_capture(&here);
    struct given given = {.block = block, .size = size, .is_pythons = is_pythons, .here = &here};
    (void)allocated(&given);
}

SC_SIGNAL_SAFE void sc_memory_resized(const void *block, size_t size, size_t old_bytes,
                                      bool is_copied, bool is_pythons)
{
    struct sc_registers here;
    sc_registers_capture(&here);
    struct given given = {.block = block,
                          .size = size,
                          .old_bytes = old_bytes,
                          .is_pythons = is_pythons,
                          .flags = SC_ALLOCATION_FILLED | (is_copied ? SC_ALLOCATION_COPIED : 0U),
                          .here = &here};
    (void)allocated(&given);
}

SC_SIGNAL_SAFE uint32_t sc_memory_mapped(const void *block, size_t size, size_t old_bytes,
                                         uint32_t flags, const struct sc_table_room *mappings)
{
    struct sc_registers here;
    sc_registers_capture(&here);
    struct given given = {.block = block,
                          .size = size,
                          .old_bytes = old_bytes,
                          .mappings = mappings,
                          .flags = flags,
                          .here = &here};
    return allocated(&given);
}

SC_SIGNAL_SAFE static void send_copy(struct stands_for weight, uint64_t time_ns,
                                     struct sc_registers *here)
{
    uint64_t stack = 0;
    if (!sc_caller_stack(here, &stack))
        return;
    struct sc_record_copy *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        lose(SC_AGENT_LOSS_MEMORY_RING_FULL, 0);
        return;
    }
    record->time_ns = time_ns;
    record->stack_key = stack;
    record->weight_bytes = weight.bytes;
    record->points = weight.points;
    record->tid = (uint32_t)sc_agent_thread.tid;
    sc_ring_commit(record, SC_RECORD_COPY, sizeof(*record));
}

SC_SIGNAL_SAFE static void sample_copy(const void *to, const void *from, size_t size,
                                       struct sc_registers *here)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    if (!is_thread_sampled()) {
        make_dormant(&thread->copies);
        return;
    }
    if (sc_sampling_shift(SC_SAMPLING_COPY) > 0) /* the burst may be over */
        sc_sampling_pass(SC_SAMPLING_COPY, sc_clock_ns(CLOCK_MONOTONIC_COARSE));
    int64_t window = (int64_t)SC_SAMPLING_COPY_BYTES << sc_sampling_shift(SC_SAMPLING_COPY);
    struct stands_for weight = weigh(&thread->copies, size, window, random_state(thread));
    if (weight.bytes > 0 && !sc_agent_is_paused()) {
        uint64_t began_ns = sc_clock_ns(CLOCK_MONOTONIC);
        /* When a stack is copied, the thread may be switching from one stack to another (greenlet),
         * and the frames found then would be arbitrary. So the copy is dropped with its weight,
         * which is not given to other copies. */
        if (!sc_own_stack_meets(to, size) && !sc_own_stack_meets(from, size))
            send_copy(weight, began_ns, here);
        sc_sampling_add(SC_SAMPLING_COPY, began_ns, sc_clock_ns(CLOCK_MONOTONIC));
    }
}

SC_SIGNAL_SAFE void sc_memory_copied(const void *to, const void *from, size_t size)
{
    struct sc_registers here;
    sc_registers_capture(&here);
    int saved_errno = errno;
    sc_agent_enter();
    sample_copy(to, from, size, &here);
    sc_agent_leave();
    errno = saved_errno;
}

SC_SIGNAL_SAFE uint32_t sc_memory_moving(const void *block)
{
    uint32_t slot = sc_blocks_take(block);
    if (slot == SC_NO_SLOT || is_thread_sampled())
        return slot;
    sc_blocks_release(slot, block); /* its free will not be recorded */
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE void sc_memory_moved(uint32_t slot, const void *block, bool gone)
{
    if (slot == SC_NO_SLOT)
        return;
    int saved_errno = errno;
    if (gone)
        end_block(slot, block);
    else
        sc_blocks_publish(slot, block);
    errno = saved_errno;
}

SC_SIGNAL_SAFE void sc_memory_freeing(const void *block)
{
    sc_memory_moved(sc_memory_moving(block), block, true);
}

SC_SIGNAL_SAFE void sc_memory_unmapped(uint32_t slot)
{
    int saved_errno = errno;
    if (is_thread_sampled())
        end_block(slot, NULL);
    errno = saved_errno;
}

SC_SIGNAL_SAFE static bool send_cut(uint32_t slot, uint64_t bytes, uint64_t address,
                                    uint32_t part_slot)
{
    struct sc_record_cut *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_RING_FULL);
        return false;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->address = address;
    record->bytes = bytes;
    record->slot = slot;
    record->part_slot = part_slot;
    sc_ring_commit(record, SC_RECORD_CUT, sizeof(*record));
    return true;
}

SC_SIGNAL_SAFE void sc_memory_cut(uint32_t slot, uint64_t bytes, uint64_t address)
{
    int saved_errno = errno;
    if (is_thread_sampled())
        (void)send_cut(slot, bytes, address, SC_NO_SLOT);
    errno = saved_errno;
}

SC_SIGNAL_SAFE uint32_t sc_memory_split(uint32_t slot, uint64_t bytes, uint64_t address)
{
    int saved_errno = errno;
    uint32_t part_slot = SC_NO_SLOT;
    if (is_thread_sampled()) {
        part_slot = sc_blocks_reserve_unfound((const void *)(uintptr_t)address);
        if (part_slot == SC_NO_SLOT)
            sc_agent_lose(SC_AGENT_LOSS_MEMORY_TABLE_FULL);
        if (!send_cut(slot, bytes, address, part_slot) && part_slot != SC_NO_SLOT) {
            sc_blocks_release(part_slot, NULL);
            part_slot = SC_NO_SLOT;
        }
    }
    errno = saved_errno;
    return part_slot;
}

SC_SIGNAL_SAFE void sc_memory_missed(void)
{
    sc_agent_lose(SC_AGENT_LOSS_MEMORY_TABLE_FULL);
}
