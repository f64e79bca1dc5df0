/*
 * tests/unit/json_lists_test.c - long lists are taken out of a text as they are, or not at all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/json_lists.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sc_test.h"

static void lists_leave_their_places(void **state)
{
    (void)state;
    static const char text[] =
        " { \"a\" : [1, 2] , \"stacks\" : [ [ \"x ]\\\"\" , -1.5e3 , {} ] , null ] ,"
        "\"memory_stacks\":[] , \"z\" : {\"stacks\":[3]} } ";
    struct sc_json_lists lists = {0};
    struct sc_str rest = {0};
    assert_true(sc_json_take_lists(text, strlen(text), 3, &lists, &rest));
    assert_string_equal(lists.texts[0], "[[\"x ]\\\"\",-1.5e3,{}],null]");
    assert_null(lists.texts[1]);
    assert_null(lists.texts[3]); /* too short */
    assert_string_equal(sc_str_text(&rest), " { \"a\" : [1, 2] , \"stacks\" : [] ,"
                                            "\"memory_stacks\":[] , \"z\" : {\"stacks\":[3]} } ");
    sc_json_lists_done(&lists);
    sc_str_done(&rest);
}

static void the_last_of_two_counts(void **state)
{
    (void)state;
    static const char text[] = "{\"stacks\":[1,2],\"stacks\":[3,4]}";
    struct sc_json_lists lists = {0};
    struct sc_str rest = {0};
    assert_true(sc_json_take_lists(text, strlen(text), 0, &lists, &rest));
    assert_string_equal(lists.texts[0], "[3,4]");
    sc_json_lists_done(&lists);
    sc_str_done(&rest);
}

/* What is taken must be what the parser would have taken. */
static void what_the_parser_refuses_stays(void **state)
{
    (void)state;
    static const char *const values[] = {
        "[1]",
        "[01]",
        "[1.]",
        "[.5]",
        "[-]",
        "[1e]",
        "[1e+5]",
        "[nul]",
        "[null]",
        "[true,false]",
        "[,]",
        "[1,]",
        "[1 2]",
        "[[]",
        "[]]",
        "[{\"a\"}]",
        "[{\"a\":}]",
        "[{\"a\":1,}]",
        "[{a:1}]",
        "[{\"a\":1}]",
        "[\"\\x\"]",
        "[\"\\u12\"]",
        "[\"\\u12aF\"]",
        "[\"\t\"]",
        "[\"\xc3\"]",
        "[\"\xc3\xa9\"]",
        "[\"\xed\xa0\x80\"]",
        "[\"\xf4\x90\x80\x80\"]",
        "[\"\xc0\x80\"]",
        "[\"\xe2\x82\xac\"]",
        "[\"\x7f\"]",
        "[\"a]",
        "[+1]",
        "[1}",
        "[NaN]",
        "[[[[[[[[[[[[[[1]]]]]]]]]]]]]]",
        "[{\"a\":[{\"b\":[]}]}]",
        "[-0]",
        "[\"\\ud83d\\ude00\"]",
    };
    size_t taken = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        SC_AUTO_FREE char *text = sc_format("{\"stacks\":%s}", values[i]);
        struct sc_json_lists lists = {0};
        struct sc_str rest = {0};
        json_t *parsed = json_loads(text, 0, NULL);
        bool is_taken = sc_json_take_lists(text, strlen(text), 0, &lists, &rest);
        assert_int_equal(is_taken, parsed != NULL);
        if (is_taken) {
            json_t *again = json_loads(lists.texts[0], 0, NULL);
            assert_true(json_equal(again, json_object_get(parsed, "stacks")));
            json_decref(again);
            taken++;
        }
        json_decref(parsed);
        sc_json_lists_done(&lists);
        sc_str_done(&rest);
    }
    assert_int_equal(taken, 13);
}

static void what_is_nested_too_deeply_stays(void **state)
{
    (void)state;
    struct sc_str text = {0};
    struct sc_json_lists lists = {0};
    struct sc_str rest = {0};
    sc_str_add(&text, "{\"stacks\":");
    for (int i = 0; i < 16; i++)
        sc_str_add_char(&text, '[');
    for (int i = 0; i < 16; i++)
        sc_str_add_char(&text, ']');
    sc_str_add_char(&text, '}');
    assert_false(sc_json_take_lists(sc_str_text(&text), text.length, 0, &lists, &rest));
    assert_null(lists.texts[0]);
    sc_str_done(&text);
}

/* A profile whose lists are long enough to be taken, and the same with an error behind them. */
static void a_profile_has_its_long_lists(void **state)
{
    (void)state;
    struct sc_str text = {0};
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    sc_str_add(&text, "{\"files\":{},\"program\":\"p\",\"combined_stacks\":[[[],1]],\n"
                      "\"combined_stacks_timeline\":[");
    for (int i = 0; i < 30000; i++)
        sc_str_add_format(&text, "%s{\"count\": %d, \"t_sec\": 0.5, \"x\": \"\\udc80\"}",
                          i > 0 ? ", " : "", i);
    sc_str_add(&text, "]");
    size_t length = text.length;
    sc_str_add(&text, "}");
    assert_true(sc_profile_from_json(sc_str_text(&text), text.length, &profile, &err));
    assert_string_equal(profile.stacks_json[1], "[[[],1]]");
    assert_true(sc_starts_with(profile.stacks_json[2],
                               "[{\"count\":0,\"t_sec\":0.5,\"x\":\"\\udc80\"},{\"count\":1,"));
    sc_profile_done(&profile);
    text.length = length;
    sc_str_add(&text, ",\n\"elapsed_time_sec\":x}");
    assert_false(sc_profile_from_json(sc_str_text(&text), text.length, &profile, &err));
    assert_non_null(strstr(err.text, "line 3"));
    sc_str_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_leave_their_places),
        cmocka_unit_test(the_last_of_two_counts),
        cmocka_unit_test(what_the_parser_refuses_stays),
        cmocka_unit_test(what_is_nested_too_deeply_stays),
        cmocka_unit_test(a_profile_has_its_long_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
