/*
 * tests/unit/assist_signature_test.c - what callers notice of a proposal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "assist/signature.h"
#include "base/str.h"
#include "sc_test.h"

static void expect(const char *old, const char *code, const char *wanted)
{
    OWN(sc_texts, sentences) = {0};
    OWN(sc_str, text) = {0};
    sc_ai_signature_changes(old, strlen(old), code, strlen(code), &sentences);
    for (size_t i = 0; i < sentences.count; i++)
        sc_str_add_format(&text, "%s.", sentences.items[i]);
    assert_string_equal(sc_str_text(&text), wanted);
}

TEST(the_same_signature_is_no_change)
{
    expect("def f(a, b=(1, 2), *, c={'x': 1}):\n    return a\n",
           "def f(\n    a,  # the first\n    b = (1,2),\n    *,\n    c={ 'x':1 },\n):\n"
           "    return b\n",
           "");
    /* annotations are for readers; what is within a function is its own */
    expect("def f(a: int, b: str = 'x:y') -> int:\n    def inner(x):\n        return x\n    return "
           "inner(a)\n",
           "def f(a, b='x:y'):\n    return a\n", "");
    expect("    for i in x:\n        y(i)\n", "    y(*x)\n", "");
    expect("", "", "");
    expect("def f(", "def f(", "");
    expect("@", "class", "");
}

TEST(parameters_and_defaults)
{
    expect("def f(a, b):\n    pass\n", "def f(a, b, c):\n    pass\n",
           "the parameters of f were (a, b) and are (a, b, c).");
    expect("def f(a, b=1):\n    pass\n", "def f(a, b=2):\n    pass\n",
           "the parameters of f were (a, b=1) and are (a, b=2).");
    expect("def f(a, s=', )'):\n    pass\n", "def f(a, s=', ('):\n    pass\n",
           "the parameters of f were (a, s=', )') and are (a, s=', (').");
    expect("def f[T](a: T):\n    pass\n", "def f(a, *rest):\n    pass\n",
           "the parameters of f were (a) and are (a, *rest).");
    expect("def f(a, k: int = lambda x, y: x):\n    pass\n",
           "def f(a, k: int = lambda x, y: y):\n    pass\n",
           "the parameters of f were (a, k=lambda x,y:x) and are (a, k=lambda x,y:y).");
    expect("def f(a): return lambda x: x\n", "def f(): return 1\n",
           "the parameters of f were (a) and are ().");
}

TEST(names)
{
    expect("def f(a):\n    return a\n", "def f_fast(a):\n    return a\n",
           "f is not defined any more.");
    expect("class A(B):\n    def f(self):\n        '''\ndef g():\n'''\n    def h(self):\n        "
           "pass\n",
           "class A(C):\n    def f(self, x):\n        pass\n",
           "the bases of A were (B) and are (C).the parameters of A.f were (self) and are (self, "
           "x).A.h is not defined any more.");
    expect("def f(a):\n    pass\n", "class f:\n    pass\n", "f is a class now.");
    expect("def größe(a):\n    pass\n", "größe = len\n", "größe is not defined any more.");
}

TEST(decorators_coroutines_and_generators)
{
    expect("@cache\n@other(a,\n  b)\ndef f(a):\n    pass\n",
           "@cache # for ever\n@other(a, b)\ndef f(a):\n    pass\n", "");
    expect("@property\ndef f(self):\n    pass\n", "def f(self):\n    pass\n",
           "the decorators of f were @property and are none.");
    expect("def f():\n    pass\n", "async def f():\n    pass\n",
           "f is a coroutine now, which must be awaited.");
    expect("async def f():\n    pass\n", "def f():\n    pass\n",
           "f is no coroutine any more: nothing may await it.");
    expect("def f():\n    for i in x:\n        yield i\n", "def f():\n    return list(x)\n",
           "f is no generator any more.");
    expect("def f():\n    return 'yield'\n",
           "def f():\n    def g():\n        yield 1\n    return g\n", "");
}

TEST(a_name_that_is_defined_more_than_once)
{
    expect(
        "class A:\n    @property\n    def x(self):\n        pass\n    @x.setter\n    def x(self, "
        "v):\n        pass\n",
        "class A:\n    @property\n    def x(self):\n        return 1\n    @x.setter\n    def "
        "x(self, v):\n        self.v = v\n",
        "");
    expect("if a:\n    def f(x):\n        pass\nelse:\n    def f(x):\n        pass\n",
           "def f(x):\n    pass\n", "");
}
