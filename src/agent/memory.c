/*
 * agent/memory.c - what the hooks of allocation and copying do when a byte is sampled.
 *
 * The window of the allocation stream begins at what the user has asked for and is widened while
 * samples take more than a two-hundredth of the time, or while the table of live blocks fills up; a
 * sample's weight is that of its own window, so sums stay true and only their error grows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/clock.h"
#include "agent/memory_stack.h"
#include "agent/rules.h"
#include "channel/writer.h"

#define COST_SHARE 200U /* one part in so many of the time is for samples, in the long run */
/* Wide windows make a large block's life hard to see, and a large block takes the program more time
 * than a sample: beyond these, samples may take more. */
#define WIDE_WINDOW_BYTES (1U << 20)
#define WIDE_COST_SHARE   100U
#define BURST_NS          25000000  /* beyond that, once */
#define SAMPLE_NS_MAX     20000U    /* what took longer was not ours: the thread had lost its CPU */
#define CHECK_SAMPLES     64U       /* between two looks at the books, at most */
#define CHECK_NS          10000000U /* the same in time: where windows are wide, samples are few */
#define SHIFT_MAX         16U

#define COPY_WINDOW_BYTES (512 << 10)

/* A stream that is not followed is looked at again after so many bytes. */
#define DORMANT_BYTES (1 << 20)

static _Atomic bool following;
static int (*finalizing)(void);

/* The books: time that samples have taken and may still take, and how often the window is doubled.
 */
static _Atomic uint64_t samples_taken;
static _Atomic uint64_t spent_ns; /* since the last look */
static _Atomic uint64_t checked_ns;
static _Atomic int64_t allowance_ns;
static _Atomic uint32_t cost_shift;
static _Atomic uint32_t checking; /* somebody looks at them */

SC_SIGNAL_SAFE static bool ring_is_filling(void)
{
    uint64_t head = atomic_load_explicit(&sc_agent.segment->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&sc_agent.segment->tail, memory_order_relaxed);
    return head - tail > SC_RING_BYTES / 2;
}

/* What samples may take of a time before their windows are doubled from shift on. */
SC_SIGNAL_SAFE static int64_t budget_ns(uint32_t shift, int64_t passed_ns)
{
    bool is_wide = sc_agent.memory_window_bytes << shift >= WIDE_WINDOW_BYTES;
    return passed_ns / (int64_t)(is_wide ? WIDE_COST_SHARE : COST_SHARE);
}

/* Never twice at the same time: whoever finds it busy leaves it to the other. */
SC_SIGNAL_SAFE static void check_cost(uint64_t now_ns)
{
    uint32_t free = 0;
    if (!atomic_compare_exchange_strong_explicit(&checking, &free, 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    int64_t passed_ns =
        (int64_t)(now_ns - atomic_exchange_explicit(&checked_ns, now_ns, memory_order_relaxed));
    int64_t spent = (int64_t)atomic_exchange_explicit(&spent_ns, 0, memory_order_relaxed);
    uint32_t shift = atomic_load_explicit(&cost_shift, memory_order_relaxed);
    int64_t left = atomic_load_explicit(&allowance_ns, memory_order_relaxed) +
                   budget_ns(shift, passed_ns) - spent;
    left = left < BURST_NS ? left : BURST_NS;
    if (left < 0 || ring_is_filling())
        shift += shift < SHIFT_MAX;
    else
        for (; shift > 0 && budget_ns(shift - 1, passed_ns) > 4 * spent; shift--)
            spent *= 2; /* as it would have been */
    atomic_store_explicit(&allowance_ns, left > 0 ? left : 0, memory_order_relaxed);
    atomic_store_explicit(&cost_shift, shift, memory_order_relaxed);
    atomic_store_explicit(&checking, 0, memory_order_release);
}

SC_SIGNAL_SAFE static void book(uint64_t began_ns)
{
    uint64_t now_ns = sc_clock_ns(CLOCK_MONOTONIC);
    uint64_t taken_ns = now_ns - began_ns;
    atomic_fetch_add_explicit(&spent_ns, taken_ns < SAMPLE_NS_MAX ? taken_ns : SAMPLE_NS_MAX,
                              memory_order_relaxed);
    uint64_t taken = atomic_fetch_add_explicit(&samples_taken, 1, memory_order_relaxed);
    if (taken % CHECK_SAMPLES == CHECK_SAMPLES - 1 ||
        now_ns > atomic_load_explicit(&checked_ns, memory_order_relaxed) + CHECK_NS)
        check_cost(now_ns);
}

/* Half of the table for windows as asked for, half of what is left for twice the size, and so on:
 * it never fills up. */
SC_SIGNAL_SAFE static uint32_t room_shift(void)
{
    uint32_t shift = 0;
    uint32_t left = SC_BLOCK_SLOTS - sc_blocks_count();
    for (uint32_t half = SC_BLOCK_SLOTS / 2; left < half && half > 1; half /= 2)
        shift++;
    return shift;
}

SC_SIGNAL_SAFE static int64_t current_window(void)
{
    uint32_t shift = atomic_load_explicit(&cost_shift, memory_order_relaxed);
    uint32_t room = room_shift();
    shift = shift > room ? shift : room;
    uint64_t window = sc_agent.memory_window_bytes;
    if (window == 0) /* the next profile, without memory, has begun while we were on our way here */
        return DORMANT_BYTES;
    return (int64_t)(window << shift >> shift == window ? window << shift : window);
}

/* A page that is empty in every child, also in one made by a raw system call, which runs no handler
 * of fork; asking for the process's number each time would cost more than all the rest. NULL where
 * the kernel knows no such pages (before 4.14). */
static _Atomic uint32_t *home;

static void make_home(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
        (void)munmap(page, page_bytes);
        return;
    }
    home = page;
    atomic_store(home, 1);
}

SC_SIGNAL_SAFE static bool is_home(void)
{
    return home != NULL ? atomic_load_explicit(home, memory_order_relaxed) != 0
                        : getpid() == sc_agent.pid;
}

void sc_memory_begin(int (*is_finalizing)(void))
{
    finalizing = is_finalizing;
    if (home == NULL)
        make_home();
    else
        atomic_store(home, 1);
    atomic_store(&checked_ns, sc_clock_ns(CLOCK_MONOTONIC));
    atomic_store(&allowance_ns, BURST_NS);
    sc_agent_thread.allocations.left = 0;
    sc_agent_thread.copies.left = 0;
    atomic_store(&following, true);
}

void sc_memory_stop(void)
{
    atomic_store(&following, false);
}

void sc_memory_after_fork(bool followed)
{
    atomic_store(&checking, 0); /* whoever was at it is not here */
    sc_agent_thread.in_python_allocator = false;
    if (home != NULL)
        atomic_store(home, followed);
    if (!followed)
        atomic_store(&following, false);
}

/* Whether the calling thread's blocks are followed. */
SC_SIGNAL_SAFE static bool is_followed(void)
{
    if (!atomic_load_explicit(&following, memory_order_acquire) || !sc_agent_is_active() ||
        !is_home())
        return false;
    if (finalizing == NULL || finalizing() == 0)
        return true;
    atomic_store(&following, false);
    return false;
}

SC_SIGNAL_SAFE static void wind_up(struct sc_stream *stream)
{
    *stream = (struct sc_stream){.left = DORMANT_BYTES};
}

SC_SIGNAL_SAFE static uint64_t *random_state(struct sc_agent_thread *thread)
{
    if (thread->memory_random == 0)
        thread->memory_random = (sc_clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)(uintptr_t)thread) | 1U;
    return &thread->memory_random;
}

SC_SIGNAL_SAFE static void lose(enum sc_agent_loss loss, uint64_t weight)
{
    sc_agent_lose(loss);
    atomic_fetch_add_explicit(&sc_agent.segment->memory_lost_bytes, weight, memory_order_relaxed);
}

SC_SIGNAL_SAFE static void send_allocation(const void *block, size_t size, uint64_t weight,
                                           bool is_exact, bool is_pythons, uint64_t time_ns)
{
    uint64_t stack = 0;
    if (!sc_memory_stack(&stack)) {
        atomic_fetch_add_explicit(&sc_agent.segment->memory_lost_bytes, weight,
                                  memory_order_relaxed);
        return;
    }
    uint32_t slot = sc_blocks_reserve(block);
    if (slot == SC_NO_SLOT) /* counted as allocated, but nobody knows how long it lives */
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_TABLE_FULL);
    struct sc_record_allocation *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        lose(SC_AGENT_LOSS_MEMORY_RING_FULL, weight);
        if (slot != SC_NO_SLOT)
            sc_blocks_release(slot, block);
        return;
    }
    record->time_ns = time_ns;
    record->stack_key = stack;
    record->size_bytes = size;
    record->weight_bytes = weight;
    record->slot = slot;
    record->flags =
        (is_pythons ? SC_ALLOCATION_PYTHON : 0U) | (is_exact ? SC_ALLOCATION_EXACT : 0U);
    sc_ring_commit(record, SC_RECORD_ALLOCATION, sizeof(*record));
    if (slot != SC_NO_SLOT)
        sc_blocks_publish(slot, block);
}

SC_SIGNAL_SAFE void sc_memory_allocated(const void *block, size_t size, bool is_pythons)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    int saved_errno = errno;
    if (block == NULL) {
        thread->allocations.left += (int64_t)size;
    } else if (!is_followed() || sc_agent_is_paused()) {
        wind_up(&thread->allocations);
    } else {
        int64_t window = current_window();
        if (thread->allocations.window == 0)
            sc_stream_begin(&thread->allocations, size, window, random_state(thread));
        bool is_exact = sc_stream_is_exact(&thread->allocations, size);
        uint64_t weight = sc_stream_take(&thread->allocations, size, window, random_state(thread));
        if (weight > 0) {
            uint64_t began_ns = sc_clock_ns(CLOCK_MONOTONIC);
            send_allocation(block, size, weight, is_exact, is_pythons, began_ns);
            book(began_ns);
        }
    }
    errno = saved_errno;
}

SC_SIGNAL_SAFE void sc_memory_copied(size_t size)
{
    struct sc_agent_thread *thread = &sc_agent_thread;
    int saved_errno = errno;
    if (!is_followed() || sc_agent_is_paused()) {
        wind_up(&thread->copies);
        errno = saved_errno;
        return;
    }
    uint64_t stack = 0;
    if (thread->copies.window == 0)
        sc_stream_begin(&thread->copies, size, COPY_WINDOW_BYTES, random_state(thread));
    uint64_t weight =
        sc_stream_take(&thread->copies, size, COPY_WINDOW_BYTES, random_state(thread));
    if (weight > 0 && sc_memory_stack(&stack)) {
        struct sc_record_copy *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
        if (record != NULL) {
            record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
            record->stack_key = stack;
            record->weight_bytes = weight;
            sc_ring_commit(record, SC_RECORD_COPY, sizeof(*record));
        } else {
            lose(SC_AGENT_LOSS_MEMORY_RING_FULL, 0);
        }
    }
    errno = saved_errno;
}

/* While the slot is still ours: its number must not mean two blocks in the wrong order. */
SC_SIGNAL_SAFE static void send_free(uint32_t slot)
{
    struct sc_record_free *record = sc_ring_reserve(sc_agent.segment, sizeof(*record));
    if (record == NULL) {
        sc_agent_lose(SC_AGENT_LOSS_MEMORY_RING_FULL);
        return;
    }
    record->time_ns = sc_clock_ns(CLOCK_MONOTONIC);
    record->slot = slot;
    sc_ring_commit(record, SC_RECORD_FREE, sizeof(*record));
}

SC_SIGNAL_SAFE uint32_t sc_memory_moving(const void *block)
{
    uint32_t slot = sc_blocks_take(block);
    if (slot == SC_NO_SLOT || is_followed())
        return slot;
    sc_blocks_publish(slot, block); /* alive for ever */
    return SC_NO_SLOT;
}

SC_SIGNAL_SAFE void sc_memory_moved(uint32_t slot, const void *block, bool gone)
{
    if (slot == SC_NO_SLOT)
        return;
    int saved_errno = errno;
    if (gone) {
        send_free(slot);
        sc_blocks_release(slot, block);
    } else {
        sc_blocks_publish(slot, block);
    }
    errno = saved_errno;
}

SC_SIGNAL_SAFE void sc_memory_freeing(const void *block)
{
    sc_memory_moved(sc_memory_moving(block), block, true);
}
