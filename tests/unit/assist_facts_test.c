/*
 * tests/unit/assist_facts_test.c - what a request says of devices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/hardware.h"
#include "assist/prompt.h"
#include "report_fixture.h"
#include "sc_test.h"

/* Two lines: the one launches, the other reads back and waits. */
static struct sc_profile made(const char *device)
{
    struct sc_profile profile = {.elapsed_s = 20.0, .gpu = true};
    profile.gpu_device = sc_strdup(device);
    profile.gpu_kernel_s = 8.0;
    profile.gpu_copy_s = 2.0;
    struct sc_file *file = fixture_file(&profile, "/w/a.py");
    (void)fixture_line(file, "y = model(x)\n", 5, 5, 0);
    (void)fixture_line(file, "print(y.item())\n", 0, 0, 30);
    return profile;
}

static char *facts_of(struct sc_profile *profile, enum sc_ai_goal goal)
{
    struct sc_ai_place place = {
        .profile = profile, .file = &profile->files.items[0], .first = 1, .last = 2};
    struct sc_str text = {0};
    sc_ai_facts_add(&place, goal, &text);
    return text.data;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, text);
}

/* A profile may come from anybody. */
TEST(a_line_that_holds_several_is_no_source)
{
    static const struct {
        const char *text;
        bool is_one;
    } rows[] = {{"y = 1\n", true}, {"y = 1\r\n", true}, {"y = 1", true},   {"\n", true},
                {"", true},        {"a\n\n", false},    {"a\nb\n", false}, {"a\rb\n", false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        OWN(sc_profile, profile) = {.elapsed_s = 1.0};
        struct sc_file *file = fixture_file(&profile, "/w/a.py");
        (void)fixture_line(file, rows[i].text, 5, 5, 0);
        (void)fixture_line(file, "z = 2\n", 5, 5, 0);
        struct sc_ai_place place = {0};
        struct sc_err err = {0};
        assert_int_equal(sc_ai_place_find(&profile, file, 2, 2, (enum sc_ai_scope)0, &place, &err),
                         rows[i].is_one);
        if (rows[i].is_one)
            sc_ai_place_done(&place);
    }
}

TEST(a_load_is_a_mean_over_the_time_of_the_lines)
{
    OWN(sc_profile, profile) = made("GPU");
    struct sc_line *lines = profile.files.items[0].lines.items;
    lines[0].cost.gpu_percent = 100.0;
    lines[1].cost.gpu_percent = 20.0;
    lines[1].cost.gpu_peak_memory_mb = 512.0;
    SC_AUTO_FREE char *text = facts_of(&profile, SC_AI_GOAL_PERFORMANCE);
    /* (10 * 100 + 30 * 20) / 40 */
    has(text, "- GPU: 40% busy on average while the program was here, at most 512.0 MB of its");
    assert_null(strstr(text, "GPU time"));
}

TEST(exact_times_copies_and_idle_time_are_included)
{
    OWN(sc_profile, profile) = made("GPU");
    struct sc_line *lines = profile.files.items[0].lines.items;
    lines[0].cost.gpu_s = 4.0;
    lines[0].cost.gpu_launches = 12000;
    lines[0].cost.gpu_to_device_mb = 1024.0;
    lines[0].cost.gpu_malloc_mb = 300.0;
    lines[0].cost.gpu_live_peak_mb = 200.0;
    lines[1].cost.gpu_idle_s = 2.5;
    SC_AUTO_FREE char *text = facts_of(&profile, SC_AI_GOAL_PERFORMANCE);
    has(text, "- GPU time of what is launched here: 4.00 s, with 12,000 kernels; of the whole "
              "program, kernels 8.00 s and copies 2.00 s.");
    has(text, "- Copied to the GPU here: 1.00 GB; from it: 0.0 MB.");
    has(text, "- While the program was here the GPU had nothing to do for 2.50 s.");
    has(text, "- GPU memory taken here: 300.0 MB in all, at most 200.0 MB at once");
    has(text, "- Line 1: 10% of the time, 4.00 s of GPU time, 300.0 MB of GPU memory taken.");
    SC_AUTO_FREE char *memory = facts_of(&profile, SC_AI_GOAL_MEMORY);
    has(memory, "- Line 1: 10% of the time");
    assert_null(strstr(memory, "- Line 2:"));
}

TEST(without_a_device_nothing_is_said_of_one)
{
    struct sc_profile profile = made("");
    SC_AUTO_FREE char *text = facts_of(&profile, SC_AI_GOAL_PERFORMANCE);
    assert_null(strstr(text, "GPU"));
    sc_profile_done(&profile);
    profile = made("Neuron");
    profile.files.items[0].lines.items[0].cost.gpu_percent = 80.0;
    SC_AUTO_FREE char *neuron = facts_of(&profile, SC_AI_GOAL_PERFORMANCE);
    has(neuron, "- Neuron device: 20% busy on average while the program was here.");
    sc_profile_done(&profile);
}

TEST(the_machine_has_the_devices_that_were_used)
{
    OWN(sc_profile, profile) = made("Neuron");
    OWN(sc_str, text) = {0};
    sc_hardware_add(&text, &profile);
    bool is_named = strstr(text.data, "NVIDIA") != NULL; /* the machine's own come first */
    if (!is_named)
        has(text.data, ", a device \"Neuron\"");
    sc_vec_push(&profile.gpu_devices,
                (struct sc_gpu_device){.name = sc_strdup("inf2.xlarge"), .peak_mb = 3.0});
    sc_vec_push(&profile.gpu_devices, (struct sc_gpu_device){.name = sc_strdup("not this one")});
    sc_str_clear(&text);
    sc_hardware_add(&text, &profile);
    if (!is_named)
        assert_true(sc_ends_with(text.data, ", inf2.xlarge"));
}
