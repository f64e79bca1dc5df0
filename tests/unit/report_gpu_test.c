/*
 * tests/unit/report_gpu_test.c - what is said of devices, and which findings come of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

static const struct sc_finding *find(const struct sc_report *report, const char *id)
{
    for (size_t i = 0; i < report->overview.findings.count; i++) {
        if (strcmp(report->overview.findings.items[i].id, id) == 0)
            return &report->overview.findings.items[i];
    }
    return NULL;
}

static bool says(const struct sc_report *report, const char *part)
{
    const struct sc_report_gpu *gpu = &report->overview.gpu;
    for (size_t i = 0; i < gpu->facts.count; i++) {
        if (strstr(gpu->facts.items[i], part) != NULL)
            return true;
    }
    return false;
}

static void has_text(const struct sc_finding *finding, const char *part)
{
    assert_non_null(finding);
    if (strstr(finding->text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, finding->text);
}

static struct sc_gpu_device *add_device(struct sc_profile *profile, const char *name, double load,
                                        double peak_mb)
{
    struct sc_gpu_device device = {.name = sc_strdup(name), .total_mb = 10240.0};
    device.index = profile->gpu_devices.count;
    device.load_percent = load;
    device.peak_mb = peak_mb;
    sc_vec_push(&profile->gpu_devices, device);
    return &profile->gpu_devices.items[profile->gpu_devices.count - 1];
}

/* 20 s, 10 of them traced; a loader, a line that launches, one that copies. Nothing stands out. */
static struct sc_profile traced(void)
{
    struct sc_profile profile = {.elapsed_s = 20.0, .gpu = true, .root_dir = sc_strdup("/w")};
    profile.gpu_device = sc_strdup("GPU");
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    profile.gpu_kernel_s = 8.0;
    profile.gpu_copy_s = 1.0;
    profile.gpu_traced_s = 10.0;
    profile.gpu_busy_s = 8.5;
    profile.gpu_peak_mb = 1000.0;
    (void)add_device(&profile, "A100", 42.0, 1000.0);
    struct sc_file *file = fixture_file(&profile, "/w/t.py");
    (void)fixture_line(file, "for batch in load():\n", 5, 2, 0);
    (void)fixture_line(file, "    model(batch)\n", 2, 4, 0);
    (void)fixture_line(file, "    batch.cuda()\n", 1, 1, 0);
    file->lines.items[0].cost.gpu_idle_s = 1.2;
    file->lines.items[1].cost.gpu_s = 8.0;
    file->lines.items[1].cost.gpu_launches = 1000;
    file->lines.items[2].cost.gpu_s = 1.0;
    file->lines.items[2].cost.gpu_to_device_mb = 900.0;
    return profile;
}

TEST(a_busy_device_is_no_finding)
{
    OWN(sc_profile, profile) = traced();
    OWN(sc_report, report) = report_of(&profile);
    assert_int_equal(report.overview.findings.count, 0);
    assert_true(report.overview.gpu.has);
    assert_string_equal(report.overview.gpu.noun, "GPU");
    assert_string_equal(report.overview.gpu.fact, "GPU busy 85%");
    assert_string_equal(report.overview.gpu.devices.items[0].text,
                        "load 42%, memory at most 1000.0 MB of 10.00 GB");
    assert_true(says(&report, "device time 9.00 s: kernels 8.00 s, copies 1.00 s"));
    assert_true(
        says(&report, "busy 85% of 10.00 s, from its first use on; nothing to do for 1.50"));
    assert_true(says(&report, "of the load are exact, reported by the device (CUPTI 12.9)"));
    assert_string_equal(report.overview.gpu.lines.items[0].place, "t.py:2");
    assert_string_equal(report.overview.gpu.idle_lines.items[0].place, "t.py:1");
}

TEST(a_profile_without_devices_says_nothing_of_them)
{
    OWN(sc_profile, profile) = {.elapsed_s = 20.0};
    (void)fixture_line(fixture_file(&profile, "/w/t.py"), "x = 1\n", 5, 30, 0);
    OWN(sc_report, report) = report_of(&profile);
    assert_false(report.overview.gpu.has);
    assert_int_equal(report.overview.gpu.facts.count, 0);
    for (size_t i = 0; i < report.overview.findings.count; i++)
        assert_null(strstr(report.overview.findings.items[i].id, "gpu"));
}

TEST(idle_time_is_blamed_on_the_line_the_program_was_at)
{
    OWN(sc_profile, profile) = traced();
    profile.gpu_busy_s = 3.9;
    profile.files.items[0].lines.items[0].cost.gpu_idle_s = 2.56;
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_finding *finding = find(&report, "gpu_idle");
    has_text(finding,
             "the GPU had nothing to do for 61% of the 10.00 s from first use on (6.10 s); "
             "for 42% of that the program was at t.py:1");
    assert_int_equal(finding->lineno, 1);
    /* of the run, like all findings */
    assert_true(fabs(finding->percent - 30.5) < 1e-9);
}

TEST(idle_time_of_no_line_in_particular_has_no_place)
{
    OWN(sc_profile, profile) = traced();
    profile.gpu_busy_s = 1.0;
    profile.files.items[0].lines.items[0].cost.gpu_idle_s = 0.5;
    OWN(sc_report, report) = report_of(&profile);
    has_text(find(&report, "gpu_idle"), "spread over many lines");
    assert_null(find(&report, "gpu_idle")->file);
}

TEST(a_function_is_blamed_where_it_says_more_than_its_lines)
{
    OWN(sc_profile, profile) = traced();
    struct sc_file *file = &profile.files.items[0];
    profile.gpu_busy_s = 4.0;
    fixture_function(file, "feed", 1, 5.0, 9.0);
    file->functions.items[0].cost.gpu_idle_s = 3.0;
    file->lines.items[0].start_function_line = 1;
    file->lines.items[0].end_function_line = 3;
    OWN(sc_report, report) = report_of(&profile);
    has_text(find(&report, "gpu_idle"), "for 20% of that the program was at t.py:1, for 50% in all "
                                        "of feed: ");
    /* no line of it stands out */
    file->lines.items[0].cost.gpu_idle_s = 0.5;
    report_again(&report, &profile);
    has_text(find(&report, "gpu_idle"), "for 50% of that the program was in feed (t.py:1): ");
    assert_int_equal(find(&report, "gpu_idle")->lineno, 1);
    assert_int_equal(find(&report, "gpu_idle")->end_lineno, 3);
    /* the line is all of it */
    file->lines.items[0].cost.gpu_idle_s = 2.9;
    report_again(&report, &profile);
    assert_null(strstr(find(&report, "gpu_idle")->text, "feed"));
}

TEST(a_short_use_of_a_device_is_no_finding)
{
    OWN(sc_profile, profile) = traced();
    profile.gpu_traced_s = 0.4;
    profile.gpu_busy_s = 0.01;
    OWN(sc_report, report) = report_of(&profile);
    assert_null(find(&report, "gpu_idle"));
    assert_null(find(&report, "gpu_tiny_kernels"));
}

TEST(copies_are_found_with_the_line_that_copies_most)
{
    struct sc_profile profile = traced();
    profile.gpu_copy_s = 4.0;
    profile.files.items[0].lines.items[1].cost.gpu_from_device_mb = 10.0;
    OWN(sc_report, report) = report_of(&profile);
    has_text(
        find(&report, "gpu_copies"),
        "copies take 33% of the device time (4.00 s, kernels 8.00 s); most is copied at t.py:3, "
        "900.0 MB to the device:");
    sc_profile_done(&profile);
    /* much of the device's time, but next to nothing of the run */
    profile = traced();
    profile.gpu_kernel_s = 0.1;
    profile.gpu_copy_s = 0.2;
    report_again(&report, &profile);
    assert_null(find(&report, "gpu_copies"));
    sc_profile_done(&profile);
}

/* 300,000 kernels of 3.3 microseconds, and this much idle time at the line that launches most. */
static struct sc_profile tiny(double idle_s)
{
    struct sc_profile profile = traced();
    profile.gpu_kernel_s = 1.0;
    profile.gpu_copy_s = 0.1;
    profile.gpu_busy_s = 1.1;
    struct sc_line *lines = profile.files.items[0].lines.items;
    lines[1].cost.gpu_launches = 250000;
    lines[1].cost.gpu_s = 0.9;
    lines[1].cost.gpu_idle_s = idle_s;
    lines[2].cost.gpu_launches = 50000;
    lines[2].cost.gpu_s = 0.2;
    return profile;
}

TEST(tiny_kernels_are_found_where_the_device_waits_for_them)
{
    struct sc_profile profile = tiny(4.0);
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_finding *finding = find(&report, "gpu_tiny_kernels");
    has_text(finding, "300,000 kernels took 3.3 microseconds on average");
    has_text(finding,
             "the GPU had nothing to do for 4.00 s; most (250,000) are launched at t.py:2");
    assert_true(fabs(finding->percent - 20.0) < 1e-9);
    sc_profile_done(&profile);
    /* as many of them, and the device is idle while the program is elsewhere */
    profile = tiny(0.3);
    report_again(&report, &profile);
    assert_non_null(find(&report, "gpu_idle"));
    assert_null(find(&report, "gpu_tiny_kernels"));
    sc_profile_done(&profile);
    /* kernels long enough */
    profile = tiny(4.0);
    profile.gpu_kernel_s = 4.0;
    report_again(&report, &profile);
    assert_null(find(&report, "gpu_tiny_kernels"));
    sc_profile_done(&profile);
}

TEST(memory_that_is_nearly_full_is_found)
{
    struct sc_profile profile = traced();
    profile.gpu_devices.items[0].peak_mb = 9728.0;
    profile.files.items[0].lines.items[1].cost.gpu_live_peak_mb = 8192.0;
    OWN(sc_report, report) = report_of(&profile);
    has_text(find(&report, "gpu_memory"), "the memory of GPU 0 (A100) was 95% full (9.50 GB of "
                                          "10.00 GB); most was taken at t.py:2, 8.00 GB at once");
    sc_profile_done(&profile);
    profile = traced();
    profile.gpu_devices.items[0].peak_mb = 9728.0;
    profile.gpu_devices.items[0].is_shared_memory = true;
    report_again(&report, &profile);
    has_text(find(&report, "gpu_memory"), "95% full, by all who used it");
    assert_null(find(&report, "gpu_memory")->file);
    sc_profile_done(&profile);
}

/* Only the driver was asked: its load, while the program was at a line, says the same, more
 * coarsely. */
static struct sc_profile sampled(double line_load, bool is_shared)
{
    struct sc_profile profile = {.elapsed_s = 20.0, .gpu = true};
    profile.gpu_device = sc_strdup("GPU");
    add_device(&profile, "A100", 20.0, 1000.0)->is_shared_load = is_shared;
    struct sc_file *file = fixture_file(&profile, "t.py");
    fixture_line(file, "train()\n", 10, 30, 0)->cost.gpu_percent = line_load;
    return profile;
}

TEST(a_low_load_is_found_without_a_trace)
{
    struct sc_profile profile = sampled(10.0, false);
    OWN(sc_report, report) = report_of(&profile);
    has_text(find(&report, "gpu_idle"), "the load of the GPU was 20% over the run, by the driver's "
                                        "figures, and 10% while the program was at t.py:1");
    assert_true(says(&report, "asked of the driver; times of single kernels and copies were not"));
    sc_profile_done(&profile);
    /* whose load it is cannot be known */
    profile = sampled(10.0, true);
    report_again(&report, &profile);
    assert_null(find(&report, "gpu_idle"));
    assert_true(report.overview.gpu.has_shared_load);
    assert_string_equal(report.overview.gpu.fact, "GPU load 20% (whole device)");
    assert_string_equal(report.overview.gpu.devices.items[0].text,
                        "load 20% (of the whole device, whoever used it), memory at most 1000.0 MB "
                        "of 10.00 GB");
    sc_profile_done(&profile);
}

TEST(a_line_that_waits_for_a_busy_device_is_distinguished)
{
    struct sc_profile profile = sampled(97.0, false);
    OWN(sc_report, report) = report_of(&profile);
    has_text(find(&report, "gpu_bound"), "t.py:1 takes 30% of the time with the GPU busy (97%)");
    assert_null(find(&report, "gpu_idle"));
    sc_profile_done(&profile);
    profile = sampled(97.0, true);
    report_again(&report, &profile);
    assert_null(find(&report, "gpu_bound"));
    sc_profile_done(&profile);
    /* of a traced device the lines' load is what the trace says, whatever the driver reports */
    profile = sampled(97.0, true);
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    profile.gpu_kernel_s = profile.gpu_traced_s = profile.gpu_busy_s = 18.0;
    report_again(&report, &profile);
    assert_false(report.overview.gpu.has_shared_load);
    assert_non_null(find(&report, "gpu_bound"));
    sc_profile_done(&profile);
}

TEST(devices_go_by_their_kind_and_number)
{
    OWN(sc_profile, profile) = {.elapsed_s = 5.0, .gpu = true, .gpu_peak_mb = 30.0};
    profile.gpu_device = sc_strdup("Neuron");
    (void)add_device(&profile, "", 30.0, 20.0);
    (void)add_device(&profile, "inf2", 0.0, 10.0);
    (void)add_device(&profile, "inf2", 0.0, 0.0);
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_report_gpu *gpu = &report.overview.gpu;
    assert_string_equal(gpu->kind, "Neuron");
    assert_string_equal(gpu->noun, "Neuron devices");
    assert_string_equal(gpu->devices.items[0].name, "Neuron 0");
    assert_string_equal(gpu->devices.items[1].name, "Neuron 1 (inf2)");
    assert_string_equal(gpu->devices.items[2].text, "not used");
    assert_true(fabs(gpu->load_percent - 15.0) < 1e-9);
    assert_true(says(&report, "the program had at most 30.0 MB of device memory"));
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
        struct sc_profile profile = traced();
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
        struct sc_report report = report_of(&profile);
        float bins[8];
        sc_load_bins(&profile.gpu_load, 0.0, 20.0, 20.0, 8, bins);
        for (size_t b = 0; b < 8; b++)
            assert_true(bins[b] >= 0.0F && bins[b] <= 100.0F);
        assert_true(report.overview.gpu.idle_s >= 0.0);
        assert_true(report.overview.gpu.load_percent >= 0.0);
        sc_report_done(&report);
        sc_profile_done(&profile);
    }
}
