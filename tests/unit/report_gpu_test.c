/*
 * tests/unit/report_gpu_test.c - what is said of devices, and which findings come of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

/* What is looked at, and what is said of it. */
static struct sc_profile profile;
static struct sc_report report;

static void look(void)
{
    report_again(&report, &profile);
}

static int forget(void **state)
{
    sc_report_done(&report);
    sc_profile_done(&profile);
    return 0;
}

static bool says(const char *part)
{
    const struct sc_report_gpu *gpu = &report.overview.gpu;
    for (size_t i = 0; i < gpu->facts.count; i++) {
        if (strstr(gpu->facts.items[i], part) != NULL)
            return true;
    }
    return false;
}

/* Of a line, or of no place: 0. */
static void finds_at(const char *id, uint32_t lineno, const char *part)
{
    const struct sc_finding *finding = finding_of(&report, id);
    assert_says(finding, part);
    assert_int_equal(finding->file != NULL ? finding->lineno : 0, lineno);
}

static struct sc_gpu_device *add_device(const char *name, double load, double peak_mb)
{
    struct sc_gpu_device device = {.name = sc_strdup(name), .total_mb = 10240.0};
    device.index = profile.gpu_devices.count;
    device.load_percent = load;
    device.peak_mb = peak_mb;
    sc_vec_push(&profile.gpu_devices, device);
    return &profile.gpu_devices.items[profile.gpu_devices.count - 1];
}

/* 20 s, 10 of them traced; a loader, a line that launches, one that copies. Nothing stands out. */
static void traced(void)
{
    sc_profile_done(&profile);
    profile = (struct sc_profile){.elapsed_s = 20.0, .gpu = true, .root_dir = sc_strdup("/w")};
    profile.gpu_device = sc_strdup("GPU");
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    profile.gpu_kernel_s = 8.0;
    profile.gpu_copy_s = 1.0;
    profile.gpu_traced_s = 10.0;
    profile.gpu_busy_s = 8.5;
    profile.gpu_peak_mb = 1000.0;
    (void)add_device("A100", 42.0, 1000.0);
    struct sc_file *file = fixture_file(&profile, "/w/t.py");
    (void)fixture_line(file, "for batch in load():\n", 5, 2, 0);
    (void)fixture_line(file, "    model(batch)\n", 2, 4, 0);
    (void)fixture_line(file, "    batch.cuda()\n", 1, 1, 0);
    file->lines.items[0].cost.gpu_idle_s = 1.2;
    file->lines.items[1].cost.gpu_s = 8.0;
    file->lines.items[1].cost.gpu_launches = 1000;
    file->lines.items[2].cost.gpu_s = 1.0;
    file->lines.items[2].cost.gpu_to_device_mb = 900.0;
}

TEST(a_busy_device_is_no_finding)
{
    traced();
    look();
    assert_int_equal(report.overview.findings.count, 0);
    assert_true(report.overview.gpu.has);
    assert_string_equal(report.overview.gpu.noun, "GPU");
    assert_string_equal(report.overview.gpu.fact, "GPU busy 85%");
    assert_string_equal(report.overview.gpu.devices.items[0].text,
                        "load 42%, memory at most 1000.0 MB of 10.00 GB");
    assert_true(says("device time 9.00 s: kernels 8.00 s, copies 1.00 s"));
    assert_true(says("busy 85% of 10.00 s, from its first use on; nothing to do for 1.50"));
    assert_true(says("of the load are exact, reported by the device (CUPTI 12.9)"));
    assert_string_equal(report.overview.gpu.lines.items[0].place, "t.py:2");
    assert_string_equal(report.overview.gpu.idle_lines.items[0].place, "t.py:1");
}

TEST(a_profile_without_devices_says_nothing_of_them)
{
    sc_profile_done(&profile);
    profile = (struct sc_profile){.elapsed_s = 20.0};
    (void)fixture_line(fixture_file(&profile, "/w/t.py"), "x = 1\n", 5, 30, 0);
    look();
    assert_false(report.overview.gpu.has);
    assert_int_equal(report.overview.gpu.facts.count, 0);
    for (size_t i = 0; i < report.overview.findings.count; i++)
        assert_null(strstr(report.overview.findings.items[i].id, "gpu"));
}

TEST(idle_time_is_blamed_on_the_line_the_program_was_at)
{
    traced();
    profile.gpu_busy_s = 3.9;
    profile.files.items[0].lines.items[0].cost.gpu_idle_s = 2.56;
    look();
    finds_at("gpu_idle", 1,
             "the GPU had nothing to do for 61% of the 10.00 s from first use on (6.10 s); "
             "for 42% of that the program was at t.py:1");
    assert_true(fabs(finding_of(&report, "gpu_idle")->percent - 30.5) <
                1e-9); /* of the run, like all findings */
    profile.gpu_busy_s = 1.0;
    profile.files.items[0].lines.items[0].cost.gpu_idle_s = 0.5;
    look();
    finds_at("gpu_idle", 0, "spread over many lines");
}

TEST(times_of_several_processes_are_called_a_sum_and_weigh_by_their_share)
{
    traced();
    for (int i = 0; i < 4; i++)
        sc_vec_push(&profile.processes, (struct sc_process_cost){.cpu_s = 1.0});
    profile.gpu_traced_s = 40.0;
    profile.gpu_busy_s = 20.0;
    look();
    finds_at("gpu_idle", 0,
             "for 50% of the 40.00 s from first use on, summed over the processes, each by its own "
             "work (20.00 s), ");
    assert_true(fabs(finding_of(&report, "gpu_idle")->percent - 50.0) <
                1e-9); /* of a run of 20 s */
    assert_true(says("nothing to do for 20.00 s, summed over the processes, each by its own work"));
}

TEST(a_function_is_blamed_where_it_says_more_than_its_lines)
{
    traced();
    struct sc_file *file = &profile.files.items[0];
    profile.gpu_busy_s = 4.0;
    fixture_function(file, "feed", 1, 5.0, 9.0);
    file->functions.items[0].cost.gpu_idle_s = 3.0;
    file->lines.items[0].region.start_function_line = 1;
    file->lines.items[0].region.end_function_line = 3;
    look();
    finds_at("gpu_idle", 1,
             "for 20% of that the program was at t.py:1, for 50% in all "
             "of feed: ");
    /* no line of it stands out */
    file->lines.items[0].cost.gpu_idle_s = 0.5;
    look();
    finds_at("gpu_idle", 1, "for 50% of that the program was in feed (t.py:1): ");
    assert_int_equal(finding_of(&report, "gpu_idle")->end_lineno, 3);
    /* the line is all of it */
    file->lines.items[0].cost.gpu_idle_s = 2.9;
    look();
    assert_null(strstr(finding_of(&report, "gpu_idle")->text, "feed"));
}

TEST(a_short_use_of_a_device_is_no_finding)
{
    traced();
    profile.gpu_traced_s = 0.4;
    profile.gpu_busy_s = 0.01;
    look();
    assert_null(finding_of(&report, "gpu_idle"));
    assert_null(finding_of(&report, "gpu_tiny_kernels"));
}

TEST(copies_are_found_with_the_line_that_copies_most)
{
    traced();
    profile.gpu_copy_s = 4.0;
    profile.files.items[0].lines.items[1].cost.gpu_from_device_mb = 10.0;
    look();
    finds_at(
        "gpu_copies", 3,
        "copies take 33% of the device time (4.00 s, kernels 8.00 s); most is copied at t.py:3, "
        "900.0 MB to the device:");
    /* much of the device's time, but next to nothing of the run */
    traced();
    profile.gpu_kernel_s = 0.1;
    profile.gpu_copy_s = 0.2;
    look();
    assert_null(finding_of(&report, "gpu_copies"));
}

/* 300,000 kernels of 3.3 microseconds, and this much idle time at the line that launches most. */
static void tiny(double idle_s)
{
    traced();
    profile.gpu_kernel_s = 1.0;
    profile.gpu_copy_s = 0.1;
    profile.gpu_busy_s = 1.1;
    struct sc_line *lines = profile.files.items[0].lines.items;
    lines[1].cost.gpu_launches = 250000;
    lines[1].cost.gpu_s = 0.9;
    lines[1].cost.gpu_idle_s = idle_s;
    lines[2].cost.gpu_launches = 50000;
    lines[2].cost.gpu_s = 0.2;
}

TEST(tiny_kernels_are_found_where_the_device_waits_for_them)
{
    tiny(4.0);
    look();
    finds_at("gpu_tiny_kernels", 2, "300,000 kernels took 3.3 microseconds on average");
    finds_at("gpu_tiny_kernels", 2,
             "the GPU had nothing to do for 4.00 s; most (250,000) are launched at t.py:2");
    assert_true(fabs(finding_of(&report, "gpu_tiny_kernels")->percent - 20.0) < 1e-9);
    tiny(0.3); /* as many of them, and the device is idle while the program is elsewhere */
    look();
    assert_non_null(finding_of(&report, "gpu_idle"));
    assert_null(finding_of(&report, "gpu_tiny_kernels"));
    tiny(4.0);
    profile.gpu_kernel_s = 4.0; /* kernels long enough */
    look();
    assert_null(finding_of(&report, "gpu_tiny_kernels"));
}

TEST(memory_that_is_nearly_full_is_found)
{
    traced();
    profile.gpu_devices.items[0].peak_mb = 9728.0;
    profile.files.items[0].lines.items[1].cost.gpu_live_peak_mb = 8192.0;
    look();
    finds_at("gpu_memory", 2,
             "the memory of GPU 0 (A100) was 95% full (9.50 GB of "
             "10.00 GB); most was taken at t.py:2, 8.00 GB at once");
    traced();
    profile.gpu_devices.items[0].peak_mb = 9728.0;
    profile.gpu_devices.items[0].is_shared_memory = true;
    look();
    finds_at("gpu_memory", 0, "95% full, by all who used it");
}

/* Only the driver was asked: its load, while the program was at a line, says the same, more
 * coarsely. */
static void sampled(double line_load, bool is_shared)
{
    sc_profile_done(&profile);
    profile = (struct sc_profile){.elapsed_s = 20.0, .gpu = true};
    profile.gpu_device = sc_strdup("GPU");
    add_device("A100", 20.0, 1000.0)->is_shared_load = is_shared;
    struct sc_file *file = fixture_file(&profile, "t.py");
    fixture_line(file, "train()\n", 10, 30, 0)->cost.gpu_percent = line_load;
}

TEST(a_low_load_is_found_without_a_trace)
{
    sampled(10.0, false);
    look();
    finds_at("gpu_idle", 1,
             "the load of the GPU was 20% over the run, by the driver's "
             "figures, and 10% while the program was at t.py:1");
    assert_true(says("asked of the driver; times of single kernels and copies were not"));
    /* whose load it is cannot be known */
    sampled(10.0, true);
    look();
    assert_null(finding_of(&report, "gpu_idle"));
    assert_true(report.overview.gpu.has_shared_load);
    assert_string_equal(report.overview.gpu.fact, "GPU load 20% (whole device)");
    assert_string_equal(report.overview.gpu.devices.items[0].text,
                        "load 20% (of the whole device, whoever used it), memory at most 1000.0 MB "
                        "of 10.00 GB");
}

TEST(a_line_that_waits_for_a_busy_device_is_distinguished)
{
    sampled(97.0, false);
    look();
    finds_at("gpu_bound", 1, "t.py:1 takes 30% of the time with the GPU busy (97%)");
    assert_null(finding_of(&report, "gpu_idle"));
    sampled(97.0, true);
    look();
    assert_null(finding_of(&report, "gpu_bound"));
    /* of a traced device the lines' load is what the trace says, whatever the driver reports */
    sampled(97.0, true);
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    profile.gpu_kernel_s = profile.gpu_traced_s = profile.gpu_busy_s = 18.0;
    look();
    assert_false(report.overview.gpu.has_shared_load);
    assert_true(says("bytes and what lines have of the load are exact"));
    assert_non_null(finding_of(&report, "gpu_bound"));
    /* where the program has launched nothing there is no such time */
    sampled(97.0, true);
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    look();
    assert_true(report.overview.gpu.has_shared_load);
    assert_true(says("times and bytes are exact"));
    assert_null(finding_of(&report, "gpu_bound"));
}

TEST(devices_go_by_their_kind_and_number)
{
    sc_profile_done(&profile);
    profile = (struct sc_profile){.elapsed_s = 5.0, .gpu = true, .gpu_peak_mb = 30.0};
    profile.gpu_device = sc_strdup("Neuron");
    (void)add_device("", 30.0, 20.0);
    (void)add_device("inf2", 0.0, 10.0);
    (void)add_device("inf2", 0.0, 0.0);
    look();
    const struct sc_report_gpu *gpu = &report.overview.gpu;
    assert_string_equal(gpu->kind, "Neuron");
    assert_string_equal(gpu->noun, "Neuron devices");
    assert_string_equal(gpu->devices.items[0].name, "Neuron 0");
    assert_string_equal(gpu->devices.items[1].name, "Neuron 1 (inf2)");
    assert_string_equal(gpu->devices.items[2].text, "not used");
    assert_true(fabs(gpu->load_percent - 15.0) < 1e-9);
    assert_true(says("the program had at most 30.0 MB of device memory"));
}

TEST(a_load_curve_is_put_into_bins)
{
    struct sc_footprints load = {0};
    float bins[4];
    sc_load_bins(&load, 0.0, 4.0, 4.0, 4, bins);
    assert_true(bins[0] == 0.0F && bins[3] == 0.0F);
    sc_vec_push(&load, (struct sc_footprint){500000000, 100.0});
    sc_vec_push(&load, (struct sc_footprint){1000000000, 40.0});
    sc_vec_push(&load, (struct sc_footprint){3000000000, 80.0});
    /* nothing before the first point; the last value holds to the end of the run */
    sc_load_bins(&load, 0.0, 4.0, 3.5, 4, bins);
    assert_true(fabs((double)bins[0] - 50.0) < 1e-4);
    assert_true(fabs((double)bins[1] - 40.0) < 1e-4);
    assert_true(fabs((double)bins[2] - 40.0) < 1e-4);
    assert_true(fabs((double)bins[3] - 40.0) < 1e-4);
    sc_load_bins(&load, 2.5, 3.5, 3.5, 4, bins);
    assert_true(fabs((double)bins[1] - 40.0) < 1e-4 && fabs((double)bins[2] - 80.0) < 1e-4);
    sc_load_bins(&load, 3.0, 3.0, 3.5, 4, bins);
    assert_true(bins[0] == 0.0F);
    sc_vec_done(&load);
}

TEST(absurd_numbers_do_no_harm)
{
    double values[] = {-1e300, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        traced();
        struct sc_cost *cost = &profile.files.items[0].lines.items[0].cost;
        cost->gpu_s = cost->gpu_idle_s = cost->gpu_to_device_mb = cost->gpu_live_peak_mb =
            values[i];
        cost->gpu_percent = cost->gpu_peak_memory_mb = values[i];
        cost->gpu_launches = UINT64_MAX;
        profile.gpu_kernel_s = profile.gpu_traced_s = profile.gpu_busy_s = values[i];
        profile.gpu_peak_mb = profile.gpu_devices.items[0].total_mb = values[i];
        profile.gpu_devices.items[0].load_percent = profile.gpu_devices.items[0].peak_mb =
            values[i];
        sc_vec_push(&profile.gpu_load, (struct sc_footprint){UINT64_MAX, values[i]});
        sc_vec_push(&profile.gpu_load, (struct sc_footprint){0, values[i]});
        look();
        float bins[8];
        sc_load_bins(&profile.gpu_load, 0.0, 20.0, 20.0, 8, bins);
        for (size_t b = 0; b < 8; b++)
            assert_true(bins[b] >= 0.0F && bins[b] <= 100.0F);
        assert_true(report.overview.gpu.idle_s >= 0.0);
        assert_true(report.overview.gpu.load_percent >= 0.0);
    }
}

TESTS_WITHIN(NULL, forget)
