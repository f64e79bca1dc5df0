/*
 * tests/unit/report_file_test.c - which rows a file's table has, and memory curves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "report/report.h"
#include "report_fixture.h"
#include "sc_test.h"

TEST(heat_follows_the_share)
{
    assert_int_equal(sc_heat_of(2.9), SC_HEAT_NONE);
    assert_int_equal(sc_heat_of(3.0), SC_HEAT_MILD);
    assert_int_equal(sc_heat_of(10.0), SC_HEAT_WARM);
    assert_int_equal(sc_heat_of(32.9), SC_HEAT_WARM);
    assert_int_equal(sc_heat_of(33.0), SC_HEAT_HOT);
    struct sc_cost cost = {.cpu_python_percent = 20.0, .gpu_percent = 13.0, .usage_fraction = 0.4};
    struct sc_parts parts = {.device_s = 0.0};
    assert_int_equal(sc_cost_time_heat(&parts, &cost), SC_HEAT_HOT);
    /* of a traced device it is the share of its work that counts, not how busy it was meanwhile */
    parts.device_s = 10.0;
    assert_int_equal(sc_cost_time_heat(&parts, &cost), SC_HEAT_WARM);
    cost.gpu_s = 4.0;
    assert_int_equal(sc_cost_time_heat(&parts, &cost), SC_HEAT_HOT);
    assert_int_equal(sc_cost_memory_heat(&parts, &cost), SC_HEAT_HOT);
}

/* Memory that is allocated once and kept is next to nothing of all that was allocated. */
TEST(memory_that_is_kept_is_hot)
{
    struct sc_parts parts = {.memory = true, .peak_mb = 200.0};
    struct sc_cost kept = {.peak_mb = 172.0, .usage_fraction = 0.001};
    struct sc_cost passing = {.peak_mb = 2.0, .usage_fraction = 0.9};
    assert_int_equal(sc_cost_memory_heat(&parts, &kept), SC_HEAT_HOT);
    assert_int_equal(sc_cost_memory_heat(&parts, &passing), SC_HEAT_HOT);
    assert_true(sc_cost_is_active(&parts, &kept));
    kept.peak_mb = 1.9;
    assert_int_equal(sc_cost_memory_heat(&parts, &kept), SC_HEAT_NONE);
    assert_false(sc_cost_is_active(&parts, &kept));
    parts.peak_mb = 0.0;
    assert_int_equal(sc_cost_memory_heat(&parts, &kept), SC_HEAT_NONE);
}

/* The list is one of peaks, so its marks are, too. */
TEST(lines_of_memory_are_marked_by_their_peaks)
{
    OWN(sc_profile, profile) = {.memory = true, .max_footprint_mb = 200.0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    fixture_line(file, "kept\n", 0.0, 0.0, 1.0)->cost.peak_mb = 172.0;
    struct sc_line *passing = fixture_line(file, "passing\n", 90.0, 0.0, 0.0);
    passing->cost.peak_mb = 2.0;
    passing->cost.usage_fraction = 0.9;
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_hots *lines = &report.overview.memory_lines;
    assert_int_equal(lines->count, 2);
    assert_int_equal(lines->items[0].heat, SC_HEAT_HOT);
    assert_int_equal(lines->items[1].heat, SC_HEAT_NONE);
}

TEST(files_come_most_expensive_first)
{
    OWN(sc_profile, profile) = {0};
    (void)fixture_line(fixture_file(&profile, "a.py"), "x\n", 5, 0, 0);
    (void)fixture_line(fixture_file(&profile, "b.py"), "x\n", 50, 0, 0);
    (void)fixture_line(fixture_file(&profile, "c.py"), "x\n", 5, 0, 0);
    OWN(sc_report, report) = report_of(&profile);
    assert_string_equal(report.files.items[0].file->name, "b.py");
    assert_string_equal(report.files.items[1].file->name, "a.py");
    assert_string_equal(report.files.items[2].file->name, "c.py");
}

TEST(a_reduced_table_has_gaps)
{
    OWN(sc_profile, profile) = {0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    double shares[] = {0.0, 0.9, 1.0, 40.0, 0.0, 2.0, 0.0, 0.0};
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        (void)fixture_line(file, "x\n", 0.0, 0.0, shares[i]);
    OWN(sc_report, report);
    sc_report_init(&report, &profile, true);
    const struct sc_report_file *table = &report.files.items[0];
    static const uint32_t expected[] = {0, 3, 4, 0, 6, 0}; /* 0: a gap */
    assert_int_equal(table->rows.count, sizeof(expected) / sizeof(expected[0]));
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct sc_row *row = &table->rows.items[i];
        assert_int_equal(row->kind == SC_ROW_GAP ? 0 : row->line->lineno, expected[i]);
    }
    assert_int_equal(table->rows.items[2].time_heat, SC_HEAT_HOT);
    sc_report_done(&report);
    sc_report_init(&report, &profile, false);
    assert_int_equal(report.files.items[0].rows.count, 8);
    assert_int_equal(report.files.items[0].last_lineno, 8);
}

/* Rows and highlighted lines must stay in step. */
/* As where the code of a tool itself is shown. */
TEST(of_many_files_and_functions_the_first_and_the_warm_are_in_the_short_view)
{
    enum { COUNT = 30, FIRST = 10 };
    OWN(sc_profile, profile) = {.memory = true, .max_footprint_mb = 100.0};
    for (int i = 0; i < COUNT; i++) {
        SC_AUTO_FREE char *name = sc_format("%02d.py", i);
        struct sc_file *file = fixture_file(&profile, name);
        struct sc_line *line = fixture_line(file, "x\n", i < 15 ? 2.0 : 0.1, 0, 0);
        line->cost.peak_mb = i == COUNT - 1 ? 60.0 : 0.0;
        file->percent_cpu_time = i < 15 ? 2.0 : 0.1;
        for (uint32_t k = 0; k < COUNT; k++) {
            struct sc_function function = {.name = sc_format("f%02u", k), .lineno = k + 1};
            function.cost.cpu_python_percent = 1.0;
            function.cost.peak_mb = k == COUNT - 1 ? 60.0 : 0.0;
            sc_vec_push(&file->functions, function);
        }
    }
    for (int reduced = 0; reduced < 2; reduced++) {
        OWN(sc_report, report);
        sc_report_init(&report, &profile, reduced == 1);
        assert_int_equal(report.files_left_out, reduced == 1 ? COUNT - FIRST - 1 : 0);
        for (size_t i = 0; i < COUNT; i++) {
            bool stays = reduced == 0 || i < FIRST || i == COUNT - 1;
            assert_int_equal(report.files.items[i].is_left_out, !stays);
        }
        const struct sc_report_file *first = &report.files.items[0];
        assert_int_equal(first->functions.count, reduced == 1 ? FIRST + 1 : COUNT);
        assert_int_equal(first->functions_left_out, COUNT - first->functions.count);
        const struct sc_function_row *last = &first->functions.items[first->functions.count - 1];
        assert_string_equal(last->function->name, "f29");
    }
}

TEST(every_record_is_one_line_of_source)
{
    OWN(sc_profile, profile) = {0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    (void)fixture_line(file, "one\rstill one\r\n", 1, 0, 0);
    (void)fixture_line(file, "two\nstill two\n", 1, 0, 0);
    (void)fixture_line(file, "no end", 1, 0, 0);
    (void)fixture_line(file, "", 1, 0, 0);
    (void)fixture_line(file, "last\n", 1, 0, 0);
    free(file->lines.items[3].text);
    file->lines.items[3].text = NULL;
    OWN(sc_report, report) = report_of(&profile);
    assert_string_equal(report.files.items[0].source,
                        "one still one\ntwo still two\nno end\n\nlast\n");
}

TEST(functions_without_a_number_or_a_total_are_left_out)
{
    OWN(sc_profile, profile) = {0};
    struct sc_file *file = fixture_file(&profile, "a.py");
    fixture_function(file, "cold", 1, 0.4, 0.9);
    fixture_function(file, "main", 2, 0.4, 80.0);
    fixture_function(file, "warm", 3, 12.0, 12.0);
    fixture_function(file, "hot", 9, 60.0, 60.0);
    OWN(sc_report, report) = report_of(&profile);
    const struct sc_report_file *table = &report.files.items[0];
    assert_int_equal(table->functions.count, 3);
    assert_string_equal(table->functions.items[0].function->name, "hot");
    assert_string_equal(table->functions.items[2].function->name, "main");
}

TEST(names_are_relative_to_the_program)
{
    OWN(sc_profile, profile) = {.root_dir = sc_strdup("/home/p")};
    assert_string_equal(sc_report_name(&profile, "/home/p/lib/a.py"), "lib/a.py");
    assert_string_equal(sc_report_name(&profile, "/home/pp/a.py"), "/home/pp/a.py");
    assert_string_equal(sc_report_name(&profile, "/home/p"), "/home/p");
    assert_string_equal(sc_report_name(&profile, "<string>"), "<string>");
    profile.root_dir[1] = '\0'; /* "/" */
    assert_string_equal(sc_report_name(&profile, "/a.py"), "a.py");
}

TEST(modules_are_named_as_they_are_imported)
{
    OWN(sc_profile, profile) = {.root_dir = sc_strdup("/home/p")};
    static const char *const expected[][2] = {
        {"/usr/lib/python3/dist-packages/yaml/nodes.py", "yaml.nodes"},
        {"/home/p/.venv/lib/python3.11/site-packages/numpy/__init__.py", "numpy"},
        {"/usr/local/lib/python3.13t/json/decoder.py", "json.decoder"},
        {"<frozen importlib._bootstrap>", "importlib._bootstrap"},
        {"/home/p/app/models/__init__.py", "app.models"},
        {"/home/p/main.py", "main"},
        {"/elsewhere/tool.py", "tool"},
        {"/elsewhere/tool/__init__.py", "tool"},
        {"<string>", "<string>"},
        {"/usr/lib/python3.11/", ""},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        SC_AUTO_FREE char *module = sc_module_name(&profile, expected[i][0]);
        assert_string_equal(module, expected[i][1]);
        SC_AUTO_FREE char *library = sc_library_module(expected[i][0]);
        assert_true((library != NULL) == (i < 4));
    }
}

TEST(libraries_are_shown_as_modules)
{
    struct sc_profile profile = {.root_dir = sc_strdup("/home/p")};
    static const char *const expected[][2] = {
        {"/usr/lib/python3.11/json/decoder.py", "json.decoder"},
        {"/home/p/.venv/lib/python3.11/site-packages/numpy/core/numeric.py", "numpy.core.numeric"},
        {"/home/p/app/models/__init__.py", "app/models/__init__.py"},
        {"/elsewhere/tool.py", "/elsewhere/tool.py"},
        {"<string>", "<string>"},
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        SC_AUTO_FREE char *name = sc_shown_name(&profile, expected[i][0]);
        assert_string_equal(name, expected[i][1]);
    }
    sc_profile_done(&profile);
    profile = (struct sc_profile){.root_dir = sc_strdup("/usr/lib/python3/dist-packages/pip")};
    SC_AUTO_FREE char *own = sc_shown_name(&profile, "/usr/lib/python3/dist-packages/pip/main.py");
    assert_string_equal(own, "main.py");
    sc_profile_done(&profile);
}

TEST(curves_show_the_highest_of_equal_spans)
{
    struct sc_footprint points[] = {{0, 0.0}, {10, 7.0}, {20, 2.0}, {90, 14.0}, {100, 14.0}};
    unsigned char levels[4];
    assert_true(sc_curve_levels(points, 5, 14.0, 7, levels, 4));
    assert_int_equal(levels[0], 4); /* 7 of 14 */
    assert_int_equal(levels[1], 1); /* nothing new: 2 still holds */
    assert_int_equal(levels[2], 1);
    assert_int_equal(levels[3], 7);
    assert_false(sc_curve_levels(points, 1, 14.0, 7, levels, 4));
    assert_false(sc_curve_levels(points, 5, 0.0, 7, levels, 4));
    struct sc_footprint still[] = {{5, 1.0}, {5, 2.0}};
    assert_false(sc_curve_levels(still, 2, 2.0, 7, levels, 4));
}
