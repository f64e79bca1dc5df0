/*
 * tests/unit/memory_test.c - what the agent's records of blocks make of the ledger.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/memory/memory.h"

#include "sc_test.h"

#define MB ((uint64_t)1 << 20)

struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_ledger ledger;
    struct sc_followed_memory memory;
    uint64_t time_ns;
};

static void world_init(struct world *world)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    sc_collect_init(&world->collect, 0, 0);
    sc_owners_init(&world->owners, &world->collect, &world->scope);
    sc_ledger_init(&world->ledger, &world->owners);
    world->memory.ledger = &world->ledger;
}

static void world_done(struct world *world)
{
    sc_followed_memory_done(&world->memory);
    sc_ledger_done(&world->ledger);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->collect);
}

static void give(struct world *world, uint32_t slot, uint64_t size_bytes, uint64_t weight_bytes)
{
    struct sc_record_allocation record = {
        .time_ns = ++world->time_ns,
        .size_bytes = size_bytes,
        .weight_bytes = weight_bytes,
        .slot = slot,
        .flags = size_bytes == weight_bytes ? SC_ALLOCATION_EXACT : 0,
    };
    sc_memory_add_allocation(&world->memory, &record, UINT64_MAX);
}

static void end(struct world *world, uint32_t slot)
{
    struct sc_record_free record = {.time_ns = ++world->time_ns, .slot = slot};
    sc_memory_add_free(&world->memory, &record);
}

TEST(what_comes_and_goes_is_alive_one_by_one)
{
    WORLD(world);
    for (uint32_t i = 0; i < 100; i++) {
        give(&world, i, 1 * MB, 512 * MB);
        end(&world, i);
    }
    assert_int_equal(world.ledger.all.allocated_bytes, 51200 * MB);
    assert_int_equal(world.ledger.all.peak_bytes, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 0);
}

TEST(what_stays_stands_for_others_that_stay)
{
    WORLD(world);
    for (uint32_t i = 0; i < 10; i++)
        give(&world, i, 1 * MB, 8 * MB);
    assert_int_equal(world.ledger.all.live_bytes, (9 * 8 + 1) * MB);
    assert_int_equal(world.ledger.all.peak_bytes, (9 * 8 + 1) * MB);
    sc_memory_finish(&world.memory, ++world.time_ns); /* none of its kind comes after the last */
    assert_int_equal(world.ledger.all.live_bytes, 10 * 8 * MB);
    for (uint32_t i = 0; i < 10; i++)
        end(&world, i);
    assert_int_equal(world.ledger.all.live_bytes, 0);
}

TEST(kinds_of_size_do_not_wait_for_one_another)
{
    WORLD(world);
    give(&world, 0, 1 * MB, 8 * MB);
    give(&world, 1, 100, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 1 * MB + 100);
    give(&world, 2, 200, 1 * MB); /* as small as the one before */
    assert_int_equal(world.ledger.all.live_bytes, 2 * MB + 200);
    give(&world, 3, 4 * MB, 4 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 6 * MB + 200);
}

static void resize(struct world *world, uint64_t old_bytes, uint64_t size_bytes, uint32_t flags)
{
    struct sc_record_allocation record = {
        .time_ns = ++world->time_ns,
        .size_bytes = size_bytes,
        .old_bytes = old_bytes,
        .weight_bytes = size_bytes,
        .flags = (uint16_t)(flags | SC_ALLOCATION_EXACT),
    };
    end(world, 0);
    sc_memory_add_allocation(&world->memory, &record, UINT64_MAX);
}

TEST(a_resized_block_is_requested_by_its_growth)
{
    WORLD(world);
    give(&world, 0, 4 * MB, 4 * MB);
    resize(&world, 4 * MB, 5 * MB, 0);
    assert_int_equal(world.ledger.all.allocated_bytes, 5 * MB);
    assert_int_equal(world.ledger.all.copied_bytes, 0);
    resize(&world, 5 * MB, 8 * MB, SC_ALLOCATION_COPIED);
    assert_int_equal(world.ledger.all.allocated_bytes, 8 * MB);
    assert_int_equal(world.ledger.all.copied_bytes, 5 * MB);
    resize(&world, 2 * MB, 2 * MB, 0); /* smaller */
    assert_int_equal(world.ledger.all.allocated_bytes, 8 * MB);
    resize(&world, 9 * MB, 3 * MB, 0); /* what a program may have written into the ring */
    assert_int_equal(world.ledger.all.allocated_bytes, 8 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 3 * MB);
    assert_int_equal(world.ledger.all.peak_bytes, 8 * MB);
}

TEST(a_slot_used_again_is_another_block)
{
    WORLD(world);
    give(&world, 0, 1 * MB, 8 * MB);
    give(&world, 0, 4 * MB, 4 * MB); /* the record of the first one's end was lost */
    assert_int_equal(world.ledger.all.live_bytes, 4 * MB);
    give(&world, 1, 1 * MB, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 5 * MB);
}

static void cut(struct world *world, uint32_t slot, uint64_t bytes, uint32_t part_slot)
{
    struct sc_record_cut record = {
        .time_ns = ++world->time_ns, .bytes = bytes, .slot = slot, .part_slot = part_slot};
    sc_memory_add_cut(&world->memory, &record, UINT64_MAX);
}

TEST(parts_of_a_block_end_by_themselves)
{
    WORLD(world);
    give(&world, 0, 16 * MB, 16 * MB);
    cut(&world, 0, 4 * MB, SC_NO_SLOT);
    assert_int_equal(world.ledger.all.live_bytes, 12 * MB);
    cut(&world, 0, 9 * MB, 1); /* two mappings from now on */
    assert_int_equal(world.ledger.all.live_bytes, 12 * MB);
    end(&world, 0);
    assert_int_equal(world.ledger.all.live_bytes, 9 * MB);
    cut(&world, 1, 8 * MB, SC_NO_SLOT);
    assert_int_equal(world.ledger.all.live_bytes, 1 * MB);
    end(&world, 1);
    assert_int_equal(world.ledger.all.live_bytes, 0);
    assert_int_equal(world.ledger.all.allocated_bytes, 16 * MB);
    assert_int_equal(world.ledger.lines.items[0].samples_live, 0);
}

TEST(a_part_of_a_sample_takes_its_part_of_the_weight)
{
    WORLD(world);
    give(&world, 0, 4096, 16384);
    cut(&world, 0, 1024, SC_NO_SLOT);
    assert_int_equal(world.ledger.all.live_bytes, 12288);
    give(&world, 1, 1 * MB, 8 * MB); /* young: alone */
    assert_int_equal(world.ledger.all.live_bytes, 12288 + 1 * MB);
    cut(&world, 1, MB / 2, SC_NO_SLOT);
    give(&world, 2, 1 * MB, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 12288 + 4 * MB + 1 * MB);
}

TEST(cuts_of_nothing_and_of_too_much_do_no_harm)
{
    WORLD(world);
    cut(&world, 0, 5, SC_NO_SLOT); /* before any block */
    give(&world, 0, 1 * MB, 8 * MB);
    cut(&world, 7, 5, SC_NO_SLOT);
    cut(&world, SC_NO_SLOT, 5, 3);
    cut(&world, 0, 5, 0);
    cut(&world, 0, UINT64_MAX, 3); /* all of it, while it is young */
    assert_int_equal(world.ledger.all.live_bytes, 1 * MB);
    cut(&world, 0, 5, 3);
    end(&world, 3);
    end(&world, 0);
    give(&world, 5, 1 * MB, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 1 * MB);
}

/* The ring was full when a mapping was split: its part has no slot of its own that is known here.
 */
TEST(a_lost_cut_leaves_the_block_whole_until_its_end)
{
    WORLD(world);
    give(&world, 0, 16 * MB, 16 * MB);
    give(&world, 1, 2 * MB, 2 * MB);
    end(&world, 5); /* the part that was not reported */
    cut(&world, 5, 1 * MB, 6);
    assert_int_equal(world.ledger.all.live_bytes, 18 * MB);
    end(&world, 6);
    end(&world, 0);
    assert_int_equal(world.ledger.all.live_bytes, 2 * MB);
    end(&world, 0);
    assert_int_equal(world.ledger.all.live_bytes, 2 * MB);
}

/* The end of what had the part's slot before was lost. */
TEST(a_part_comes_in_the_place_of_a_block_whose_end_was_lost)
{
    WORLD(world);
    give(&world, 0, 16 * MB, 16 * MB);
    give(&world, 1, 1 * MB, 8 * MB); /* young */
    assert_int_equal(world.ledger.all.live_bytes, 17 * MB);
    cut(&world, 0, 4 * MB, 1);
    assert_int_equal(world.ledger.all.live_bytes, 16 * MB);
    /* the next of the young one's kind does not make it grow any more */
    give(&world, 2, 1 * MB, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 17 * MB);
    end(&world, 1);
    assert_int_equal(world.ledger.all.live_bytes, 13 * MB);
}

TEST(at_the_end_of_a_process_nothing_lives)
{
    WORLD(world);
    sc_memory_drop(&world.memory, ++world.time_ns);
    give(&world, 0, 16 * MB, 16 * MB);
    give(&world, SC_BLOCK_SLOTS - 1, 1 * MB, 8 * MB);
    cut(&world, 0, 4 * MB, 1);
    sc_memory_drop(&world.memory, ++world.time_ns);
    assert_null(world.memory.blocks); /* nothing comes after it */
    assert_int_equal(world.ledger.all.live_bytes, 0);
    assert_int_equal(world.ledger.all.peak_bytes, 17 * MB);
}

/* No slot was free: what was allocated is known, and not how long it lives. */
TEST(a_block_without_a_slot_is_allocated_and_not_followed)
{
    WORLD(world);
    give(&world, SC_NO_SLOT, 1 * MB, 1 * MB);
    give(&world, SC_BLOCK_SLOTS, 1 * MB, 8 * MB);
    assert_int_equal(world.ledger.all.allocated_bytes, 9 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 0);
    end(&world, SC_NO_SLOT);
    end(&world, SC_BLOCK_SLOTS);
    give(&world, 3, 1 * MB, 1 * MB);
    assert_int_equal(world.ledger.all.live_bytes, 1 * MB);
}

TEST(stacks_made_for_ever_take_no_more_memory)
{
    unsigned rounds = 0;
    WORLD(world);
    struct sc_followed_memory *memory = &world.memory;
    sc_memory_add_stack(memory, 5, 55);
    for (uint64_t key = 100; key < 1000000; key++) {
        assert_true(sc_memory_wants_stack(memory, key));
        sc_memory_add_stack(memory, key, (uint32_t)key);
        assert_int_equal(sc_memory_node(memory, key), key);
        if (key % 1000 == 0) /* in use */
            assert_int_equal(sc_memory_node(memory, 5), 55);
        if (sc_memory_has_many_stacks(memory)) {
            sc_memory_begin_round(memory);
            assert_int_equal(sc_memory_node(memory, key), key);
            rounds++;
        }
        assert_true(memory->stacks.count + memory->last_stacks.count <= (2 << 17) + 2);
    }
    assert_true(rounds > 5);
    assert_int_equal(sc_memory_node(memory, 100), 0);
    assert_true(sc_memory_wants_stack(memory, 100));
}

TEST(light_samples_count_at_once)
{
    WORLD(world);
    give(&world, 0, 100, 8192);
    assert_int_equal(world.ledger.all.live_bytes, 8192);
}

/* realloc is sent as a free and a new block. */
TEST(a_block_that_is_moved_is_never_gone)
{
    WORLD(world);
    give(&world, 0, MB, MB);
    for (uint64_t i = 1; i < 100; i++) {
        world.time_ns = i * 1000000000;
        end(&world, (uint32_t)(i - 1));
        struct sc_record_allocation record = {.time_ns = world.time_ns + 20000,
                                              .size_bytes = (i + 1) * MB,
                                              .old_bytes = i * MB,
                                              .weight_bytes = (i + 1) * MB,
                                              .slot = (uint32_t)i,
                                              .flags = SC_ALLOCATION_EXACT};
        sc_memory_add_allocation(&world.memory, &record, UINT64_MAX);
    }
    struct sc_curve *curve = &world.ledger.all.curve;
    sc_curve_finish(curve, world.time_ns + 1000000000, SC_CURVE_POINTS);
    for (size_t i = 0; i < curve->points.count; i++)
        assert_true(curve->points.items[i].value >= MB);
    assert_int_equal(sc_curve_at(curve, 50500000000), 51 * MB);
}
