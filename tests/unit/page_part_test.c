/*
 * tests/unit/page_part_test.c - answers about a part of the run: a span of time, a thread, waiting
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "page/selection.h"
#include "page_fixture.h"

#define PY(name, line)                                                                             \
    "{\"kind\":\"py\",\"display_name\":\"" name "\",\"filename_or_module\":\"/p/a.py\",\"line\":"  \
    "" line "}"
#define NATIVE(name, module)                                                                       \
    "{\"kind\":\"native\",\"display_name\":\"" name "\",\"filename_or_module\":\"" module "\"}"
#define RUN(count, stack, t, thread)                                                               \
    "{\"count\":" count ",\"stack_index\":" stack ",\"t_sec\":" t ",\"thread_id\":" thread "}"

/* main calls work for three seconds, which calls itself in the third; then it waits for one. A
 * second thread is in work all the time. Line 8 has 55 % of the run, line 5 too little for a cell,
 * and memory. */
#define FILES                                                                                      \
    "\"files\":{\"/p/a.py\":{\"percent_cpu_time\":60,\"functions\":["                              \
    "{\"lineno\":1,\"line\":\"main\",\"n_cpu_percent_python\":0.1},"                               \
    "{\"lineno\":7,\"line\":\"work\",\"n_cpu_percent_python\":55}],\"lines\":["                    \
    "{\"lineno\":1,\"line\":\"def\",\"start_function_line\":1,\"end_function_line\":6},"           \
    "{\"lineno\":3,\"line\":\"work()\",\"n_cumulative_percent\":55},"                              \
    "{\"lineno\":5,\"line\":\"wait()\",\"n_sys_percent\":0.2,\"n_peak_mb\":9,"                     \
    "\"n_usage_fraction\":1},"                                                                     \
    "{\"lineno\":7,\"line\":\"def\",\"start_function_line\":7,\"end_function_line\":9},"           \
    "{\"lineno\":8,\"line\":\"x\",\"n_cpu_percent_python\":55}]}}"
#define STACKS                                                                                          \
    "\"combined_stacks\":[[[" PY("main", "3") "," PY("work", "8") "," NATIVE(                           \
        "sum",                                                                                          \
        "/lib/c.so") "],200],[[" PY("main",                                                             \
                                    "3") "," PY("work",                                                 \
                                                "8") "," PY("work",                                     \
                                                            "8") "],100],"                              \
                                                                 "[[" PY("main", "5") "," NATIVE(       \
                                                                     "[kernel]",                        \
                                                                     "[kernel]") "],100],[[" PY("work", \
                                                                                                "8") "],400]]"
#define TIMELINE                                                                                   \
    "\"combined_stacks_timeline\":[" RUN("200", "0", "0", "1") "," RUN(                            \
        "100", "1", "2", "1") "," RUN("100", "2", "3", "1") "," RUN("400", "3", "0", "2") "]"
#define REST                                                                                       \
    "\"elapsed_time_sec\":4,\"main_thread_id\":1,\"max_footprint_mb\":10,\"memory\":true,"         \
    "\"scalene_c\":{\"interval_s\":0.01,\"samples\":800,\"timeline_start_s\":0}"

static const char with_timeline[] = "{" FILES "," STACKS "," TIMELINE "," REST "}";
static const char without_timeline[] = "{" FILES "," STACKS "," REST "}";

static void open_page(struct sc_page *page, const char *text)
{
    struct sc_profile profile = {0};
    assert_true(sc_profile_from_json(text, strlen(text), &profile, NULL));
    sc_page_init(page, &profile, NULL);
}

static void assert_refused(struct sc_page *page, const char *question, enum sc_answer status)
{
    OWN(sc_str, answer) = {0};
    struct sc_err err = {0};
    assert_int_equal(sc_page_ask(page, question, &answer, &err), status);
}

/* The row of a line or a function that begins there; NULL: none. */
static const json_t *row_of(const json_t *answer, int lineno)
{
    const json_t *rows = json_object_get(answer, "rows");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (json_integer_value(json_object_get(row, "lineno")) == lineno)
            return row;
    }
    return NULL;
}

/* -1: a blank cell. */
static double cell(const json_t *answer, int lineno, const char *column)
{
    const json_t *cells = json_object_get(row_of(answer, lineno), "cells");
    const json_t *value = json_object_get(cells, column);
    return value != NULL ? json_number_value(value) : -1;
}

TEST(lines_have_the_times_of_a_span)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    json_auto_t *answer = ask(&page, "api/file?file=0&mode=all&from_s=2&to_s=4&thread=1");
    assert_float_equal(cell(answer, 8, "self"), 50, 1e-6);
    assert_float_equal(cell(answer, 8, "python"), 50, 1e-6);
    assert_float_equal(cell(answer, 8, "total"), 50, 1e-6); /* not twice for the recursion */
    assert_float_equal(cell(answer, 3, "total"), 50, 1e-6);
    assert_float_equal(cell(answer, 3, "self"), -1, 0);
    assert_float_equal(cell(answer, 5, "system"), 50, 1e-6);
    assert_string_equal(json_string_value(json_object_get(row_of(answer, 5), "heat")), "hot");
    assert_string_equal(json_string_value(json_object_get(row_of(answer, 5), "memory_heat")),
                        "none");
    renew(&answer, ask(&page, "api/file?file=0&mode=all&from_s=0&to_s=1&thread=1"));
    assert_float_equal(cell(answer, 8, "native"), 100, 1e-6);
    assert_float_equal(cell(answer, 5, "self"), -1, 0);
    renew(&answer, ask(&page, "api/file?file=0&mode=all"));
    assert_float_equal(cell(answer, 8, "self"), 55, 1e-6);
}

/* The first rows are those of the part, not those that cost something in the whole run. */
TEST(hot_lines_are_those_of_the_span)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    json_auto_t *answer = ask(&page, "api/file?file=0&mode=hot&from_s=3&to_s=4&thread=1");
    assert_non_null(row_of(answer, 5));
    assert_null(row_of(answer, 8));
    const json_t *marks = json_object_get(answer, "marks");
    assert_int_equal(json_array_size(marks), 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(marks, 0), 1)), 5);
}

TEST(functions_are_sorted_by_their_time_in_the_span)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    json_auto_t *answer = ask(&page, "api/functions?sort=total&from_s=2&to_s=4&thread=1");
    const json_t *first = json_array_get(json_object_get(answer, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "main");
    assert_float_equal(cell(answer, 1, "total"), 100, 1e-6);
    assert_float_equal(cell(answer, 1, "self"), 50, 1e-6);
    assert_float_equal(cell(answer, 7, "total"), 50, 1e-6);
    renew(&answer, ask(&page, "api/functions?sort=time&from_s=3&to_s=4&thread=1"));
    assert_non_null(row_of(answer, 1));
    assert_null(row_of(answer, 7));
}

TEST(callers_and_callees_are_those_of_the_span)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    json_auto_t *answer = ask(&page, "api/calls?file=0&line=8&from_s=0&to_s=4&thread=1");
    assert_float_equal(number(answer, "percent"), 75, 1e-6);
    const json_t *callee = json_array_get(json_object_get(answer, "callees"), 0);
    assert_string_equal(json_string_value(json_object_get(callee, "name")), "sum");
    renew(&answer, ask(&page, "api/calls?file=0&line=8&from_s=3&to_s=4&thread=1"));
    assert_float_equal(number(answer, "percent"), 0, 1e-9);
}

TEST(a_part_says_what_it_is)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    json_auto_t *answer = ask(&page, "api/part?from_s=2&to_s=99");
    assert_float_equal(json_number_value(json_object_get(answer, "to_s")), 4, 1e-6);
    assert_float_equal(number(answer, "total"), 4, 1e-6);
    const json_t *file = json_array_get(json_object_get(answer, "files"), 0);
    assert_float_equal(json_number_value(json_array_get(file, 1)), 100, 1e-3);
    const json_t *kinds = json_object_get(answer, "kinds");
    assert_float_equal(json_number_value(json_object_get(kinds, "python")), 75, 1e-3);
    assert_float_equal(json_number_value(json_object_get(kinds, "system")), 25, 1e-3);
    const json_t *lines = json_object_get(answer, "hot_lines");
    assert_int_equal(json_array_size(lines), 2);
    const json_t *line = json_array_get(lines, 0);
    assert_int_equal(json_integer_value(json_object_get(line, "lineno")), 8);
    assert_float_equal(json_number_value(json_object_get(line, "percent")), 75, 1e-3);
    const json_t *waits = json_array_get(json_object_get(answer, "hot_functions"), 1);
    assert_string_equal(json_string_value(json_object_get(waits, "text")), "main");
    assert_float_equal(json_number_value(json_object_get(waits, "percent")), 25, 1e-3);
    assert_float_equal(json_number_value(json_object_get(waits, "cumulative_percent")), 50, 1e-3);
    renew(&answer, ask(&page, "api/part?thread=77"));
    assert_float_equal(number(answer, "total"), 0, 1e-9);
    assert_int_equal(json_array_size(json_object_get(answer, "files")), 0);
    assert_refused(&page, "api/part", SC_ANSWER_BAD);
    assert_refused(&page, "api/file?file=0&from_s=x", SC_ANSWER_BAD);
}

TEST(a_file_without_a_server_holds_threads_and_spans)
{
    static const char *const held[] = {
        "api/part?from_s=0&to_s=2",
        "api/part?from_s=3.75&to_s=4",
        "api/part?thread=2",
        "api/stacks?kind=time&from_s=2&to_s=4",
        "api/stacks?kind=time&thread=1",
        "api/file?file=0&mode=hot&first=0&count=500&from_s=2&to_s=4",
        "api/functions?file=all&sort=time&first=0&count=500&thread=1",
    };
    OWN(sc_page, page);
    OWN(sc_str, members) = {0};
    open_page(&page, with_timeline);
    sc_page_select(&page, SC_PAGE_FILE, &members);
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
        assert_non_null(strstr(members.data, held[i]));
    members.length = 0;
    sc_page_select(&page, SC_PAGE_NOTEBOOK, &members);
    assert_null(strstr(members.data, "api/part?from_s"));
}

TEST(without_a_timeline_there_are_no_parts)
{
    OWN(sc_page, page);
    open_page(&page, without_timeline);
    assert_refused(&page, "api/part?from_s=2&to_s=4", SC_ANSWER_MISSING);
    assert_refused(&page, "api/functions?from_s=2&to_s=4", SC_ANSWER_MISSING);
    json_auto_t *answer = ask(&page, "api/file?file=0&mode=all");
    assert_float_equal(cell(answer, 8, "self"), 55, 1e-6);
}

/* Parts are kept for the next question, and replaced: neither may mix with another. */
TEST(many_parts_are_told_from_each_other)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    for (int round = 0; round < 3; round++) {
        for (int at = 0; at < 4; at++) {
            char question[100];
            (void)snprintf(question, sizeof(question),
                           "api/file?file=0&mode=all&from_s=%d&to_s=%d&thread=1", at, at + 1);
            json_auto_t *answer = ask(&page, question);
            assert_float_equal(cell(answer, 8, "native"), at < 2 ? 100 : -1, 1e-6);
            assert_float_equal(cell(answer, 8, "python"), at == 2 ? 100 : -1, 1e-6);
            assert_float_equal(cell(answer, 5, "system"), at == 3 ? 100 : -1, 1e-6);
        }
    }
}

/* Comprehensions are code of their own up to CPython 3.11, and have no class in their name up to
 * 3.10: the line says which function they are part of. */
TEST(a_comprehension_is_part_of_its_function)
{
    static const char nested[] =
        "{\"files\":{\"/p/a.py\":{\"functions\":[{\"lineno\":1,\"line\":\"Frame.append\"},"
        "{\"lineno\":4,\"line\":\"Frame.append.<locals>.part\"}],\"lines\":["
        "{\"lineno\":1,\"line\":\"def\",\"start_function_line\":1,\"end_function_line\":6},"
        "{\"lineno\":4,\"line\":\"def\",\"start_function_line\":4,\"end_function_line\":5,"
        "\"n_cumulative_percent\":25}],"
        "\"percent_cpu_time\":9}},\"elapsed_time_sec\":4,"
        "\"combined_stacks\":[[[" PY("append", "2") "," PY("<listcomp>", "3") "],300],[[" PY(
            "<listcomp>", "5") "," PY("<lambda>", "9") "],100]],\"combined_stacks_timeline\":"
                                                       "[" RUN("300", "0", "0", "1") "," RUN(
                                                           "100", "1", "3", "1") "]," REST "}";
    OWN(sc_page, page);
    open_page(&page, nested);
    json_auto_t *answer = ask(&page, "api/functions?from_s=0&to_s=4");
    assert_float_equal(cell(answer, 1, "self"), 75, 1e-6);
    assert_float_equal(cell(answer, 1, "total"), 75, 1e-6);
    assert_float_equal(cell(answer, 4, "total"), 25, 1e-6);
}

/* waits waits for 2.5 s of its 3 s, and computes never. */
static const char with_waiting[] =
    "{" FILES ",\"elapsed_time_sec\":4,\"scalene_c\":{\"samples\":400,\"timeline_start_s\":0,"
    "\"call_frames\":[" PY("main", "3") "," PY("waits", "5") "," PY(
        "computes", "8") "],"
                         "\"call_tree\":[[0,0,0.0,0.0],[1,1,3.0,0.0],[1,2,1.0,0.0]],"
                         "\"call_waiting_s\":[0.0,2.5,0.0],"
                         "\"call_timeline\":[[0.0,3.0,2,1],[3.0,1.0,3,1]]}}";

TEST(a_kind_of_time_is_a_part)
{
    OWN(sc_page, page);
    open_page(&page, with_waiting);
    json_auto_t *answer = ask(&page, "api/file?file=0&mode=all&time=cpu");
    assert_float_equal(cell(answer, 5, "self"), 100.0 / 3, 1e-4);
    assert_float_equal(cell(answer, 8, "python"), 200.0 / 3, 1e-4);
    assert_float_equal(cell(answer, 3, "total"), 100, 1e-4);
    renew(&answer, ask(&page, "api/file?file=0&mode=all&time=waiting"));
    assert_float_equal(cell(answer, 5, "self"), 100, 1e-4);
    assert_float_equal(cell(answer, 5, "system"), 100, 1e-4);
    assert_float_equal(cell(answer, 8, "self"), -1, 0);
    renew(&answer, ask(&page, "api/part?time=cpu"));
    assert_float_equal(number(answer, "total"), 1.5, 1e-4);
    renew(&answer, ask(&page, "api/calls?file=0&line=3&time=waiting"));
    assert_float_equal(number(answer, "percent"), 100, 1e-4);
    assert_int_equal(json_array_size(json_object_get(answer, "callees")), 1);
    assert_refused(&page, "api/part?time=all", SC_ANSWER_BAD);
}

/* Of a span each stack has the part of waiting that the whole stack has. */
TEST(a_kind_of_time_is_part_of_a_span)
{
    OWN(sc_page, page);
    open_page(&page, with_waiting);
    json_auto_t *answer = ask(&page, "api/part?from_s=0&to_s=1.5&time=waiting");
    assert_float_equal(number(answer, "total"), 1.25, 1e-6);
    renew(&answer, ask(&page, "api/stacks?kind=cpu&from_s=2&to_s=4"));
    assert_float_equal(number(answer, "total"), 7.0 / 6, 1e-6);
    assert_true(json_is_true(json_object_get(answer, "is_part")));
    renew(&answer, ask(&page, "api/part?from_s=3&to_s=4&time=waiting"));
    assert_float_equal(number(answer, "total"), 0, 1e-9);
}

TEST(without_waiting_apart_there_are_no_kinds)
{
    OWN(sc_page, page);
    open_page(&page, with_timeline);
    assert_refused(&page, "api/part?time=cpu", SC_ANSWER_MISSING);
    assert_refused(&page, "api/file?file=0&time=waiting", SC_ANSWER_MISSING);
}
