/*
 * tests/unit/json_test.c - profiles to JSON and back, and texts that must be refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/json_out.h"
#include "profile_lists.h"
#include "sc_test.h"

static void fill_cost(struct sc_cost *cost, double seed)
{
    cost->cpu_python_percent = seed + 0.1;
    cost->cpu_native_percent = seed + 1.0 / 3;
    cost->system_percent = seed * 1e-7;
    cost->core_utilization = 0.25;
    cost->malloc_mb = 12.5;
    cost->mallocs = 7;
    cost->python_fraction = 0.5;
    cost->is_coroutine = seed > 1;
    cost->time_s[SC_TIME_PYTHON] = 1.25;
    cost->time_s[SC_TIME_OTHER_WAIT] = 0.5;
    cost->wait_s[SC_WAIT_CHILD] = 2;
    cost->gc_s = 0.125;
    cost->freeing_s = 0.375;
    cost->importing_s = 0.625;
    cost->worker_threads_s = 0.25;
    cost->samples = 12345678901;
    cost->cumulative_percent = 99.5;
    cost->cpu_share_error = 0.75;
    cost->gpu_percent = 61;
    cost->gpu_avg_memory_mb = 10;
    cost->gpu_peak_memory_mb = 11;
    cost->gpu_s = 1.5;
    cost->gpu_launches = 123456789012;
    cost->gpu_idle_s = 2.5;
    cost->gpu_to_device_mb = 3.5;
    cost->gpu_from_device_mb = 4.5;
    cost->gpu_malloc_mb = 5.5;
    cost->gpu_live_peak_mb = 6.5;
    if (seed == 1) { /* lines alone have these */
        cost->nrt_percent = 7.5;
        cost->nrt_time_ms = 8.5;
        cost->nc_time_ms = 9.5;
        cost->nc_overlap_percent = 10.5;
        cost->nc_samples = 11;
    }
    sc_vec_push(&cost->cpu_samples, 1.5);
    sc_vec_push(&cost->cpu_samples, 2.5);
    sc_vec_push(&cost->memory_samples, (struct sc_footprint){1234567890123456789, 3.5});
    sc_vec_push(&cost->async_task_names, sc_strdup("Task-\"1\""));
}

static void fill_neuron(struct sc_profile *profile)
{
    profile->neuron_event_count = 12;
    profile->neuron_total_time_ms = 13.5;
    profile->neuron_total_nc_time_ms = 14.5;
    profile->neuron_overlap_percent = 15.5;
}

/* Every field that has a place in the file. */
static void fill_lists(struct sc_profile *profile)
{
    struct sc_profile_frame python = {.name = "f",
                                      .file = "/p/x.py",
                                      .kind = "py",
                                      .role = SC_CALL_LIBRARY,
                                      .address = SC_NO_NUMBER,
                                      .offset = SC_NO_NUMBER,
                                      .line = 3};
    struct sc_profile_frame native = {.name = "g", .file = "/l/c.so", .kind = "native"};
    struct sc_named_stack named = {.count = 2, .share = 0.5};
    sc_vec_push(&named.names, "a b:1;");
    sc_vec_push(&profile->stacks, named);
    struct sc_profile_stack stack = {.count = 3};
    sc_vec_push(&stack.frames, native);
    sc_vec_push(&profile->combined_stacks, stack);
    stack = (struct sc_profile_stack){.mb = 8};
    sc_vec_push(&profile->memory_stacks, stack);
    struct sc_stack_run run = {.start_s = 0.5, .count = 4, .thread = UINT64_C(1) << 60, .stack = 7};
    sc_vec_push(&profile->combined_stacks_timeline, run);
    run.tid = 9;
    sc_vec_push(&profile->combined_stacks_timeline, run);
    sc_vec_push(&profile->call_frames, python);
    sc_vec_push(&profile->call_tree, (struct sc_call_node){0, 0, 1.5, 0.25});
    sc_vec_push(&profile->call_tree, (struct sc_call_node){1, 0, 0.5, 0});
    sc_vec_push(&profile->call_at_peak_mb, 0.25);
    sc_vec_push(&profile->call_at_exit_mb, 0);
    sc_vec_push(&profile->call_moments_s, 0.75);
    sc_vec_push(&profile->call_moments, ((struct sc_call_moment){0, 2, 0.125}));
    sc_vec_push(&profile->call_waiting_s, 0.5);
    sc_vec_push(&profile->call_units, ((struct sc_call_unit){3, 2, 0.25}));
    sc_vec_push(&profile->call_unit_waits, ((struct sc_call_unit){3, 1, 0.5}));
    sc_vec_push(&profile->call_timeline, (struct sc_call_run){0.1, 0.5, 7, 2});
    struct sc_task_place place = {sc_strdup("/p/x.py"), sc_strdup("f"), 17};
    sc_vec_push(&profile->task_places, place);
    struct sc_task_waits waits = {.name = sc_strdup("Task-1"), .pid = 7};
    sc_vec_push(&waits.runs, (struct sc_task_run){0.5, 0.25, 1});
    sc_vec_push(&waits.runs, (struct sc_task_run){1.5, 0.5, 0});
    sc_vec_push(&profile->task_lanes, waits);
    struct sc_profile_track track = {.id = sc_strdup("gc"), .begin_s = 0.5, .slot_s = 0.005};
    sc_vec_push(&track.shares, 1);
    sc_vec_push(&track.shares, 0.25);
    sc_vec_push(&profile->tracks, track);
}

static void fill_profile(struct sc_profile *profile)
{
    profile->program = sc_strdup("/p/pr\xc3\xb6g.py");
    profile->entrypoint_dir = sc_strdup("/p");
    profile->root_dir = sc_strdup("/p");
    sc_vec_push(&profile->args, sc_strdup("prog.py"));
    sc_vec_push(&profile->args, sc_strdup("bytes \xff\x80 and \t tab"));
    profile->args_known = true;
    profile->elapsed_s = 3.25;
    sc_vec_push(&profile->labels, (struct sc_label){sc_strdup("rank"), sc_strdup("3")});
    sc_vec_push(&profile->labels, (struct sc_label){sc_strdup("host"), sc_strdup("n\xc3\xb6")});
    profile->start_time_absolute_s = 1795219226.817861;
    profile->start_time_perf_s = 2107.790637741;
    profile->async_profile = profile->memory = true;
    profile->gpu = true;
    profile->gpu_device = sc_strdup("GPU");
    profile->gpu_trace = sc_strdup("CUPTI 12.9");
    profile->gpu_kernel_s = 1.25;
    profile->gpu_copy_s = 0.25;
    profile->gpu_traced_s = 3;
    profile->gpu_busy_s = 1.375;
    profile->gpu_peak_mb = 2048;
    fill_neuron(profile);
    struct sc_unit_cost unit = {
        .name = sc_strdup("GET /"),
        .count = 3,
        .running = 1,
        .total_s = 1.5,
        .min_s = 0.25,
        .max_s = 0.75,
        .p50_s = 0.5,
        .p99_s = 0.75,
        .cpu_s = 1.25,
        .time_s = {[SC_TIME_NATIVE] = 0.5},
        .wait_s = {[SC_WAIT_IO] = 0.25},
        .allocated_mb = 8,
        .allocated_error_mb = 1,
        .copied_mb = 2,
        .peak_mb = 4,
        .peak_error_mb = 0.5,
        .growth_mb = -1,
        .growth_error_mb = 0.125,
    };
    sc_vec_push(&unit.lines, (struct sc_unit_line){sc_strdup("/p/a.py"), 3, 0.5});
    sc_vec_push(&profile->units, unit);
    sc_vec_push(&profile->gil_waits, (struct sc_gil_wait){.file = sc_strdup("/p/a.py"),
                                                          .lineno = 3,
                                                          .holder_file = sc_strdup("/p/b.py"),
                                                          .holder_lineno = 4,
                                                          .wait_s = 1.75});
    sc_vec_push(&profile->gpu_load, (struct sc_footprint){7, 61.5});
    sc_vec_push(&profile->gpu_memory, (struct sc_footprint){8, 2048});
    struct sc_gpu_device device = {.name = sc_strdup("NVIDIA A100"),
                                   .uuid = sc_strdup("GPU-1"),
                                   .index = 3,
                                   .total_mb = 40960,
                                   .load_percent = 44.5,
                                   .peak_mb = 2048,
                                   .is_shared_load = true};
    sc_vec_push(&profile->gpu_devices, device);
    profile->max_footprint_fname = sc_strdup("/p/x.py");
    profile->max_footprint_lineno = 17;
    profile->growth_rate = -12.5;
    profile->main_thread_id = 140284866874240;
    sc_vec_push(&profile->samples, (struct sc_footprint){5, 6.5});
    fill_lists(profile);
    profile->task_lanes_cut = true;
    profile->call_tree_percent = 98.5;
    profile->call_tree_folded_percent = 0.5;
    profile->python_version = sc_strdup("3.12.1");
    profile->mode = sc_strdup("wall");
    profile->interval_s = 0.01;
    profile->samples_taken = 100;
    profile->samples_waiting = 5;
    for (size_t i = 0; i < SC_LOSS_COUNT_; i++)
        profile->losses[i] = i;
    profile->handler_cpu_s = 0.001;
    profile->observer_cpu_s = 0.002;
    profile->target_cpu_s = 3;
    profile->time_s[SC_TIME_NATIVE] = 2.75;
    profile->wait_s[SC_WAIT_GIL] = 1;
    profile->gc_s = 0.5;
    profile->freeing_s = 0.75;
    profile->importing_s = 1.5;
    profile->ending_s = 0.75;
    profile->native_threads_cpu_s = 4;
    profile->threads_ended = 2;
    struct sc_thread thread = {.name = sc_strdup("MainThread"),
                               .tid = 12,
                               .python_ident = 13,
                               .is_main = true,
                               .has_python = true,
                               .cpu_s = 1.5,
                               .samples = 9};
    thread.time_s[SC_TIME_SLEEP] = 0.5;
    thread.wait_s[SC_WAIT_SLEEP] = 0.5;
    sc_vec_push(&profile->threads, thread);
    sc_vec_push(&profile->hidden_files,
                (struct sc_hidden_file){sc_strdup("/l/json.py"), sc_strdup("library"), 12.5});
    profile->exit_kind = sc_strdup("signal");
    profile->exit_value = 9;
    sc_vec_push(&profile->notes, sc_strdup("a note"));
    profile->refusal_notes = 1;
    struct sc_file file = {.name = sc_strdup("/p/pr\xc3\xb6g.py"), .percent_cpu_time = 95};
    sc_vec_push(&file.imports, sc_strdup("import numpy"));
    sc_vec_push(&file.leaks, (struct sc_leak){9, 0.5, 0});
    sc_vec_push(&file.leaks, (struct sc_leak){10, 0.986, 2.04});
    struct sc_line line = {.lineno = 1, .text = sc_strdup("if a < b & c > d: print(\"\\x\")\n")};
    line.region.start_region_line = line.region.end_region_line = 1;
    line.region.start_outermost_loop = line.region.end_outermost_loop = 2;
    line.region.start_function_line = line.region.end_function_line = 3;
    fill_cost(&line.cost, 1);
    sc_vec_push(&file.lines, line);
    sc_vec_push(&file.lines, (struct sc_line){.lineno = 2, .text = sc_strdup("\n")});
    struct sc_function function = {.name = sc_strdup("outer.<locals>.f"), .lineno = 4};
    fill_cost(&function.cost, 2);
    sc_vec_push(&file.functions, function);
    file.source_changed = true;
    sc_vec_push(&profile->files, file);
    struct sc_file other = {.name = sc_strdup("/p/a\xff.py")};
    sc_vec_push(&profile->files, other);
}

TEST(a_profile_survives_the_way_there_and_back)
{
    OWN(sc_profile, profile) = {0};
    fill_profile(&profile);
    OWN(sc_str, first) = {0};
    sc_profile_to_json(&profile, &first);
    OWN(sc_profile, again) = profile_from(first.data);
    OWN(sc_str, second) = {0};
    sc_profile_to_json(&again, &second);
    assert_string_equal(first.data, second.data);
    assert_false(again.foreign);
    assert_string_equal(again.args.items[1], "bytes \xff\x80 and \t tab");
    assert_int_equal(again.files.count, 2);
    assert_string_equal(again.files.items[0].name, "/p/a\xff.py");
    const struct sc_file *file = &again.files.items[1];
    assert_string_equal(file->name, "/p/pr\xc3\xb6g.py");
    assert_string_equal(file->lines.items[0].text, "if a < b & c > d: print(\"\\x\")\n");
    assert_string_equal(file->functions.items[0].name, "outer.<locals>.f");
    assert_true(file->source_changed);
    assert_true(file->lines.items[0].cost.cpu_native_percent == 1 + 1.0 / 3);
    assert_true(file->lines.items[0].cost.system_percent == 1e-7);
    assert_int_equal(file->lines.items[0].cost.samples, 12345678901);
    assert_int_equal(file->lines.items[0].cost.memory_samples.items[0].time_ns,
                     1234567890123456789);
    assert_true(file->lines.items[0].cost.wait_s[SC_WAIT_CHILD] == 2);
    assert_false(file->lines.items[0].cost.is_coroutine);
    assert_true(file->functions.items[0].cost.is_coroutine);
    assert_int_equal(again.labels.count, 2);
    assert_string_equal(again.labels.items[0].value, "n\xc3\xb6");
    assert_string_equal(again.labels.items[1].name, "rank");
    const struct sc_cost *cost = &file->lines.items[0].cost;
    assert_true(cost->gpu_s == 1.5 && cost->gpu_idle_s == 2.5 && cost->gpu_to_device_mb == 3.5);
    assert_true(cost->gpu_from_device_mb == 4.5 && cost->gpu_malloc_mb == 5.5);
    assert_true(cost->gpu_live_peak_mb == 6.5 && cost->gpu_launches == 123456789012);
    assert_true(cost->nrt_percent == 7.5 && cost->nrt_time_ms == 8.5 && cost->nc_time_ms == 9.5);
    assert_true(cost->nc_overlap_percent == 10.5 && cost->nc_samples == 11);
    assert_true(again.neuron_event_count == 12 && again.neuron_overlap_percent == 15.5);
    assert_true(again.neuron_total_time_ms == 13.5 && again.neuron_total_nc_time_ms == 14.5);
    assert_string_equal(again.gpu_trace, "CUPTI 12.9");
    assert_true(again.gpu_kernel_s == 1.25 && again.gpu_copy_s == 0.25 && again.gpu_traced_s == 3);
    assert_true(again.gpu_busy_s == 1.375 && again.gpu_peak_mb == 2048);
    assert_true(again.gpu_load.items[0].mb == 61.5 && again.gpu_memory.items[0].time_ns == 8);
    assert_int_equal(again.gpu_devices.items[0].index, 3);
    assert_string_equal(again.gpu_devices.items[0].uuid, "GPU-1");
    assert_true(again.gpu_devices.items[0].is_shared_load);
    assert_false(again.gpu_devices.items[0].is_shared_memory);
    assert_int_equal(file->leaks.count, 2);
    for (size_t i = 0; i < 2; i++) /* in whatever order, each under its own line */
        assert_true(file->leaks.items[i].likelihood ==
                    (file->leaks.items[i].lineno == 9 ? 0.5 : 0.986));
    assert_int_equal(again.exit_value, 9);
    assert_int_equal(again.losses[SC_LOSS_COUNT_ - 1], SC_LOSS_COUNT_ - 1);
    assert_true(again.threads.items[0].wait_s[SC_WAIT_SLEEP] == 0.5);
}

TEST(the_text_is_plain_sorted_and_escaped)
{
    OWN(sc_profile, profile) = {0};
    fill_profile(&profile);
    OWN(sc_str, text) = {0};
    sc_profile_to_json(&profile, &text);
    assert_true(sc_starts_with(text.data, "{\n    \"alloc_samples\": 0,\n    \"args\": [\n"));
    assert_true(sc_ends_with(text.data, "\n}\n"));
    assert_non_null(strstr(text.data, "\"line\": \"if a \\\\u003c b \\\\u0026 c \\\\u003e d: "
                                      "print(\\\"\\\\x\\\")\\n\",\n"));
    assert_non_null(strstr(text.data, "\"bytes \\udcff\\udc80 and \\t tab\""));
    assert_non_null(strstr(text.data, "\"line\": \"outer.<locals>.f\""));
    /* keys are sorted as texts: 10 before 9 */
    assert_true(strstr(text.data, "\"10\": {") < strstr(text.data, "\"9\": {"));
}

TEST(an_empty_profile_is_an_empty_object)
{
    OWN(sc_profile, profile) = {.program = sc_strdup("x"), .elapsed_s = 1};
    OWN(sc_str, text) = {0};
    assert_true(sc_profile_is_empty(&profile));
    sc_profile_to_json(&profile, &text);
    assert_string_equal(text.data, "{}\n");
    OWN(sc_profile, again) = profile_from(text.data);
    assert_true(sc_profile_is_empty(&again));
    assert_false(again.foreign);
    sc_profile_done(&again);
    /* what explains it is kept */
    sc_vec_push(&profile.notes, sc_strdup("the program ended at once"));
    sc_str_clear(&text);
    sc_profile_to_json(&profile, &text);
    assert_true(sc_starts_with(text.data, "{\n    \"scalene_c\": {\n"));
    assert_null(strstr(text.data, "\"files\""));
    again = profile_from(text.data);
    assert_true(sc_profile_is_empty(&again));
    assert_int_equal(again.notes.count, 1);
    assert_string_equal(again.notes.items[0], "the program ended at once");
}

TEST(older_and_foreign_profiles_are_read)
{
    OWN(sc_profile, profile) = profile_from(
        "\xef\xbb\xbf{\"files\": {\"b.py\": {\"lines\": [{\"lineno\": 1.0, \"line\": \"x\\n\","
        " \"n_mallocs\": 3.0, \"code_line\": \"?\"}]}, \"a.py\": {\"lines\": [], \"leaks\":"
        " {\"3\": {\"likelihood\": 1}}}}, \"native_stacks\": [1, {\"x\": null}],"
        " \"args\": null, \"max_footprint_lineno\": null, \"stacks\": []}");
    assert_true(profile.foreign);
    assert_false(profile.args_known);
    assert_string_equal(profile.program, "");
    assert_null(profile.python_version);
    assert_string_equal(profile.files.items[0].name, "a.py");
    assert_int_equal(profile.files.items[0].leaks.items[0].lineno, 3);
    assert_int_equal(profile.files.items[1].lines.items[0].cost.mallocs, 3);
    assert_int_equal(profile.stacks.count, 0);
}

/* What each list of fill_lists looks like. */
static const char *const lists[][2] = {
    {"stacks", "[[[\"a b:1;\"],{\"c_time\":0.0,\"count\":2,\"cpu_samples\":0.5,"
               "\"python_time\":0.0}]]"},
    {"combined_stacks", "[[[{\"display_name\":\"g\",\"filename_or_module\":\"/l/c.so\",\"ip\":0,"
                        "\"kind\":\"native\",\"line\":null,\"offset\":0}],3]]"},
    {"memory_stacks", "[[[],8.0]]"},
    {"combined_stacks_timeline",
     "[{\"count\":4,\"stack_index\":7,\"t_sec\":0.5,\"thread_id\":1152921504606846976},"
     "{\"count\":4,\"stack_index\":7,\"t_sec\":0.5,\"thread_id\":1152921504606846976,\"tid\":9}]"},
    {"call_frames", "[{\"display_name\":\"f\",\"filename_or_module\":\"/p/x.py\",\"ip\":null,"
                    "\"kind\":\"py\",\"line\":3,\"offset\":null,\"role\":\"library\"}]"},
    {"call_tree", "[[0,0,1.5,0.25],[1,0,0.5,0.0]]"},
    {"call_at_peak_mb", "[0.25]"},
    {"call_at_exit_mb", "[0.0]"},
    {"call_moments", "[[0,2,0.125]]"},
    {"call_moments_s", "[0.75]"},
    {"call_waiting_s", "[0.5]"},
    {"call_units", "[[3,2,0.25]]"},
    {"call_unit_waits", "[[3,1,0.5]]"},
    {"call_timeline", "[[0.1,0.5,2,7]]"},
    {"task_places", "[[\"/p/x.py\",17,\"f\"]]"},
    {"task_lanes", "[{\"name\":\"Task-1\",\"pid\":7,\"runs\":[[0.5,0.25,1],[1.5,0.5,0]]}]"},
    {"timeline_tracks", "[{\"begin_s\":0.5,\"id\":\"gc\",\"shares\":[1.0,0.25],"
                        "\"slot_s\":0.005}]"},
};

TEST(lists_have_an_item_a_line)
{
    OWN(sc_profile, profile) = {0};
    OWN(sc_str, text) = {0};
    fill_profile(&profile);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        SC_AUTO_FREE char *list = list_of(&profile, lists[i][0]);
        assert_string_equal(list, lists[i][1]);
    }
    sc_profile_to_json(&profile, &text);
    assert_non_null(strstr(text.data, "        \"call_tree\": [\n            [0,0,1.5,0.25],\n"
                                      "            [1,0,0.5,0.0]\n        ],\n"));
}

/* Keys and values that only later versions know are passed over. */
TEST(lists_of_other_versions_are_read)
{
    OWN(sc_profile, profile) = profile_from(
        "{\"files\":{\"a\":{\"lines\":[]}},\"memory_stacks\":[[[{\"b\":null,\"display_name\":"
        "\"\\udc81 \\\\udc81 \\ufdd0 \\ud83d\\ude00 \\ud800\",\"\\u0069p\":7}],0.5,{},[]]],"
        "\"stacks\":[[[],12.0]],\"combined_stacks_timeline\":[{\"tid\":1,\"tid\":2}],"
        "\"scalene_c\":{\"call_tree\":[[0,0,1,0,\"new\"]]}}");
    static const char *const expected[][2] = {
        {"memory_stacks", "[[[{\"display_name\":\"\\udc81 \\\\udc81 \xef\xb7\x90 \xf0\x9f\x98\x80 "
                          "\xef\xbf\xbd\",\"filename_or_module\":null,\"ip\":7,\"kind\":null,"
                          "\"line\":null,\"offset\":null}],0.5]]"},
        {"stacks", "[[[],{\"c_time\":0.0,\"count\":12,\"cpu_samples\":0.0,\"python_time\":0.0}]]"},
        {"combined_stacks_timeline",
         "[{\"count\":0,\"stack_index\":0,\"t_sec\":0.0,\"thread_id\":null,\"tid\":1}]"},
        {"call_tree", "[[0,0,1.0,0.0]]"},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        SC_AUTO_FREE char *list = list_of(&profile, expected[i][0]);
        assert_string_equal(list, expected[i][1]);
    }
}

TEST(strings_of_any_bytes_survive)
{
    static const char *const texts[] = {
        "\x01\x1f\x7f",
        "\xef\xb7\x90",
        ("\xef\xb7\x90"
         "00"),
        "\xef\xb7\x90\xff",
        "\xed\xa0\x80",
        "\xc0\x80",
        "\xf0\x9f\x98\x80 \xf4\x90\x80\x80",
        "\xe2\x82",
        "\\udc80 \\u0026",
        "<\\u003c \\\\u003e \\u005c \\u005cu0026 \\u003 \\u003C &\\",
        "\"\\\r\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        OWN(sc_profile, profile) = {.program = sc_strdup(texts[i])};
        struct sc_file file = {.name = sc_strdup(texts[i]), .source = sc_strdup(texts[i])};
        sc_vec_push(&file.lines, (struct sc_line){.lineno = 9, .text = sc_strdup(texts[i])});
        file.lines.items[0].cost.samples = 1; /* else it is only in the source */
        sc_vec_push(&profile.files, file);
        OWN(sc_str, text) = {0};
        sc_profile_to_json(&profile, &text);
        OWN(sc_profile, again) = profile_from(text.data);
        assert_string_equal(again.program, texts[i]);
        assert_string_equal(again.files.items[0].name, texts[i]);
        const struct sc_line *lines = again.files.items[0].lines.items;
        assert_string_equal(lines[again.files.items[0].lines.count - 1].text, texts[i]);
        assert_int_equal(strncmp(lines[0].text, texts[i], strlen(lines[0].text)), 0);
    }
}

TEST(numbers_are_short_and_exact)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = LIST({0, "0.0"}, {-0.0, "0.0"}, {1, "1.0"}, {0.1, "0.1"}, {-12.5, "-12.5"},
                     {1e-7, "1e-07"}, {1e300, "1e+300"}, {NAN, "0.0"}, {INFINITY, "0.0"},
                     {1.0 / 3, "0.3333333333333333"}, {0.1 + 0.2, "0.30000000000000004"},
                     {0.0001, "0.0001"}, {0.00009, "9e-05"}, {12.007813, "12.007813"},
                     {999999999.999999, "999999999.999999"}, {1e9, "1000000000.0"},
                     {0.0078125001, "0.0078125001"}, {1795219226.817861, "1795219226.817861"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        OWN(sc_str, text) = {0};
        struct sc_json_out out = {.text = &text};
        sc_json_number(&out, cases[i].number);
        assert_string_equal(text.data, cases[i].text);
    }
}
