# tests/layout/programs/lines.py - line tables: large steps, steps back, long code, odd names.
#
# SPDX-License-Identifier: Apache-2.0
"""Statements over several lines, exceptions, generated code, names outside ASCII."""

import sys

from parking import park


def several_lines(label):
    return [
        1,
        park(
            label
        ),
        2,
    ] + [
        park(label + " again")
        if label
        else None
    ]


def backwards():
    (lambda *args: park("called with a later line"))(
        1,
        2,
        sum(
            [3]
        ),
    )
    for i in (
        0,
        1,
    ):
        while True:
            if i:
                park("in a loop")
            break
    else:
        park("loop else")


def exceptions():
    try:
        try:
            raise ValueError
        except ValueError:
            park("except")
            raise KeyError
        finally:
            park("finally")
    except KeyError as error:  # the name makes the compiler add a handler without lines
        park("outer except " + type(error).__name__)
    else:
        park("never")
    finally:
        park("outer finally")
    assert park("assert") is None, park("never")


def conditional(x):
    return (
        park("conditional")
        if x
        else None
    ) or (
        x
        and park("and")
    )


def run(text, filename, **names):
    exec(compile(text, filename, "exec"), dict(names, park=park))


def generated():
    for gap in (1, 2, 126, 127, 128, 129, 254, 255, 256, 257, 1000, 40000, 70000):
        run("x = 1\n" + "\n" * gap + "def f():\n" + "\n" * gap + "    park('gap %d')\nf()\n" % gap,
            "<gap>")
    # a step back by many lines, within one statement
    for gap in (1, 100, 127, 128, 129, 130, 300, 5000):
        run("def f(*a): park('back')\nf(" + "\n" * gap + "1,\n" + "\n" * gap + "2)\n", "<back>")
    # long code between two lines, and on one line
    for count in (10, 30, 60, 120, 130, 300, 3000):
        body = "x = [" + "x, " * count + "park('long %d')]\n" % count
        run("x = 1\n" + body + "x = 2\n" + body, "<long>")
    # many constants and names: arguments with prefixes
    many = "\n".join("v%d = %d.5" % (i, i) for i in range(700))
    run(many + "\npark('many')\nfor i in range(1):\n    v1; v2\n    park('many in a loop')\n", "<many>")
    big = "if park:\n" + "".join("    w%d = v%d + %d\n" % (i, i, i) for i in range(600))
    run(many + "\n" + big + "    park('after a long block')\n", "<block>")


def at_level(level):
    text = "\n" * level + ("park('exec in exec')" if level == 0 else "at_level(level - 1)")
    run(text, "<level %d>" % level, at_level=at_level, level=level)


def odd_names():
    at_level(3)
    eval("park('eval')")
    eval(compile("\n\n(\npark('eval with lines'))", "<eval>", "eval"))
    for name in ("gr\u00f6\u00dfe", "\u51fd\u6570", "\U00020000", "a\u0301", "\u03c0x"):
        for filename in (name + ".py", "ascii.py", "/tmp/\udcff\udc80.py", "x" * 300 + name):
            text = "class %s:\n def %s(self):\n\n  park('odd name')\n%s().%s()\n" % ((name,) * 4)
            run(text, filename)


def traced(label, opcodes):
    """The call in park begins a line twice: before its arguments, and after them."""
    def trace(frame, event, argument):
        frame.f_trace_opcodes = opcodes
        return trace

    sys.settrace(trace)
    park(label)
    sys.settrace(None)


several_lines("several lines")
traced("lines are traced", False)
traced("instructions are traced", True)
backwards()
exceptions()
conditional(1)
generated()
odd_names()
if sys.version_info >= (3, 10):
    run("match [1, 2]:\n  case [x]:\n    pass\n  case [x, y] if park('guard') is None:\n    park('case')\n",
        "<match>")
if sys.version_info >= (3, 11):
    run("try:\n  raise ExceptionGroup('', [ValueError()])\nexcept* ValueError:\n  park('except*')\n",
        "<group>")
if sys.version_info >= (3, 12):
    run("def f[T: park('bound')](x: T): pass\nf.__type_params__[0].__bound__\ntype A = park('alias')\nA.__value__\n",
        "<types>")
if sys.version_info >= (3, 14):
    run("def f(x: park('annotation')): pass\nf.__annotations__\n", "<annotations>")
