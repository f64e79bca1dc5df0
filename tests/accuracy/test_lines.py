# tests/accuracy/test_lines.py - the lines of one loop, of which one is heavy.
#
# A sampler that acts only where the interpreter looks for signals sees the head and the last line
# of a loop, never the heavy line in its middle. Here each line has to read what it costs.
#
# Truth: the program runs the loop in short turns, and between them loops that leave lines out. What
# a line costs is the difference of two such loops, measured under the same conditions.
#
# Error: 4 s in the loop give 1,000 samples 4 ms apart. A line of 93 % then has a standard deviation
# of 0.8 points, and lines of a few per cent less. A light line costs some nanoseconds more behind
# the heavy one than in a loop without it (the processor has forgotten what it knew of it), which is
# up to 1.7 points of these loops (test_looks.py has a truth without that). The limit is 3 points.
#
# SPDX-License-Identifier: Apache-2.0
"""Lines of a loop."""

import pytest

pytestmark = pytest.mark.statistical

FRAME = """
import json
import time

SECONDS = 4.0
%s

def turn(work, steps):
    begin = time.thread_time()
    work(steps)
    return time.thread_time() - begin


def main():
    spent = dict.fromkeys(STEPS, 0.0)
    while spent["loop"] < SECONDS:
        for _ in range(10):
            spent["loop"] += turn(loop, STEPS["loop"])
        for name in ("light", "first", "last", "empty"):
            spent[name] += turn(globals()[name], STEPS[name])
        turns["loop"] += 10
        turns["other"] += 1
    each = {
        name: spent[name] / STEPS[name] / turns["loop" if name == "loop" else "other"]
        for name in spent
    }
    print(json.dumps({
        "for": each["empty"] / each["loop"],
        "first": (each["first"] - each["empty"]) / each["loop"],
        "heavy": (each["loop"] - each["light"]) / each["loop"],
        "last": (each["last"] - each["empty"]) / each["loop"],
    }))


turns = {"loop": 0, "other": 0}
main()
"""

LOOPS = """

def loop(steps):
    for i in range(steps):  #: for
        a = {first}  #: first
        b = {heavy}  #: heavy
        c = {last}  #: last
    return a, b, c


def light(steps):
    for i in range(steps):
        a = {first}
        c = {last}
    return a, c


def first(steps):
    for i in range(steps):
        a = {first}
    return a


def last(steps):
    for i in range(steps):
        c = {last}
    return c


def empty(steps):
    for i in range(steps):
        pass
"""

ARITHMETIC = "STEPS = {'loop': 20000, 'light': 80000, 'first': 80000, 'last': 80000, 'empty': 80000}\n"
ARITHMETIC += LOOPS.format(
    first="i + 1",
    heavy=" + ".join("((i * %d + 1) ^ (i + %d))" % (k + 2, k) for k in range(9)),
    last="i - 1",
)

CALLS = """
import random
VALUES = random.Random(1).choices(range(1000), k=90)
STEPS = {'loop': 2000, 'light': 40000, 'first': 40000, 'last': 40000, 'empty': 40000}
"""
CALLS += LOOPS.format(first="len(VALUES)", heavy="sorted(VALUES)", last="abs(i)")


def check(profile, python, loops, rate="0.004"):
    ended = profile(FRAME % loops, python, [], ["--cpu-sampling-rate", rate]).expect(0)
    truth = ended.facts
    assert 0.85 < truth["heavy"] < 0.99, "the heavy line is not: %s" % truth
    assert abs(sum(truth.values()) - 1) < 0.05, "the parts do not make up the whole: %s" % truth
    found = ended.profile
    compare({mark: found.cpu_marked(mark) for mark in truth}, truth, found)
    if found.undisturbed:
        compare({mark: found.marked(mark).total for mark in truth}, truth, found)


def compare(times, truth, found):
    whole = sum(times.values())
    for mark, share in truth.items():
        assert abs(times[mark] / whole - share) <= 0.03, "line '%s': reported %s, true %s\n%s" % (
            mark,
            times,
            truth,
            found.hottest(),
        )


def test_loop_without_calls(profile, python):
    check(profile, python, ARITHMETIC)


def test_loop_with_calls(profile, python):
    check(profile, python, CALLS)


@pytest.mark.few_pythons
def test_loop_without_calls_at_1_ms(profile, python):
    check(profile, python, ARITHMETIC, "0.001")
