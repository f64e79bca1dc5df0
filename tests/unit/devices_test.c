/*
 * tests/unit/devices_test.c - from the agent's records of GPUs to accounts: busy, idle, work,
 * device memory, and where the process was meanwhile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "observer/process/devices.h"

#include "sc_test.h"

#define MS     ((uint64_t)1000000)
#define SECOND (1000 * MS)
#define START  (100 * SECOND)

struct world {
    struct sc_collect collect;
    struct sc_scope scope;
    struct sc_owners owners;
    struct sc_gpu gpu;
    struct sc_devices devices;
    uint32_t one; /* two lines of one function */
    uint32_t other;
    uint32_t below; /* a library that the first one calls */
};

static void world_init(struct world *world)
{
    *world = (struct world){.scope = {.root_dir = "/nowhere"}};
    sc_collect_init(&world->collect, 0, 0);
    uint32_t code = sc_collect_code(&world->collect, "/nowhere/a.py", "main", 1);
    uint32_t library = sc_collect_code(&world->collect, "/elsewhere/b.py", "f", 1);
    world->one = sc_collect_frame(&world->collect, 0, code, 10);
    world->other = sc_collect_frame(&world->collect, 0, code, 20);
    world->below = sc_collect_frame(&world->collect, world->one, library, 5);
    sc_owners_init(&world->owners, &world->collect, &world->scope);
    sc_gpu_init(&world->gpu, &world->owners);
    world->devices.gpu = &world->gpu;
}

static void world_done(struct world *world)
{
    sc_devices_done(&world->devices);
    sc_gpu_done(&world->gpu);
    sc_owners_done(&world->owners);
    sc_collect_done(&world->collect);
}

static void trace(struct world *world)
{
    sc_devices_add_state(
        &world->devices,
        &(struct sc_record_gpu_state){.time_ns = START, .state = SC_GPU_TRACING, .detail = 12090});
}

static void be(struct world *world, uint64_t from_ms, uint64_t to_ms, uint32_t node)
{
    sc_devices_note_stack(&world->devices, START + from_ms * MS, START + to_ms * MS, node);
}

static void span(struct world *world, uint32_t device, uint64_t from_ms, uint64_t to_ms)
{
    sc_devices_add_span(&world->devices,
                        &(struct sc_record_gpu_span){.from_ns = START + from_ms * MS,
                                                     .to_ns = START + to_ms * MS,
                                                     .device = device});
}

static const struct sc_gpu_account *line_of(struct world *world, uint32_t node)
{
    return &world->gpu.lines.items[sc_gpu_place(&world->gpu, node).line];
}

static void assert_near(double value, double expected)
{
    assert_true(value > expected - 10 && value < expected + 10); /* ns, of rounding */
}

TEST(time_is_busy_or_idle_where_the_process_was)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 60, world.below);
    be(&world, 60, 100, world.other);
    span(&world, 0, 50, 80); /* not in order, of two devices, one inside the other */
    span(&world, 1, 55, 65);
    span(&world, 0, 10, 20);
    sc_devices_end(&world.devices, START + 100 * MS);
    assert_near(line_of(&world, world.one)->busy_ns, 20.0 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 40.0 * MS);
    assert_near(line_of(&world, world.other)->busy_ns, 20.0 * MS);
    assert_near(line_of(&world, world.other)->idle_ns, 20.0 * MS);
    assert_near(world.gpu.busy_ns, 40.0 * MS);
    assert_near(world.gpu.idle_ns, 60.0 * MS);
    assert_near(world.gpu.functions.items[0].idle_ns, 60.0 * MS);
}

TEST(threads_at_once_share_a_moment)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 100, world.one);
    be(&world, 0, 100, world.other);
    span(&world, 0, 0, 50);
    sc_devices_end(&world.devices, START + 100 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 25.0 * MS);
    assert_near(line_of(&world, world.other)->busy_ns, 25.0 * MS);
    assert_near(world.gpu.idle_ns, 50.0 * MS);
}

/* Its devices do not wait for it: another process of the run may use them. */
TEST(a_process_that_only_looks_for_devices_has_no_idle_time)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 9000, world.one);
    for (unsigned ms = 100; ms < 9000; ms += 100)
        sc_devices_charge_due(&world.devices, START + ms * MS);
    sc_devices_end(&world.devices, START + 9000 * MS);
    assert_near(world.gpu.idle_ns, 0);
    assert_int_equal(world.gpu.lines.count, 0);
    assert_false(world.devices.has_worked);
}

TEST(what_was_before_the_first_work_counts)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 9000, world.one);
    for (unsigned ms = 100; ms < 5000; ms += 100)
        sc_devices_charge_due(&world.devices, START + ms * MS);
    span(&world, 0, 5000, 6000);
    sc_devices_end(&world.devices, START + 9000 * MS);
    assert_near(world.gpu.busy_ns, 1000.0 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 8000.0 * MS);
}

TEST(where_the_line_is_unknown_only_the_total_counts)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 40, world.one);
    span(&world, 0, 90, 95);
    sc_devices_end(&world.devices, START + 100 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 40.0 * MS);
    assert_near(world.gpu.idle_ns, 95.0 * MS);
}

TEST(what_comes_late_is_waited_for)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 3000, world.one);
    span(&world, 0, 0, 50);
    sc_devices_charge_due(&world.devices, START + 2050 * MS);
    assert_near(world.gpu.idle_ns, 0); /* nothing is settled yet */
    span(&world, 0, 50, 100);
    sc_devices_charge_due(&world.devices, START + 2500 * MS);
    assert_near(world.gpu.busy_ns, 100.0 * MS);
    assert_near(world.gpu.idle_ns, 400.0 * MS);
    span(&world, 0, 400, 600); /* the first half is charged already */
    sc_devices_end(&world.devices, START + 3000 * MS);
    assert_near(world.gpu.busy_ns, 300.0 * MS);
    assert_near(world.gpu.idle_ns, 2700.0 * MS);
}

TEST(long_work_was_busy_from_its_beginning)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 1000, world.other);
    be(&world, 1000, 9000, world.one);
    span(&world, 0, 0, 200);
    span(&world, 1, 3000, 3500); /* beside it */
    for (unsigned ms = 100; ms < 9000; ms += 100)
        sc_devices_charge_due(&world.devices, START + ms * MS);
    span(&world, 1, 600, 1500);
    span(&world, 0, 500, 8500);
    sc_devices_end(&world.devices, START + 9000 * MS);
    assert_near(world.gpu.busy_ns, 8200.0 * MS);
    assert_near(world.gpu.idle_ns, 800.0 * MS);
    assert_near(line_of(&world, world.one)->busy_ns, 7500.0 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 500.0 * MS);
    assert_near(line_of(&world, world.other)->busy_ns, 700.0 * MS);
    assert_near(line_of(&world, world.other)->idle_ns, 300.0 * MS);
}

TEST(tracing_ends_when_another_takes_it)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 100, world.one);
    sc_devices_add_state(&world.devices, &(struct sc_record_gpu_state){.time_ns = START + 30 * MS,
                                                                       .state = SC_GPU_TAKEN});
    span(&world, 0, 10, 20);
    sc_devices_end(&world.devices, START + 100 * MS);
    assert_near(world.gpu.idle_ns, 20.0 * MS);
    assert_int_equal(world.devices.version, 12090);
}

TEST(time_switched_off_counts_nowhere)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 100, world.one);
    sc_devices_skip(&world.devices, START + 70 * MS);
    span(&world, 0, 80, 90);
    sc_devices_end(&world.devices, START + 100 * MS);
    assert_near(world.gpu.idle_ns, 20.0 * MS);
}

/* What was done shortly before that may be reported after it. */
TEST(time_before_it_was_switched_off_counts)
{
    WORLD(world);
    trace(&world);
    be(&world, 0, 1000, world.one);
    span(&world, 0, 100, 300);
    sc_devices_charge_all(&world.devices, START + 1000 * MS);
    sc_devices_skip(&world.devices, START + 1100 * MS);
    span(&world, 0, 800, 1200);
    sc_devices_skip(&world.devices, START + 1500 * MS);
    sc_devices_end(&world.devices, START + 2000 * MS);
    assert_near(world.gpu.busy_ns, 400.0 * MS);
    assert_near(world.gpu.idle_ns, 1100.0 * MS);
    assert_near(line_of(&world, world.one)->busy_ns, 400.0 * MS);
    assert_near(line_of(&world, world.one)->idle_ns, 600.0 * MS);
}

TEST(work_is_charged_to_who_launched_it)
{
    WORLD(world);
    struct sc_record_gpu_work work = {.kind = SC_GPU_KERNEL, .busy_ns = 3 * MS, .count = 7};
    sc_devices_add_work(&world.devices, &work, world.below);
    work = (struct sc_record_gpu_work){
        .kind = SC_GPU_COPY_TO_DEVICE, .busy_ns = 1 * MS, .bytes = 4096, .count = 1};
    sc_devices_add_work(&world.devices, &work, world.one);
    work.kind = SC_GPU_COPY_FROM_DEVICE;
    sc_devices_add_work(&world.devices, &work, 0); /* no frame in scope */
    const struct sc_gpu_account *one = line_of(&world, world.one);
    assert_int_equal(one->launched_ns, 4 * MS);
    assert_int_equal(one->kernels, 7);
    assert_int_equal(one->to_device_bytes, 4096);
    assert_int_equal(one->from_device_bytes, 0);
    assert_int_equal(world.gpu.kernel_ns, 3 * MS);
    assert_int_equal(world.gpu.copy_ns, 2 * MS);
}

static void allocate(struct world *world, uint32_t node, uint64_t address, uint64_t bytes)
{
    sc_devices_add_allocation(
        &world->devices,
        &(struct sc_record_gpu_allocation){.address = address, .size_bytes = bytes}, node);
}

static void give_back(struct world *world, uint64_t address)
{
    sc_devices_add_free(&world->devices, &(struct sc_record_gpu_free){.address = address});
}

TEST(device_memory_is_followed_block_by_block)
{
    WORLD(world);
    allocate(&world, world.one, 0x1000, 100);
    allocate(&world, world.one, 0x2000, 50);
    give_back(&world, 0x1000);
    give_back(&world, 0x1000); /* twice, and one that nobody knows */
    give_back(&world, 0x3000);
    allocate(&world, world.other, 0x1000, 10);
    allocate(&world, world.one, 0x1000, 20); /* the one before was given back unseen */
    const struct sc_gpu_account *one = line_of(&world, world.one);
    assert_int_equal(one->allocated_bytes, 170);
    assert_int_equal(one->live_bytes, 70);
    assert_int_equal(one->live_peak_bytes, 150);
    assert_int_equal(line_of(&world, world.other)->live_bytes, 0);
    assert_int_equal(line_of(&world, world.other)->live_peak_bytes, 10);
    assert_int_equal(world.gpu.functions.items[0].live_peak_bytes, 150);
}

static void allocate_in(struct world *world, uint64_t context, uint64_t address, uint64_t bytes)
{
    sc_devices_add_allocation(&world->devices,
                              &(struct sc_record_gpu_allocation){
                                  .address = address, .size_bytes = bytes, .context = context},
                              world->one);
}

/* An end may be lost, or never be reported: a context that is destroyed ends its memory, too. */
TEST(memory_ends_with_its_context)
{
    WORLD(world);
    allocate_in(&world, 7, 0x1000, 100);
    allocate_in(&world, 7, 0x2000, 20);
    allocate_in(&world, 8, 0x3000, 3);
    allocate_in(&world, 0, 0x4000, 4000); /* of none: managed by the driver */
    sc_devices_add_free(&world.devices, &(struct sc_record_gpu_free){.context = 9});
    assert_int_equal(line_of(&world, world.one)->live_bytes, 4123);
    sc_devices_add_free(&world.devices, &(struct sc_record_gpu_free){.context = 7});
    assert_int_equal(line_of(&world, world.one)->live_bytes, 4003);
    /* it is gone once, and its address is another's now */
    give_back(&world, 0x1000);
    allocate_in(&world, 8, 0x1000, 50);
    sc_devices_add_free(&world.devices, &(struct sc_record_gpu_free){.context = 7});
    assert_int_equal(line_of(&world, world.one)->live_bytes, 4053);
    assert_int_equal(line_of(&world, world.one)->live_peak_bytes, 4123);
    allocate_in(&world, 0, 0x5000, 10000);
    allocate_in(&world, 0, 0x6000, 10000);
    assert_int_equal(world.devices.blocks.count, 5);
}

TEST(without_gpus_nothing_is_kept)
{
    WORLD(world);
    world.devices.gpu = NULL;
    trace(&world);
    be(&world, 0, 100, world.one);
    span(&world, 0, 0, 10);
    allocate(&world, world.one, 0x1000, 100);
    give_back(&world, 0x1000);
    sc_devices_charge_due(&world.devices, START + 100 * SECOND);
    sc_devices_end(&world.devices, START + 100 * SECOND);
    assert_int_equal(world.devices.recent_stacks.count, 0);
    assert_int_equal(world.gpu.lines.count, 0);
}

TEST(the_oldest_stacks_make_room)
{
    OWN(sc_recent_stacks, recent) = {0};
    struct sc_recent_stack_list list = {0};
    for (uint32_t i = 0; i < SC_RECENT_STACKS_MAX + 10; i++)
        sc_recent_stacks_add(&recent, START + i * MS, START + (i + 1) * MS, i);
    sc_recent_stacks_between(&recent, START, START + 9 * MS, &list);
    assert_int_equal(list.count, 0);
    sc_recent_stacks_between(&recent, START + 10 * MS + MS / 2, START + 12 * MS, &list);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].node, 11);
    assert_int_equal(list.items[1].node, 10);
    assert_int_equal(list.items[1].from_ns, START + 10 * MS + MS / 2);
    sc_vec_done(&list);
}
