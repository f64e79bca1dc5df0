/*
 * tests/unit/render_text_test.c - hostile bytes become safe text of known width.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>

#include "base/str.h"
#include "render/text.h"
#include "sc_test.h"

static int use_utf8(void **state)
{
    return setlocale(LC_CTYPE, "C.UTF-8") != NULL ? 0 : -1;
}

/* The whole text as it is shown, and its width. */
static size_t shown(const char *bytes, size_t length, bool unicode, struct sc_str *ret_text)
{
    size_t column = 0;
    sc_str_clear(ret_text);
    while (length > 0) {
        struct sc_glyph glyph = sc_text_next(bytes, length, column, unicode);
        assert_true(glyph.used > 0 && glyph.used <= length);
        sc_str_add(ret_text, glyph.bytes);
        column += glyph.width;
        bytes += glyph.used;
        length -= glyph.used;
    }
    return column;
}

static void expect(const char *bytes, const char *text, size_t width)
{
    OWN(sc_str, result) = {0};
    assert_int_equal(shown(bytes, strlen(bytes), true, &result), width);
    assert_string_equal(sc_str_text(&result), text);
    assert_int_equal(sc_text_width(bytes, strlen(bytes), 0, true), width);
}

TEST(widths_are_those_of_the_terminal)
{
    expect("abc", "abc", 3);
    expect("na\xc3\xafve", "na\xc3\xafve", 5);
    expect("\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0\xe5\xa5\xbd", 4); /* two wide ones */
    expect("e\xcc\x81", "e\xcc\x81", 1);                               /* combining accent */
    expect("\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9", "\xf0\x9f\x91\xa8\xf0\x9f\x91\xa9", 4);
}

TEST(control_characters_become_pictures)
{
    expect("\033[31m", "\xe2\x90\x9b[31m", 5);
    expect("\a", "\xe2\x90\x87", 1);
    expect("\x7f", "\xe2\x90\xa1", 1);
    expect("\xc2\x9b"
           "2J",
           "\xef\xbf\xbd"
           "2J",
           3); /* C1: a sequence in one byte */
}

TEST(direction_marks_are_shown)
{
    expect("a\xe2\x80\xae"
           "b",
           "a\xef\xbf\xbd"
           "b",
           3);
    expect("\xe2\x81\xa6", "\xef\xbf\xbd", 1);
    expect("\xef\xbb\xbf", "\xef\xbf\xbd", 1);
}

TEST(bytes_that_are_not_utf8_are_shown_one_by_one)
{
    expect("caf\xe9", "caf\xef\xbf\xbd", 4);
    expect("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", 2);                 /* overlong */
    expect("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3); /* a surrogate */
    expect("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 4);
    expect("\xe4\xbd", "\xef\xbf\xbd\xef\xbf\xbd", 2); /* cut */
}

TEST(tabs_reach_their_stops)
{
    expect("\tx", "    x", 5);
    expect("ab\tx", "ab  x", 5);
    expect("abcd\tx", "abcd    x", 9);
}

TEST(without_unicode_an_error_keeps_its_sign)
{
    OWN(sc_str, text) = {0};
    assert_int_equal(shown("2 \u00b1 1 MB", 9, false, &text), 9);
    assert_string_equal(sc_str_text(&text), "2 +- 1 MB");
}

TEST(without_unicode_everything_is_ascii)
{
    OWN(sc_str, result) = {0};
    const char bytes[] = "\xe4\xbd\xa0 \033[1m \xff \xcc\x81 ok";
    (void)shown(bytes, strlen(bytes), false, &result);
    assert_string_equal(result.data, "? ?[1m ? ? ok");
}

TEST(a_wide_character_is_never_cut_in_half)
{
    const char bytes[] = "a\xe4\xbd\xa0\xe5\xa5\xbd";
    size_t width = 99;
    assert_int_equal(sc_text_fit(bytes, strlen(bytes), 0, 2, true, &width), 1);
    assert_int_equal(width, 1);
    assert_int_equal(sc_text_fit(bytes, strlen(bytes), 0, 3, true, &width), 4);
    assert_int_equal(width, 3);
    assert_int_equal(sc_text_fit(bytes, strlen(bytes), 0, 0, true, &width), 0);
    assert_int_equal(width, 0);
}

/* Every sequence of up to three bytes, and four at the borders: no control byte gets through. */
TEST(no_bytes_get_a_control_character_through)
{
    for (unsigned first = 0; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            char bytes[4] = {(char)first, (char)second, (char)0x9b, (char)0x80};
            struct sc_glyph glyph = sc_text_next(bytes, 4, 0, true);
            assert_true(glyph.used >= 1 && glyph.used <= 4);
            assert_true(glyph.width <= SC_TAB_STOP);
            for (const char *byte = glyph.bytes; *byte != '\0'; byte++) {
                assert_true((unsigned char)*byte >= 0x20);
                assert_true(*byte != 0x7f);
            }
            /* C1 controls in UTF-8: 0xC2 0x80 to 0xC2 0x9F */
            assert_false((unsigned char)glyph.bytes[0] == 0xc2 &&
                         (unsigned char)glyph.bytes[1] < 0xa0);
        }
    }
}

TESTS_WITHIN(use_utf8, NULL)
