/*
 * tests/unit/sparse_test.c - profiles without records of lines that cost nothing, there and back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/sparse.h"

#include "sc_test.h"
#include "source/source.h"

#define TEXT                                                                                       \
    "import os\n"                                                                                  \
    "\n"                                                                                           \
    "def f(n):\n"                                                                                  \
    "    for i in range(n):  # <&>\n"                                                              \
    "        print('\xc3\xb6', \"\\n\")\n"                                                         \
    "    return n\n"                                                                               \
    "f(9)\n"

/* A profile of one file, whose lines are those of the text, as build/build.c makes them. */
static void begin(struct sc_profile *profile, const char *text)
{
    struct sc_file file = {.name = sc_strdup("/p/prog.py")};
    struct sc_source source;
    sc_source_init(&source, text, strlen(text));
    for (size_t i = 0; i < source.lines.count; i++) {
        struct sc_line line = {.lineno = (uint32_t)(i + 1), .region = source.regions.items[i]};
        size_t length = source.lines.items[i].length;
        while (length > 0 && strchr("\r\n", text[source.lines.items[i].start + length - 1]) != NULL)
            length--;
        line.text = sc_format("%.*s\n", (int)length, text + source.lines.items[i].start);
        sc_vec_push(&file.lines, line);
    }
    sc_source_done(&source);
    *profile = (struct sc_profile){.elapsed_s = 1, .program = sc_strdup("/p/prog.py")};
    sc_vec_push(&profile->files, file);
}

static struct sc_profile read_text(const char *text)
{
    struct sc_profile profile = {0};
    struct sc_err err = {0};
    if (!sc_profile_from_json(text, strlen(text), &profile, &err))
        fail_msg("%s", err.text);
    return profile;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) {
        text++;
        count++;
    }
    return count;
}

static void expect_same_lines(const struct sc_file *got, const struct sc_file *expected)
{
    assert_int_equal(got->lines.count, expected->lines.count);
    for (size_t i = 0; i < got->lines.count; i++) {
        const struct sc_line *a = &got->lines.items[i];
        const struct sc_line *b = &expected->lines.items[i];
        assert_int_equal(a->lineno, b->lineno);
        assert_string_equal(a->text, b->text);
        assert_memory_equal(&a->region, &b->region, sizeof(a->region));
        assert_true(a->cost.cpu_python_percent == b->cost.cpu_python_percent);
        assert_true(a->cost.wait_s[SC_WAIT_IO] == b->cost.wait_s[SC_WAIT_IO]);
        assert_int_equal(a->cost.mallocs, b->cost.mallocs);
    }
}

/* Texts with every ending of lines; each is there and back the same. */
TEST(what_costs_nothing_comes_back_from_the_source)
{
    static const char *const texts[] = {
        TEXT, "a = 1\r\nb = 2\r\n", "a = 1\rb = 2", "x = '''\n\f\n'''\n", "\n\n", "if x:\n    y"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(sc_profile, profile);
        OWN(sc_str, text) = {0};
        begin(&profile, texts[i]);
        struct sc_file *file = &profile.files.items[0];
        file->lines.items[1].cost.cpu_python_percent = 2.5;
        file->lines.items[0].cost.wait_s[SC_WAIT_IO] = 0.5;
        sc_profile_make_sparse(&profile);
        assert_non_null(file->source);
        sc_profile_to_json(&profile, &text);
        assert_int_equal(count_of(sc_str_text(&text), "\"lineno\""), 2);
        OWN(sc_profile, got) = read_text(sc_str_text(&text));
        assert_null(got.files.items[0].source);
        expect_same_lines(&got.files.items[0], file);
    }
}

/* Any number keeps a record, small ones, too. */
TEST(any_number_keeps_a_record)
{
    OWN(sc_profile, profile);
    OWN(sc_str, text) = {0};
    begin(&profile, TEXT);
    struct sc_line *lines = profile.files.items[0].lines.items;
    lines[0].cost.mallocs = 1;
    lines[2].cost.is_coroutine = true; /* which is no number */
    lines[3].cost.time_s[SC_TIME_SLEEP] = 1e-9;
    sc_vec_push(&lines[5].cost.memory_samples, (struct sc_footprint){1, 0});
    sc_vec_push(&lines[6].cost.async_task_names, sc_strdup("t"));
    sc_profile_make_sparse(&profile);
    sc_profile_to_json(&profile, &text);
    for (unsigned number = 1; number <= 7; number++) {
        SC_AUTO_FREE char *key = sc_format("\"lineno\": %u,", number);
        assert_int_equal(count_of(sc_str_text(&text), key),
                         number != 2 && number != 3 && number != 5);
    }
}

/* Lines that their own texts do not say are all written. */
TEST(what_the_source_does_not_say_is_written)
{
    for (int kind = 0; kind < 4; kind++) {
        OWN(sc_profile, profile);
        begin(&profile, TEXT);
        struct sc_line *line = &profile.files.items[0].lines.items[3];
        if (kind == 0)
            line->region.end_region_line = 6;
        if (kind == 1)
            line->lineno = 8;
        if (kind == 2)
            line->text[strlen(line->text) - 1] = ' ';
        if (kind == 3)
            line->text[4] = '\n';
        sc_profile_make_sparse(&profile);
        assert_null(profile.files.items[0].source);
    }
}

TEST(foreign_sources_are_bounded)
{
    OWN(sc_str, text) = {0};
    struct sc_profile profile =
        read_text("{\"files\": {\"a\": {\"source\": \"x\\ny\\n\", \"lines\": [{\"lineno\": 9, "
                  "\"line\": \"z\"}, {\"lineno\": 2, \"line\": \"other\"}]}}}");
    const struct sc_file *file = &profile.files.items[0];
    assert_int_equal(file->lines.count, 3);
    assert_string_equal(file->lines.items[0].text, "x\n");
    assert_string_equal(file->lines.items[1].text, "other");
    assert_int_equal(file->lines.items[2].lineno, 9);
    sc_profile_done(&profile);
    sc_str_add(&text, "{\"files\": {\"a\": {\"source\": \"");
    for (size_t i = 0; i < 1000001; i++)
        sc_str_add(&text, "\\n");
    sc_str_add(&text, "\", \"lines\": [{\"lineno\": 2, \"line\": \"other\"}]}}}");
    profile = read_text(sc_str_text(&text));
    assert_int_equal(profile.files.items[0].lines.count, 1);
    sc_profile_done(&profile);
}
