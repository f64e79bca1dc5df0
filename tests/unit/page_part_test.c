/*
 * tests/unit/page_part_test.c - answers about a part of the run: a span of time, a thread, waiting
 * alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "page/standalone.h"
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

TEST(lines_have_the_times_of_a_span)
{
    PAGE_OF(page, with_timeline);
    answers(&page, "api/file?file=0&mode=all&from_s=2&to_s=4&thread=1",
            "@8:self=50  @8:python=50  @8:total=50  " /* not twice for the recursion */
            "@3:total=50  @3:self=  @5:system=50  @5.heat=hot  @5.memory_heat=none");
    answers(&page, "api/file?file=0&mode=all&from_s=0&to_s=1&thread=1", "@8:native=100  @5:self=");
    answers(&page, "api/file?file=0&mode=all", "@8:self=55");
}

/* The first rows are those of the part, not those that cost something in the whole run. */
TEST(hot_lines_are_those_of_the_span)
{
    PAGE_OF(page, with_timeline);
    answers(&page, "api/file?file=0&mode=hot&from_s=3&to_s=4&thread=1",
            "@5.lineno=5  @8=  marks#=1  marks.0.1=5");
}

TEST(functions_are_sorted_by_their_time_in_the_span)
{
    PAGE_OF(page, with_timeline);
    answers(&page, "api/functions?sort=total&from_s=2&to_s=4&thread=1",
            "rows.0.name=main  @1:total=100  @1:self=50  @7:total=50");
    answers(&page, "api/functions?sort=time&from_s=3&to_s=4&thread=1", "@1.lineno=1  @7=");
}

TEST(callers_and_callees_are_those_of_the_span)
{
    PAGE_OF(page, with_timeline);
    answers(&page, "api/calls?file=0&line=8&from_s=0&to_s=4&thread=1",
            "percent=75  callees.0.name=sum");
    answers(&page, "api/calls?file=0&line=8&from_s=3&to_s=4&thread=1", "percent=0");
}

TEST(a_part_says_what_it_is)
{
    PAGE_OF(page, with_timeline);
    answers(&page, "api/part?from_s=2&to_s=99",
            "to_s=4  total=4  files.0.1=100  kinds.python=75  kinds.system=25  hot_lines#=2  "
            "hot_lines.0.lineno=8  hot_lines.0.percent=75  hot_functions.1.text=main  "
            "hot_functions.1.percent=25  hot_functions.1.cumulative_percent=50");
    answers(&page, "api/part?thread=77", "total=0  files#=0");
    REFUSES(&page, SC_ANSWER_BAD, "api/part", "api/file?file=0&from_s=x");
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
    PAGE_OF(page, with_timeline);
    OWN(sc_str, members) = {0};
    sc_page_select(&page, SC_PAGE_FILE, &members);
    for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
        assert_non_null(strstr(members.data, held[i]));
    members.length = 0;
    sc_page_select(&page, SC_PAGE_NOTEBOOK, &members);
    assert_null(strstr(members.data, "api/part?from_s"));
}

TEST(without_a_timeline_there_are_no_parts)
{
    PAGE_OF(page, without_timeline);
    REFUSES(&page, SC_ANSWER_MISSING, "api/part?from_s=2&to_s=4", "api/functions?from_s=2&to_s=4");
    answers(&page, "api/file?file=0&mode=all", "@8:self=55");
}

/* Parts are kept for the next question, and replaced: neither may mix with another. */
TEST(many_parts_are_told_from_each_other)
{
    static const char *const expected[] = {
        "@8:native=100  @8:python=  @5:system=", "@8:native=100  @8:python=  @5:system=",
        "@8:native=  @8:python=100  @5:system=", "@8:native=  @8:python=  @5:system=100"};
    PAGE_OF(page, with_timeline);
    for (int i = 0; i < 12; i++) {
        SC_AUTO_FREE char *question =
            sc_format("api/file?file=0&mode=all&from_s=%d&to_s=%d&thread=1", i % 4, i % 4 + 1);
        answers(&page, question, expected[i % 4]);
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
    PAGE_OF(page, nested);
    answers(&page, "api/functions?from_s=0&to_s=4", "@1:self=75  @1:total=75  @4:total=25");
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
    PAGE_OF(page, with_waiting);
    answers(&page, "api/file?file=0&mode=all&time=cpu",
            "@5:self=33.3333  @8:python=66.6667  @3:total=100");
    answers(&page, "api/file?file=0&mode=all&time=waiting", "@5:self=100  @5:system=100  @8:self=");
    answers(&page, "api/part?time=cpu", "total=1.5");
    answers(&page, "api/calls?file=0&line=3&time=waiting", "percent=100  callees#=1");
    REFUSES(&page, SC_ANSWER_BAD, "api/part?time=all");
}

/* Of a span each stack has the part of waiting that the whole stack has. */
TEST(a_kind_of_time_is_part_of_a_span)
{
    PAGE_OF(page, with_waiting);
    answers(&page, "api/part?from_s=0&to_s=1.5&time=waiting", "total=1.25");
    answers(&page, "api/stacks?kind=cpu&from_s=2&to_s=4", "total=1.16667  is_part=true");
    answers(&page, "api/part?from_s=3&to_s=4&time=waiting", "total=0");
}

/* "GET /a" is in waits for 1 s and in computes for 1 s. */
static const char with_units[] =
    "{" FILES ",\"elapsed_time_sec\":4,\"scalene_c\":{\"samples\":400,\"timeline_start_s\":0,"
    "\"call_frames\":[" PY("main", "3") "," PY("waits", "5") "," PY(
        "computes",
        "8") "],"
             "\"call_tree\":[[0,0,0.0,0.0],[1,1,3.0,4.0],[1,2,1.0,0.0]],"
             "\"call_waiting_s\":[0.0,1.5,0.0],"
             "\"call_units\":[[1,2,0.5],[1,3,1.0],[0,2,0.5],[7,2,1.0],[1,9,1.0]],"
             "\"call_unit_waits\":[[1,2,0.5]],"
             "\"units\":[{\"name\":\"job\",\"count\":1},{\"name\":\"GET /a\",\"count\":1}],"
             "\"call_timeline\":[[0.0,3.0,2,1],[3.0,1.0,3,1]]}}";

TEST(a_unit_of_work_is_a_part)
{
    PAGE_OF(page, with_units);
    answers(&page, "api/file?file=0&mode=all&unit=GET%20%2Fa",
            "@5:self=50  @8:self=50  @3:total=100");
    answers(&page, "api/file?file=0&mode=all&unit=job", "@5:self=100  @8:self=");
    answers(&page, "api/part?unit=GET+%2Fa&time=waiting", "total=0.5");
    answers(&page, "api/part?unit=GET+%2Fa&time=cpu", "total=1.5");
    answers(&page, "api/calls?file=0&line=3&unit=job", "percent=100  callees#=1");
    answers(&page, "api/stacks?kind=time&unit=GET%20/a", "total=2  is_part=true");
    answers(&page, "api/stacks?kind=memory&unit=job", "total=4  is_part=false");
    answers(&page, "api/overview", "parts.unit_stacks=true");
    REFUSES(&page, SC_ANSWER_MISSING, "api/part?unit=other", "api/part?unit=job&thread=1",
            "api/part?unit=job&from_s=1&to_s=2");
}

TEST(without_waiting_apart_there_are_no_kinds)
{
    PAGE_OF(page, with_timeline);
    REFUSES(&page, SC_ANSWER_MISSING, "api/part?time=cpu", "api/file?file=0&time=waiting");
}
