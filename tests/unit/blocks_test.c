/*
 * tests/unit/blocks_test.c - the table of sampled blocks: what is put in is found once, by many
 * threads too.
 *
 * Also run under the thread sanitizer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/memory/blocks.h"

#include "sc_test.h"

static const void *address(uint64_t number)
{
    return (const void *)(uintptr_t)(0x7f0000000000U + 16 * number);
}

static uint32_t put(uint64_t number)
{
    uint32_t slot = sc_blocks_reserve(address(number));
    if (slot != SC_NO_SLOT)
        sc_blocks_publish(slot, address(number));
    return slot;
}

TEST(a_block_is_found_until_it_is_taken)
{
    assert_false(sc_blocks_may_hold(address(1)));
    uint32_t slot = sc_blocks_reserve(address(1));
    assert_int_not_equal(slot, SC_NO_SLOT);
    assert_int_equal(sc_blocks_take(address(1)), SC_NO_SLOT); /* not published yet */
    sc_blocks_publish(slot, address(1));
    assert_true(sc_blocks_may_hold(address(1)));
    assert_int_equal(sc_blocks_take(address(1)), slot);
    assert_int_equal(sc_blocks_take(address(1)), SC_NO_SLOT);
    sc_blocks_publish(slot, address(1)); /* realloc failed */
    assert_int_equal(sc_blocks_take(address(1)), slot);
    sc_blocks_release(slot, address(1));
    assert_false(sc_blocks_may_hold(address(1)));
    assert_int_equal(sc_blocks_count(), 0);
}

/* Buckets fill by chance: half of the addresses have no order, half are those of one pool. */
TEST(a_table_that_is_nearly_full_loses_none)
{
    enum { MANY = SC_BLOCK_SLOTS / 8 * 7 };
    static uint64_t numbers[MANY];
    static uint32_t slots[MANY];
    uint64_t random = 1;
    for (uint32_t i = 0; i < MANY; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        numbers[i] = i % 2 == 0 ? random >> 44 << 17 | i : ((uint64_t)1 << 40) + 33 * i;
        slots[i] = put(numbers[i]);
        assert_int_not_equal(slots[i], SC_NO_SLOT);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(sc_blocks_take(address(numbers[i])), slots[i]);
        sc_blocks_release(slots[i], address(numbers[i]));
    }
    assert_int_equal(sc_blocks_count(), 0);
}

/* The bit stays, whatever blocks share it. */
TEST(an_address_that_is_none_can_be_looked_at_for_ever)
{
    const uint64_t number = 100000;
    const uint64_t neighbour = number + (1U << SC_BLOCKS_FILTER_BITS);
    assert_false(sc_blocks_may_hold(address(number)));
    sc_blocks_filter_add(address(number));
    assert_true(sc_blocks_may_hold(address(number)));
    assert_int_equal(sc_blocks_take(address(number)), SC_NO_SLOT);
    uint32_t slot = put(neighbour);
    assert_int_equal(sc_blocks_take(address(neighbour)), slot);
    sc_blocks_release(slot, address(neighbour));
    assert_true(sc_blocks_may_hold(address(number)));
    assert_int_equal(sc_blocks_count(), 0);
}

TEST(an_end_that_is_owed_keeps_its_slot)
{
    uint64_t time_ns = 0;
    uint32_t slot = put(3);
    assert_int_equal(sc_blocks_take(address(3)), slot);
    sc_blocks_owe(slot, address(3), 12345);
    assert_int_equal(sc_blocks_owed(), 1);
    assert_false(sc_blocks_may_hold(address(3)));
    assert_int_equal(sc_blocks_take(address(3)), SC_NO_SLOT);
    /* the address comes again, and gets another slot */
    uint32_t again = put(3);
    assert_int_not_equal(again, slot);
    assert_int_equal(sc_blocks_take_owed(&time_ns), slot);
    assert_int_equal(time_ns, 12345);
    assert_int_equal(sc_blocks_owed(), 0);
    assert_int_equal(sc_blocks_take_owed(&time_ns), SC_NO_SLOT);
    sc_blocks_owe(slot, NULL, 12345); /* still no room */
    assert_int_equal(sc_blocks_take_owed(&time_ns), slot);
    sc_blocks_release(slot, NULL);
    assert_int_equal(sc_blocks_take(address(3)), again);
    sc_blocks_release(again, address(3));
    assert_int_equal(sc_blocks_count(), 0);
}

TEST(all_that_is_owed_is_found)
{
    uint32_t count = 0;
    uint64_t sum = 0;
    for (uint64_t i = 1; i <= 10000; i++) {
        uint32_t slot = sc_blocks_reserve_unfound(address(i * 7));
        assert_int_not_equal(slot, SC_NO_SLOT);
        sc_blocks_owe(slot, NULL, i);
    }
    for (uint64_t time_ns = 0;; count++) {
        uint32_t slot = sc_blocks_take_owed(&time_ns);
        if (slot == SC_NO_SLOT)
            break;
        sum += time_ns;
        sc_blocks_release(slot, NULL);
    }
    assert_int_equal(count, 10000);
    assert_int_equal(sum, (uint64_t)10000 * 10001 / 2);
    assert_int_equal(sc_blocks_count(), 0);
}

TEST(nothing_is_never_found)
{
    uint32_t slot = sc_blocks_reserve(address(2));
    assert_int_equal(sc_blocks_take(NULL), SC_NO_SLOT);
    assert_int_equal(sc_blocks_take((const void *)1), SC_NO_SLOT);
    sc_blocks_release(slot, address(2));
}

/* Where there is no room near an address its block is not followed, which is the caller's to count;
 * all others are. */
TEST(a_full_table_takes_no_more_and_loses_nothing)
{
    enum { MORE = 4 };
    const uint64_t count = (uint64_t)SC_BLOCK_SLOTS * MORE;
    uint64_t held = 0;
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++)
        held += put(i * 7) != SC_NO_SLOT;
    assert_int_equal(held, SC_BLOCK_SLOTS);
    assert_int_equal(sc_blocks_count(), SC_BLOCK_SLOTS);
    assert_int_equal(put(count * 7), SC_NO_SLOT);
    assert_int_equal(sc_blocks_take(address(count * 7)), SC_NO_SLOT);
    assert_int_equal(sc_blocks_reserve_unfound(address(count * 7)), SC_NO_SLOT);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t slot = sc_blocks_take(address(i * 7));
        if (slot == SC_NO_SLOT)
            continue;
        found++;
        sc_blocks_release(slot, address(i * 7));
    }
    assert_int_equal(found, SC_BLOCK_SLOTS);
    assert_int_equal(sc_blocks_count(), 0);
    uint32_t slot = put(count * 7);
    assert_int_not_equal(slot, SC_NO_SLOT);
    assert_int_equal(sc_blocks_take(address(count * 7)), slot);
    sc_blocks_release(slot, address(count * 7));
}

enum { THREADS = 4, ROUNDS = 20000, HELD = 64 };

/* Blocks of its own, some of which it hands to the next thread to free, as programs do. */
static _Atomic uint64_t handed[THREADS];

/* What each thread does; returns what was wrong, or NULL: only the main thread may fail a test. */
typedef const char *thread_work(uint64_t self);

struct runner {
    thread_work *work;
    uint64_t self;
    const char *wrong;
};

static void *run_work(void *argument)
{
    struct runner *runner = argument;
    runner->wrong = runner->work(runner->self);
    return NULL;
}

static void run_in_threads(thread_work *work)
{
    pthread_t threads[THREADS];
    struct runner runners[THREADS];
    for (uint64_t i = 0; i < THREADS; i++) {
        runners[i] = (struct runner){.work = work, .self = i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_work, &runners[i]), 0);
    }
    for (uint64_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (uint64_t i = 0; i < THREADS; i++) {
        if (runners[i].wrong != NULL)
            fail_msg("thread %u: %s", (unsigned)i, runners[i].wrong);
    }
}

/* Takes and releases the number's block; returns what was wrong, or NULL. */
static const char *end_block(uint64_t number, uint32_t slot)
{
    if (!sc_blocks_may_hold(address(number)))
        return "the filter denies a block that is held";
    if (sc_blocks_take(address(number)) != slot)
        return "a block is not in its slot";
    sc_blocks_release(slot, address(number));
    return NULL;
}

static const char *churn(uint64_t self)
{
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t number = self << 30 | i % HELD;
        uint32_t slot = put(number);
        if (slot == SC_NO_SLOT)
            continue;
        const char *wrong = NULL;
        if (i % 8 == 0) {
            uint64_t none = 0;
            uint64_t mine = (i + 1) << 8 | self << 6; /* never used twice */
            uint32_t given = put(mine);
            if (given != SC_NO_SLOT &&
                !atomic_compare_exchange_strong(&handed[(self + 1) % THREADS], &none, mine))
                wrong = end_block(mine, given);
        }
        uint64_t got = atomic_exchange(&handed[self], 0);
        if (got != 0) {
            uint32_t theirs = sc_blocks_take(address(got));
            if (theirs == SC_NO_SLOT)
                return "a block of another thread is not found";
            sc_blocks_release(theirs, address(got));
        }
        if (wrong == NULL)
            wrong = end_block(number, slot);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

TEST(threads_find_each_others_blocks)
{
    run_in_threads(churn);
    for (uint64_t i = 0; i < THREADS; i++) {
        uint64_t got = atomic_exchange(&handed[i], 0);
        if (got != 0)
            sc_blocks_release(sc_blocks_take(address(got)), address(got));
    }
    assert_int_equal(sc_blocks_count(), 0);
}

/* All addresses of one bit of the filter, so that nearly every free is the last and every block the
 * first of it. */
static const char *share_a_bit(uint64_t self)
{
    for (uint64_t i = 0; i < (uint64_t)ROUNDS * 10; i++) {
        uint64_t number = (self + 1) << SC_BLOCKS_FILTER_BITS;
        uint32_t slot = put(number);
        const char *wrong = slot == SC_NO_SLOT ? NULL : end_block(number, slot);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

TEST(a_bit_is_set_while_any_of_its_blocks_is_held)
{
    run_in_threads(share_a_bit);
    assert_int_equal(sc_blocks_count(), 0);
    assert_false(sc_blocks_may_hold(address((uint64_t)1 << SC_BLOCKS_FILTER_BITS)));
}
