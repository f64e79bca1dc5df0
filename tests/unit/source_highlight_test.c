/*
 * tests/unit/source_highlight_test.c - the colours of known texts.
 *
 * A picture of the text has one letter for each byte: k keyword, b builtin, s string, n number,
 * c comment, @ decorator, d definition, o operator, and a dot for what is plain.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/str.h"
#include "sc_test.h"
#include "source/source.h"

static const char letters[] = {
    [SC_TOKEN_TEXT] = '.',      [SC_TOKEN_KEYWORD] = 'k',    [SC_TOKEN_BUILTIN] = 'b',
    [SC_TOKEN_STRING] = 's',    [SC_TOKEN_NUMBER] = 'n',     [SC_TOKEN_COMMENT] = 'c',
    [SC_TOKEN_DECORATOR] = '@', [SC_TOKEN_DEFINITION] = 'd', [SC_TOKEN_OPERATOR] = 'o',
};

/* Paints all lines; checks that the spans of each cover it in order and are as long as can be. */
static struct sc_str paint(const char *text)
{
    struct sc_source source;
    struct sc_str picture = {0};
    struct sc_spans spans = {0};
    sc_source_init(&source, text, strlen(text));
    for (size_t line = 0; line < source.lines.count; line++) {
        size_t at = 0;
        spans.count = 0;
        sc_source_highlight(&source, line, &spans);
        for (size_t i = 0; i < spans.count; i++) {
            assert_int_equal(spans.items[i].start, at);
            assert_true(spans.items[i].length > 0);
            assert_true(i == 0 || spans.items[i - 1].token != spans.items[i].token);
            for (size_t k = 0; k < spans.items[i].length; k++)
                sc_str_add_char(&picture, letters[spans.items[i].token]);
            at += spans.items[i].length;
        }
        assert_int_equal(at, source.lines.items[line].length);
    }
    spans.count = 0;
    sc_source_highlight(&source, source.lines.count, &spans);
    assert_int_equal(spans.count, 0);
    free(spans.items);
    sc_source_done(&source);
    return picture;
}

static void assert_colours(const char *text, const char *expected)
{
    OWN(sc_str, picture) = paint(text);
    assert_string_equal(sc_str_text(&picture), expected);
}

TEST(words_are_distinguished)
{
    assert_colours("async def f(x): return len(x)", /**/
                   "kkkkk.kkk.do.oo.kkkkkk.bbbo.o");
    assert_colours("class print(list): pass", /**/
                   "kkkkk.dddddobbbboo.kkkk");
    assert_colours("x.print(open=1).len = print", /**/
                   ".o.....o....ono"
                   "o....o.bbbbb");
}

TEST(soft_keywords_depend_on_their_place)
{
    assert_colours("match x:\n case y: z", /**/
                   "kkkkk..o..kkkk..o..");
    assert_colours("match = case = 1", /**/
                   "......o......o.n");
    assert_colours("type X = type(x)", /**/
                   "kkkk...o.bbbbo.o");
    assert_colours("type(X)", /**/
                   "bbbbo.o");
    assert_colours("type X[T] = T", /**/
                   "kkkk..o.o.o..");
    assert_colours("lazy import a", /**/
                   "kkkk.kkkkkk..");
}

TEST(numbers_in_all_forms)
{
    assert_colours("0xF_f+1_0.5e-1j+.5+1.", /**/
                   "nnnnnonnnnnnnnnonnonn");
    assert_colours("1if 1else 0b1_0or 0o7", /**/
                   "nkk.nkkkk.nnnnnkk.nnn");
    assert_colours("1.real 1..x a.1", /**/
                   "nn.....nno...nn");
}

TEST(strings_in_all_forms)
{
    assert_colours("rb'\\'' Br\"\" u'' x''", /**/
                   "ssssss.ssss.sss..ss");
    assert_colours("'''a\n'b''' + 'open\nx", /**/
                   "ssssssssss.o.sssss..");
    assert_colours("'a\\\nb' c", /**/
                   "ssssss..");
    assert_colours("ur'' bu''", /**/
                   "ssss...ss");
}

TEST(fields_of_formatted_strings_are_code)
{
    assert_colours("f'{{a}} {x!r:>{w}} {len(y)=}'", /**/
                   "sssssssso.o.oso.oosobbbo.ooos");
    assert_colours("f\"{x[\"a\"]}\" t'{1}'", /**/
                   "sso.osssoos.ssonos");
    assert_colours("f'{a:=^{b!s}}' f'\\N{DASH}{1}'", /**/
                   "sso.osso.o.oos.ssssssssssonos");
    assert_colours("rf'\\{x}' f'{a!=b}'", /**/
                   "sssso.os.sso.oo.os");
    assert_colours("f'''{\n1\n:{\n2}}'''", /**/
                   "sssso.n.oo.noosss");
}

TEST(decorators_end_with_their_name)
{
    assert_colours("@a.b(c.d)\ndef e(): x @ y", /**/
                   "@@@@o.o.o.kkk.dooo...o..");
    assert_colours("@property # why\n", /**/
                   "@@@@@@@@@.ccccc.");
}

TEST(odd_bytes_are_plain)
{
    assert_colours("$ ? ! ` \\ \x01 \xc3\xa9"
                   "1", /**/
                   "...............");
}
