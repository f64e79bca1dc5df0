/*
 * tests/unit/mappings_test.c - the table of mappings: what is unmapped, closed and mapped over in
 * parts leaves exactly its bytes, whatever was mapped at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/mappings.h"

#include "agent/memory/memory.h"
#include "sc_test.h"

#define PAGE  ((uint64_t)4096)
#define BASE  ((uint64_t)0x7f0000000000)
#define SLOTS 4096U

/* What the observer would know: the bytes of each slot. */
static uint64_t counted[SLOTS];
static uint32_t next_slot;
static unsigned missed;

/* What another thread does while a block is being cut, which is when its entry is held; NULL:
 * nothing. */
static void (*meanwhile)(void);

_Atomic uint64_t sc_memory_large_bytes = UINT64_MAX;

void sc_memory_unmapped(uint32_t slot)
{
    assert_true(counted[slot] > 0);
    counted[slot] = 0;
}

void sc_memory_cut(uint32_t slot, uint64_t bytes, uint64_t address)
{
    assert_true(counted[slot] > bytes);
    counted[slot] -= bytes;
    void (*other)(void) = meanwhile;
    meanwhile = NULL;
    if (other != NULL)
        other();
}

uint32_t sc_memory_split(uint32_t slot, uint64_t bytes, uint64_t address)
{
    sc_memory_cut(slot, bytes, address);
    counted[next_slot] = bytes;
    return next_slot++;
}

void sc_memory_missed(void)
{
    missed++;
}

static void begin(void)
{
    sc_mappings_clear();
    memset(counted, 0, sizeof(counted));
    next_slot = 0;
    missed = 0;
}

static uint64_t counted_in_all(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        sum += counted[i];
    return sum;
}

/* Pages, from the base on. */
static uint32_t map(uint64_t first, uint64_t count)
{
    counted[next_slot] = count * PAGE;
    sc_mappings_add(BASE + first * PAGE, BASE + (first + count) * PAGE, SC_MAPPING_USABLE,
                    next_slot);
    return next_slot++;
}

static void reserve(uint64_t first, uint64_t count)
{
    sc_mappings_add(BASE + first * PAGE, BASE + (first + count) * PAGE, SC_MAPPING_RESERVED,
                    SC_NO_SLOT);
}

/* Returns how many pages that was. */
static uint64_t take(uint64_t first, uint64_t count, unsigned states)
{
    struct sc_mapping piece;
    uint64_t bytes = 0;
    while (sc_mappings_take(BASE + first * PAGE, BASE + (first + count) * PAGE, states,
                            sc_mappings_now(), &piece))
        bytes += piece.end - piece.start;
    return bytes / PAGE;
}

TEST(parts_of_a_mapping_leave_their_bytes)
{
    begin();
    uint32_t slot = map(0, 100);
    assert_int_equal(take(0, 10, SC_MAPPING_ANY), 10); /* head */
    assert_int_equal(counted[slot], 90 * PAGE);
    assert_int_equal(take(95, 50, SC_MAPPING_ANY), 5); /* tail, and beyond */
    assert_int_equal(counted[slot], 85 * PAGE);
    assert_int_equal(take(40, 20, SC_MAPPING_ANY), 20); /* middle */
    assert_int_equal(counted[slot], 30 * PAGE);
    assert_int_equal(counted_in_all(), 65 * PAGE);
    assert_int_equal(take(40, 20, SC_MAPPING_ANY), 0);
    assert_int_equal(take(35, 30, SC_MAPPING_ANY), 10); /* the ends of both that are left */
    assert_int_equal(counted_in_all(), 55 * PAGE);
    assert_int_equal(take(0, 1000, SC_MAPPING_ANY), 55);
    assert_int_equal(counted_in_all(), 0);
    assert_int_equal(sc_mappings_states(0, UINT64_MAX), 0);
    assert_int_equal(sc_mappings_count(), 0);
    assert_int_equal(missed, 0);
}

TEST(what_is_mapped_later_belongs_to_others)
{
    begin();
    struct sc_mapping piece;
    (void)map(0, 10);
    uint64_t moment = sc_mappings_now();
    /* another thread got the addresses as soon as they were free, and took out what was there */
    assert_int_equal(take(0, 10, SC_MAPPING_ANY), 10);
    uint32_t others = map(0, 10);
    assert_false(sc_mappings_take(BASE, BASE + 10 * PAGE, SC_MAPPING_ANY, moment, &piece));
    assert_int_equal(counted[others], 10 * PAGE);
}

static void unmap_the_end(void)
{
    (void)take(90, 10, SC_MAPPING_ANY);
}

static void unmap_the_rest(void)
{
    for (uint64_t at = 10; at < 100; at++)
        (void)take(at, 1, SC_MAPPING_ANY);
}

TEST(what_meets_one_that_is_at_the_mapping_is_taken_out_later)
{
    begin();
    uint32_t slot = map(0, 100);
    meanwhile = unmap_the_end;
    assert_int_equal(take(0, 10, SC_MAPPING_ANY), 10);
    assert_null(meanwhile);
    assert_int_equal(counted[slot], 80 * PAGE);
    assert_int_equal(missed, 0);
}

static uint32_t others;

static void unmap_the_end_and_map_there(void)
{
    unmap_the_end();
    others = map(90, 10);
}

TEST(what_others_have_when_it_is_taken_out_stays_theirs)
{
    begin();
    uint32_t slot = map(0, 100);
    meanwhile = unmap_the_end_and_map_there;
    (void)take(0, 10, SC_MAPPING_ANY);
    assert_int_equal(counted[slot], 80 * PAGE);
    assert_int_equal(counted[others], 10 * PAGE);
}

TEST(where_no_more_can_be_postponed_it_is_counted)
{
    begin();
    uint32_t slot = map(0, 100);
    meanwhile = unmap_the_rest;
    (void)take(0, 10, SC_MAPPING_ANY);
    assert_true(missed > 0);
    assert_in_range(counted_in_all(), 1, 89 * PAGE); /* some were postponed */
    assert_true(counted[slot] > 0);
}

static void map_beside(void)
{
    (void)map(100, 5);
}

TEST(a_neighbour_that_is_held_is_not_missed)
{
    begin();
    uint32_t slot = map(0, 100);
    meanwhile = map_beside;
    (void)take(0, 10, SC_MAPPING_ANY);
    assert_int_equal(counted[slot], 90 * PAGE);
    assert_int_equal(counted_in_all(), 95 * PAGE);
    assert_int_equal(missed, 0);
}

TEST(states_are_taken_apart)
{
    begin();
    reserve(0, 1000);
    assert_int_equal(take(100, 50, SC_MAPPING_USABLE), 0);
    assert_int_equal(take(100, 50, SC_MAPPING_RESERVED), 50);
    uint32_t slot = map(100, 50);
    assert_int_equal(take(90, 100, SC_MAPPING_RESERVED), 50);
    reserve(90, 10);
    reserve(150, 40);
    assert_int_equal(counted[slot], 50 * PAGE);
    assert_int_equal(sc_mappings_states(BASE, BASE + PAGE), SC_MAPPING_RESERVED);
    assert_int_equal(sc_mappings_states(BASE + 149 * PAGE, BASE + 151 * PAGE), SC_MAPPING_ANY);
    assert_int_equal(take(0, 1000, SC_MAPPING_USABLE), 50);
    assert_int_equal(counted[slot], 0);
    assert_int_equal(take(0, 1000, SC_MAPPING_ANY), 950);
}

TEST(neighbours_are_one)
{
    begin();
    /* far more pieces than there are entries, in an order that leaves holes for long */
    for (uint64_t i = 0; i < SC_MAPPINGS_MAX; i++)
        reserve(i * 4, 1);
    assert_int_equal(missed, 0);
    for (uint64_t i = 0; i < SC_MAPPINGS_MAX; i++) {
        reserve(i * 4 + 1, 1);
        reserve(i * 4 + 3, 1);
        reserve(i * 4 + 2, 1);
    }
    /* the last entry is not there until the one before has joined its neighbours */
    assert_true(missed <= 1);
    (void)map(1000000, 1);
    (void)map(1000001, 1); /* a neighbour with a slot of its own */
    assert_int_equal(counted_in_all(), 2 * PAGE);
    assert_true(missed <= 1);
    assert_true(take(0, 4ULL * SC_MAPPINGS_MAX, SC_MAPPING_ANY) >= 4ULL * SC_MAPPINGS_MAX - 2);
}

TEST(a_full_table_keeps_no_block_alive)
{
    begin();
    for (uint64_t i = 0; i < SC_MAPPINGS_MAX; i++)
        reserve(i * 2, 1);
    assert_int_equal(sc_mappings_count(), SC_MAPPINGS_MAX);
    (void)map(1000000, 3);
    assert_int_equal(missed, 2);
    assert_int_equal(counted_in_all(), 0);
    assert_int_equal(take(0, 2ULL * SC_MAPPINGS_MAX, SC_MAPPING_ANY), SC_MAPPINGS_MAX);
}

enum { PAGES = 600, ROUNDS = 20000 };

/* Against a plain picture of each page. */
TEST(a_picture_of_pages_agrees)
{
    static unsigned char picture[PAGES];
    uint64_t random = 42;
    begin();
    memset(picture, 0, sizeof(picture));
    for (unsigned round = 0; round < ROUNDS; round++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        uint64_t first = (random >> 33) % PAGES;
        uint64_t count = (random >> 45) % 60 + 1;
        unsigned action = (unsigned)(random >> 60) % 4;
        count = first + count > PAGES ? PAGES - first : count;
        next_slot %= SLOTS - 128;
        while (counted[next_slot] != 0 || counted[next_slot + 1] != 0)
            next_slot = (next_slot + 1) % (SLOTS - 128);
        if (action != 3)
            (void)take(first, count, SC_MAPPING_ANY);
        if (action == 1)
            (void)map(first, count);
        else if (action == 2)
            reserve(first, count);
        for (uint64_t i = first; i < first + count; i++) {
            if (action != 3)
                picture[i] = (unsigned char)action;
        }
        uint64_t usable = 0;
        for (unsigned i = 0; i < PAGES; i++)
            usable += picture[i] == 1;
        assert_int_equal(counted_in_all(), usable * PAGE);
    }
    uint64_t reserved = 0;
    for (unsigned i = 0; i < PAGES; i++)
        reserved += picture[i] == 2;
    assert_int_equal(take(0, PAGES, SC_MAPPING_RESERVED), reserved);
    assert_int_equal(missed, 0);
}
