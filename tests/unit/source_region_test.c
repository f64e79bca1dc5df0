/*
 * tests/unit/source_region_test.c - lines and regions of known texts.
 *
 * tests/source compares whole standard libraries with Python's parser; here stand the rules that no
 * parser knows, and texts that no parser takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "sc_test.h"
#include "source/source.h"

/* A region as six numbers, to compare at once. */
#define REGION(...) ((struct sc_region){__VA_ARGS__})

static struct sc_source read_text(const char *text)
{
    struct sc_source source;
    sc_source_init(&source, text, strlen(text));
    assert_int_equal(source.regions.count, source.lines.count);
    return source;
}

static void assert_region(const struct sc_source *source, size_t lineno, struct sc_region expected)
{
    assert_true(lineno <= source->regions.count);
    const struct sc_region *found = &source->regions.items[lineno - 1];
    if (memcmp(found, &expected, sizeof(expected)) != 0)
        fail_msg("line %zu has %u-%u %u-%u %u-%u", lineno, found->start_region_line,
                 found->end_region_line, found->start_outermost_loop, found->end_outermost_loop,
                 found->start_function_line, found->end_function_line);
}

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

TEST(loops_win_over_functions_and_classes)
{
    OWN(sc_source, source) = read_text("x = 1\n"                  /* 1 */
                                       "class A:\n"               /* 2 */
                                       "    y = 2\n"              /* 3 */
                                       "    @dec\n"               /* 4 */
                                       "    # about f\n"          /* 5 */
                                       "    def f(self,\n"        /* 6 */
                                       "          a):\n"          /* 7 */
                                       "        for i in a:\n"    /* 8 */
                                       "            while i:\n"   /* 9 */
                                       "                i -= 1\n" /* 10 */
                                       "\n"                       /* 11 */
                                       "        return a\n"       /* 12 */
                                       "    # end\n"              /* 13 */
                                       "z = 3\n");                /* 14 */
    assert_region(&source, 1, REGION(1, 1, 1, 1, 0, 0));
    assert_region(&source, 2, REGION(2, 12, 2, 12, 2, 12));
    assert_region(&source, 3, REGION(2, 12, 3, 3, 2, 12));
    for (size_t lineno = 4; lineno <= 7; lineno++)
        assert_region(&source, lineno, REGION(4, 12, 4, 12, 4, 12));
    assert_region(&source, 8, REGION(8, 10, 8, 10, 4, 12));
    assert_region(&source, 9, REGION(9, 10, 8, 10, 4, 12));
    assert_region(&source, 10, REGION(9, 10, 8, 10, 4, 12));
    assert_region(&source, 11, REGION(4, 12, 11, 11, 4, 12));
    assert_region(&source, 12, REGION(4, 12, 12, 12, 4, 12));
    assert_region(&source, 13, REGION(13, 13, 13, 13, 0, 0));
    assert_region(&source, 14, REGION(14, 14, 14, 14, 0, 0));
}

TEST(async_blocks_and_loops_in_conditions_count)
{
    OWN(sc_source, source) = read_text("async def f():\n"
                                       "    async for x in y():\n"
                                       "        await x\n"
                                       "    async with z:\n"
                                       "        pass\n"
                                       "if True:\n"
                                       "    for i in range(3):\n"
                                       "        print(i)\n"
                                       "    else:\n"
                                       "        print()\n");
    assert_region(&source, 1, REGION(1, 5, 1, 5, 1, 5));
    assert_region(&source, 3, REGION(2, 3, 2, 3, 1, 5));
    assert_region(&source, 4, REGION(1, 5, 4, 5, 1, 5));
    assert_region(&source, 6, REGION(6, 6, 6, 10, 0, 0));
    for (size_t lineno = 7; lineno <= 10; lineno++)
        assert_region(&source, lineno, REGION(7, 10, 7, 10, 0, 0));
}

TEST(a_function_in_a_loop_is_its_own_region)
{
    OWN(sc_source, source) = read_text("for i in x:\n"
                                       "    def f():\n"
                                       "        a()\n"
                                       "    class B:\n"
                                       "        b = 1\n"
                                       "    f()\n");
    assert_region(&source, 2, REGION(2, 3, 2, 3, 2, 3));
    assert_region(&source, 3, REGION(2, 3, 3, 3, 2, 3));
    assert_region(&source, 5, REGION(1, 6, 1, 6, 4, 5)); /* a class body runs with the loop */
    assert_region(&source, 6, REGION(1, 6, 1, 6, 0, 0));
}

TEST(clauses_are_blocks_of_their_own)
{
    OWN(sc_source, source) = read_text("try:\n"                  /* 1 */
                                       "    a\n"                 /* 2 */
                                       "except* (E,\n"           /* 3 */
                                       "         F):\n"          /* 4 */
                                       "    b\n"                 /* 5 */
                                       "finally: c\n"            /* 6 */
                                       "if a:\n"                 /* 7 */
                                       "    b\n"                 /* 8 */
                                       "elif lambda: b:\n"       /* 9 */
                                       "    c\n"                 /* 10 */
                                       "else:\n"                 /* 11 */
                                       "    if d: e\n"           /* 12 */
                                       "    else: f\n"           /* 13 */
                                       "with a as b: c; d = (\n" /* 14 */
                                       "    1)\n");              /* 15 */
    assert_region(&source, 1, REGION(1, 1, 1, 6, 0, 0));
    assert_region(&source, 3, REGION(3, 3, 3, 5, 0, 0));
    assert_region(&source, 4, REGION(4, 4, 3, 5, 0, 0));
    assert_region(&source, 6, REGION(6, 6, 6, 6, 0, 0));
    assert_region(&source, 7, REGION(7, 7, 7, 13, 0, 0));
    assert_region(&source, 9, REGION(9, 9, 9, 13, 0, 0));
    assert_region(&source, 10, REGION(10, 10, 10, 10, 0, 0));
    assert_region(&source, 11, REGION(11, 11, 11, 13, 0, 0));
    assert_region(&source, 12, REGION(12, 12, 12, 13, 0, 0));
    assert_region(&source, 14, REGION(14, 14, 14, 15, 0, 0));
    assert_region(&source, 15, REGION(15, 15, 15, 15, 0, 0));
}

TEST(match_is_a_block_only_where_it_must_be)
{
    OWN(sc_source, source) = read_text("match x, (y):\n"
                                       "    case [a, 1] if a:\n"
                                       "        b\n"
                                       "    case _: c\n"
                                       "match[0]: int = 1\n"
                                       "match: int\n"
                                       "case: int = 2\n"
                                       "match(x)\n");
    assert_region(&source, 1, REGION(1, 1, 1, 4, 0, 0));
    assert_region(&source, 2, REGION(2, 2, 2, 3, 0, 0));
    for (size_t lineno = 3; lineno <= 8; lineno++)
        assert_region(
            &source, lineno,
            REGION((uint32_t)lineno, (uint32_t)lineno, (uint32_t)lineno, (uint32_t)lineno, 0, 0));
}

TEST(indentation_may_be_tabs_form_feeds_or_joined)
{
    OWN(sc_source, source) = read_text("\xef\xbb\xbfif a:\n"
                                       "\twhile b:\n"
                                       "        \tc\n"
                                       "        d\n"
                                       "\f\n"
                                       "\fwhile e: \\\n"
                                       "  f\n"
                                       "def g(): return '''\n"
                                       "while x:\n"
                                       "  '''\n");
    assert_region(&source, 3, REGION(2, 3, 2, 3, 0, 0));
    assert_region(&source, 4, REGION(4, 4, 4, 4, 0, 0));
    assert_region(&source, 1, REGION(1, 1, 1, 4, 0, 0));
    assert_region(&source, 6, REGION(6, 7, 6, 7, 0, 0));
    assert_region(&source, 7, REGION(6, 7, 6, 7, 0, 0));
    assert_region(&source, 9, REGION(8, 10, 9, 9, 8, 10));
}

TEST(a_statement_ends_with_its_last_word)
{
    /* neither the newline behind a backslash nor a semicolon is part of it */
    OWN(sc_source, source) = read_text("for a in b:\n  c \\\n\nfor a in b:\n  c \\\n;\nd\n");
    assert_region(&source, 2, REGION(1, 2, 1, 2, 0, 0));
    assert_region(&source, 3, REGION(3, 3, 3, 3, 0, 0));
    assert_region(&source, 5, REGION(4, 5, 4, 5, 0, 0));
    assert_region(&source, 7, REGION(7, 7, 7, 7, 0, 0));
}

TEST(broken_text_loses_only_what_is_broken)
{
    OWN(sc_source, source) = read_text("x = foo(1,\n"
                                       "def f(a):\n"
                                       "    s = 'open\n"
                                       "    t = f'{a[\n"
                                       "    return s\n"
                                       ")]} else: @\n"
                                       "while True:\n"
                                       "  if 1\n"
                                       "  a = $ ? `\n");
    assert_region(&source, 1, REGION(1, 1, 1, 1, 0, 0));
    assert_region(&source, 2, REGION(2, 5, 2, 5, 2, 5));
    assert_region(&source, 5, REGION(2, 5, 5, 5, 2, 5));
    assert_region(&source, 9, REGION(7, 9, 7, 9, 0, 0));
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
    struct sc_source source;
    sc_source_init(&source, text, length);
    size_t count = source.regions.count;
    assert_true(count > DEPTH / 2);
    assert_region(&source, count,
                  REGION((uint32_t)count, (uint32_t)count, 1, (uint32_t)count, 0, 0));
    sc_source_done(&source);
    for (size_t i = 0; i < DEPTH; i++)
        memcpy(brackets + 8 * i, "[f'{(a:{", 8);
    sc_source_init(&source, brackets, (size_t)8 * DEPTH);
    assert_int_equal(source.regions.count, 1);
    sc_source_done(&source);
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
    OWN(sc_source, source) = read_text(sc_str_text(&text));
    assert_region(&source, 5000, REGION(5000, 5000, 5000, 5000, 0, 0));
    assert_region(&source, 1, REGION(1, 1, 1, 4000, 0, 0));
}
