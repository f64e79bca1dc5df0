/*
 * tests/unit/page_stacks_test.c - the answers "api/stacks" and "api/timeline".
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "page_fixture.h"

static const char text[] =
    "{\"files\":{\"/p/"
    "a.py\":{\"lines\":[{\"lineno\":1,\"line\":\"x\\n\"}],\"percent_cpu_time\":9}},"
    "\"elapsed_time_sec\":4,\"main_thread_id\":140737353623360,"
    "\"combined_stacks\":[[[{\"kind\":\"py\",\"display_name\":\"main\",\"filename_or_module\":"
    "\"/p/a.py\",\"line\":3},{\"kind\":\"native\",\"display_name\":\"read\","
    "\"filename_or_module\":\"/lib/c.so\",\"line\":null}],300],"
    "[[{\"kind\":\"py\",\"display_name\":\"</script>\\udc80\",\"filename_or_module\":\"/p/b.py\","
    "\"line\":1}],100]],"
    "\"combined_stacks_timeline\":["
    "{\"count\":300,\"stack_index\":0,\"t_sec\":0,\"thread_id\":140737353623360},"
    "{\"count\":100,\"stack_index\":1,\"t_sec\":0.5,\"thread_id\":8}],"
    "\"memory_stacks\":[[[{\"kind\":\"py\",\"display_name\":\"main\",\"filename_or_module\":"
    "\"/p/a.py\",\"line\":3}],2.5]],"
    "\"scalene_c\":{\"interval_s\":0.01,\"stacks_percent\":99,\"timeline_start_s\":0.5}}";

TEST(the_whole_run_is_one_tree)
{
    PAGE_OF(page, text);
    answers(&page, "api/stacks?kind=time",
            "unit=s  is_part=false  total=4  stacks_percent=99  parents#=4  node_frames.0=-1  "
            "frames.0.name=main  frames.0.file=0  frames.1.kind=native  "
            "frames.2.file=  lines.1=3  firsts_s.3=1"); /* the third file is not on the page */
}

#define PY(name, line)                                                                             \
    "{\"kind\":\"py\",\"display_name\":\"" name                                                    \
    "\",\"filename_or_module\":\"/p/a.py\",\"line\":" #line "}"

/* Stacks of a recursion, of a comprehension on the line that holds it, and of native code. */
static const char recursion[] =
    "{\"files\":{\"/p/"
    "a.py\":{\"lines\":[{\"lineno\":1,\"line\":\"x\\n\",\"n_cpu_percent_python\":40}],\"percent_"
    "cpu_time\":9}},"
    "\"elapsed_time_sec\":4,\"combined_stacks\":["
    "[[" PY("main", 9) "," PY("fib", 2) "," PY("fib", 2) "," PY(
        "fib", 3) "],60],"
                  "[[" PY("main", 9) "," PY(
                      "fib", 2) "],20],"
                                "[[" PY("other", 7) "," PY("fib", 2) "," PY(
                                    "<listcomp>",
                                    2) ",{\"kind\":\"native\","
                                       "\"display_name\":\"read\",\"filename_or_module\":\"/lib/"
                                       "c.so\",\"line\":null}],20]],"
                                       "\"scalene_c\":{\"interval_s\":0.01,\"stacks_percent\":50}}";

TEST(a_line_has_callers_and_callees)
{
    PAGE_OF(page, recursion);
    /* each stack once; both lines of fib are one callee, with no more than the line has; the
     * comprehension is none */
    answers(&page, "api/calls?file=0&line=2",
            "stacks_percent=50  percent=50  self_percent=10  callers#=3  "
            "callers.0.name=main  callers.0.percent=40  callers.0.line=9  callers.0.file=0  "
            "callers.1.name=fib  callers.1.percent=30  callers.2.name=other  callers.2.percent=10  "
            "callees#=2  callees.0.name=fib  callees.0.percent=50  "
            "callees.1.name=read  callees.1.percent=10");
    answers(&page, "api/calls?file=0&line=9",
            "callers#=0  callees.0.name=fib  callees.0.percent=40");
    answers(&page, "api/calls?file=0&line=1", "percent=0"); /* on no stack */
    /* row, line, time, heats */
    answers(&page, "api/file?file=0&mode=all", "marks=[[0,1,40,\"hot\",\"none\"]]");
    REFUSES(&page, SC_ANSWER_BAD, "api/calls?line=2", "api/calls?file=0&line=x");
    REFUSES(&page, SC_ANSWER_MISSING, "api/calls?file=7");
}

TEST(a_span_and_a_thread_choose_from_it)
{
    PAGE_OF(page, text);
    answers(&page, "api/stacks?kind=time&from_s=0&to_s=1.5", "is_part=true  total=1.5");
    answers(&page, "api/stacks?by=line&thread=8", "total=1");
    answers(&page, "api/stacks?thread=nobody", "total=0");
    answers(&page, "api/stacks?kind=memory&from_s=0&to_s=0.1", "total=2.5  unit=MB");
}

TEST(the_timeline_has_threads_and_tracks)
{
    PAGE_OF(page, text);
    answers(&page, "api/timeline?bins=8",
            "threads#=2  threads.0.id=140737353623360  threads.0.is_main=true  end_s=4  "
            "starts_s#=2  starts_s.0=0.5  ends_s.0=3.5  frames.0.line=3  "
            "tracks.0.id=io  tracks.0.percents.0=0  tracks.0.percents.1=100");
}

TEST(bad_questions_are_refused_and_odd_ones_answered)
{
    PAGE_OF(page, text);
    REFUSES(&page, SC_ANSWER_BAD, "api/stacks?kind=x", "api/stacks?by=", "api/stacks?from_s=x",
            "api/stacks?thread=%zz", "api/stacks?kind=%00", "api/timeline?bins=-1",
            "api/timeline?to_s=nan");
    static const char *const odd[] = {
        "api/stacks?from_s=3&to_s=1", "api/stacks?from_s=-1e300&to_s=1e300",
        "api/timeline?from_s=9&to_s=-9", "api/timeline?bins=0", "api/timeline?bins=4294967295"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        answers(&page, odd[i], "");
}
