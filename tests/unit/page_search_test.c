/*
 * tests/unit/page_search_test.c - the answer "api/search".
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "page_fixture.h"
#include "report_fixture.h"

/* a.py with three functions, of which the last one costs most, and b.py with many lines. */
static void open_page(struct sc_page *page)
{
    struct sc_profile profile = {.elapsed_s = 10.0};
    profile.root_dir = sc_strdup("/w");
    (void)fixture_file(&profile, "/w/a.py");
    (void)fixture_file(&profile, "/w/f.py");
    struct sc_file *file = &profile.files.items[0];
    (void)fixture_line(file, "def first():\n", 0, 0, 0);
    (void)fixture_line(file, "    for i in x:  # go\n", 5, 0, 0);
    (void)fixture_line(file, "        fib(i)\n", 6, 5, 0);
    fixture_function(file, "few", 1, 0.0, 20.0);
    fixture_function(file, "first", 2, 0.0, 80.0);
    fixture_function(file, "fib", 3, 11.0, 11.0);
    for (int i = 1; i <= 40; i++)
        (void)fixture_line(&profile.files.items[1], "q = 1\n", i, 0, 0);
    sc_page_init(page, &profile, NULL);
}

TEST(names_and_source_are_found_in_any_case)
{
    OWN(sc_page, page);
    open_page(&page);
    answers(&page, "api/search?text=F.py", "places#=1  places.0.kind=file");
    answers(&page, "api/search?text=for+i%20IN", "places#=1  places.0.lineno=2");
    answers(&page, "api/search?text=", "places#=0");
}

TEST(a_librarys_file_is_found_by_its_path_and_by_its_module)
{
    OWN(sc_page, page);
    struct sc_profile profile = {.elapsed_s = 10.0};
    profile.root_dir = sc_strdup("/w/program");
    (void)fixture_file(&profile, "/usr/lib/python3/dist-packages/numpy/core/numeric.py");
    (void)fixture_file(&profile, "/w/program/a.py");
    sc_page_init(&page, &profile, NULL);
    answers(&page, "api/search?text=core%2Fnum", "places#=1  places.0.text=numpy.core.numeric");
    answers(&page, "api/search?text=numeric.py", "places#=1");
    answers(&page, "api/search?text=core.num", "places#=1");
    answers(&page, "api/search?text=program", "places#=0");
}

TEST(functions_come_first_and_cost_decides)
{
    static const char *const expected[] = {
        "function fib", "function first",         "function few",      "file f.py",
        "line fib(i)",  "line for i in x:  # go", "line def first():",
    };
    OWN(sc_page, page);
    open_page(&page);
    json_auto_t *answer = ask(&page, "api/search?text=f");
    has(answer, "places#=7  places.0.percent=11  left_out=0");
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        const json_t *place = json_array_get(json_object_get(answer, "places"), i);
        SC_AUTO_FREE char *kind = text_at(place, "kind");
        SC_AUTO_FREE char *text = text_at(place, "text");
        SC_AUTO_FREE char *found = sc_format("%s %s", kind, text);
        assert_string_equal(found, expected[i]);
    }
}

TEST(what_costs_least_is_left_out)
{
    OWN(sc_page, page);
    open_page(&page);
    json_auto_t *answer = ask(&page, "api/search?text=q");
    has(answer, "places#=30  left_out=10");
    for (int i = 0; i < 30; i++) {
        SC_AUTO_FREE char *expected = sc_format("places.%d.lineno=%d", i, 40 - i);
        has(answer, expected);
    }
}
