/*
 * tests/unit/json_refusals_test.c - what is no JSON, or no profile, is refused with the place and
 * the reason.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/mem.h"
#include "profile/profile.h"
#include "sc_test.h"

#define FILE_WITH(lines) "{\"files\":{\"a.py\":{\"lines\":" lines "}}}"

static const char *const refusals[][2] = {
    {"", "not JSON: line 1, column 1: a value expected"},
    {"{\"files\": {}}\n\n  x", "not JSON: line 3, column 3: nothing more expected"},
    {"[]", "not a profile: expected an object, but it is a list"},
    {"{\"a\": 1}", "not a profile: the key 'files' is missing"},
    {"{\"files\": []}", "not a profile: 'files' should be an object but is a list"},
    {"{\"files\": {\"a\": {}}}", "not a profile: the key 'files.a.lines' is missing"},
    {FILE_WITH("[{\"lineno\": 1}]"),
     "not a profile: the key 'files.a.py.lines[0].line' is missing"},
    {FILE_WITH("[{\"lineno\": \"1\", \"line\": \"\"}]"),
     "not a profile: 'files.a.py.lines[0].lineno' should be a whole number within bounds but "
     "is a string"},
    {FILE_WITH("[{\"lineno\": -1, \"line\": \"\"}]"),
     "not a profile: 'files.a.py.lines[0].lineno' should be a whole number within bounds but "
     "is a number"},
    {FILE_WITH("[{\"lineno\": 4294967296, \"line\": \"\"}]"),
     "not a profile: 'files.a.py.lines[0].lineno' should be a whole number within bounds but "
     "is a number"},
    {FILE_WITH("[{\"lineno\": 1, \"line\": \"\", \"n_sys_percent\": 1e300}]"),
     "not a profile: 'files.a.py.lines[0].n_sys_percent' should be a number within reason but "
     "is a number"},
    {FILE_WITH("[{\"lineno\": 1, \"line\": \"\", \"memory_samples\": [[1]]}]"),
     "not a profile: 'files.a.py.lines[0].memory_samples[0]' should be a longer list but is a "
     "list"},
    {"{\"files\": {\"a\": {\"lines\": [], \"leaks\": {\"x\": {}}}}}",
     "not a profile: 'files.a.leaks.x' should be under a line number but is an object"},
    {"{\"files\": {}, \"stacks\": {}}",
     "not a profile: 'stacks' should be a list but is an object"},
    {"{\"files\": {}, \"stacks\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]}",
     "not a profile: 'stacks[0][0][0]' should be a string but is a list"},
    {"{\"files\": {}, \"stacks\": [[[\"a f:1;\"], true]]}",
     "not a profile: 'stacks[0][1]' should be an object but is true or false"},
    {"{\"files\": {}, \"memory_stacks\": [[[]]]}",
     "not a profile: 'memory_stacks[0]' should be a longer list but is a list"},
    {"{\"files\": {}, \"combined_stacks\": [[[{\"line\": \"3\"}], 1]]}",
     "not a profile: 'combined_stacks[0][0][0].line' should be a whole number within bounds but is "
     "a string"},
    {"{\"files\": {}, \"scalene_c\": {\"call_tree\": [[0, 0, 1, 0], [1, 0, 1e999, 0]]}}",
     "not a profile: 'scalene_c.call_tree[1][2]' should be a number within reason but is a "
     "number"},
    {"{\"files\": {}, \"scalene_c\": {\"call_tree\": [[-1, 0, 1, 0]]}}",
     "not a profile: 'scalene_c.call_tree[0][0]' should be a whole number within bounds but is a "
     "number"},
    {"{\"files\": {}, \"scalene_c\": {\"call_tree\": [[0, 0, \"1\", 0]]}}",
     "not a profile: 'scalene_c.call_tree[0][2]' should be a number but is a string"},
    {"{\"files\": {}, \"stacks\": [[[], 1]}", "not JSON: line 1, column 33: ',' or ']' expected"},
    {"{\"files\": {}, \"unknown\": [1, 02]}", "not JSON: line 1, column 30: malformed number"},
    {"{\"files\": {}, \"memory\": null}",
     "not a profile: 'memory' should be true or false but is null"},
    {"{\"files\": {\"\\u001b[1m\": 3}}",
     "not a profile: 'files.<U+001B>[1m' should be an object but is a number"},
};

TEST(what_is_no_profile_is_refused_with_a_reason)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        struct sc_profile profile = {.exit_value = 77};
        struct sc_err err = {0};
        assert_false(sc_profile_from_json(refusals[i][0], strlen(refusals[i][0]), &profile, &err));
        assert_string_equal(err.text, refusals[i][1]);
        assert_int_equal(err.kind, SC_ERR_FAILED);
        /* what was there is not touched */
        assert_int_equal(profile.exit_value, 77);
    }
}

/* What RFC 8259 has, and bytes of file names as Python writes them; and what it has not. */
static const char *const json[] = LIST("0", "-0.5e-3", "1E+5", "[true, false, null, {}, [], \"\"]",
                                       "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
                                       "\"\xc3\xa9 \xf0\x9f\x98\x80\"", "\"\\udc80\"");
static const char *const no_json[] =
    LIST("01", "-", "+1", ".5", "1.", "1e", "0x10", "NaN", "-Infinity", "True", "nul", "truefalse",
         "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\": 1,}", "{a: 1}", "{'a': 1}", "[1}",
         "{\"a\": 1]", "\"\\x41\"", "\"\\u12g4\"", "\"\\", "\"tab\t\"", "\"line\n\"", "\"\xff\"",
         "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"open", "", "1 /* comment */");

/* In the value of a key that no profile has. */
static void assert_is_json(const char *value, bool is_json)
{
    OWN(sc_str, text) = {0};
    OWN(sc_profile, profile) = {0};
    struct sc_err err = {0};
    sc_str_add_format(&text, "{\"files\": {}, \"unknown\": %s}", value);
    bool is_read = sc_profile_from_json(text.data, text.length, &profile, &err);
    if (is_read != is_json || (!is_read && !sc_starts_with(err.text, "not JSON: ")))
        fail_msg("%s: %s", text.data, is_read ? "is read" : err.text);
}

TEST(a_text_is_json_or_it_is_not)
{
    FOR_EACH(value, json)
        assert_is_json(*value, true);
    FOR_EACH(value, no_json)
        assert_is_json(*value, false);
}

TEST(an_error_holds_no_control_characters)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    static const char text[] = "{\"a\": \x1b[31mred}";
    assert_false(sc_profile_from_json(text, strlen(text), &profile, &err));
    for (const char *at = err.text; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20);
}

TEST(empty_records_are_no_danger)
{
    static const char *const lists[] = {"threads", "notes", "call_frames"};
    static const char *const items[] = {"{},", "\"\",", "{},"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        SC_AUTO(sc_str_done) struct sc_str text = {0};
        struct sc_profile profile = {0};
        struct sc_err err = {0};
        sc_str_add_format(&text, "{\"files\": {}, \"scalene_c\": {\"%s\": [", lists[i]);
        while (text.length < (size_t)8 << 20)
            sc_str_add(&text, items[i]);
        sc_str_add_format(&text, "%.*s]}}", (int)strlen(items[i]) - 1, items[i]);
        assert_false(sc_profile_from_json(text.data, text.length, &profile, &err));
        assert_string_equal(err.text, "not a profile: most of its records hold next to nothing");
    }
}

TEST(depth_is_no_danger)
{
    OWN(sc_str, text) = {0};
    for (int i = 0; i < 1000000; i++)
        sc_str_add_char(&text, '[');
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    assert_false(sc_profile_from_json(text.data, text.length, &profile, &err));
    assert_true(sc_starts_with(err.text, "not JSON: "));
}

TEST(what_is_odd_in_files_is_read_or_refused)
{
    static const struct {
        const char *files;
        const char *why; /* NULL: it is read */
    } odd[] = {
        {"{\"a\": {\"lines\": []}, \"b\": {\"lines\": []}}", NULL},
        {"{\"a\": {\"lines\": []}, \"a\": {\"lines\": []}}", NULL},
        {"{\"\\u0061\": {\"li\\u006ees\": []}}", NULL},
        {"{\"a\": {\"lines\": [{\"lineno\": 1.0, \"line\": \"\\udc80\"}]}}", NULL},
        {"{\"a\": {\"lines\": [{\"lineno\": -1, \"line\": \"\"}]}}",
         "'files.a.lines[0].lineno' should be a whole number within bounds"},
        {"{\"a\": {}}", "the key 'files.a.lines' is missing"},
        {"{\"a\": {\"lines\": [}}", "not JSON"},
        {"{\"a\": {\"lines\": []}", "not JSON"},
        {"[]", "'files' should be an object but is a list"},
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        OWN(sc_str, text) = {0};
        OWN(sc_profile, profile) = {0};
        struct sc_err err = {0};
        sc_str_add_format(&text, "{\"files\": %s}", odd[i].files);
        bool is_read = sc_profile_from_json(text.data, text.length, &profile, &err);
        assert_int_equal(is_read, odd[i].why == NULL);
        if (!is_read && strstr(err.text, odd[i].why) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, odd[i].why);
    }
}
