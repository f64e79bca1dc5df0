# tests/dump/programs/values.py - local variables of all kinds.
#
# SPDX-License-Identifier: Apache-2.0
import sys


class Something:
    pass


def pretender(name, *bases):
    """An instance of a class of the program that has the name of a built-in one."""
    return type(name, bases, {})()


PRETENDERS = [pretender(name) for name in ("int", "bool", "str", "bytes", "float", "list", "tuple", "set", "dict", "NoneType", "cell")]
HEIRS = [pretender(base.__name__, base) for base in (int, str, float, list, tuple, set, dict)]


def outer(argument, *more, key="k", **others):
    number, negative, large, zero, word, below = 42, -7, 2**100, 0, 2**64 - 1, -(2**63) - 5
    real, whole, tiny, least, fixed, not_fixed, third = 2.5, 3.0, 1e-300, 5e-324, 1e15, 1e16, 1 / 3
    wide = "\u00e9" * 50
    text, quoted, accents = "plain", "it's\n", "h\u00e9llo \u4e16\u754c \U0001f600"
    long_text = "x" * 1000
    data, nothing, yes, no = b"\x00ab'", None, True, False
    items, pair, one, empty = [1, "two", [3, [4]]], (1, 2), (1,), []
    many = list(range(1000))
    table, numbers, no_numbers, fewer = {"a": 1, 2: [3]}, {5}, set(), {1, 2, 3}
    fewer.discard(2)
    thing = Something()
    as_int, as_bool, as_str, as_bytes, as_float, as_list, as_tuple, as_set, as_dict, as_none, as_cell = PRETENDERS
    heir_int, heir_str, heir_float, heir_list, heir_tuple, heir_set, heir_dict = HEIRS
    half, name, shown = "a\udc80b\ud800c", b"caf\xe9".decode("utf-8", "surrogateescape"), "\x7f\x85\xa0\xad"
    halves, controls, wides = "\udc80" * 30, ["\x1b" * 79] * 4, ["\u4e16" * 26] * 4
    shared = "in a cell"
    unset = 1
    del unset

    def inner():
        print("ready", flush=True)
        sys.stdin.read(1)  # waits here
        return shared

    return inner() and (  # 世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世世
                        number, negative, large, zero, word, below, real, whole, tiny, least, fixed, not_fixed, third, wide, text, quoted, accents, long_text, data, nothing, yes, no,
                        items, pair, one, empty, many, table, numbers, no_numbers, fewer, thing, half, name, shown, halves, controls, wides)


exec(compile("outer(1, 2, 3, extra=4)", "<made by /lib/python3.9/of.py:11>", "exec"))
