/*
 * tests/unit/device_notes_test.c - what a profile says of made-up devices, and of what could not be
 * traced.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "accelerator/open_files.h"
#include "fake_accelerator.h"
#include "observer/lifecycle/observation.h"
#include "observer/report/report_gpu.h"
#include "sc_test.h"

#define MB ((uint64_t)1 << 20)

static size_t devices_of_fake(void *state, struct sc_device *ret, size_t limit)
{
    assert_true(limit >= 3);
    ret[0] = (struct sc_device){.name = "one",
                                .uuid = "u-1",
                                .index = 4,
                                .total_bytes = 1024 * MB,
                                .load_s = 2.5,
                                .measured_s = 10,
                                .peak_bytes = 96 * MB,
                                .is_shared_memory = true};
    /* a clock that goes a little faster than ours */
    ret[1] = (struct sc_device){
        .name = "two", .index = 5, .load_s = 10.1, .measured_s = 10, .is_shared_load = true};
    ret[2] = (struct sc_device){.name = "three", .index = 6, .load_s = 1};
    return 3;
}

static const struct sc_accelerator fake = {.kind = "Fake",
                                           .open = fake_open,
                                           .devices = devices_of_fake,
                                           .news = fake_no_news,
                                           .read = fake_read_nothing,
                                           .close = fake_close};
static const struct sc_accelerator *const table[] = {&fake, NULL};

struct world {
    struct sc_run_plan plan;
    struct sc_observation observation;
    struct sc_process processes[2];
    struct sc_profile profile;
};

static void world_init(struct world *world, bool has_devices)
{
    *world = (struct world){.plan = {.gpu = true}};
    world->observation.plan = &world->plan;
    for (size_t i = 0; i < 2; i++)
        sc_vec_push(&world->observation.processes, &world->processes[i]);
    if (!has_devices)
        return;
    struct sc_accelerators *accelerators = sc_accelerators_start_with(table);
    world->observation.loads.accelerators = accelerators;
    while (sc_accelerators_kind(accelerators)[0] == '\0')
        (void)usleep(1000);
}

static void world_done(struct world *world)
{
    if (world->observation.loads.accelerators != NULL)
        sc_accelerators_free(world->observation.loads.accelerators);
    sc_vec_done(&world->observation.processes);
    sc_profile_done(&world->profile);
}

TEST(devices_are_listed_with_what_they_had_to_do)
{
    OWN(world, world);
    world_init(&world, true);
    sc_report_gpu(&world.observation, &world.profile);
    assert_true(world.profile.gpu);
    assert_string_equal(world.profile.gpu_device, "Fake");
    assert_null(world.profile.gpu_trace);
    assert_int_equal(world.profile.gpu_devices.count, 3);
    const struct sc_gpu_device *one = &world.profile.gpu_devices.items[0];
    assert_string_equal(one->name, "one");
    assert_string_equal(one->uuid, "u-1");
    assert_int_equal(one->index, 4);
    assert_true(one->load_percent == 25);
    assert_true(one->total_mb == 1024);
    assert_true(one->peak_mb == 96);
    assert_true(one->is_shared_memory && !one->is_shared_load);
    assert_true(world.profile.gpu_devices.items[1].load_percent == 100);
    assert_true(world.profile.gpu_devices.items[1].is_shared_load);
    assert_true(world.profile.gpu_devices.items[2].load_percent == 0);
}

TEST(who_does_not_ask_is_sent_nothing)
{
    OWN(world, world);
    world_init(&world, true);
    world.plan.gpu = false;
    world.processes[0].devices.states = 1U << SC_GPU_TAKEN;
    sc_report_gpu(&world.observation, &world.profile);
    assert_false(world.profile.gpu);
    assert_string_equal(world.profile.gpu_device, "");
    assert_int_equal(world.profile.gpu_devices.count, 0);
    assert_int_equal(world.profile.notes.count, 0);
}

struct row {
    const char *name;
    struct sc_devices devices[2];
    bool has_devices;
    const char *trace;
    const char *device; /* as what kind the profile has them */
    /* A part of each; the second alone: where this very machine has a device. */
    const char *notes[2];
};

#define STATE(what, number)                                                                        \
    {                                                                                              \
        .states = 1U << (what), .refusal = (number)                                                \
    }

static const struct row rows[] = {
    {.name = "nothing is traced, and nothing is there", .device = ""},
    ROW(.name = "CUPTI is missing", .devices = {STATE(SC_GPU_NO_CUPTI, 0)}, .has_devices = true,
        .device = "Fake", .notes = {"there is no libcupti to be found"}),
    ROW(.name = "CUPTI is not loaded", .devices = {STATE(SC_GPU_NOT_LOADED, 0)},
        .has_devices = true, .device = "Fake",
        .notes = {"the program used CUDA before the profile began, and has not loaded libcupti"}),
    ROW(.name = "it is said once",
        .devices = {STATE(SC_GPU_NO_CUPTI, 0), STATE(SC_GPU_NO_CUPTI, 0)}, .has_devices = true,
        .device = "Fake", .notes = {"there is no libcupti to be found"}),
    ROW(.name = "nobody misses it where there is no device", .devices = {STATE(SC_GPU_NO_CUPTI, 0)},
        .device = "", .notes = {NULL, "there is no libcupti to be found"}),
    ROW(.name = "CUPTI refuses", .devices = {STATE(SC_GPU_REFUSED, 35)}, .has_devices = true,
        .device = "Fake",
        .notes = {"CUPTI refused, an administrator has kept it to himself (NVreg_R"}),
    ROW(.name = "for a reason that says nothing", .devices = {STATE(SC_GPU_REFUSED, 999)},
        .has_devices = true, .device = "Fake", .notes = {"CUPTI refused (its error 999)"}),
    ROW(.name = "nobody misses that either", .devices = {STATE(SC_GPU_REFUSED, 35)}, .device = "",
        .notes = {NULL, "CUPTI refused, an administrator"}),
    ROW(.name = "there is no thread", .devices = {STATE(SC_GPU_REFUSED, 0)}, .has_devices = true,
        .device = "Fake", .notes = {"no room for a thread that asks CUPTI"}),
    ROW(.name = "a program that only looks for a device", .devices = {{.version = 12090}},
        .has_devices = true, .trace = "CUPTI 12.9", .device = "Fake"),
    ROW(.name = "another profiler takes it, in the second process",
        .devices = {{.version = 12090}, STATE(SC_GPU_TAKEN, 0)}, .has_devices = true,
        .trace = "CUPTI 12.9", .device = "Fake",
        .notes = {"another profiler in the program uses CUPTI"}),
    ROW(.name = "a trace of what no driver lists",
        .devices = {{0}, {.version = 13010, .has_worked = true}}, .trace = "CUPTI 13.1",
        .device = "GPU"),
    ROW(.name = "of two the first counts",
        .devices = {{.version = 11080}, {.version = 13010, .has_worked = true}},
        .trace = "CUPTI 11.8", .device = "GPU"),
    ROW(.name = "both: one lacks it, and one is refused",
        .devices = {STATE(SC_GPU_NO_CUPTI, 0), STATE(SC_GPU_REFUSED, 39)}, .has_devices = true,
        .device = "Fake",
        .notes = {"there is no libcupti to be found", "another tool has it already"}),
};

TEST(what_could_not_be_traced_is_said)
{
    FOR_EACH_ROW(row, rows) {
        OWN(world, world);
        size_t notes = 0;
        const char *const *expected = row->notes + (row->notes[0] == NULL);
        if (row->notes[0] != NULL)
            notes = row->notes[1] != NULL ? 2 : 1;
        else if (row->notes[1] != NULL)
            notes = sc_has_nvidia_devices("");
        world_init(&world, row->has_devices);
        for (size_t k = 0; k < 2; k++)
            world.processes[k].devices = row->devices[k];
        sc_report_gpu(&world.observation, &world.profile);
        assert_string_equal(world.profile.gpu_device, row->device);
        assert_int_equal(world.profile.gpu, row->device[0] != '\0');
        assert_int_equal(world.profile.gpu_trace != NULL, row->trace != NULL);
        if (row->trace != NULL)
            assert_string_equal(world.profile.gpu_trace, row->trace);
        assert_int_equal(world.profile.notes.count, notes);
        for (size_t k = 0; k < notes && world.profile.notes.items != NULL; k++)
            assert_non_null(strstr(world.profile.notes.items[k], expected[k]));
    }
}
