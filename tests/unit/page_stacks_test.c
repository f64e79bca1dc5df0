/*
 * tests/unit/page_stacks_test.c - the answers "api/stacks" and "api/timeline".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <jansson.h>
#include <string.h>

#include "page/ask.h"
#include "page/page.h"
#include "sc_test.h"

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

static json_t *ask(struct sc_page *page, const char *question)
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

static double number(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

static const char *word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const json_t *item(const json_t *object, const char *key, size_t at)
{
    return json_array_get(json_object_get(object, key), at);
}

static void open_page(struct sc_page *page)
{
    struct sc_profile profile = {0};
    assert_true(sc_profile_from_json(text, strlen(text), &profile, NULL));
    sc_page_init(page, &profile, NULL);
}

static void the_whole_run_is_one_tree(void **state)
{
    (void)state;
    struct sc_page page;
    open_page(&page);
    json_t *answer = ask(&page, "api/stacks?kind=time");
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
    json_decref(answer);
    sc_page_done(&page);
}

static void a_span_and_a_thread_choose_from_it(void **state)
{
    (void)state;
    struct sc_page page;
    open_page(&page);
    json_t *answer = ask(&page, "api/stacks?kind=time&from_s=0&to_s=1.5");
    assert_true(json_is_true(json_object_get(answer, "is_part")));
    assert_float_equal(number(answer, "total"), 1.5, 1e-6);
    json_decref(answer);
    answer = ask(&page, "api/stacks?by=line&thread=8");
    assert_float_equal(number(answer, "total"), 1, 1e-6);
    json_decref(answer);
    answer = ask(&page, "api/stacks?thread=nobody");
    assert_float_equal(number(answer, "total"), 0, 1e-6);
    json_decref(answer);
    answer = ask(&page, "api/stacks?kind=memory&from_s=0&to_s=0.1");
    assert_float_equal(number(answer, "total"), 2.5, 1e-6);
    assert_string_equal(word(answer, "unit"), "MB");
    json_decref(answer);
    sc_page_done(&page);
}

static void the_timeline_has_threads_and_tracks(void **state)
{
    (void)state;
    struct sc_page page;
    open_page(&page);
    json_t *answer = ask(&page, "api/timeline?bins=8");
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
    json_decref(answer);
    sc_page_done(&page);
}

static void bad_questions_are_refused_and_odd_ones_answered(void **state)
{
    (void)state;
    struct sc_page page;
    open_page(&page);
    static const char *const refused[] = {
        "api/stacks?kind=x",     "api/stacks?by=",      "api/stacks?from_s=x",
        "api/stacks?thread=%zz", "api/stacks?kind=%00", "api/timeline?bins=-1",
        "api/timeline?to_s=nan"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct sc_str answer = {0};
        struct sc_err err = {0};
        assert_int_equal(sc_page_ask(&page, refused[i], &answer, &err), SC_ANSWER_BAD);
        assert_true(answer.length == 0 && err.text[0] != '\0');
        sc_str_done(&answer);
    }
    static const char *const odd[] = {
        "api/stacks?from_s=3&to_s=1", "api/stacks?from_s=-1e300&to_s=1e300",
        "api/timeline?from_s=9&to_s=-9", "api/timeline?bins=0", "api/timeline?bins=4294967295"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        json_decref(ask(&page, odd[i]));
    sc_page_done(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_run_is_one_tree),
        cmocka_unit_test(a_span_and_a_thread_choose_from_it),
        cmocka_unit_test(the_timeline_has_threads_and_tracks),
        cmocka_unit_test(bad_questions_are_refused_and_odd_ones_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
