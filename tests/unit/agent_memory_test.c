/*
 * tests/unit/agent_memory_test.c - what is sent of blocks and mappings, and what is said of those
 * that nothing can be sent of: the ring is full, or the table.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "agent/caller_stack.h"
#include "agent/memory/blocks.h"
#include "agent/memory/mappings.h"
#include "agent/memory/memory.h"
#include "agent/memory/sampling_budget.h"
#include "agent/own_stack.h"
#include "agent/state.h"
#include "channel/reader.h"
#include "channel/writer.h"
#include "sc_test.h"

#define MB     ((size_t)1 << 20)
#define WINDOW 8192U
#define STACK  77U
#define PLACES (2 * SC_BLOCKS_BUCKET_SLOTS) /* that one address has */

struct sc_agent sc_agent;
_Thread_local struct sc_agent_thread sc_agent_thread;

/* What stands beside it in the agent, as far as it is asked. */
static bool has_no_stack;

bool sc_caller_stack(struct sc_registers *here, uint64_t *ret_key)
{
    *ret_key = STACK;
    return !has_no_stack;
}

bool sc_own_stack_meets(const void *block, size_t size)
{
    return false;
}

uint64_t sc_sampling_large_bytes(void)
{
    return 2 * (uint64_t)WINDOW;
}

uint32_t sc_sampling_kind(uint64_t size_bytes)
{
    return SC_SAMPLING_LARGE;
}

uint32_t sc_sampling_shift(uint32_t kind)
{
    return 0;
}

void sc_sampling_pass(uint32_t kind, uint64_t now_ns)
{
}

void sc_sampling_add(uint32_t kind, uint64_t began_ns, uint64_t now_ns)
{
}

void sc_sampling_begin(uint64_t window_bytes, uint64_t now_ns, bool (*is_choked)(void),
                       sc_sampling_get_rusage *get_usage)
{
}

void sc_sampling_after_fork(void)
{
}

static const struct sc_table_room mappings = {.capacity = 3072};

static struct sc_reader reader;

static int begin(void **state)
{
    struct sc_err err = {0};
    struct sc_segment *segment = NULL;
    int fd = memfd_create("agent_memory_test", MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)sizeof(*segment)) != 0 ||
        fcntl(fd, F_ADD_SEALS, SC_SEGMENT_SEALS) != 0)
        return -1;
    segment = mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (segment == MAP_FAILED)
        return -1;
    segment->magic = SC_CHANNEL_MAGIC;
    segment->version = SC_CHANNEL_VERSION;
    segment->size_bytes = (uint32_t)sizeof(*segment);
    has_no_stack = false;
    sc_agent.pid = getpid();
    sc_agent.segment = segment;
    sc_agent.memory_window_bytes = WINDOW;
    atomic_store(&sc_agent.active, true);
    sc_memory_begin(NULL);
    sc_memory_begin_large();
    return sc_reader_open(&reader, fd, &err) ? 0 : -1;
}

static int end(void **state)
{
    sc_memory_end_sampling();
    (void)munmap(sc_agent.segment, sizeof(*sc_agent.segment));
    sc_reader_close(&reader);
    return 0;
}

/* Blocks lie at made-up addresses: nothing is read of them. */
static const void *block(uint64_t number)
{
    return (const void *)(uintptr_t)(0x7f0000000000U + MB * number);
}

static uint64_t losses(enum sc_agent_loss loss)
{
    return atomic_load(&sc_agent.segment->losses[loss]);
}

static uint64_t lost_bytes(void)
{
    return atomic_load(&sc_agent.segment->memory_lost_bytes);
}

/* With records that say nothing, down to the size of the smallest. */
static void fill_ring(void)
{
    for (struct sc_record_copy *copy;
         (copy = sc_ring_reserve(sc_agent.segment, sizeof(*copy))) != NULL;) {
        copy->stack_key = 1;
        copy->weight_bytes = 1;
        sc_ring_commit(copy, SC_RECORD_COPY, sizeof(*copy));
    }
    for (struct sc_record_free *record;
         (record = sc_ring_reserve(sc_agent.segment, sizeof(*record))) != NULL;) {
        record->slot = SC_NO_SLOT;
        sc_ring_commit(record, SC_RECORD_FREE, sizeof(*record));
    }
}

static bool says_nothing(enum sc_record_kind kind, const void *record)
{
    const struct sc_record_free *end = record;
    return kind == SC_RECORD_COPY || (kind == SC_RECORD_FREE && end->slot == SC_NO_SLOT);
}

/* The next record that says something, which must be of that kind; NULL at the end. */
static const void *next_of(enum sc_record_kind wanted)
{
    enum sc_record_kind kind = SC_RECORD_NONE;
    const void *record;
    do
        record = sc_reader_next(&reader, &kind);
    while (record != NULL && says_nothing(kind, record));
    if (record != NULL)
        assert_int_equal(kind, wanted);
    return record;
}

static void assert_no_more(void)
{
    assert_null(next_of(SC_RECORD_NONE));
}

static uint32_t slot_of_next_allocation(void)
{
    const struct sc_record_allocation *record = next_of(SC_RECORD_ALLOCATION);
    assert_non_null(record);
    assert_int_equal(record->stack_key, STACK);
    return record->slot;
}

static void assert_freed(uint32_t slot)
{
    const struct sc_record_free *record = next_of(SC_RECORD_FREE);
    assert_non_null(record);
    assert_int_equal(record->slot, slot);
}

TEST_WITHIN(a_block_is_reported_from_its_beginning_to_its_end, begin, end)
{
    sc_memory_allocated(block(1), MB, true);
    const struct sc_record_allocation *record = next_of(SC_RECORD_ALLOCATION);
    assert_int_equal(record->address, (uintptr_t)block(1));
    assert_int_equal(record->size_bytes, MB);
    assert_int_equal(record->weight_bytes, MB);
    assert_int_equal(record->flags, SC_ALLOCATION_PYTHON | SC_ALLOCATION_EXACT);
    uint32_t slot = record->slot;
    sc_memory_freeing(block(2)); /* nobody knows it */
    assert_no_more();
    sc_memory_freeing(block(1));
    assert_freed(slot);
    sc_memory_freeing(block(1));
    assert_no_more();
    assert_int_equal(sc_blocks_count(), 0);
}

/* Two sizes in turn: each is right up to a window, whatever is drawn. */
TEST_WITHIN(small_blocks_are_weighed_by_size, begin, end)
{
    static const size_t sizes[] = {57, 153};
    enum { TIMES = 5000 };
    uint64_t weights[2] = {0};
    sc_memory_small_bytes = SC_SMALL_BLOCK_BYTES;
    for (int i = 0; i < 2 * TIMES; i++) {
        if (sc_memory_small_passes(sizes[i % 2]))
            continue;
        sc_memory_allocated(block(1), sizes[i % 2], true);
        const struct sc_record_allocation *record = next_of(SC_RECORD_ALLOCATION);
        if (record == NULL)
            continue;
        weights[i % 2] += record->weight_bytes;
        sc_memory_freeing(block(1));
        assert_non_null(next_of(SC_RECORD_FREE));
    }
    for (int i = 0; i < 2; i++) {
        assert_true(weights[i] + WINDOW > TIMES * sizes[i]);
        assert_true(weights[i] < TIMES * sizes[i] + WINDOW);
    }
}

TEST_WITHIN(a_realloc_that_fails_leaves_the_block, begin, end)
{
    sc_memory_allocated(block(1), MB, false);
    uint32_t slot = slot_of_next_allocation();
    uint32_t moving = sc_memory_moving(block(1));
    assert_int_equal(moving, slot);
    assert_int_equal(sc_memory_moving(block(1)), SC_NO_SLOT); /* nobody finds it meanwhile */
    sc_memory_moved(moving, block(1), false);
    assert_no_more();
    moving = sc_memory_moving(block(1));
    sc_memory_moved(moving, block(1), true);
    assert_freed(slot);
}

TEST_WITHIN(an_end_that_finds_no_room_is_reported_later, begin, end)
{
    sc_memory_allocated(block(1), MB, false);
    uint32_t slot = slot_of_next_allocation();
    fill_ring();
    sc_memory_freeing(block(1));
    assert_int_equal(sc_blocks_owed(), 1);
    assert_int_equal(sc_blocks_count(), 1); /* its number is not another's yet */
    assert_no_more();
    sc_memory_allocated(block(1), MB, false);
    assert_freed(slot);
    uint32_t next = slot_of_next_allocation();
    assert_no_more();
    assert_int_equal(sc_blocks_owed(), 0);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 0);
    sc_memory_freeing(block(1));
    assert_freed(next);
}

TEST_WITHIN(what_is_owed_to_the_very_end_is_lost, begin, end)
{
    for (uint64_t i = 0; i < 3; i++)
        sc_memory_allocated(block(i), MB, false);
    fill_ring();
    for (uint64_t i = 0; i < 3; i++)
        sc_memory_freeing(block(i));
    sc_memory_send_postponed_frees();
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 3);
    for (uint64_t i = 0; i < 3; i++)
        (void)slot_of_next_allocation();
    assert_no_more();
    sc_memory_send_postponed_frees(); /* there is room again */
    for (uint64_t i = 0; i < 3; i++)
        assert_non_null(next_of(SC_RECORD_FREE));
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 3);
    assert_int_equal(sc_blocks_count(), 0);
}

TEST_WITHIN(a_beginning_that_finds_no_room_is_lost_with_its_bytes, begin, end)
{
    fill_ring();
    sc_memory_allocated(block(1), 3 * MB, false);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 1);
    assert_int_equal(lost_bytes(), 3 * MB);
    assert_int_equal(sc_blocks_count(), 0);
    assert_no_more();
    sc_memory_freeing(block(1));
    assert_no_more();
    /* a block without a stack is lost, and not counted as lost by a full ring */
    has_no_stack = true;
    sc_memory_allocated(block(1), MB, false);
    assert_no_more();
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 1);
    assert_int_equal(lost_bytes(), 4 * MB);
    assert_int_equal(sc_blocks_count(), 0);
}

/* All places near the address are taken. */
static void take_places(const void *address, uint32_t ret_slots[PLACES])
{
    for (uint32_t i = 0; i < PLACES; i++) {
        ret_slots[i] = sc_blocks_reserve_unfound(address);
        assert_int_not_equal(ret_slots[i], SC_NO_SLOT);
    }
}

static void give_places_back(const uint32_t slots[PLACES])
{
    for (uint32_t i = 0; i < PLACES; i++)
        sc_blocks_release(slots[i], NULL);
    assert_int_equal(sc_blocks_count(), 0);
}

TEST_WITHIN(a_block_without_a_place_is_reported_and_not_followed, begin, end)
{
    uint32_t slots[PLACES];
    take_places(block(1), slots);
    sc_memory_allocated(block(1), MB, false);
    assert_int_equal(slot_of_next_allocation(), SC_NO_SLOT);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_TABLE_FULL), 1);
    assert_int_equal(lost_bytes(), 0);
    sc_memory_freeing(block(1));
    assert_no_more();
    /* nor is a mapping, or the part of one */
    assert_int_equal(sc_memory_mapped(block(1), MB, 0, 0, &mappings), SC_NO_SLOT);
    assert_int_equal(slot_of_next_allocation(), SC_NO_SLOT);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_TABLE_FULL), 2);
    assert_int_equal(sc_memory_split(slots[0], 5, (uintptr_t)block(1)), SC_NO_SLOT);
    const struct sc_record_cut *cut = next_of(SC_RECORD_CUT);
    assert_int_equal(cut->slot, slots[0]);
    assert_int_equal(cut->bytes, 5);
    assert_int_equal(cut->part_slot, SC_NO_SLOT);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_TABLE_FULL), 3);
    sc_memory_missed();
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_TABLE_FULL), 4);
    give_places_back(slots);
}

TEST_WITHIN(a_mapping_is_cut_and_split, begin, end)
{
    uint32_t slot = sc_memory_mapped(block(1), MB, 0, 0, &mappings);
    assert_int_equal(slot_of_next_allocation(), slot);
    sc_memory_freeing(block(1)); /* it is not found by its address */
    assert_no_more();
    sc_memory_cut(slot, 4096, (uintptr_t)block(1));
    const struct sc_record_cut *cut = next_of(SC_RECORD_CUT);
    assert_int_equal(cut->slot, slot);
    assert_int_equal(cut->bytes, 4096);
    assert_int_equal(cut->address, (uintptr_t)block(1));
    assert_int_equal(cut->part_slot, SC_NO_SLOT);
    uint32_t part = sc_memory_split(slot, 8192, (uintptr_t)block(1) + 8192);
    assert_int_not_equal(part, SC_NO_SLOT);
    assert_int_not_equal(part, slot);
    cut = next_of(SC_RECORD_CUT);
    assert_int_equal(cut->part_slot, part);
    assert_int_equal(cut->bytes, 8192);
    sc_memory_unmapped(part);
    assert_freed(part);
    sc_memory_unmapped(slot);
    assert_freed(slot);
    assert_int_equal(sc_blocks_count(), 0);
}

/* The part is not followed then: its bytes end with the rest. */
TEST_WITHIN(a_cut_that_finds_no_room_is_lost, begin, end)
{
    uint32_t slot = sc_memory_mapped(block(1), MB, 0, 0, &mappings);
    assert_int_equal(slot_of_next_allocation(), slot);
    fill_ring();
    assert_int_equal(sc_memory_split(slot, 8192, (uintptr_t)block(1) + 8192), SC_NO_SLOT);
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 1);
    assert_int_equal(sc_blocks_count(), 1);
    sc_memory_cut(slot, 4096, (uintptr_t)block(1));
    assert_int_equal(losses(SC_AGENT_LOSS_MEMORY_RING_FULL), 2);
    assert_no_more();
    sc_memory_unmapped(slot);
    assert_freed(slot);
    assert_int_equal(sc_blocks_count(), 0);
}

TEST_WITHIN(while_nothing_is_followed_nothing_is_sent, begin, end)
{
    sc_memory_allocated(block(1), MB, false);
    uint32_t slot = slot_of_next_allocation();
    atomic_store(&sc_agent.segment->paused, 1);
    sc_memory_allocated(block(2), MB, false);
    sc_memory_copied(block(3), block(4), 64 * MB);
    assert_int_equal(sc_memory_mapped(block(5), MB, 0, 0, &mappings), SC_NO_SLOT);
    assert_no_more();
    sc_memory_freeing(block(1)); /* an end counts all the same */
    assert_freed(slot);
    atomic_store(&sc_agent.segment->paused, 0);
    sc_memory_end_sampling();
    sc_memory_allocated(block(2), MB, false);
    assert_int_equal(sc_memory_split(slot, 5, 0), SC_NO_SLOT);
    sc_memory_cut(slot, 5, 0);
    assert_no_more();
    assert_int_equal(sc_blocks_count(), 0);
}

/* Allocates blocks of 64 bytes and returns how many bytes were sent. */
static uint64_t sent_bytes(unsigned blocks)
{
    uint64_t bytes = 0;
    const struct sc_record_allocation *record;
    for (unsigned i = 0; i < blocks; i++) {
        int32_t *left = &sc_agent_thread.small_blocks.left[sc_small_stream(64)];
        *left -= 64;
        if (*left < 0)
            sc_memory_allocated(block(i), 64, true);
    }
    while ((record = next_of(SC_RECORD_ALLOCATION)) != NULL) {
        bytes += record->weight_bytes;
        sc_blocks_release(record->slot, (const void *)(uintptr_t)record->address);
    }
    return bytes;
}

/* As in a loop that switches profiling on for a call. */
TEST_WITHIN(what_is_allocated_right_after_a_pause_counts, begin, end)
{
    enum { TURNS = 50, BLOCKS = 1000 };
    uint64_t bytes = 0;
    sc_memory_small_bytes = 512;
    for (int i = 0; i < TURNS; i++) {
        atomic_store(&sc_agent.segment->paused, 1);
        assert_int_equal(sent_bytes(BLOCKS), 0);
        atomic_store(&sc_agent.segment->paused, 0);
        bytes += sent_bytes(BLOCKS);
    }
    assert_in_range(bytes, TURNS * BLOCKS * 64U * 9 / 10, TURNS * BLOCKS * 64U * 11 / 10);
    sc_memory_small_bytes = 0;
}

/* As blocks of one cell of a notebook, which are freed before the next cell is profiled. */
TEST_WITHIN(a_block_freed_between_two_profiles_leaves_nothing, begin, end)
{
    sc_memory_allocated(block(1), MB, false);
    (void)slot_of_next_allocation();
    sc_memory_end_sampling();
    sc_memory_freeing(block(1));
    assert_int_equal(sc_blocks_count(), 0);
    sc_memory_begin(NULL);
    sc_memory_begin_large();
    sc_memory_allocated(block(1), MB, false);
    uint32_t slot = slot_of_next_allocation();
    sc_memory_freeing(block(1));
    assert_freed(slot);
    assert_int_equal(sc_blocks_count(), 0);
}
