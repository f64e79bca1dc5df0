/*
 * tests/unit/assist_answer_test.c - code taken out of answers and put into its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/answer.h"
#include "base/utf8.h"
#include "sc_test.h"

static void expect_parts(const char *answer, const char *code, const char *imports,
                         const char *remarks)
{
    struct sc_str parts[3] = {{0}, {0}, {0}};
    const char *const wanted[] = {code, imports, remarks};
    const char *old = "    old = 1\n";
    sc_ai_answer_split(answer, strlen(answer), old, strlen(old), &parts[0], &parts[1], &parts[2]);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(sc_str_text(&parts[i]), wanted[i]);
        sc_str_done(&parts[i]);
    }
}

TEST(the_first_block_is_the_code)
{
    expect_parts("a\n```python\nx = 1\n```\nb\n", "x = 1\n", "", "a\nb\n");
    expect_parts("```\r\nx = 1\r\n```\r\n", "x = 1\n", "", "");
    expect_parts("~~~~py\n```\nx\n~~~~\n", "```\nx\n", "", "");
    expect_parts("```python\nx = 1\n```\n```python\ny = 2\n```\n", "x = 1\n", "", "y = 2\n");
}

TEST(other_blocks_are_remarks)
{
    expect_parts("```bash\npip install numba\n```\n```python\nx = 1\n```\n", "x = 1\n", "",
                 "pip install numba\n");
    expect_parts("```\npip install numba\n```\nNow:\n``` Python\nx = 1\n```\n", "x = 1\n", "",
                 "pip install numba\nNow:\n");
    expect_parts("```{.py3 numbered}\nx = 1\n```\n", "x = 1\n", "", "");
    expect_parts("So\n```x``` it is\n```python\nx = 1\n```\n", "x = 1\n", "",
                 "So\n```x``` it is\n");
    expect_parts("```diff\n-old = 1\n+new = 1\n```\n", "", "", "-old = 1\n+new = 1\n");
}

TEST(a_block_that_repeats_the_code_is_none)
{
    expect_parts("Before:\n```python\nold = 1\n```\nAfter:\n```python\nnew = 1\n```\n", "new = 1\n",
                 "", "Before:\nold = 1\nAfter:\n");
    expect_parts("```python\n\nold = 1\n```\n```\nnew = 1\n```\n", "new = 1\n", "", "\nold = 1\n");
    expect_parts("```python\nold = 1\n```\n", "old = 1\n", "", "");
    expect_parts("```python\nold = 1\nmore = 2\n```\n", "old = 1\nmore = 2\n", "", "");
}

TEST(imports_have_a_block_of_their_own)
{
    expect_parts("```python\nimport a\nfrom b import c\n```\n```python\nx\n```\n", "x\n",
                 "import a\nfrom b import c\n", "");
    expect_parts("```python\nimport a\n```\n", "", "import a\n", "");
    expect_parts("```python\nfrom a import (  # two\n    b,\n    c,\n)\n```\n```python\nx\n```\n",
                 "x\n", "from a import (  # two\n    b,\n    c,\n)\n", "");
    expect_parts("```python\nimport a, \\\n    b\n```\n```python\nx\n```\n", "x\n",
                 "import a, \\\n    b\n", "");
    expect_parts("```python\nfrom a import (\n    b,\n```\n```python\nx\n```\n",
                 "from a import (\n    b,\n", "", "x\n");
    expect_parts("```python\nimport a\nx = a\n```\n", "import a\nx = a\n", "", "");
}

/* In a docstring, say. One of a list may be indented with the code. */
TEST(a_fence_within_the_code_does_not_end_it)
{
    expect_parts("```python\nx = 1\n    ```\n    y\n    ```\n```\n",
                 "x = 1\n    ```\n    y\n    ```\n", "", "");
    expect_parts("1. so\n   ```python\n   x = 1\n   ```\n", "   x = 1\n", "", "1. so\n");
    expect_parts("```python\nx = 1\n   ```\n", "x = 1\n", "", "");
}

TEST(what_is_not_whole_is_no_code)
{
    expect_parts("no code", "", "", "no code\n");
    expect_parts("```python\nx = 1\n", "", "", "x = 1\n");
    expect_parts("", "", "", "");
}

TEST(thoughts_and_marks_are_left_out)
{
    expect_parts(
        "\n<think>```\nold\n```</think>\n```python\n  # >>> replace from here\nx\n  # <<< to "
        "here\n```\n",
        "x\n", "", "\n");
    /* where the question ended with the first mark */
    expect_parts("I try\n```python\nbad\n```\n</think>\n\n```python\nx\n```\n", "x\n", "", "\n\n");
    expect_parts("<thinking>\n```python\nbad\n```\n</thinking>\n```python\nx\n```\n", "x\n", "",
                 "\n");
    /* code about such marks is not thoughts */
    expect_parts("```python\ns = '<think>x</think>'\n```\n", "s = '<think>x</think>'\n", "", "");
}

static void expect_indented(const char *code, const char *indent, const char *wanted)
{
    OWN(sc_str, text) = {0};
    sc_ai_indent_add(code, strlen(code), indent, strlen(indent), &text);
    assert_string_equal(sc_str_text(&text), wanted);
}

TEST(code_moves_to_its_depth)
{
    expect_indented("for x in y:\n    z\n", "    ", "    for x in y:\n        z\n");
    expect_indented("        a\n\n          b\n", "  ", "  a\n\n    b\n");
    expect_indented("\n\n  a\n  \n", "\t", "\ta\n");
    expect_indented("  a\nb\n", " ", "   a\n b\n");
    expect_indented("", "  ", "");
    /* comments, and lines within brackets, have no depth */
    expect_indented("    a(\n  b)\n# c\n    d\n", "    ", "    a(\n    b)\n    # c\n    d\n");
}

TEST(lines_within_strings_stay)
{
    expect_indented("x = '''one\ntwo\n  three'''\ny\n", "    ",
                    "    x = '''one\ntwo\n  three'''\n    y\n");
}

static void expect_import_place(const char *head, const char *rest)
{
    OWN(sc_str, text) = {0};
    sc_str_add(&text, head);
    sc_str_add(&text, rest);
    assert_int_equal(sc_ai_import_place(sc_str_text(&text), text.length, SIZE_MAX), strlen(head));
}

TEST(imports_go_to_the_top)
{
    expect_import_place("", "import a\nx = 1\n");
    expect_import_place("", "x = 1\n");
    expect_import_place("#!/usr/bin/python3\n# text\n", "\nx = 1\n");
    expect_import_place("\"\"\"Of\nseveral\nimport lines.\n\"\"\"\n", "\nx = 1\n");
    expect_import_place("'''Doc.'''\nfrom __future__ import (\n    a,\n)\n", "x = 1\n");
    expect_import_place("from __future__ import a\n", "from b import c\n");
    expect_import_place("def f():\n    import inner\n", "import outer\n");
    expect_import_place("r\"\"\"Doc.\"\"\"\nfrom __future__ import a\n", "x = 1\n");
    expect_import_place("\xef\xbb\xbf", "x = 1\n");
    expect_import_place("\xef\xbb\xbf# text\n", "import a\n");
    /* not within the function that the code is of */
    static const char late[] = "def f():\n    x = 1\n\nimport a\n";
    assert_int_equal(sc_ai_import_place(late, strlen(late), strlen("def f():\n")), 0);
}

static void expect_utf8(const char *bytes, const char *wanted)
{
    OWN(sc_str, text) = {0};
    sc_utf8_add(&text, bytes, strlen(bytes));
    assert_string_equal(sc_str_text(&text), wanted);
}

TEST(texts_become_utf8)
{
    expect_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    expect_utf8("\xff", "\xef\xbf\xbd");
    expect_utf8("\xc3", "\xef\xbf\xbd");
    expect_utf8("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");
    expect_utf8("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_utf8("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}
