/*
 * tests/unit/render_paint_test.c - coloured text with known columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>

#include "render/paint.h"
#include "render/screen.h"
#include "sc_test.h"

static int use_utf8(void **state)
{
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL ? 0 : -1;
}

TEST(colours_surround_text_only)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, true, true);
    sc_paint_right(&painter, SC_STYLE_HOT, "7%", 6);
    sc_paint(&painter, SC_STYLE_PLAIN, " x");
    sc_paint(&painter, SC_STYLE_PYTHON | SC_STYLE_BOLD, " y");
    sc_paint(&painter, SC_STYLE_HOT, "z");
    sc_paint(&painter, SC_STYLE_DIM, "   ");
    sc_paint_newline(&painter);
    assert_string_equal(out.data,
                        "    \033[1;31m7%\033[0m x \033[1;94my\033[0m\033[1;31mz\033[0m\n");
}

TEST(words_of_one_style_are_one_sequence)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, true, true);
    sc_paint(&painter, SC_STYLE_DIM, "a b");
    sc_paint(&painter, SC_STYLE_DIM, " c");
    sc_paint_newline(&painter);
    sc_paint(&painter, SC_STYLE_DIM, "d");
    sc_paint_newline(&painter);
    assert_string_equal(out.data, "\033[90ma b c\033[0m\n\033[90md\033[0m\n");
}

TEST(without_colour_there_is_no_escape)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, false, true);
    for (unsigned style = 0; style < SC_STYLE_COUNT_; style++)
        sc_paint(&painter, style | SC_STYLE_BOLD, "a");
    assert_null(strchr(out.data, '\033'));
    assert_int_equal(out.length, SC_STYLE_COUNT_);
}

TEST(lines_have_no_blanks_at_their_ends)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, false, true);
    sc_paint(&painter, SC_STYLE_PLAIN, "a  \t");
    sc_paint_space(&painter, 4);
    sc_paint_newline(&painter);
    sc_paint_to(&painter, 3);
    sc_paint(&painter, SC_STYLE_PLAIN, "b");
    assert_string_equal(out.data, "a\n   b");
}

TEST(long_texts_are_cut_at_either_end)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, false, true);
    sc_paint_cut(&painter, SC_STYLE_PLAIN, "abcdef", 6, 6);
    sc_paint_newline(&painter);
    sc_paint_cut(&painter, SC_STYLE_PLAIN, "abcdefg", 7, 6);
    assert_int_equal(painter.column, 6);
    sc_paint_newline(&painter);
    sc_paint_cut_start(&painter, SC_STYLE_PLAIN, "a/b/c/def.py", 8);
    assert_int_equal(painter.column, 8);
    sc_paint_newline(&painter);
    /* half a wide character is not shown: one column stays free */
    sc_paint_cut(&painter, SC_STYLE_PLAIN, "\xe4\xbd\xa0\xe5\xa5\xbd", 6, 3);
    assert_string_equal(out.data, "abcdef\nabcde\xe2\x80\xa6\n\xe2\x80\xa6/def.py\n"
                                  "\xe4\xbd\xa0\xe2\x80\xa6");
}

TEST(words_are_wrapped_under_the_first)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, false, true);
    sc_paint(&painter, SC_STYLE_PLAIN, "* ");
    sc_paint_paragraph(&painter, SC_STYLE_PLAIN, "one two three  a-very-long-word end", 12);
    assert_string_equal(out.data, "* one two\n  three\n  a-very-lon\n  g-word end\n");
}

TEST(blocks_stand_side_by_side)
{
    OWN(sc_str, out) = {0};
    struct sc_painter painter = sc_painter_of(&out, false, true);
    struct sc_painter left = sc_block_like(&painter);
    struct sc_painter right = sc_block_like(&painter);
    sc_paint(&left, SC_STYLE_PLAIN, "\xe4\xbd\xa0");
    sc_paint_newline(&left);
    sc_paint_space(&right, 1);
    sc_paint(&right, SC_STYLE_PLAIN, "r1");
    sc_paint_newline(&right);
    sc_paint(&right, SC_STYLE_PLAIN, "r2");
    sc_paint_newline(&right);
    sc_paint_beside(&painter, &left, &right, 6);
    assert_string_equal(out.data, "\xe4\xbd\xa0     r1\n      r2\n");
    sc_block_done(&left);
    sc_block_done(&right);
}

static const char *const *environment;

static const char *variable(const char *name)
{
    for (size_t i = 0; environment[i] != NULL; i += 2) {
        if (strcmp(environment[i], name) == 0)
            return environment[i + 1];
    }
    return NULL;
}

static bool color(bool is_terminal, const char *const *variables)
{
    environment = variables;
    return sc_screen_color(is_terminal, variable);
}

TEST(colour_follows_the_environment)
{
    static const char *const usual[] = {"TERM", "xterm", NULL};
    static const char *const dumb[] = {"TERM", "dumb", NULL};
    static const char *const nothing[] = {NULL};
    static const char *const no[] = {"TERM", "xterm", "NO_COLOR", "1", "FORCE_COLOR", "1", NULL};
    static const char *const empty[] = {"TERM", "xterm", "NO_COLOR", "", NULL};
    static const char *const force[] = {"FORCE_COLOR", "1", NULL};
    static const char *const force_off[] = {"TERM", "xterm", "FORCE_COLOR", "0", NULL};
    assert_true(color(true, usual));
    assert_false(color(false, usual));
    assert_false(color(true, dumb));
    assert_false(color(true, nothing));
    assert_false(color(true, no));
    assert_true(color(true, empty));
    assert_true(color(false, force));
    assert_false(color(true, force_off));
}

TESTS_WITHIN(use_utf8, NULL)
