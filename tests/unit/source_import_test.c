/*
 * tests/unit/source_import_test.c - import statements wherever they may stand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "base/str.h"
#include "sc_test.h"
#include "source/source.h"

/* Compares with a list of module, statement, module, statement, ..., NULL. */
static void assert_imports(const char *text, const char *const *expected)
{
    OWN(sc_source, source);
    sc_source_init(&source, text, strlen(text));
    size_t count = 0;
    for (; expected[2 * count] != NULL; count++) {
        assert_true(count < source.imports.count);
        assert_string_equal(source.imports.items[count].module, expected[2 * count]);
        assert_string_equal(source.imports.items[count].statement, expected[2 * count + 1]);
    }
    assert_int_equal(source.imports.count, count);
}

TEST(a_statement_may_name_several_modules)
{
    assert_imports("import  os\n", (const char *const[]){"os", "import os", NULL});
    assert_imports(
        "import a, b . c  as d\n",
        (const char *const[]){"a", "import a, b.c as d", "b.c", "import a, b.c as d", NULL});
}

TEST(names_from_a_module_make_one_item)
{
    assert_imports("from x import (y, # why\n    z as w,\n)\n",
                   (const char *const[]){"x", "from x import y, z as w", NULL});
    assert_imports("from .... a.b import *",
                   (const char *const[]){"....a.b", "from ....a.b import *", NULL});
    assert_imports("from . import \\\n q", (const char *const[]){".", "from . import q", NULL});
    assert_imports("from match import type, lazy",
                   (const char *const[]){"match", "from match import type, lazy", NULL});
}

TEST(imports_stand_anywhere)
{
    assert_imports("def f():\n  if a: import b; c = 1; import d\n",
                   (const char *const[]){"b", "import b", "d", "import d", NULL});
    assert_imports("match x:\n  case 1: import y\nlazy import z\nlazy from u import v\n",
                   (const char *const[]){"y", "import y", "z", "lazy import z", "u",
                                         "lazy from u import v", NULL});
    assert_imports("try: import a\nexcept: from b import c\n",
                   (const char *const[]){"a", "import a", "b", "from b import c", NULL});
}

TEST(what_only_looks_like_an_import_is_none)
{
    const char *const none[] = {NULL};
    assert_imports("'''\nimport a\n'''\n# import b\nx.import_(c)\n", none);
    assert_imports("def f():\n  yield from g\n  raise e from f\n  lazy = 1\n  lazy.x = 2\n", none);
    assert_imports("import\nimport a.\nimport a b\nimport 1\nimport a as\nimport a,\n", none);
    assert_imports("from a import\nfrom import b\nfrom a import b,\nfrom a. import b\n"
                   "from a import (b\nfrom a import b)\nfrom a import ()\nfrom a import b c\n"
                   "from a import * , b\nfrom if import x\nimport a.if\nlazy def f(): pass\n",
                   none);
}

/* The text "<head><item>, <item>, ..." */
static char *long_list(const char *head, const char *item, size_t count)
{
    struct sc_str text = {0};
    sc_str_add(&text, head);
    sc_str_add(&text, item);
    for (size_t i = 1; i < count; i++) {
        sc_str_add(&text, ", ");
        sc_str_add(&text, item);
    }
    return text.data;
}

TEST(long_lists_take_linear_time)
{
    SC_AUTO_FREE char *text = long_list("from a import ", "b", 500000);
    assert_imports(text, (const char *const[]){"a", text, NULL});
}

TEST(many_modules_share_their_statement)
{
    /* a copy of the statement for each module would need 200 GB */
    enum { COUNT = 200000 };
    SC_AUTO_FREE char *text = long_list("import ", "aa", COUNT);
    OWN(sc_source, source);
    sc_source_init(&source, text, strlen(text));
    assert_int_equal(source.imports.count, COUNT);
    assert_ptr_equal(source.imports.items[0].statement, source.imports.items[COUNT - 1].statement);
    assert_string_equal(source.imports.items[COUNT - 1].statement, text);
}
