/*
 * tests/unit/page_stacks_test.c - the answers "api/stacks" and "api/timeline".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

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

static json_t *ask_whole(struct sc_page *page, const char *question)
{
    struct sc_str answer = {0};
    struct sc_err err = {0};
    assert_int_equal(sc_page_ask(page, question, &answer, &err), SC_ANSWER_OK);
    assert_null(strstr(sc_str_text(&answer), "\n"));
    /* a byte that is no UTF-8 is a lone surrogate, which browsers take and this parser does not */
    for (char *at; (at = strstr(answer.data, "\\udc80")) != NULL;)
        memcpy(at, "\\u0041", 6);
    json_t *parsed = json_loads(sc_str_text(&answer), 0, NULL);
    assert_non_null(parsed);
    sc_str_done(&answer);
    return parsed;
}

static void open_page(struct sc_page *page)
{
    struct sc_profile profile = {0};
    assert_true(sc_profile_from_json(text, strlen(text), &profile, NULL));
    sc_page_init(page, &profile, NULL);
}

TEST(the_whole_run_is_one_tree)
{
    OWN(sc_page, page);
    open_page(&page);
    json_auto_t *answer = ask_whole(&page, "api/stacks?kind=time");
    assert_string_equal(word(answer, "unit"), "s");
    assert_false(json_is_true(json_object_get(answer, "is_part")));
    assert_float_equal(number(answer, "total"), 4, 1e-9);
    assert_float_equal(number(answer, "stacks_percent"), 99, 1e-9);
    assert_int_equal(json_array_size(json_object_get(answer, "parents")), 4);
    assert_int_equal(json_integer_value(item(answer, "node_frames", 0)), -1);
    const json_t *frame = item(answer, "frames", 0);
    assert_string_equal(word(frame, "name"), "main");
    assert_int_equal(number(frame, "file"), 0);
    assert_string_equal(word(item(answer, "frames", 1), "kind"), "native");
    assert_null(json_object_get(item(answer, "frames", 2), "file")); /* not on the page */
    assert_int_equal(json_integer_value(item(answer, "lines", 1)), 3);
    assert_float_equal(json_number_value(item(answer, "firsts_s", 3)), 1.0, 1e-9);
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

static void expect_share(const json_t *answer, const char *key, size_t at, const char *name,
                         double percent)
{
    const json_t *share = item(answer, key, at);
    assert_string_equal(word(share, "name"), name);
    assert_float_equal(number(share, "percent"), percent, 1e-6);
}

TEST(a_line_has_callers_and_callees)
{
    struct sc_profile profile = {0};
    OWN(sc_str, answer_text) = {0};
    assert_true(sc_profile_from_json(recursion, strlen(recursion), &profile, NULL));
    PAGE(page, NULL);
    json_auto_t *answer = ask_whole(&page, "api/calls?file=0&line=2");
    assert_float_equal(number(answer, "stacks_percent"), 50, 1e-6);
    assert_float_equal(number(answer, "percent"), 50, 1e-6); /* each stack once */
    assert_float_equal(number(answer, "self_percent"), 10, 1e-6);
    assert_int_equal(json_array_size(json_object_get(answer, "callers")), 3);
    expect_share(answer, "callers", 0, "main", 40);
    expect_share(answer, "callers", 1, "fib", 30);
    expect_share(answer, "callers", 2, "other", 10);
    assert_int_equal(number(item(answer, "callers", 0), "line"), 9);
    assert_int_equal(number(item(answer, "callers", 0), "file"), 0);
    /* both lines of fib are one callee, with no more than the line has; the comprehension is none
     */
    assert_int_equal(json_array_size(json_object_get(answer, "callees")), 2);
    expect_share(answer, "callees", 0, "fib", 50);
    expect_share(answer, "callees", 1, "read", 10);
    renew(&answer, ask_whole(&page, "api/calls?file=0&line=9"));
    assert_int_equal(json_array_size(json_object_get(answer, "callers")), 0);
    expect_share(answer, "callees", 0, "fib", 40);
    renew(&answer, ask_whole(&page, "api/calls?file=0&line=1")); /* on no stack */
    assert_float_equal(number(answer, "percent"), 0, 1e-6);
    renew(&answer,
          ask_whole(&page, "api/file?file=0&mode=all")); /* its marks: row, line, time, heats */
    char *marks = json_dumps(json_object_get(answer, "marks"), JSON_COMPACT);
    assert_string_equal(marks, "[[0,1,40,\"hot\",\"none\"]]");
    free(marks);
    static const struct {
        const char *question;
        enum sc_answer status;
    } refused[] = {{"api/calls?line=2", SC_ANSWER_BAD},
                   {"api/calls?file=7", SC_ANSWER_MISSING},
                   {"api/calls?file=0&line=x", SC_ANSWER_BAD}};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sc_err err = {0};
        assert_int_equal(sc_page_ask(&page, refused[i].question, &answer_text, &err),
                         refused[i].status);
    }
}

TEST(a_span_and_a_thread_choose_from_it)
{
    OWN(sc_page, page);
    open_page(&page);
    json_auto_t *answer = ask_whole(&page, "api/stacks?kind=time&from_s=0&to_s=1.5");
    assert_true(json_is_true(json_object_get(answer, "is_part")));
    assert_float_equal(number(answer, "total"), 1.5, 1e-6);
    renew(&answer, ask_whole(&page, "api/stacks?by=line&thread=8"));
    assert_float_equal(number(answer, "total"), 1, 1e-6);
    renew(&answer, ask_whole(&page, "api/stacks?thread=nobody"));
    assert_float_equal(number(answer, "total"), 0, 1e-6);
    renew(&answer, ask_whole(&page, "api/stacks?kind=memory&from_s=0&to_s=0.1"));
    assert_float_equal(number(answer, "total"), 2.5, 1e-6);
    assert_string_equal(word(answer, "unit"), "MB");
}

TEST(the_timeline_has_threads_and_tracks)
{
    OWN(sc_page, page);
    open_page(&page);
    json_auto_t *answer = ask_whole(&page, "api/timeline?bins=8");
    assert_int_equal(json_array_size(json_object_get(answer, "threads")), 2);
    assert_string_equal(word(item(answer, "threads", 0), "id"), "140737353623360");
    assert_true(json_is_true(json_object_get(item(answer, "threads", 0), "is_main")));
    assert_float_equal(number(answer, "end_s"), 4, 1e-9);
    assert_int_equal(json_array_size(json_object_get(answer, "starts_s")), 2);
    assert_float_equal(json_number_value(item(answer, "starts_s", 0)), 0.5, 1e-9);
    assert_float_equal(json_number_value(item(answer, "ends_s", 0)), 3.5, 1e-9);
    assert_int_equal(number(item(answer, "frames", 0), "line"), 3);
    const json_t *track = item(answer, "tracks", 0);
    assert_string_equal(word(track, "id"), "io");
    assert_int_equal(json_integer_value(item(track, "percents", 0)), 0);
    assert_int_equal(json_integer_value(item(track, "percents", 1)), 100);
}

TEST(bad_questions_are_refused_and_odd_ones_answered)
{
    OWN(sc_page, page);
    open_page(&page);
    static const char *const refused[] = {
        "api/stacks?kind=x",     "api/stacks?by=",      "api/stacks?from_s=x",
        "api/stacks?thread=%zz", "api/stacks?kind=%00", "api/timeline?bins=-1",
        "api/timeline?to_s=nan"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        OWN(sc_str, answer) = {0};
        struct sc_err err = {0};
        assert_int_equal(sc_page_ask(&page, refused[i], &answer, &err), SC_ANSWER_BAD);
        assert_true(answer.length == 0 && err.text[0] != '\0');
    }
    static const char *const odd[] = {
        "api/stacks?from_s=3&to_s=1", "api/stacks?from_s=-1e300&to_s=1e300",
        "api/timeline?from_s=9&to_s=-9", "api/timeline?bins=0", "api/timeline?bins=4294967295"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        json_decref(ask_whole(&page, odd[i]));
}
