/*
 * tests/unit/page_test.c - answers of made-up profiles, read back as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        file->lines.items[i].start_function_line = 2;
        file->lines.items[i].end_function_line = 5;
    }
    for (size_t i = 2; i < 4; i++) {
        file->lines.items[i].start_outermost_loop = 3;
        file->lines.items[i].end_outermost_loop = 4;
    }
    file->lines.items[3].cost.peak_mb = 40.0;
    sc_vec_push(&file->lines.items[3].cost.memory_samples, (struct sc_footprint){1000000000, 1.0});
    sc_vec_push(&file->lines.items[3].cost.memory_samples, (struct sc_footprint){2000000000, 4.0});
    sc_vec_push(&file->leaks, (struct sc_leak){4, 0.99, 2.0});
    fixture_function(file, "f", 2, 70.0, 90.0);
    (void)fixture_line(&profile.files.items[1], "z = 1\n", 0, 0, 30);
    return profile;
}

static enum sc_answer refused(struct sc_page *page, const char *question)
{
    struct sc_str text = {0};
    struct sc_err err = {0};
    enum sc_answer status = sc_page_ask(page, question, &text, &err);
    assert_int_equal(text.length, 0);
    assert_int_not_equal(err.kind, SC_ERR_NONE);
    sc_str_done(&text);
    return status;
}

static const char *string(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        fail_msg("no string under %s", key);
    return json_string_value(value);
}

TEST(the_overview_names_files_by_their_cost)
{
    struct sc_profile profile = two_files();
    PAGE(page, "p.json");
    assert_int_equal(profile.files.count, 0);
    json_auto_t *overview = ask(&page, "api/overview");
    assert_string_equal(string(overview, "path"), "p.json");
    assert_string_equal(string(overview, "title"), "a.py - scalene");
    json_t *files = json_object_get(overview, "files");
    assert_int_equal(json_array_size(files), 2);
    assert_string_equal(string(json_array_get(files, 0), "short_name"), "a.py");
    assert_int_equal(number(json_array_get(files, 0), "peak_mb"), 40);
    assert_int_equal(number(json_array_get(files, 0), "line_count"), 6);
    json_t *hot = json_array_get(json_object_get(overview, "hot_lines"), 0);
    assert_string_equal(string(hot, "place"), "a.py:4");
    assert_int_equal(number(hot, "file"), 0);
    assert_int_equal(number(hot, "percent"), 65);
    assert_string_equal(string(hot, "heat"), "hot");
    json_t *memory = json_object_get(overview, "memory");
    assert_int_equal(number(memory, "peak_file"), 1);
    assert_int_equal(number(json_array_get(json_object_get(memory, "leaks"), 0), "lineno"), 4);
}

TEST(findings_know_their_place)
{
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    json_auto_t *overview = ask(&page, "api/overview");
    assert_null(json_object_get(overview, "path"));
    json_t *finding = json_array_get(json_object_get(overview, "findings"), 0);
    assert_string_equal(string(finding, "id"), "python_loop");
    assert_int_equal(number(finding, "file"), 0);
    assert_int_equal(number(finding, "lineno"), 3);
    assert_int_equal(number(finding, "end_lineno"), 4);
    assert_true(json_is_true(json_object_get(finding, "can_ask")));
}

/* The numbers of the rows: a line's number, or minus the size of a gap. */
static void assert_rows(struct sc_page *page, const char *question, const int *expected)
{
    json_auto_t *answer = ask(page, question);
    json_t *rows = json_object_get(answer, "rows");
    size_t count = 0;
    for (; expected[count] != 0; count++) {
        json_t *row = json_array_get(rows, count);
        json_t *gap = json_object_get(row, "gap");
        int found = gap != NULL ? -(int)json_integer_value(gap) : (int)number(row, "lineno");
        assert_int_equal(found, expected[count]);
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
    json_t *row = json_array_get(json_object_get(answer, "rows"), 3);
    json_t *cells = json_object_get(row, "cells");
    assert_int_equal(number(cells, "python"), 60);
    assert_int_equal(number(cells, "native"), 5);
    assert_null(json_object_get(cells, "system"));
    assert_int_equal(number(cells, "self"), 65);
    assert_null(json_object_get(cells, "total"));
    assert_int_equal(number(cells, "memory_peak"), 40);
    assert_int_equal(json_array_size(json_object_get(row, "curve")), 2);
    assert_int_equal(number(json_object_get(row, "leak"), "velocity_mb_s"), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(row, "loop"), 1)), 4);
    char text[64] = "";
    size_t at;
    json_t *pair;
    json_array_foreach(json_object_get(row, "code"), at, pair)(void)
        strncat(text, json_string_value(json_array_get(pair, 1)), 20);
    assert_string_equal(text, "        y = a[i] < b + 1");
    row = json_array_get(json_object_get(answer, "rows"), 2);
    json_t *code = json_object_get(row, "code");
    assert_string_equal(json_string_value(json_array_get(json_array_get(code, 1), 0)), "keyword");
    assert_string_equal(json_string_value(json_array_get(json_array_get(code, 1), 1)), "for");
}

TEST(functions_are_sorted_by_any_column)
{
    struct sc_profile profile = two_files();
    fixture_function(&profile.files.items[1], "g", 1, 10.0, 10.0);
    profile.files.items[1].functions.items[0].cost.peak_mb = 30.0;
    PAGE(page, NULL);
    json_auto_t *answer = ask(&page, "api/functions?file=all&sort=time");
    json_t *row = json_array_get(json_object_get(answer, "rows"), 0);
    assert_string_equal(string(row, "name"), "f");
    assert_int_equal(number(row, "end_lineno"), 5);
    assert_int_equal(number(row, "cumulative_percent"), 90);
    renew(&answer, ask(&page, "api/functions?sort=memory_peak"));
    row = json_array_get(json_object_get(answer, "rows"), 0);
    assert_string_equal(string(row, "name"), "g");
    assert_int_equal(number(row, "file"), 1);
    renew(&answer, ask(&page, "api/functions?file=0"));
    assert_int_equal(number(answer, "row_count"), 1);
}

TEST(the_cost_of_a_place_is_whole)
{
    struct sc_profile profile = two_files();
    struct sc_cost *cost = &profile.files.items[0].lines.items[3].cost;
    cost->time_s[SC_TIME_NATIVE] = 1.5;
    cost->wait_s[SC_WAIT_GIL] = 0.25;
    cost->samples = 12;
    PAGE(page, NULL);
    json_auto_t *answer = ask(&page, "api/cost?file=0&line=4");
    assert_true(fabs(number(json_object_get(answer, "time"), "native") - 1.5) < 1e-9);
    assert_null(json_object_get(json_object_get(answer, "time"), "python"));
    assert_true(fabs(number(json_object_get(answer, "waits"), "gil") - 0.25) < 1e-9);
    assert_int_equal(number(answer, "samples"), 12);
    assert_int_equal(number(answer, "peak_mb"), 40);
    assert_null(json_object_get(answer, "gpu_percent"));
    assert_null(json_object_get(answer, "await_percent"));
    renew(&answer, ask(&page, "api/cost?file=0&function=f"));
    assert_int_equal(number(answer, "lineno"), 2);
}

TEST(lines_that_held_memory_come_by_their_peaks)
{
    struct sc_profile profile = two_files();
    struct sc_cost *cost = &profile.files.items[0].lines.items[3].cost;
    cost->live_at_peak_mb = 30;
    cost->live_at_exit_mb = 2;
    PAGE(page, NULL);
    json_auto_t *answer = ask(&page, "api/memory");
    json_t *rows = json_object_get(answer, "rows");
    json_t *row = json_array_get(rows, 0);
    assert_int_equal(number(answer, "line_count"), json_array_size(rows));
    assert_int_equal(number(row, "lineno"), 4);
    assert_int_equal(number(row, "peak_mb"), 40);
    assert_int_equal(number(row, "at_peak_mb"), 30);
    assert_int_equal(number(row, "at_exit_mb"), 2);
    assert_int_equal(json_array_size(json_object_get(row, "curve")), 2);
    for (size_t i = 1; i < json_array_size(rows); i++)
        assert_true(number(json_array_get(rows, i), "peak_mb") <=
                    number(json_array_get(rows, i - 1), "peak_mb"));
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
    json_auto_t *answer = ask(&page, "api/overview");
    json_t *gpu = json_object_get(answer, "gpu");
    assert_string_equal(json_string_value(json_object_get(gpu, "noun")), "GPU");
    assert_string_equal(json_string_value(json_object_get(gpu, "trace")), "CUPTI 12.9");
    assert_true(fabs(number(gpu, "idle_s") - 6.0) < 1e-9);
    assert_true(fabs(number(gpu, "idle_percent") - 75.0) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(gpu, "devices")), 2);
    json_t *device = json_array_get(json_object_get(gpu, "devices"), 0);
    assert_true(json_is_true(json_object_get(device, "shared_load")));
    assert_true(json_is_false(json_object_get(device, "shared_memory")));
    assert_int_equal(json_array_size(json_object_get(gpu, "load")), 2);
    json_t *line = json_array_get(json_object_get(gpu, "lines"), 0);
    assert_int_equal(number(line, "lineno"), 4);
    assert_true(fabs(number(line, "gpu_s") - 2.0) < 1e-9);
    assert_true(json_is_true(json_object_get(json_object_get(answer, "parts"), "gpu")));
    renew(&answer, ask(&page, "api/cost?file=0&line=4"));
    assert_int_equal(number(answer, "gpu_launches"), 7);
    assert_true(fabs(number(answer, "gpu_to_device_mb") - 100.0) < 1e-9);
    renew(&answer, ask(&page, "api/file?file=0&mode=all"));
    json_t *row = json_array_get(json_object_get(answer, "rows"), 3);
    assert_true(fabs(number(json_object_get(row, "cells"), "gpu_time") - 2.0) < 1e-9);
}

TEST(a_track_has_the_devices_load)
{
    struct sc_profile profile = with_gpu();
    PAGE(page, NULL);
    json_auto_t *answer = ask(&page, "api/timeline?bins=4");
    json_t *tracks = json_object_get(answer, "tracks");
    assert_int_equal(json_array_size(tracks), 1);
    json_t *track = json_array_get(tracks, 0);
    assert_string_equal(json_string_value(json_object_get(track, "id")), "gpu");
    json_t *percents = json_object_get(track, "percents");
    /* 10 s in four parts; from 5 s to the end the load is 50 % */
    const int expected[] = {0, 0, 50, 50};
    assert_int_equal(json_array_size(percents), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(json_integer_value(json_array_get(percents, i)), expected[i]);
    renew(&answer, ask(&page, "api/timeline?bins=2&from_s=4&to_s=6"));
    percents = json_object_get(json_array_get(json_object_get(answer, "tracks"), 0), "percents");
    assert_int_equal(json_integer_value(json_array_get(percents, 0)), 0);
    assert_int_equal(json_integer_value(json_array_get(percents, 1)), 50);
}

TEST(wrong_questions_are_refused)
{
    static const char *const missing[] = {
        "",
        "api",
        "api/nothing",
        "api/overview/",
        "api/file?file=2",
        "api/file?file=4000000000",
        "api/functions?file=2",
        "api/cost?file=0&line=7",
        "api/cost?file=0&line=0",
        "api/cost?file=0&function=nobody",
    };
    static const char *const bad[] = {
        "api/file",
        "api/file?file=",
        "api/file?file=-1",
        "api/file?file=0x1",
        "api/file?file=99999999999999999999",
        "api/file?file=0&mode=other",
        "api/file?file=0&first=-5",
        "api/file?file=0&count=2001",
        "api/functions?file=1.5",
        "api/functions?sort=nothing",
        "api/functions?sort=memory_timeline",
        "api/cost?line=1",
        "api/cost?file=0&line=a",
        "api/search",
        "api/search?text=%zz",
        "api/search?text=%00",
    };
    struct sc_profile profile = two_files();
    PAGE(page, NULL);
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
        assert_int_equal(refused(&page, missing[i]), SC_ANSWER_MISSING);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(refused(&page, bad[i]), SC_ANSWER_BAD);
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

TEST(a_standalone_file_cannot_be_broken_out_of)
{
    struct sc_profile profile = two_files();
    free(profile.files.items[0].lines.items[3].text);
    profile.files.items[0].lines.items[3].text =
        sc_strdup("x = '</script><script>alert(1)</script><!--'\n");
    OWN(sc_str, html) = {0};
    PAGE(page, "</script>");
    sc_page_standalone(&page, SC_PAGE_FILE, &html);
    size_t ends = 0;
    for (const char *at = html.data; (at = strstr(at, "</script")) != NULL; at++)
        ends++;
    assert_int_equal(ends, 2); /* of the answers and of the script */
    assert_null(strstr(html.data, "<!--"));
    assert_non_null(strstr(html.data, "Content-Security-Policy"));
    assert_null(strstr(html.data, "src=\"app.js\""));
    /* the answers can be read back */
    static const char begin[] = "id=\"answers\">";
    const char *data = strstr(html.data, begin) + strlen(begin);
    OWN(sc_str, text) = {0};
    sc_str_add_bytes(&text, data, (size_t)(strstr(data, "</script>") - data));
    json_auto_t *answers = parse(&text);
    json_t *overview = json_object_get(answers, "api/overview");
    assert_true(json_is_false(json_object_get(overview, "served")));
    assert_null(json_object_get(overview, "left_out"));
    assert_non_null(json_object_get(answers, "api/file?file=0&mode=all&first=0&count=500"));
    assert_non_null(json_object_get(answers, "api/file?file=1&mode=hot&first=0&count=500"));
    assert_non_null(json_object_get(answers, "api/functions?file=all&sort=time&first=0&count=500"));
    assert_non_null(json_object_get(answers, "api/cost?file=0&line=4"));
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
    json_decref(ask(&page, "api/overview"));
    json_decref(ask(&page, "api/functions?file=all"));
    json_decref(ask(&page, "api/search?text=a"));
    assert_int_equal(refused(&page, "api/file?file=0"), SC_ANSWER_MISSING);
    sc_page_standalone(&page, SC_PAGE_FILE, &html);
    assert_true(html.length > 0);
}
