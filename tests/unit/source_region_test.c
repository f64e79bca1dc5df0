/*
 * tests/unit/source_region_test.c - lines and regions of known texts.
 *
 * tests/source compares whole standard libraries with Python's parser; here stand the rules that no
 * parser knows, and texts that no parser takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/str.h"
#include "sc_test.h"
#include "source/source.h"

/* A line of a program, and its region: that of the innermost block, of the loop around it, of the
 * function or class. */
struct line {
    const char *text;
    struct sc_region region;
};

static void assert_region(const struct sc_source *source, size_t lineno, struct sc_region expected)
{
    assert_true(lineno <= source->regions.count);
    const struct sc_region *found = &source->regions.items[lineno - 1];
    if (memcmp(found, &expected, sizeof(expected)) != 0)
        fail_msg("line %zu has %u-%u %u-%u %u-%u", lineno, found->start_region_line,
                 found->end_region_line, found->start_outermost_loop, found->end_outermost_loop,
                 found->start_function_line, found->end_function_line);
}

static void check_program(const struct line *lines, size_t count)
{
    OWN(sc_str, text) = {0};
    OWN(sc_source, source);
    for (size_t i = 0; i < count; i++)
        sc_str_add(&text, lines[i].text);
    sc_source_init(&source, sc_str_text(&text), text.length);
    assert_int_equal(source.regions.count, count);
    for (size_t i = 0; i < count; i++)
        assert_region(&source, i + 1, lines[i].region);
}

#define CHECK(lines) check_program(lines, sizeof(lines) / sizeof(*(lines)))

static void assert_lines(const char *text, size_t length, size_t count, const size_t *lengths)
{
    OWN(sc_source, source);
    sc_source_init(&source, text, length);
    assert_int_equal(source.lines.count, count);
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(source.lines.items[i].start, start);
        assert_int_equal(source.lines.items[i].length, lengths[i]);
        start += lengths[i];
    }
    assert_int_equal(start, length);
}

TEST(lines_end_where_python_ends_them)
{
    assert_lines("", 0, 0, NULL);
    assert_lines("a\nb", 3, 2, (size_t[]){2, 1});
    assert_lines("a\r\nb\rc\n\r", 8, 4, (size_t[]){3, 2, 2, 1});
    /* neither a form feed nor a NUL, a vertical tab or U+2028 ends a line */
    assert_lines("a\fb\0c\vd\xe2\x80\xa8"
                 "e\n",
                 12, 1, (size_t[]){12});
}

TEST(async_blocks_and_loops_in_conditions_count)
{
    static const struct line lines[] = {
        {"async def f():\n", {1, 5, 1, 5, 1, 5}},
        {"    async for x in y():\n", {2, 3, 2, 3, 1, 5}},
        {"        await x\n", {2, 3, 2, 3, 1, 5}},
        {"    async with z:\n", {1, 5, 4, 5, 1, 5}},
        {"        pass\n", {1, 5, 5, 5, 1, 5}},
        {"if True:\n", {6, 6, 6, 10, 0, 0}},
        {"    for i in range(3):\n", {7, 10, 7, 10, 0, 0}},
        {"        print(i)\n", {7, 10, 7, 10, 0, 0}},
        {"    else:\n", {7, 10, 7, 10, 0, 0}},
        {"        print()\n", {7, 10, 7, 10, 0, 0}},
    };
    CHECK(lines);
}

TEST(a_function_in_a_loop_is_its_own_region)
{
    static const struct line lines[] = {
        {"for i in x:\n", {1, 6, 1, 6, 0, 0}},
        {"    def f():\n", {2, 3, 2, 3, 2, 3}},
        {"        a()\n", {2, 3, 3, 3, 2, 3}},
        {"    class B:\n", {1, 6, 1, 6, 4, 5}},
        /* a class body runs with the loop */
        {"        b = 1\n", {1, 6, 1, 6, 4, 5}},
        {"    f()\n", {1, 6, 1, 6, 0, 0}},
    };
    CHECK(lines);
}

TEST(match_is_a_block_only_where_it_must_be)
{
    static const struct line lines[] = {
        {"match x, (y):\n", {1, 1, 1, 4, 0, 0}},
        {"    case [a, 1] if a:\n", {2, 2, 2, 3, 0, 0}},
        {"        b\n", {3, 3, 3, 3, 0, 0}},
        {"    case _: c\n", {4, 4, 4, 4, 0, 0}},
        {"match[0]: int = 1\n", {5, 5, 5, 5, 0, 0}},
        {"match: int\n", {6, 6, 6, 6, 0, 0}},
        {"case: int = 2\n", {7, 7, 7, 7, 0, 0}},
        {"match(x)\n", {8, 8, 8, 8, 0, 0}},
    };
    CHECK(lines);
}

TEST(indentation_may_be_tabs_form_feeds_or_joined)
{
    static const struct line lines[] = {
        {"\xef\xbb\xbfif a:\n", {1, 1, 1, 4, 0, 0}},
        {"\twhile b:\n", {2, 3, 2, 3, 0, 0}},
        {"        \tc\n", {2, 3, 2, 3, 0, 0}},
        {"        d\n", {4, 4, 4, 4, 0, 0}},
        {"\f\n", {5, 5, 5, 5, 0, 0}},
        {"\fwhile e: \\\n", {6, 7, 6, 7, 0, 0}},
        {"  f\n", {6, 7, 6, 7, 0, 0}},
        {"def g(): return '''\n", {8, 10, 8, 10, 8, 10}},
        {"while x:\n", {8, 10, 9, 9, 8, 10}},
        {"  '''\n", {8, 10, 10, 10, 8, 10}},
    };
    CHECK(lines);
}

TEST(a_statement_ends_with_its_last_word)
{
    /* neither the newline behind a backslash nor a semicolon is part of it */
    static const struct line lines[] = {
        {"for a in b:\n", {1, 2, 1, 2, 0, 0}},
        {"  c \\\n", {1, 2, 1, 2, 0, 0}},
        {"\n", {3, 3, 3, 3, 0, 0}},
        {"for a in b:\n", {4, 5, 4, 5, 0, 0}},
        {"  c \\\n", {4, 5, 4, 5, 0, 0}},
        {";\n", {6, 6, 6, 6, 0, 0}},
        {"d\n", {7, 7, 7, 7, 0, 0}},
    };
    CHECK(lines);
}

TEST(broken_text_loses_only_what_is_broken)
{
    static const struct line lines[] = {
        {"x = foo(1,\n", {1, 1, 1, 1, 0, 0}},    {"def f(a):\n", {2, 5, 2, 5, 2, 5}},
        {"    s = 'open\n", {2, 5, 3, 3, 2, 5}}, {"    t = f'{a[\n", {2, 5, 4, 4, 2, 5}},
        {"    return s\n", {2, 5, 5, 5, 2, 5}},  {")]} else: @\n", {6, 6, 6, 6, 0, 0}},
        {"while True:\n", {7, 9, 7, 9, 0, 0}},   {"  if 1\n", {7, 9, 7, 9, 0, 0}},
        {"  a = $ ? `\n", {7, 9, 7, 9, 0, 0}},
    };
    CHECK(lines);
}

TEST(depth_has_no_price)
{
    enum { DEPTH = 3000 };
    size_t size = (size_t)DEPTH * (DEPTH + 10);
    SC_AUTO_FREE char *text = malloc(size);
    SC_AUTO_FREE char *brackets = malloc(8 * DEPTH);
    assert_non_null(text);
    assert_non_null(brackets);
    size_t length = 0;
    for (size_t i = 0; i < DEPTH; i++) {
        memset(text + length, ' ', i);
        memcpy(text + length + i, "for a in b:\n", 12);
        length += i + 12 > size - length ? 0 : i + 12;
        if (size - length < DEPTH + 20)
            break;
    }
    OWN(sc_source, source);
    sc_source_init(&source, text, length);
    size_t count = source.regions.count;
    assert_true(count > DEPTH / 2);
    assert_region(&source, count,
                  (struct sc_region){(uint32_t)count, (uint32_t)count, 1, (uint32_t)count, 0, 0});
    sc_source_done(&source);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(brackets + 8 * i, "[f'{(a:{", 8);
    sc_source_init(&source, brackets, (size_t)8 * DEPTH);
    assert_int_equal(source.regions.count, 1);
}

/* Each blank line behind a deep nest is no climb out of all of it. */
TEST(blanks_behind_a_deep_nest)
{
    OWN(sc_str, text) = {0};
    for (int depth = 0; depth < 4000; depth++) {
        for (int i = 0; i < depth / 8; i++)
            sc_str_add(&text, "\t");
        for (int i = 0; i < depth % 8; i++)
            sc_str_add(&text, " ");
        sc_str_add(&text, "if 1:\n");
    }
    for (int i = 0; i < 1000000; i++)
        sc_str_add(&text, "\n");
    sc_str_add(&text, "@x\n");
    OWN(sc_source, source);
    sc_source_init(&source, sc_str_text(&text), text.length);
    assert_region(&source, 5000, (struct sc_region){5000, 5000, 5000, 5000, 0, 0});
    assert_region(&source, 1, (struct sc_region){1, 1, 1, 4000, 0, 0});
}
