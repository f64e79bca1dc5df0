/*
 * tests/unit/awaits_test.c - await time by line: sums, means, peaks, names, and the profile of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "costs/awaits.h"

#include "build/build.h"
#include "profile/profile.h"
#include "sc_test.h"

#define SECOND ((uint64_t)1000000000)

struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_awaits awaits;
    uint32_t here;    /* a line in scope */
    uint32_t there;   /* another one, of the same function */
    uint32_t deep;    /* a library that the first one awaits */
    uint32_t library; /* the library alone */
};

static void world_init(struct world *world)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    sc_collect_init(&world->collect, 0, 0);
    uint32_t code = sc_collect_code(&world->collect, "/nowhere/a.py", "main", 1);
    uint32_t library = sc_collect_code(&world->collect, "/elsewhere/b.py", "f", 1);
    world->here = sc_collect_frame(&world->collect, 0, code, 10);
    world->there = sc_collect_frame(&world->collect, 0, code, 20);
    world->deep = sc_collect_frame(&world->collect, world->here, library, 5);
    world->library = sc_collect_frame(&world->collect, 0, library, 5);
    sc_owners_init(&world->owners, &world->collect, &world->scope);
    sc_awaits_init(&world->awaits, &world->owners);
}

static void world_done(struct world *world)
{
    sc_awaits_done(&world->awaits);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->collect);
}

/* A look at tasks that wait at the given nodes, SC_NONE at the end. */
static void look_at(struct world *world, struct sc_await_look *look, double scale,
                    const uint32_t *nodes)
{
    sc_awaits_begin(look);
    for (; *nodes != SC_NONE; nodes++)
        sc_awaits_count(look, sc_awaits_place(&world->awaits, *nodes));
    sc_awaits_finish(&world->awaits, look, scale);
}

static const struct sc_await_account *line_of(struct world *world, uint32_t node)
{
    return &world->awaits.lines.items[sc_awaits_place(&world->awaits, node).line];
}

TEST(stacks_of_one_line_are_counted_together)
{
    struct sc_await_look looks[2] = {0};
    WORLD(world);
    look_at(&world, &looks[0], 1,
            (uint32_t[]){world.here, world.deep, world.deep, world.there, SC_NONE});
    look_at(&world, &looks[1], 1, (uint32_t[]){world.there, SC_NONE});
    sc_awaits_charge(&world.awaits, &looks[0], &looks[0], 2 * SECOND);
    sc_awaits_charge(&world.awaits, &looks[0], &looks[1], 1 * SECOND);
    const struct sc_await_account *here = line_of(&world, world.here);
    assert_int_equal((uint64_t)here->await_ns, 6 * SECOND + 3 * SECOND / 2);
    assert_int_equal(here->occupied_ns, 2 * SECOND + SECOND / 2);
    assert_int_equal(here->peak, 3);
    assert_int_equal((uint64_t)line_of(&world, world.there)->await_ns, 3 * SECOND);
    assert_int_equal(line_of(&world, world.there)->occupied_ns, 3 * SECOND);
    /* both lines are of one function, where four waited at once */
    assert_int_equal(world.awaits.functions.count, 1);
    assert_int_equal(world.awaits.functions.items[0].peak, 4);
    assert_int_equal(world.awaits.functions.items[0].occupied_ns, 3 * SECOND);
    sc_await_look_done(&looks[0]);
    sc_await_look_done(&looks[1]);
}

TEST(a_look_begins_empty_and_stacks_out_of_scope_count_nowhere)
{
    OWN(sc_await_look, look) = {0};
    WORLD(world);
    look_at(&world, &look, 1, (uint32_t[]){world.here, world.here, world.library, SC_NONE});
    look_at(&world, &look, 1, (uint32_t[]){world.here, SC_NONE});
    sc_awaits_charge(&world.awaits, &look, &look, SECOND);
    assert_int_equal(world.awaits.lines.count, 1);
    assert_int_equal((uint64_t)line_of(&world, world.here)->await_ns, SECOND);
    assert_int_equal(line_of(&world, world.here)->peak, 2);
}

TEST(a_part_stands_for_all)
{
    OWN(sc_await_look, look) = {0};
    WORLD(world);
    look_at(&world, &look, 2.5, (uint32_t[]){world.here, world.here, SC_NONE});
    sc_awaits_charge(&world.awaits, &look, &look, SECOND);
    assert_int_equal((uint64_t)line_of(&world, world.here)->await_ns, 5 * SECOND);
}

TEST(names_are_kept_once_and_not_without_end)
{
    char name[16];
    WORLD(world);
    struct sc_place place = sc_awaits_place(&world.awaits, world.deep);
    sc_awaits_name(&world.awaits, place, "one");
    sc_awaits_name(&world.awaits, place, "one");
    assert_int_equal(line_of(&world, world.here)->names.count, 1);
    for (int i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof(name), "Task-%d", i);
        assert_int_equal(sc_awaits_wants_name(&world.awaits, place), i < SC_AWAIT_NAMES_MAX - 1);
        sc_awaits_name(&world.awaits, place, name);
    }
    assert_int_equal(line_of(&world, world.here)->names.count, SC_AWAIT_NAMES_MAX);
    assert_false(sc_awaits_wants_name(&world.awaits,
                                      (struct sc_place){.line = SC_NONE, .function = SC_NONE}));
}

static void assert_near(double found, double expected)
{
    if (!(found > expected - 1e-6 && found < expected + 1e-6))
        fail_msg("%g, expected %g", found, expected);
}

/* A file of one async def with three awaits, as the profile shows it. */
TEST(shares_of_the_profile_add_up)
{
    char path[] = "/tmp/sc_awaits_XXXXXX";
    char resolved[64];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    (void)fputs("async def main():\n    await one()\n    await two()\n\n\ndef other():\n    pass\n",
                file);
    (void)fclose(file);
    (void)snprintf(resolved, sizeof(resolved), "%s", path);
    struct sc_collect collect;
    struct sc_scope scope = {.root_dir = "/tmp", .cpu_percent_threshold = 1};
    struct sc_owners owners;
    struct sc_awaits awaits;
    struct sc_await_look look = {0};
    struct sc_profile profile = {0};
    sc_collect_init(&collect, 0, 0);
    sc_owners_init(&owners, &collect, &scope);
    sc_awaits_init(&awaits, &owners);
    uint32_t code = sc_collect_code(&collect, resolved, "main", 1);
    uint32_t one = sc_collect_frame(&collect, 0, code, 2);
    uint32_t two = sc_collect_frame(&collect, 0, code, 3);
    sc_awaits_begin(&look);
    sc_awaits_count(&look, sc_awaits_place(&awaits, one));
    for (int i = 0; i < 3; i++)
        sc_awaits_count(&look, sc_awaits_place(&awaits, two));
    sc_awaits_finish(&awaits, &look, 1);
    sc_awaits_charge(&awaits, &look, &look, SECOND);
    sc_awaits_name(&awaits, sc_awaits_place(&awaits, two), "b");
    sc_awaits_name(&awaits, sc_awaits_place(&awaits, two), "a");
    struct sc_build_input input = {.collect = &collect, .scope = &scope, .awaits = &awaits};
    sc_profile_build(&input, &profile);
    assert_true(profile.async_profile);
    assert_near(profile.await_s, 4);
    assert_int_equal(profile.files.count, 1); /* it has no time at all, but tasks wait in it */
    const struct sc_file *shown = &profile.files.items[0];
    assert_near(shown->lines.items[1].cost.async_await_percent, 25);
    const struct sc_cost *cost = &shown->lines.items[2].cost;
    assert_near(cost->async_await_percent, 75);
    assert_near(cost->async_concurrency_mean, 3);
    assert_near(cost->async_concurrency_peak, 3);
    assert_int_equal(cost->async_task_names.count, 2);
    assert_string_equal(cost->async_task_names.items[0], "a");
    assert_true(cost->is_coroutine);
    assert_false(shown->lines.items[6].cost.is_coroutine);
    assert_int_equal(shown->functions.count, 1);
    assert_near(shown->functions.items[0].cost.async_await_percent, 100);
    assert_near(shown->functions.items[0].cost.async_concurrency_mean, 4);
    assert_true(shown->functions.items[0].cost.is_coroutine);
    sc_profile_done(&profile);
    sc_await_look_done(&look);
    sc_awaits_done(&awaits);
    sc_owners_done(&owners);
    sc_collect_done(&collect);
    (void)remove(path);
}
