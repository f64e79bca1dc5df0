# tests/sampled.py - the sampled numbers of a profile, which only tests marked `statistical` may look at.
#
# A sampled or timed number is outside of any limit now and then. A test that compares one decides nothing by itself, and is
# marked; so that no test has to remember this, the numbers of a profile refuse to be compared in all others. In a marked test
# only an assert that compares numbers may miss: what else it asserts (a status, an output, a table of processes) must hold.
#
# SPDX-License-Identifier: Apache-2.0
"""guarded(profile): the profile as an unmarked test reads it; is_miss(error): whether an assert of a marked one missed a number."""

import ast
import traceback

import host
import pytest

# Keys of numbers that are the same in every run of a program, or names of something (docs/json.md). All others are sampled.
EXACT = frozenset(
    """
    lineno end_lineno line holder_lineno max_footprint_lineno
    start_region_line end_region_line start_outermost_loop end_outermost_loop start_function_line end_function_line
    pid parent_pid tid thread_id python_ident main_thread_id exit_value index stack_index ip offset interval_s total_mb child_not_followed
    """.split()
)

# What makes something of a number, or asks for its value.
OPERATIONS = """
    eq ne lt le gt ge bool hash int float index round trunc floor ceil abs neg pos
    add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow
""".split()


class Refused(Exception):
    """A test that is not marked has used a sampled number."""


class Sampled:
    """A number that can be shown, and refuses everything else."""

    def __init__(self, number):
        self._number = number

    def __repr__(self):
        return repr(self._number)

    def __format__(self, form):
        return format(self._number, form)


def refuse(self, *_):
    raise Refused(
        f"{self!r} is sampled: mark the test `statistical`, compare it in another test that is, or read it from `profile.exact`"
        " and say why it is the same in every run"
    )


for operation in OPERATIONS:
    setattr(Sampled, f"__{operation}__", refuse)


def guarded(value):
    """A copy of a part of a profile, in which all numbers but those of EXACT are Sampled."""
    if isinstance(value, dict):
        return {key: one if key in EXACT else guarded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [guarded(one) for one in value]
    return Sampled(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def claimed(holds):
    """Says that a condition depends on what was sampled or on when, though it compares no numbers: `assert claimed("f" in hottest)`."""
    return holds


def _name(node):
    return ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""


def _is_comparison(node):
    """Of numbers by their order; how many of something there are is exact, sets have an order of their own, and a limit of time is for what hangs."""
    if not isinstance(node, ast.Compare):
        return _name(node) in ("claimed", "near", "approx")
    is_exact = any(isinstance(one, (ast.Set, ast.SetComp)) or _name(one) in ("len", "set", "monotonic") for one in (node.left, *node.comparators))
    return not is_exact and any(isinstance(one, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for one in node.ops)


def compares(condition):
    """Whether nothing but a number can have failed."""
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        return all(map(compares, condition.values))
    return any(map(_is_comparison, ast.walk(condition)))


def is_miss(error):
    """Whether an exception is that of an assert that compares numbers."""
    if not isinstance(error, AssertionError):
        return False
    *_, (frame, number) = traceback.walk_tb(error.__traceback__)
    with open(frame.f_code.co_filename, encoding="utf-8") as file:
        nodes = ast.walk(ast.parse(file.read()))
    return any(isinstance(node, ast.Assert) and node.lineno <= number <= node.end_lineno and compares(node.test) for node in nodes)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    """For tools/claims.py, of a marked test: whether it missed a number, and what others took of the machine meanwhile."""
    if not item.get_closest_marker("statistical"):
        yield
        return
    taken, total = host.ticks()
    outcome = yield
    taken_later, total_later = host.ticks()
    item.user_properties.append(("taken_percent", 100 * (taken_later - taken) / max(1, total_later - total)))
    if outcome.excinfo and is_miss(outcome.excinfo[1]):
        item.user_properties.append(("missed", 1))
