/*
 * tests/unit/render_terminal_test.c - tables fit their width and never lose a digit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>

#include "render/render.h"
#include "render/terminal.h"
#include "render/text.h"
#include "report_fixture.h"
#include "sc_test.h"

static int use_utf8(void **state)
{
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL ? 0 : -1;
}

static size_t table_width(const struct sc_table_layout *layout)
{
    size_t separator = layout->narrow ? 1 : 3;
    size_t width = 1 + layout->number_width + (layout->narrow ? 2 : 3) + layout->source_width;
    for (size_t i = 0; i < layout->column_count; i++)
        width += layout->columns[i].width + (layout->columns[i].first_of_group ? separator : 1);
    return width;
}

TEST(tables_fill_the_width_and_keep_every_column)
{
    struct sc_parts all = {
        .gpu = true, .await = true, .memory = true, .memory_curves = true, .copies = true};
    struct sc_parts cpu = {0};
    for (unsigned width = 80; width <= 250; width++) {
        struct sc_table_layout layout = sc_table_layout_for(&all, width, 99999);
        assert_int_equal(table_width(&layout), width);
        assert_int_equal(layout.left_out, 0);
        layout = sc_table_layout_for(&cpu, width, 12);
        assert_int_equal(table_width(&layout), width);
        assert_false(layout.narrow);
        assert_int_equal(layout.column_count, 3);
    }
}

/* Columns of a profile with these parts when there is room for all. */
static size_t columns_of(const struct sc_parts *parts)
{
    size_t count = 0;
    for (int i = 0; i < SC_COLUMN_COUNT_; i++)
        count += !sc_column_is_of_page(&sc_columns[i]) &&
                 (sc_columns[i].shown == NULL || sc_columns[i].shown(parts));
    return count;
}

TEST(room_brings_the_full_form_back)
{
    struct sc_parts all = {
        .gpu = true, .await = true, .memory = true, .memory_curves = true, .copies = true};
    struct sc_table_layout layout = sc_table_layout_for(&all, 80, 100);
    assert_true(layout.narrow);
    assert_int_equal(layout.column_count, columns_of(&all) - 1); /* no curve */
    layout = sc_table_layout_for(&all, 132, 100);
    assert_false(layout.narrow);
    assert_int_equal(layout.column_count, columns_of(&all));
}

TEST(tiny_terminals_lose_whole_columns)
{
    struct sc_parts all = {
        .gpu = true, .await = true, .memory = true, .memory_curves = true, .copies = true};
    struct sc_table_layout layout = sc_table_layout_for(&all, 40, 100);
    assert_true(layout.left_out > 0);
    assert_true(layout.column_count > 0);
    assert_int_equal(table_width(&layout), 40);
    /* the time in Python is the last to go */
    assert_ptr_equal(layout.columns[0].column, &sc_columns[SC_COLUMN_PYTHON]);
    for (size_t i = 0; i < layout.column_count; i++)
        assert_true(layout.columns[i].width >= 4);
}

/* What the device itself has reported is shown in 80 columns where memory is not, and all in 110.
 */
TEST(traced_times_of_devices_have_room)
{
    struct sc_parts gpu = {
        .gpu = true, .gpu_time = true, .gpu_idle = true, .gpu_memory = true, .gpu_allocated = true};
    struct sc_parts all = gpu;
    all.await = all.memory = all.memory_curves = all.copies = true;
    for (unsigned width = 80; width <= 250; width++) {
        struct sc_table_layout layout = sc_table_layout_for(&gpu, width, 9999);
        assert_int_equal(table_width(&layout), width);
        assert_int_equal(layout.left_out, 0);
        layout = sc_table_layout_for(&all, width, 9999);
        assert_int_equal(table_width(&layout), width);
        if (width >= 110)
            assert_int_equal(layout.left_out, 0);
    }
    /* exact numbers stay longer than those of the driver */
    struct sc_table_layout layout = sc_table_layout_for(&all, 60, 9999);
    bool has[SC_COLUMN_COUNT_] = {false};
    for (size_t i = 0; i < layout.column_count; i++)
        has[layout.columns[i].column - sc_columns] = true;
    assert_true(has[SC_COLUMN_GPU_TIME] && !has[SC_COLUMN_GPU_MEMORY]);
}

/* A line that runs below an event loop. */
static const struct sc_profile_frame loop_stack[] = {
    ROW(.name = "Handle._run", .file = "/usr/lib/python3.11/asyncio/events.py", .kind = "py",
        .role = SC_CALL_LIBRARY, .line = 80),
    {.name = "main", .file = "/w/naive.py", .kind = "py", .line = 7},
};

static void make_profile(struct sc_profile *profile)
{
    fixture_stack(profile, 90, loop_stack, 2);
    struct sc_file *file = fixture_file(profile, "/w/naive.py");
    profile->memory = profile->gpu = profile->async_profile = true;
    profile->max_footprint_mb = 9000.0;
    profile->elapsed_s = 100.0;
    for (int i = 0; i < 60; i++) {
        struct sc_line *line = fixture_line(
            file, "    value = \"\xe4\xbd\xa0\xe5\xa5\xbd\" + '\033[2J\t' # and so on and on\n", i,
            0.5, 0.0);
        line->cost.peak_mb = 100.0 * i;
        line->cost.usage_fraction = i / 60.0;
        line->cost.copy_mb_s = 1e5 * i;
        line->cost.gpu_percent = i;
        line->cost.gpu_s = i * i * 1e3;
        line->cost.gpu_idle_s = i * 1e-2;
        line->cost.nrt_percent = i;
        line->cost.nrt_time_ms = line->cost.nc_time_ms = i * 1e3;
        line->cost.nc_samples = (uint64_t)i;
        line->cost.gpu_peak_memory_mb = line->cost.gpu_live_peak_mb = i * 1e5;
        line->cost.async_await_percent = i;
    }
    profile->gpu_trace = sc_strdup("CUPTI 12.9");
    profile->gpu_kernel_s = profile->gpu_traced_s = 1e6;
    profile->gpu_copy_s = profile->gpu_busy_s = 1e3;
    struct sc_gpu_device device = {.name = sc_strdup("a device whose name goes on and on for ever"),
                                   .load_percent = 61.0,
                                   .peak_mb = 1e5,
                                   .total_mb = 1e5,
                                   .is_shared_load = true,
                                   .is_shared_memory = true};
    sc_vec_push(&profile->gpu_devices, device);
    sc_vec_push(&profile->gpu_load, (struct sc_footprint){0, 10.0});
    sc_vec_push(&profile->gpu_load, (struct sc_footprint){1000, 90.0});
    fixture_function(file, "main", 1, 50.0, 100.0);
    fixture_thread(profile, "MainThread", 10.0);
    fixture_thread(profile, "a thread with a name that goes on and on and on for ever", 1.0);
    sc_vec_push(&profile->notes, sc_strdup("word word word word word word word word word word "
                                           "word word word word word word word word word word"));
}

/* No line is wider than the terminal, whichever it is. */
TEST(no_line_is_wider_than_asked)
{
    OWN(sc_profile, profile) = {0};
    make_profile(&profile);
    OWN(sc_report, report) = report_of(&profile);
    for (unsigned width = SC_RENDER_MIN_WIDTH; width <= 210; width++) {
        struct sc_render_options options = {width, false, width % 2 == 0};
        OWN(sc_str, out) = {0};
        sc_render_terminal(&report, &options, &out);
        assert_null(memchr(out.data, '\033', out.length));
        for (const char *line = out.data; *line != '\0';) {
            size_t length = strcspn(line, "\n");
            size_t columns = sc_text_width(line, length, 0, true);
            if (columns > width)
                print_error("%u: %.*s\n", width, (int)length, line);
            assert_true(columns <= width);
            line += length + 1;
        }
    }
}

/* All that native threads ever allocated stands beside peaks, and is none. */
TEST(volumes_beside_peaks_are_called_so)
{
    OWN(sc_profile, profile) = {.native_allocations_mb = 134.4};
    struct sc_render_options options = {200, false, true};
    OWN(sc_str, out) = {0};
    make_profile(&profile);
    OWN(sc_report, report) = report_of(&profile);
    sc_render_terminal(&report, &options, &out);
    assert_non_null(strstr(out.data, ", 134.4 MB allocated in all by native threads"));
}

TEST(what_blocks_the_loop_is_listed)
{
    OWN(sc_profile, profile) = {0};
    struct sc_render_options options = {100, false, true};
    OWN(sc_str, out) = {0};
    make_profile(&profile);
    OWN(sc_report, report) = report_of(&profile);
    sc_render_terminal(&report, &options, &out);
    const char *heading = strstr(out.data, "What blocks the event loop?\n");
    assert_non_null(heading);
    const char *row = strchr(heading, '\n') + 1;
    const char *end = strchr(row, '\n');
    const char *place = strstr(row, "100%  /w/naive.py:7  value =");
    assert_true(place != NULL && place < end);
}

TEST(every_number_is_whole_at_every_width)
{
    OWN(sc_profile, profile) = {0};
    make_profile(&profile);
    OWN(sc_report, report) = report_of(&profile);
    for (unsigned width = 80; width <= 200; width += 4) {
        struct sc_render_options options = {width, false, true};
        OWN(sc_str, out) = {0};
        sc_render_terminal(&report, &options, &out);
        for (int i = 11; i < 60; i++) {
            char percent[16];
            (void)snprintf(percent, sizeof(percent), " %d%%", i);
            assert_non_null(strstr(out.data, percent));
        }
        assert_non_null(strstr(out.data, "1000M"));
        assert_non_null(strstr(out.data, "5.76G"));
        assert_non_null(strstr(out.data, "5900k"));
    }
}

TEST(hot_lines_are_marked_without_colour)
{
    OWN(sc_profile, profile) = {.elapsed_s = 1.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "cold()\n", 1.0, 0, 0);
    (void)fixture_line(file, "mild()\n", 4.0, 0, 0);
    (void)fixture_line(file, "warm()\n", 20.0, 0, 0);
    (void)fixture_line(file, "hot()\n", 60.0, 0, 0);
    struct sc_str out = {0};
    struct sc_render_options options = {80, false, false};
    OWN(sc_report, report) = report_of(&profile);
    sc_render_terminal(&report, &options, &out);
    assert_non_null(strstr(out.data, "\n    1 |     1%               | cold()\n"));
    assert_non_null(strstr(out.data, "\n.   2 |     4%               | mild()\n"));
    assert_non_null(strstr(out.data, "\n+   3 |    20%               | warm()\n"));
    assert_non_null(strstr(out.data, "\n#   4 |    60%               | hot()\n"));
    sc_str_done(&out);
    options.color = true;
    sc_render_terminal(&report, &options, &out);
    assert_non_null(strstr(out.data, "\033[1;31m#   4\033[0m"));
    sc_str_done(&out);
}

TESTS_WITHIN(use_utf8, NULL)
