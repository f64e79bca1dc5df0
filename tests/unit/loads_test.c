/*
 * tests/unit/loads_test.c - load of made-up devices, charged to where made-up processes were.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/lifecycle/loads.h"

#include <stdatomic.h>

#include "base/io.h"
#include "fake_accelerator.h"
#include "observer/lifecycle/observation.h"
#include "sc_test.h"

#define MS   ((uint64_t)1000000)
#define NOW  (100000 * MS)
#define LATE (300 * MS)

/* A machine that has no device. */
static void *open_nothing(struct sc_str *notes)
{
    return NULL;
}

static const struct sc_accelerator nothing = {.kind = "Nothing", .open = open_nothing};
static const struct sc_accelerator *const no_devices[] = {&nothing, NULL};

/* One whose driver has never anything new. */
static size_t devices_of_silent(void *state, struct sc_device *ret, size_t limit)
{
    assert_true(limit > 0);
    ret[0] = (struct sc_device){.name = "silent"};
    return 1;
}

static const struct sc_accelerator silent = {.kind = "Silent",
                                             .open = fake_open,
                                             .devices = devices_of_silent,
                                             .news = fake_no_news,
                                             .read = fake_read_nothing,
                                             .close = fake_close};
static const struct sc_accelerator *const one_device[] = {&silent, NULL};

/* One that is busy, and has news whenever it is asked. */
static atomic_uint readings, questions;

static unsigned always_news(void *state, struct sc_str *notes)
{
    questions++;
    return 1;
}

static void read_busy(void *state, const struct sc_watched *watched, struct sc_device_state *ret,
                      size_t count, struct sc_str *notes)
{
    ret[0] = (struct sc_device_state){.is_used = true, .load = 1};
    readings++;
}

static const struct sc_accelerator busy = {.kind = "Busy",
                                           .open = fake_open,
                                           .devices = devices_of_silent,
                                           .news = always_news,
                                           .read = read_busy,
                                           .close = fake_close};
static const struct sc_accelerator *const busy_device[] = {&busy, NULL};

/* Until so many more have been taken whole: the driver is asked anew. */
static void wait_for_readings(unsigned more)
{
    unsigned wanted = readings + more;
    while (readings < wanted)
        (void)usleep(1000);
    for (wanted = questions + 1; questions < wanted;)
        (void)usleep(1000);
}

/* Two processes: each was at a line of its own until now, the second one for the last 500 ms. */
struct world {
    struct sc_observation observation;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_process processes[2];
    uint32_t nodes[2];
};

static void world_init(struct world *world, const struct sc_accelerator *const *table)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    struct sc_observation *observation = &world->observation;
    sc_collect_init(&observation->collect, 0, 0);
    sc_owners_init(&world->owners, &observation->collect, &world->scope);
    sc_gpu_init(&observation->gpu, &world->owners);
    uint32_t code = sc_collect_code(&observation->collect, "/nowhere/a.py", "main", 1);
    for (uint32_t i = 0; i < 2; i++) {
        struct sc_process *process = &world->processes[i];
        process->pid = (pid_t)(100 + i);
        world->nodes[i] = sc_collect_frame(&observation->collect, 0, code, 10 * (i + 1));
        sc_recent_stacks_add(&process->devices.recent_stacks, NOW - (i == 0 ? 5000 : 500) * MS, NOW,
                             world->nodes[i]);
        sc_vec_push(&observation->processes, process);
    }
    observation->loads.accelerators = sc_accelerators_start_with(table);
}

static void world_done(struct world *world)
{
    sc_loads_done(&world->observation.loads);
    for (size_t i = 0; i < 2; i++)
        sc_devices_done(&world->processes[i].devices);
    sc_vec_done(&world->observation.processes);
    sc_gpu_done(&world->observation.gpu);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->observation.collect);
}

/* A reading that ends so long ago, of 100 ms at a load of a half. */
static void add_reading(struct world *world, uint64_t ago_ms)
{
    sc_vec_push(&world->observation.loads.late,
                (struct sc_device_reading){.from_ns = NOW - (ago_ms + 100) * MS,
                                           .to_ns = NOW - ago_ms * MS,
                                           .load = 0.5,
                                           .used_bytes = 1000 + ago_ms});
}

static const struct sc_gpu_account *line_of(struct world *world, size_t i)
{
    struct sc_gpu *gpu = &world->observation.gpu;
    return &gpu->lines.items[sc_gpu_place(gpu, world->nodes[i]).line];
}

static uint64_t watched_ms(struct world *world, size_t i)
{
    return (uint64_t)(line_of(world, i)->watched_ns / (double)MS + 0.5);
}

TEST(a_reading_is_charged_when_it_is_known_where_the_program_was)
{
    OWN(world, world);
    world_init(&world, no_devices);
    add_reading(&world, 4000);
    add_reading(&world, 350);
    add_reading(&world, 300);
    add_reading(&world, 299);
    sc_loads_poll(&world.observation, NOW);
    assert_int_equal(watched_ms(&world, 0), 300);
    assert_int_equal(watched_ms(&world, 1), 200); /* it was nowhere when the first was read */
    assert_int_equal((uint64_t)(line_of(&world, 1)->load_ns / (double)MS + 0.5), 100);
    assert_int_equal(world.observation.gpu.used_peak_bytes, 5000);
    assert_int_equal(line_of(&world, 1)->used_peak_bytes, 1350);
    assert_int_equal(world.observation.loads.late.count, 1);
    sc_loads_poll(&world.observation, NOW + MS);
    assert_int_equal(world.observation.loads.late.count, 0);
    assert_int_equal(watched_ms(&world, 1), 300);
    sc_loads_poll(&world.observation, NOW + 999 * MS); /* once */
    assert_int_equal(watched_ms(&world, 1), 300);
}

TEST(in_the_end_all_is_charged)
{
    OWN(world, world);
    world_init(&world, no_devices);
    add_reading(&world, 10);
    sc_loads_finish(&world.observation);
    assert_int_equal(watched_ms(&world, 0), 100);
    assert_int_equal(world.observation.loads.late.count, 0);
}

TEST(stacks_are_kept_from_when_there_is_a_device)
{
    OWN(world, world);
    world_init(&world, no_devices);
    sc_loads_poll(&world.observation, NOW);
    assert_false(world.processes[0].devices.is_watched);
    world_done(&world);
    world_init(&world, one_device);
    world.processes[1].ending.is_over = true;
    for (int i = 0; sc_accelerators_kind(world.observation.loads.accelerators)[0] == '\0'; i++) {
        assert_true(i < 20000);
        (void)usleep(1000);
    }
    sc_loads_poll(&world.observation, NOW);
    assert_true(world.processes[0].devices.is_watched);
    assert_false(world.processes[1].devices.is_watched);
}

static void assert_watched(const struct world *world, const pid_t *pids, size_t count)
{
    const struct sc_loads *loads = &world->observation.loads;
    assert_int_equal(loads->watched.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(loads->watched.items[i], pids[i]);
}

TEST(drivers_are_asked_about_those_that_live)
{
    OWN(world, world);
    world_init(&world, no_devices);
    sc_loads_poll(&world.observation, NOW);
    assert_watched(&world, (pid_t[]){100, 101}, 2);
    world.processes[0].ending.is_over = true;
    sc_loads_poll(&world.observation, NOW);
    assert_watched(&world, (pid_t[]){101}, 1);
    world.processes[1].pid = 102; /* another one in its place */
    sc_loads_poll(&world.observation, NOW);
    assert_watched(&world, (pid_t[]){102}, 1);
    world.processes[1].ending.is_over = true;
    sc_loads_poll(&world.observation, NOW);
    assert_watched(&world, NULL, 0);
}

TEST(nothing_is_read_of_a_pause)
{
    OWN(world, world);
    world_init(&world, busy_device);
    struct sc_loads *loads = &world.observation.loads;
    world.observation.paused = true;
    sc_loads_pause(&world.observation, 1); /* of the very first moment */
    wait_for_readings(3);
    sc_loads_poll(&world.observation, LATE); /* takes them, and charges none */
    assert_int_equal(loads->late.count, 0);
    world.observation.paused = false;
    sc_loads_pause(&world.observation, sc_now_ns());
    wait_for_readings(2);
    sc_loads_poll(&world.observation, LATE);
    size_t taken = loads->late.count;
    assert_true(taken >= 2);
    world.observation.paused = true;
    sc_loads_pause(&world.observation, sc_now_ns());
    wait_for_readings(2); /* one may have begun before */
    sc_loads_poll(&world.observation, LATE);
    taken = loads->late.count;
    wait_for_readings(2);
    sc_loads_poll(&world.observation, LATE);
    assert_int_equal(loads->late.count, taken);
}

TEST(without_drivers_nothing_is_done)
{
    static struct sc_observation observation;
    sc_loads_pause(&observation, NOW);
    sc_loads_poll(&observation, NOW);
    sc_loads_finish(&observation);
    sc_loads_done(&observation.loads);
    assert_int_equal(observation.loads.watched.count, 0);
}
