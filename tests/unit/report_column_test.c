/*
 * tests/unit/report_column_test.c - what the cells of a line table say, and when they are blank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

static void expect_cell(enum sc_column_id id, const struct sc_cost *cost, const char *expected)
{
    assert_string_equal(sc_column_text(&sc_columns[id], cost).text, expected);
}

TEST(shares_below_one_percent_are_blank)
{
    struct sc_cost cost = {0};
    cost.cpu_python_percent = 0.999;
    expect_cell(SC_COLUMN_PYTHON, &cost, "");
    cost.cpu_python_percent = 1.0;
    expect_cell(SC_COLUMN_PYTHON, &cost, "1%");
    cost.cpu_native_percent = 100.0;
    expect_cell(SC_COLUMN_NATIVE, &cost, "100%");
    cost.usage_fraction = 0.0099;
    expect_cell(SC_COLUMN_MEMORY_USAGE, &cost, "");
    cost.usage_fraction = 0.51;
    expect_cell(SC_COLUMN_MEMORY_USAGE, &cost, "51%");
    cost.system_percent = NAN;
    expect_cell(SC_COLUMN_SYSTEM, &cost, "");
}

TEST(a_peak_is_shown_for_every_line_that_allocates)
{
    struct sc_cost cost = {0};
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "");
    cost.usage_fraction = 0.001;
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "<1M");
    cost.peak_mb = 310.2;
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "310M");
    cost.peak_mb = 1023.6;
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "1.00G");
    cost.peak_mb = 150.0 * 1024.0;
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "150G");
    cost.peak_mb = 5.0 * 1024.0 * 1024.0;
    expect_cell(SC_COLUMN_MEMORY_PEAK, &cost, "5T");
}

TEST(copies_begin_at_half_a_megabyte)
{
    struct sc_cost cost = {.copy_mb_s = 0.49};
    expect_cell(SC_COLUMN_COPY, &cost, "");
    cost.copy_mb_s = 3104.0;
    expect_cell(SC_COLUMN_COPY, &cost, "3104");
    cost.copy_mb_s = 123456.0;
    expect_cell(SC_COLUMN_COPY, &cost, "123k");
}

TEST(device_times_are_shown_in_five_characters)
{
    struct sc_cost cost = {.gpu_s = 0.0004};
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "");
    cost.gpu_s = 0.0123;
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "12ms");
    cost.gpu_s = 0.9996;
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "1.0s");
    cost.gpu_s = 99.96;
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "100s");
    cost.gpu_s = 36000.0;
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "600m");
    cost.gpu_s = 3.6e6;
    expect_cell(SC_COLUMN_GPU_TIME, &cost, "1000h");
    cost.gpu_idle_s = 9.84;
    expect_cell(SC_COLUMN_GPU_IDLE, &cost, "9.8s");
    cost.gpu_peak_memory_mb = 0.9;
    expect_cell(SC_COLUMN_GPU_MEMORY, &cost, "");
    cost.gpu_live_peak_mb = 2048.0;
    expect_cell(SC_COLUMN_GPU_ALLOCATED, &cost, "2.00G");
}

/* What stands in a table is never wider than its column, whatever the profile holds. */
TEST(no_cell_outgrows_its_column)
{
    double values[] = {0.5,     1.0,      99.6, 1023.4, 1023.6,  99999.4,
                       99999.6, 102399.0, 1e9,  1e300,  INFINITY};
    for (int id = 0; id < SC_COLUMN_COUNT_; id++) {
        const struct sc_column *column = &sc_columns[id];
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            struct sc_cost cost = {
                .cpu_python_percent = values[i],
                .cpu_native_percent = values[i],
                .system_percent = values[i],
                .gpu_percent = values[i],
                .gpu_s = values[i],
                .gpu_idle_s = values[i],
                .nrt_percent = values[i],
                .nc_time_ms = values[i],
                .nc_samples = 1,
                .nc_overlap_percent = -values[i],
                .gpu_peak_memory_mb = values[i],
                .gpu_live_peak_mb = values[i],
                .async_await_percent = values[i],
                .python_fraction = values[i],
                .peak_mb = values[i],
                .usage_fraction = values[i],
                .copy_mb_s = values[i],
            };
            size_t length = strlen(sc_column_text(column, &cost).text);
            if (sc_column_is_of_page(column))
                continue;
            assert_true(length <= (size_t)column->width);
            if (column->unit != SC_UNIT_CURVE)
                assert_true(length <= (size_t)column->short_width);
        }
        if (sc_column_is_of_page(column))
            continue;
        assert_true(strlen(column->header) <= (size_t)column->width);
        assert_true(strlen(column->short_header) <= (size_t)column->short_width);
    }
}

TEST(the_page_has_sums_of_times)
{
    struct sc_cost cost = {
        .cpu_python_percent = 0.8, .cpu_native_percent = 0.7, .system_percent = 20.0};
    expect_cell(SC_COLUMN_SELF, &cost, "22%");
    expect_cell(SC_COLUMN_TOTAL, &cost, ""); /* not known */
    expect_cell(SC_COLUMN_WAITING, &cost, "");
    cost.cumulative_percent = 90.0;
    expect_cell(SC_COLUMN_TOTAL, &cost, "90%");
    cost.cumulative_percent = 1.0; /* less than its own time, which cannot be */
    expect_cell(SC_COLUMN_TOTAL, &cost, "22%");
    cost.time_s[SC_TIME_KERNEL] = 1.0;
    cost.time_s[SC_TIME_SLEEP] = 2.0;
    cost.time_s[SC_TIME_IO] = 1.0;
    expect_cell(SC_COLUMN_WAITING, &cost, "15%");
    cost.avg_mb = 12.4;
    expect_cell(SC_COLUMN_MEMORY_AVERAGE, &cost, "12M");
    cost = (struct sc_cost){.cumulative_percent = 80.0};
    assert_false(sc_cost_has_cell(&(struct sc_parts){.totals = true}, &cost));
}

TEST(columns_need_data_in_the_profile)
{
    OWN(sc_profile, profile) = {.memory = true, .gpu = true, .async_profile = true};
    struct sc_line *line = fixture_line(fixture_file(&profile, "/a.py"), "x\n", 5, 0, 0);
    struct sc_parts parts = sc_parts_of(&profile);
    assert_false(parts.gpu || parts.await || parts.memory || parts.memory_curves || parts.copies);
    line->cost.gpu_percent = 2.0;
    line->cost.async_await_percent = 3.0;
    line->cost.peak_mb = 0.1;
    line->cost.copy_mb_s = 1.0;
    parts = sc_parts_of(&profile);
    assert_true(parts.gpu && parts.await && parts.memory && parts.copies);
    assert_false(parts.memory_curves);
    /* a part that was switched off is not shown, whatever its numbers say */
    profile.memory = profile.gpu = profile.async_profile = false;
    parts = sc_parts_of(&profile);
    assert_false(parts.gpu || parts.await || parts.memory || parts.copies);
}

TEST(exact_columns_need_a_trace)
{
    OWN(sc_profile, profile) = {.gpu = true, .gpu_kernel_s = 3.0, .gpu_copy_s = 1.0};
    struct sc_line *line = fixture_line(fixture_file(&profile, "/a.py"), "x\n", 0, 0, 0);
    line->cost.gpu_s = line->cost.gpu_idle_s = 0.03;
    line->cost.gpu_live_peak_mb = 8.0;
    line->cost.gpu_peak_memory_mb = 8.0;
    struct sc_parts parts = sc_parts_of(&profile);
    assert_true(parts.gpu_memory);
    assert_false(parts.gpu || parts.gpu_time || parts.gpu_idle || parts.gpu_allocated);
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    parts = sc_parts_of(&profile);
    assert_true(parts.gpu_time && parts.gpu_idle && parts.gpu_allocated);
    /* a line that launches 1 % of the device's work is worth a row, one that launches less is not
     */
    assert_false(sc_cost_is_active(&parts, &line->cost));
    line->cost.gpu_s = 0.05;
    assert_true(sc_cost_is_active(&parts, &line->cost));
}
