/*
 * tests/unit/page_test.c - answers of made-up profiles, read back as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "page/standalone.h"
#include "page_fixture.h"
#include "report_fixture.h"

/* Two files: a.py with a loop in a function and a leak, b.py with nothing. */
static struct sc_profile two_files(void)
{
    struct sc_profile profile = {.elapsed_s = 10.0, .memory = true, .max_footprint_mb = 50.0};
    profile.program = sc_strdup("/w/a.py");
    profile.root_dir = sc_strdup("/w");
    profile.max_footprint_fname = sc_strdup("/w/b.py");
    profile.max_footprint_lineno = 1;
    (void)fixture_file(&profile, "/w/a.py");
    (void)fixture_file(&profile, "/w/b.py");
    struct sc_file *file = &profile.files.items[0];
    (void)fixture_line(file, "import os\n", 0, 0, 0);
    (void)fixture_line(file, "def f():\n", 0, 0, 0);
    (void)fixture_line(file, "    for i in x:  # go\n", 5, 0, 0);
    (void)fixture_line(file, "        y = a[i] < b + 1\n", 60, 5, 0);
    (void)fixture_line(file, "    return 1\n", 0, 0, 0);
    (void)fixture_line(file, "\n", 0, 0, 0);
    for (size_t i = 1; i < 5; i++) {
        file->lines.items[i].region.start_function_line = 2;
        file->lines.items[i].region.end_function_line = 5;
    }
    for (size_t i = 2; i < 4; i++) {
        file->lines.items[i].region.start_outermost_loop = 3;
        file->lines.items[i].region.end_outermost_loop = 4;
    }
    file->lines.items[3].cost.peak_mb = 40.0;
    sc_vec_push(&file->lines.items[3].cost.memory_samples, (struct sc_footprint){1000000000, 1.0});
    sc_vec_push(&file->lines.items[3].cost.memory_samples, (struct sc_footprint){2000000000, 4.0});
    sc_vec_push(&file->leaks, (struct sc_leak){4, 0.99, 2.0});
    fixture_function(file, "f", 2, 70.0, 90.0);
    (void)fixture_line(&profile.files.items[1], "z = 1\n", 0, 0, 30);
    return profile;
}

TEST(the_overview_names_files_by_their_cost)
{
    struct sc_profile profile = two_files();
    PAGE(page, "p.json");
    assert_int_equal(profile.files.count, 0);
    answers(&page, "api/overview",
            "path=p.json  title=a.py - scalene  files#=2  files.0.short_name=a.py  "
            "files.0.peak_mb=40  files.0.line_count=6  hot_lines.0.place=a.py:4  "
            "hot_lines.0.file=0  hot_lines.0.percent=65  hot_lines.0.heat=hot  "
            "memory.peak_file=1  memory.leaks.0.lineno=4");
}

TEST(findings_know_their_place)
{
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    answers(&page, "api/overview",
            "path=  findings.0.id=python_loop  findings.0.file=0  findings.0.lineno=3  "
            "findings.0.end_lineno=4  findings.0.can_ask=true");
}

/* The numbers of the rows: a line's number, or minus the size of a gap. */
static void assert_rows(struct sc_page *page, const char *question, const int *expected)
{
    json_auto_t *answer = ask(page, question);
    json_t *rows = json_object_get(answer, "rows");
    size_t count = 0;
    for (; expected[count] != 0; count++) {
        json_t *row = json_array_get(rows, count);
        int gap = (int)json_integer_value(json_object_get(row, "gap"));
        int lineno = (int)json_integer_value(json_object_get(row, "lineno"));
        assert_int_equal(gap != 0 ? -gap : lineno, expected[count]);
    }
    assert_int_equal(json_array_size(rows), count);
}

TEST(modes_choose_the_lines)
{
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    assert_rows(&page, "api/file?file=0&mode=hot", (const int[]){-2, 3, 4, -2, 0});
    assert_rows(&page, "api/file?file=0&mode=functions", (const int[]){-1, 2, 3, 4, 5, -1, 0});
    assert_rows(&page, "api/file?file=0&mode=all", (const int[]){1, 2, 3, 4, 5, 6, 0});
    assert_rows(&page, "api/file?file=0&mode=all&first=4&count=1", (const int[]){5, 0});
    assert_rows(&page, "api/file?mode=all&first=6&file=0", (const int[]){0});
    /* again: now from the cache */
    assert_rows(&page, "api/file?file=0&mode=hot", (const int[]){-2, 3, 4, -2, 0});
}

TEST(a_line_has_its_code_its_cells_and_its_regions)
{
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    json_auto_t *answer = ask(&page, "api/file?file=0&mode=all");
    has(answer, "@4:python=60  @4:native=5  @4:system=  @4:self=65  @4:total=  @4:memory_peak=40  "
                "@4.curve#=2  @4.leak.velocity_mb_s=2  @4.loop.1=4  "
                "@3.code.1=[\"keyword\",\"for\"]");
    char text[64] = "";
    size_t at;
    json_t *pair;
    json_array_foreach(at_path(answer, "@4.code"), at, pair)(void)
        strncat(text, json_string_value(json_array_get(pair, 1)), 20);
    assert_string_equal(text, "        y = a[i] < b + 1");
}

TEST(functions_are_sorted_by_any_column)
{
    struct sc_profile profile = two_files();
    fixture_function(&profile.files.items[1], "g", 1, 10.0, 10.0);
    profile.files.items[1].functions.items[0].cost.peak_mb = 30.0;
    PAGE(page, NULL);
    answers(&page, "api/functions?file=all&sort=time",
            "rows.0.name=f  rows.0.end_lineno=5  rows.0.cumulative_percent=90");
    answers(&page, "api/functions?sort=memory_peak", "rows.0.name=g  rows.0.file=1");
    answers(&page, "api/functions?file=0", "row_count=1");
}

TEST(the_cost_of_a_place_is_whole)
{
    struct sc_profile profile = two_files();
    struct sc_cost *cost = &profile.files.items[0].lines.items[3].cost;
    cost->time_s[SC_TIME_NATIVE] = 1.5;
    cost->wait_s[SC_WAIT_GIL] = 0.25;
    cost->samples = 12;
    PAGE(page, NULL);
    answers(&page, "api/cost?file=0&line=4",
            "time.native=1.5  time.python=  waits.gil=0.25  samples=12  peak_mb=40  gpu_percent=  "
            "await_percent=");
    answers(&page, "api/cost?file=0&function=f", "lineno=2");
}

TEST(lines_that_held_memory_come_by_their_peaks)
{
    struct sc_profile profile = two_files();
    struct sc_cost *cost = &profile.files.items[0].lines.items[3].cost;
    cost->live_at_peak_mb = 30;
    cost->live_at_exit_mb = 2;
    profile.files.items[0].lines.items[2].cost.peak_mb = 50;
    PAGE(page, NULL);
    answers(&page, "api/memory",
            "line_count=2  rows#=2  rows.0.lineno=3  rows.0.peak_mb=50  rows.1.lineno=4  "
            "rows.1.peak_mb=40  rows.1.at_peak_mb=30  rows.1.at_exit_mb=2  rows.1.curve#=2");
}

/* Two devices, one of them not in use, and a line that keeps the other one busy. */
static struct sc_profile with_gpu(void)
{
    struct sc_profile profile = two_files();
    profile.gpu = true;
    profile.gpu_device = sc_strdup("GPU");
    profile.gpu_trace = sc_strdup("CUPTI 12.9");
    profile.gpu_kernel_s = 3.0;
    profile.gpu_copy_s = 1.0;
    profile.gpu_traced_s = 8.0;
    profile.gpu_busy_s = 2.0;
    profile.gpu_peak_mb = 512.0;
    for (uint64_t i = 0; i < 2; i++) {
        struct sc_gpu_device device = {.name = sc_strdup("A100"), .index = i, .total_mb = 1024.0};
        device.load_percent = i == 0 ? 20.0 : 0.0;
        device.is_shared_load = i == 0;
        sc_vec_push(&profile.gpu_devices, device);
    }
    sc_vec_push(&profile.gpu_load, (struct sc_footprint){0, 0.0});
    sc_vec_push(&profile.gpu_load, (struct sc_footprint){5000000000, 50.0});
    struct sc_cost *cost = &profile.files.items[0].lines.items[3].cost;
    cost->gpu_percent = 30.0;
    cost->gpu_s = 2.0;
    cost->gpu_launches = 7;
    cost->gpu_idle_s = 3.0;
    cost->gpu_to_device_mb = 100.0;
    return profile;
}

TEST(devices_are_described)
{
    struct sc_profile profile = with_gpu();
    PAGE(page, NULL);
    answers(&page, "api/overview",
            "gpu.noun=GPU  gpu.trace=CUPTI 12.9  gpu.idle_s=6  gpu.idle_percent=75  "
            "gpu.devices#=2  gpu.devices.0.shared_load=true  gpu.devices.0.shared_memory=false  "
            "gpu.load#=2  gpu.lines.0.lineno=4  gpu.lines.0.gpu_s=2  parts.gpu=true");
    answers(&page, "api/cost?file=0&line=4", "gpu_launches=7  gpu_to_device_mb=100");
    answers(&page, "api/file?file=0&mode=all", "@4:gpu_time=2");
}

TEST(a_track_has_the_devices_load)
{
    struct sc_profile profile = with_gpu();
    PAGE(page, NULL);
    /* 10 s in four parts; from 5 s to the end the load is 50 % */
    answers(&page, "api/timeline?bins=4",
            "tracks#=1  tracks.0.id=gpu  tracks.0.percents=[0,0,50,50]");
    answers(&page, "api/timeline?bins=2&from_s=4&to_s=6", "tracks.0.percents=[0,50]");
}

TEST(wrong_questions_are_refused)
{
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    REFUSES(&page, SC_ANSWER_MISSING, "", "api", "api/nothing", "api/overview/", "api/file?file=2",
            "api/file?file=4000000000", "api/functions?file=2", "api/cost?file=0&line=7",
            "api/cost?file=0&line=0", "api/cost?file=0&function=nobody");
    REFUSES(&page, SC_ANSWER_BAD, "api/file", "api/file?file=", "api/file?file=-1",
            "api/file?file=0x1", "api/file?file=99999999999999999999", "api/file?file=0&mode=other",
            "api/file?file=0&first=-5", "api/file?file=0&count=2001", "api/functions?file=1.5",
            "api/functions?sort=nothing", "api/functions?sort=memory_timeline", "api/cost?line=1",
            "api/cost?file=0&line=a", "api/search", "api/search?text=%zz", "api/search?text=%00");
}

TEST(numbers_and_texts_that_are_none_stay_json)
{
    struct sc_profile profile = {.elapsed_s = NAN, .growth_rate = INFINITY, .memory = true};
    struct sc_file *file = fixture_file(&profile, "bad\xff\xc3(\"\\\n\x01.py");
    struct sc_line *line = fixture_line(file, "x = '\xed\xa0\x80\xf0\x9f\x98'\n", NAN, INFINITY, 5);
    line->cost.copy_mb_s = NAN;
    line->cost.peak_mb = INFINITY;
    sc_vec_push(&file->leaks, (struct sc_leak){1, NAN, INFINITY});
    fixture_function(file, "\xff", 1, 1e300, -INFINITY);
    PAGE(page, "\xfe");
    static const char *const questions[] = {"api/overview", "api/file?file=0&mode=all",
                                            "api/functions", "api/cost?file=0&line=1",
                                            "api/search?text=x"};
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        OWN(sc_str, text) = {0};
        struct sc_err err = {0};
        assert_int_equal(sc_page_ask(&page, questions[i], &text, &err), SC_ANSWER_OK);
        assert_null(strstr(text.data, "nan"));
        assert_null(strstr(text.data, "inf\""));
        for (size_t at = 0; at < text.length; at++)
            assert_true((unsigned char)text.data[at] >= 0x20);
        /* jansson takes no lone surrogates; everything else must be right */
        char *escape;
        while ((escape = strstr(text.data, "\\udc")) != NULL)
            memcpy(escape, "\\u00", 4);
        json_decref(parse(&text));
    }
}

TEST(a_standalone_file_is_bounded_and_says_so)
{
    struct sc_profile profile = {.elapsed_s = 1.0};
    for (int f = 0; f < 2100; f++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "/w/f%04d.py", f);
        struct sc_file *file = fixture_file(&profile, name);
        for (int l = 0; l < 20; l++)
            (void)fixture_line(file, "    x = some_function(a, b)\n", l % 2 ? 2.0 : 0.0, 0, 0);
    }
    OWN(sc_str, html) = {0};
    PAGE(page, NULL);
    sc_page_standalone(&page, SC_PAGE_FILE, &html);
    assert_int_equal(page.left_out.count, 2);
    assert_non_null(strstr(html.data, "\"left_out\":[\"the lines of 1,100 of 2,100 files"));
    assert_true(html.length < 20 * 1024 * 1024);
}

TEST(a_notebooks_page_is_small_and_says_what_it_leaves_out)
{
    struct sc_profile profile = {.elapsed_s = 1.0};
    for (int f = 0; f < 300; f++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "/w/f%04d.py", f);
        struct sc_file *file = fixture_file(&profile, name);
        for (int l = 0; l < 40; l++)
            (void)fixture_line(file, "    x = some_function(a, b)\n", l % 2 ? 2.0 : 0.0, 0, 0);
        for (int l = 0; l < 10; l++) {
            char function[32];
            (void)snprintf(function, sizeof(function), "f%d", l);
            fixture_function(file, function, (unsigned)l * 4 + 1, 1.0, 1.0);
        }
    }
    OWN(sc_str, html) = {0};
    OWN(sc_str, overview) = {0};
    struct sc_err err = {0};
    PAGE(page, NULL);
    sc_page_standalone(&page, SC_PAGE_NOTEBOOK, &html);
    assert_true(html.length < (1 << 20));
    assert_non_null(strstr(html.data, "\"left_out\":[\"the lines of "));
    assert_non_null(strstr(html.data, "of 3,000 functions"));
    assert_non_null(strstr(html.data, "api/functions?file=all&sort=native&first=0&count=500"));
    assert_int_equal(sc_page_ask(&page, "api/overview", &overview, &err), SC_ANSWER_OK);
    assert_non_null(strstr(overview.data, "\"notebook\":true"));
}

TEST(an_empty_profile_has_answers)
{
    struct sc_profile profile = {0};
    OWN(sc_str, html) = {0};
    PAGE(page, NULL);
    answers(&page, "api/overview", "");
    answers(&page, "api/functions?file=all", "");
    answers(&page, "api/search?text=a", "");
    REFUSES(&page, SC_ANSWER_MISSING, "api/file?file=0");
    sc_page_standalone(&page, SC_PAGE_FILE, &html);
    assert_true(html.length > 0);
}
