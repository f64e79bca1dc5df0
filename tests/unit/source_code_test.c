/*
 * tests/unit/source_code_test.c - statements, calls and names of texts, valid or not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "sc_test.h"
#include "source/code.h"

static struct sc_code code_of(const char *text)
{
    struct sc_code code;
    sc_code_init(&code, text, strlen(text));
    return code;
}

static const struct sc_call *call_of(const struct sc_code *code, const char *name)
{
    for (size_t i = 0; i < code->calls.count; i++) {
        if (strcmp(sc_code_call_name(code, &code->calls.items[i]), name) == 0)
            return &code->calls.items[i];
    }
    return NULL;
}

/* The kind of a name in the last statement of a text. */
static enum sc_name_kind kind_of(const char *text, const char *name)
{
    struct sc_code code = code_of(text);
    enum sc_name_kind kind = sc_code_kind_of_name(&code, name, (uint32_t)code.statements.count - 1);
    sc_code_done(&code);
    return kind;
}

/* Whether the first call of a name is repeated, and by the loop of which line. */
static uint32_t loop_of(const char *text, const char *name)
{
    struct sc_code code = code_of(text);
    const struct sc_call *call = call_of(&code, name);
    assert_non_null(call);
    struct sc_repeat repeat = sc_code_repeat(&code, call->statement, call->open);
    sc_code_done(&code);
    return repeat.is_repeated ? repeat.loop_line : 0;
}

TEST(blocks_and_statements_are_found)
{
    OWN(sc_code, code) = code_of("class A:\n"
                                 "    async def f(self, x):\n"
                                 "        for i in x: a(); b()\n"
                                 "        return {\n            1: 2}\n"
                                 "if True:\n"
                                 "    c()\n");
    assert_int_equal(code.statements.count, 8);
    assert_int_equal(code.statements.items[0].kind, SC_STATEMENT_CLASS);
    assert_int_equal(code.statements.items[1].kind, SC_STATEMENT_DEF);
    assert_true(code.statements.items[1].is_async);
    assert_int_equal(code.statements.items[1].block_end_line, 5);
    assert_int_equal(code.statements.items[2].kind, SC_STATEMENT_FOR);
    assert_int_equal(code.statements.items[3].loop, 2);
    assert_int_equal(code.statements.items[4].parent, 2);
    assert_int_equal(code.statements.items[5].loop, SC_NONE);
    assert_int_equal(code.statements.items[5].function, 1);
    assert_int_equal(code.statements.items[5].first_line, 4);
    assert_int_equal(code.statements.items[5].last_line, 5);
    assert_int_equal(code.statements.items[7].function, SC_NONE);
    assert_int_equal(code.statements.items[7].class_statement, SC_NONE);
}

TEST(names_that_are_keywords_elsewhere_begin_no_block)
{
    OWN(sc_code, code) = code_of("class A:\n    match: str | None\n    case: int = 1\n"
                                 "match a:\n    case b: c\n");
    assert_int_equal(code.statements.items[1].kind, SC_STATEMENT_SIMPLE);
    assert_int_equal(code.statements.items[2].kind, SC_STATEMENT_SIMPLE);
    assert_int_equal(code.statements.items[3].kind, SC_STATEMENT_BLOCK);
    assert_int_equal(code.statements.items[4].kind, SC_STATEMENT_BLOCK);
}

TEST(calls_have_the_names_that_were_imported)
{
    OWN(sc_code, code) = code_of("import numpy as np, os.path\n"
                                 "lazy from copy import deepcopy as dc\n"
                                 "lazy import pandas as pd; pd.concat(x)\n"
                                 "def f(x):\n"
                                 "    from json import loads\n"
                                 "    return np.mean(dc(x)), loads(os.path.join(x)).get(1)\n"
                                 "if (x): loads(1)\n");
    assert_non_null(call_of(&code, "numpy.mean"));
    assert_non_null(call_of(&code, "copy.deepcopy"));
    assert_non_null(call_of(&code, "pandas.concat"));
    assert_non_null(call_of(&code, "json.loads"));
    assert_non_null(call_of(&code, "os.path.join"));
    assert_non_null(call_of(&code, ".get"));
    assert_non_null(call_of(&code, "loads")); /* of the function alone */
    assert_null(call_of(&code, "if"));
    assert_null(call_of(&code, "f"));
}

TEST(arguments_are_found_by_place_and_name)
{
    OWN(sc_code, code) = code_of("f(a, (b, c), key=lambda x: x, *d)\n");
    const struct sc_call *call = call_of(&code, "f");
    uint32_t first = 0;
    uint32_t end = 0;
    assert_true(sc_code_argument(&code, call, 1, NULL, &first, &end));
    assert_true(sc_code_is(&code, first, "("));
    assert_int_equal(end - first, 5);
    assert_true(sc_code_argument(&code, call, 0, "key", &first, &end));
    assert_true(sc_code_is(&code, first, "lambda"));
    assert_false(sc_code_argument(&code, call, 2, NULL, &first, &end));
    assert_false(sc_code_argument(&code, call, 0, "other", &first, &end));
}

TEST(kinds_come_from_assignments_that_agree)
{
    assert_int_equal(kind_of("x = []\nx\n", "x"), SC_NAME_LIST);
    assert_int_equal(kind_of("x = None\nx = sorted(y)\nx\n", "x"), SC_NAME_LIST);
    assert_int_equal(kind_of("x = []\nx = {1}\nx\n", "x"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("x = [] if y else {}\nx\n", "x"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("a, x = 1, ''\nx\n", "x"), SC_NAME_STR);
    assert_int_equal(kind_of("x = {}\nx\n", "x"), SC_NAME_DICT);
    assert_int_equal(kind_of("x = {a for a in b}\nx\n", "x"), SC_NAME_SET);
    assert_int_equal(kind_of("x = (1, 2)\nx\n", "x"), SC_NAME_TUPLE);
    assert_int_equal(kind_of("x = [0] * 5\nx\n", "x"), SC_NAME_LIST);
    assert_int_equal(kind_of("x: 'int' = 1\nx\n", "x"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("for x in y:\n    x\n", "x"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("import re\nx = re.compile('a')\nx\n", "x"), SC_NAME_REGEX);
}

TEST(no_assignment_is_overlooked)
{
    static const char *const others[] = {
        "(x, a), b = c",
        "a, *x = c",
        "x, = c",
        "for a, (x, b) in c: pass",
        "with a as (x, b): pass",
        "with (a as b, c as x): pass",
        "with a as b, c() as x: pass",
        "try: pass\nexcept A as x: pass",
        "if (x := c): pass",
        "match c:\n    case A(a=[x, *b]): pass",
        "match c:\n    case {'a': b, **x}: pass",
        "def f():\n    global x\n    x = c",
    };
    FOR_EACH(other, others) {
        SC_AUTO_FREE char *text = sc_format("x = []\n%s\nx\n", *other);
        if (kind_of(text, "x") != SC_NAME_UNKNOWN)
            fail_msg("%s", text);
    }
    /* these bind something else */
    static const char *const same[] = {
        "x.a, b = c",          "x[0], b = c",
        "c[0].x, b = c",       "f(x).a, b = c",
        "for x.a in c: pass",  "with a as x.b: pass",
        "a = {'x': c}",        "f(x=c)",
        "def f():\n    x = c", "match c:\n    case x.A(x=1): pass",
    };
    FOR_EACH(other, same) {
        SC_AUTO_FREE char *text = sc_format("x = []\n%s\nx\n", *other);
        if (kind_of(text, "x") != SC_NAME_LIST)
            fail_msg("%s", text);
    }
    assert_int_equal(kind_of("a = b = c = d = e = f = g = h = i = x = []\nx\n", "x"), SC_NAME_LIST);
    assert_int_equal(kind_of("x = None\ndef f():\n    global x\n    x = []\n    x\n", "x"),
                     SC_NAME_LIST);
    assert_int_equal(kind_of("def f():\n    x = []\n    def g():\n        nonlocal x\n"
                             "        x = {}\n    x\n",
                             "x"),
                     SC_NAME_UNKNOWN);
}

/* Whether what a call of f is given is the same each time. */
static bool is_constant(const char *text)
{
    OWN(sc_code, code) = code_of(text);
    const struct sc_call *call = call_of(&code, "f");
    uint32_t first = 0;
    uint32_t end = 0;
    assert_true(sc_code_argument(&code, call, 0, NULL, &first, &end));
    return sc_code_is_constant(&code, first, end, call->statement);
}

TEST(values_that_are_the_same_each_time)
{
    static const char *const constant[] = {
        "x = y()\nfor a in b:\n    f(x)\n",
        "for a in b:\n    f('x')\n",
        "x = y()\nfor a in b:\n    f(x.c)\n    d.e(x)\n",
        "x = y()\nfor a in b:\n    f(x)\n    x.strip()\n",
        "x = y()\nfor a in b:\n    f(x.lower())\n",
        "class A:\n    def __init__(self):\n        self.x = 1\n    def g(self):\n"
        "        for a in b:\n            f(self.x)\n            self.h()\n",
        "class A:\n    def g(self):\n        self.x = 1\n        for a in b:\n"
        "            f(self.x)\n",
        "def g(x):\n    f(x)\ny = 1\nfor a in b:\n    g(y)\n",
        "X = 1\ndef g():\n    f(X)\nfor a in b:\n    g()\n",
        "import c\nfor a in b:\n    f(c.X)\n    c.g(a)\n",
        "def h(x):\n    def g():\n        f(x)\n    for a in b:\n        g()\nh(1)\n",
    };
    FOR_EACH(text, constant) {
        if (!is_constant(*text))
            fail_msg("%s", *text);
    }
    static const char *const others[] = {
        "for i, (x, a) in b:\n    f(x)\n",
        "for a in b:\n    c, *x = a\n    f(x)\n",
        "while x := b():\n    f(x)\n",
        "for a in b:\n    match a:\n        case A(x=x):\n            f(x)\n",
        "for a in b:\n    try:\n        c()\n    except A as x:\n        f(x.d)\n",
        /* what they hold changes */
        "x = y()\nfor a in b:\n    x.go()\n    f(x.c)\n",
        "x = y()\nfor a in b:\n    x.c = a\n    f(x.c)\n",
        "x = {}\nfor a in b:\n    x['c'] = a\n    f(x['c'])\n",
        "x = []\nfor a in b:\n    x.append(a)\n    f(x)\n",
        "x = y()\nfor a in b:\n    x.c.go()\n    f(x.c.d)\n",
        "def g(x):\n    f(x.c)\ny = z()\nfor a in b:\n    y.go()\n    g(y)\n",
        "class A:\n    def g(self):\n        self.x = 1\n        f(self.x)\n"
        "c = A()\nfor a in b:\n    c.g()\n",
        "class A:\n    def g(self):\n        while True:\n            self.h()\n"
        "            f(self.x)\n    def h(self):\n        self.x = 1\n",
        /* other functions assign to them */
        "X = 1\ndef h():\n    global X\n    X = 2\ndef g():\n    f(X)\n"
        "for a in b:\n    h()\n    g()\n",
        "def h():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n"
        "    for a in b:\n        g()\n        f(x)\n",
        "for x in b:\n    def g():\n        f(x)\n    g()\n",
        /* what is called gives the next */
        "for a in b:\n    f(next(c))\n",
        "for a in b:\n    f(input())\n",
        "for a in b:\n    f(c.read(10))\n",
        "for a in b:\n    f(c.get(timeout=1))\n",
        "for a in b:\n    f(c.fetch())\n",
        "async def g():\n    for a in b:\n        f(await c(1))\n",
    };
    FOR_EACH(text, others) {
        if (is_constant(*text))
            fail_msg("%s", *text);
    }
}

TEST(kinds_follow_what_makes_a_value)
{
    static const struct {
        const char *maker;
        enum sc_name_kind kind;
    } rows[] = {
        {"sorted", SC_NAME_LIST},
        {"collections.defaultdict", SC_NAME_DICT},
        {"collections.OrderedDict", SC_NAME_DICT},
        {"collections.Counter", SC_NAME_DICT},
        {"threading.Lock", SC_NAME_LOCK},
        {"threading.Semaphore", SC_NAME_LOCK},
        {"threading.BoundedSemaphore", SC_NAME_LOCK},
        {"multiprocessing.Lock", SC_NAME_LOCK},
        {"asyncio.BoundedSemaphore", SC_NAME_ASYNC_LOCK},
        {"numpy.ones", SC_NAME_ARRAY},
        {"numpy.empty", SC_NAME_ARRAY},
        {"numpy.concatenate", SC_NAME_ARRAY},
        {"pandas.merge", SC_NAME_FRAME},
        {"collections.Count", SC_NAME_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        SC_AUTO_FREE char *text =
            sc_format("import %.*s\nx = %s(y)\nx\n", (int)strcspn(rows[i].maker, "."),
                      rows[i].maker, rows[i].maker);
        assert_int_equal(kind_of(text, "x"), rows[i].kind);
    }
}

TEST(kinds_follow_calls_attributes_and_results)
{
    assert_int_equal(kind_of("x = [1]\ndef f(a, b):\n    return b\nf(1, x)\n"
                             "def g(b: list[int]):\n    b\n",
                             "b"),
                     SC_NAME_LIST);
    assert_int_equal(kind_of("def f(a, b):\n    b\nx = [1]\nf(1, x)\n", "b"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("x = [1]\nf(1, x)\nf(2, b=x)\ndef f(a, b):\n    b\n", "b"),
                     SC_NAME_LIST);
    assert_int_equal(kind_of("f(1, [])\nf(2, {})\ndef f(a, b):\n    b\n", "b"), SC_NAME_UNKNOWN);
    assert_int_equal(kind_of("class A:\n    def __init__(self):\n        self.x = ''\n"
                             "    def f(self):\n        self.x\n",
                             "self.x"),
                     SC_NAME_STR);
    assert_int_equal(kind_of("def f():\n    r = []\n    return r\nx = f()\nx\n", "x"),
                     SC_NAME_LIST);
    /* names that lead to themselves */
    assert_int_equal(kind_of("x = y\ny = x\nx\n", "x"), SC_NAME_UNKNOWN);
}

TEST(loops_are_followed_through_callers)
{
    assert_int_equal(loop_of("for a in b:\n    f(a)\n", "f"), 1);
    assert_int_equal(loop_of("for a in f(b):\n    a\n", "f"), 0);
    assert_int_equal(loop_of("x = [f(a) for a in b]\n", "f"), 1);
    assert_int_equal(loop_of("x = [a for a in f(b)]\n", "f"), 0);
    assert_int_equal(loop_of("x = sorted(b, key=lambda a: f(a))\n", "f"), 1);
    assert_int_equal(loop_of("def g(a):\n    return f(a)\nfor a in b:\n    g(a)\n", "f"), 3);
    assert_int_equal(loop_of("def g(a):\n    return f(a)\nlist(map(g, b))\n", "f"), 3);
    assert_int_equal(loop_of("def g(a):\n    return f(a)\ng(1)\n", "f"), 0);
    assert_int_equal(loop_of("x = f'{a}for{f(b)}'\n", "f"), 0);
    assert_int_equal(loop_of("x = [(a, [f(b)]) for a in b if c]\n", "f"), 1);
    assert_int_equal(loop_of("x = [a for a in b if (f(a))]\n", "f"), 1);
    /* a function that calls itself ends the search */
    assert_int_equal(loop_of("def g(a):\n    f(a)\n    h()\ndef h():\n    g(1)\n", "f"), 0);
}

TEST(functions_that_call_each_other_are_looked_at_once)
{
    SC_AUTO(sc_str_done) struct sc_str text = {0};
    sc_str_add(&text, "def g0(a):\n    f(a)\n");
    for (int i = 1; i < 14; i++) {
        sc_str_add_format(&text, "def g%d(a):\n    ", i);
        for (int k = 0; k < 14; k++)
            sc_str_add_format(&text, "g%d(a); ", k);
        sc_str_add(&text, "\n");
    }
    sc_str_add(&text, "def h(a):\n    g0(a)\nfor a in b:\n    h(a)\n");
    assert_int_equal(loop_of(sc_str_text(&text), "f"), 31);
}

TEST(bodies_of_lambdas_run_later)
{
    static const struct {
        const char *text;
        bool is_in;
    } rows[] = {
        {"g(lambda a, b: f(a))\n", true},
        {"g = lambda: (1, f(a))\n", true},
        {"g(lambda a: 1, f(a))\n", false},
        {"g([lambda: 1], f(a))\n", false},
        {"g(f(lambda: 1))\n", false},
        {"(lambda: 1)(f(a))\n", false},
        {"g(lambda a: lambda b: f(a))\n", true},
    };
    FOR_EACH(row, rows) {
        OWN(sc_code, code) = code_of(row->text);
        const struct sc_call *call = call_of(&code, "f");
        if (sc_code_in_lambda(&code, call->statement, call->open) != row->is_in)
            fail_msg("%s", row->text);
    }
}

TEST(literals_with_few_items_are_small)
{
    OWN(sc_code, code) = code_of("x = [1, 2]\ny = [1, 2]\ny.append(3)\nz = list(y)\n");
    assert_true(sc_code_is_small(&code, "x", 0));
    assert_false(sc_code_is_small(&code, "y", 0));
    assert_false(sc_code_is_small(&code, "z", 0));
    assert_false(sc_code_is_small(&code, "unknown", 0));
}

TEST(coroutines_are_found_behind_plain_functions)
{
    OWN(sc_code, code) = code_of("def f():\n    time.sleep(1)\n"
                                 "async def g():\n    f()\n"
                                 "def h():\n    other()\n");
    assert_int_equal(sc_code_coroutine(&code, call_of(&code, "time.sleep")->statement), 2);
    assert_int_equal(sc_code_coroutine(&code, call_of(&code, "other")->statement), SC_NONE);
}

TEST(text_that_is_not_python_gives_no_error)
{
    static const char *const texts[] = {"",
                                        ")(",
                                        "def",
                                        "def f(",
                                        "for",
                                        "class :",
                                        "x = \n= y\n",
                                        "import\nfrom\nfrom . import\n",
                                        "a.b.(c)\n",
                                        "f(,,*)\n",
                                        "with open( as x:\n",
                                        "async\n",
                                        "x: \n",
                                        "[(\n])"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        OWN(sc_code, code) = code_of(texts[i]);
        for (size_t k = 0; k < code.calls.count; k++)
            (void)sc_code_repeat(&code, code.calls.items[k].statement, code.calls.items[k].open);
        for (uint32_t k = 0; k < code.statements.count; k++)
            (void)sc_code_kind_of_name(&code, "x", k);
    }
}
