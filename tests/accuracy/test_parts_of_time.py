# tests/accuracy/test_parts_of_time.py - what time was used for: ending objects, importing modules.
#
# Truth: the thread's own CPU clock around the line.
#
# Error: a twentieth, and three standard deviations of samples 4 ms apart. What a C function does beside ending objects is not counted as
# freeing: of list.clear that is the first touch of each object, up to 40 % where ending one is as cheap as for a small Decimal, and 5 % here.
#
# SPDX-License-Identifier: Apache-2.0
"""Parts of the time."""

import pytest

from conftest import marked_lines

pytestmark = [pytest.mark.statistical, pytest.mark.by_version]

HEAD = """
import gc
import json
import time

gc.disable()
spent = {}


def timed(name, begin):
    spent[name] = spent.get(name, 0) + time.thread_time() - begin


class Node:
    def __init__(self, next):
        self.next = next
        self.name = str(id(self))


def tuples():
    return [(i, str(i)) for i in range(60000)]


def nodes():
    return [Node(None) for i in range(20000)]


def nested():
    return {i: {"a": [i, i + 1], "b": {i}} for i in range(15000)}


def chain():
    last = None
    for i in range(2000):
        last = Node(last)
    return [last] + [(i,) for i in range(40000)]

"""

FREEING = HEAD + """
def run(make):
    begin = time.thread_time()
    things = make()
    timed("made", begin)
    begin = time.thread_time()
    things = None  #: dropped
    timed("dropped", begin)


while sum(spent.values()) < 1.0:
    run(MAKE)
print(json.dumps(spent))
"""

ENDED_IN_C = HEAD + """
from array import array

while sum(spent.values()) < 1.0:
    begin = time.thread_time()
    things = %s
    timed("made", begin)
    begin = time.thread_time()
    things.clear()  #: dropped
    timed("dropped", begin)
print(json.dumps(spent))
"""

# Python's own type, and one of C code whose end the interpreter reaches by jumps.
BY_C = ENDED_IN_C % "tuples()"
OF_C = ENDED_IN_C % '[array("b", bytes(600)) for i in range(40000)]'

# What a finaliser written in Python does has lines of its own.
FINALISED = HEAD + """
class Ending:
    def __del__(self):
        for i in range(200):  #: loop
            pass  #: del


while sum(spent.values()) < 1.0:
    begin = time.thread_time()
    things = [Ending() for i in range(500)]
    timed("made", begin)
    begin = time.thread_time()
    things = None  #: dropped
    timed("dropped", begin)
print(json.dumps(spent))
"""

IMPORTING = (
    HEAD
    + """
import os
import sys
import tempfile

folder = os.path.join(tempfile.mkdtemp(), "site-packages")
os.mkdir(folder)
sys.path.insert(0, folder)
for name in ("deep", "heavy"):
    with open(os.path.join(folder, name + ".py"), "w") as stream:
        stream.write("import deep\\n" * (name == "heavy") + "import time\\nend = time.thread_time() + 0.4\\nwhile time.thread_time() < end:\\n    sum(range(2000))\\n")
begin = time.thread_time()
import heavy  #: imports
timed("imports", begin)
begin = time.thread_time()
while time.thread_time() < begin + 0.5:
    sum(range(2000))  #: works
timed("works", begin)
print(json.dumps(spent))
"""
)


def lines_of(found, mark):
    return [found.file()["lines"][at - 1] for at in marked_lines(found.text, mark)]


def seconds(found, mark, key):
    return sum(line.get(key, 0) for line in lines_of(found, mark))


def near(measured, truth):
    return abs(measured - truth) <= 0.05 * truth + 3 * (0.004 * truth) ** 0.5


def check_freeing(profile, python, make):
    ended = profile(FREEING.replace("MAKE", make), python, options=["--cpu-only"]).expect(0)
    found, truth = ended.profile, ended.facts
    details = (truth, found.own["time_s"], found.own["freeing_s"], found.hottest())
    assert near(found.cpu_marked("dropped"), truth["dropped"]), details
    assert seconds(found, "dropped", "freeing_s") >= 0.9 * found.cpu_marked("dropped"), details
    # and making them is not; what a loop drops on its way is little
    others = found.total_s - sum(sum(line["time_s"].values()) for line in lines_of(found, "dropped"))
    assert found.own["freeing_s"] - seconds(found, "dropped", "freeing_s") <= 0.2 * others, details


@pytest.mark.parametrize("make", ["tuples", "nodes"])
def test_ending_objects_is_freeing(profile, python, make):
    check_freeing(profile, python, make)


@pytest.mark.few_pythons
@pytest.mark.parametrize("make", ["nested", "chain"])
def test_ending_what_holds_others_is_freeing(profile, python, make):
    check_freeing(profile, python, make)


@pytest.mark.parametrize("program", [BY_C, OF_C], ids=["by", "of"])
def test_ending_objects_in_c_code_is_freeing(profile, python, program):
    ended = profile(program, python, options=["--cpu-only"]).expect(0)
    found, truth = ended.profile, ended.facts
    details = (truth, found.own["freeing_s"], found.hottest())
    assert near(found.cpu_marked("dropped"), truth["dropped"]), details
    assert seconds(found, "dropped", "freeing_s") >= 0.75 * found.cpu_marked("dropped"), details


@pytest.mark.few_pythons
def test_a_finaliser_in_python_is_not_freeing(profile, python):
    ended = profile(FINALISED, python, options=["--cpu-only"]).expect(0)
    found, truth = ended.profile, ended.facts
    details = (truth, found.own["freeing_s"], found.hottest())
    assert sum(found.cpu_marked(mark) for mark in ("del", "loop")) > 0.7 * truth["dropped"], details
    assert seconds(found, "del", "freeing_s") <= 0.02 * truth["dropped"], details
    assert seconds(found, "loop", "freeing_s") <= 0.1 * found.total_s, details  # the range


def test_importing_is_of_the_line_that_imports(profile, python):
    ended = profile(IMPORTING, python, options=["--cpu-only"]).expect(0)
    found, truth = ended.profile, ended.facts
    details = (truth, found.own["importing_s"], found.hottest())
    # what it was kept from a CPU is part of it, too
    assert abs(seconds(found, "imports", "importing_s") - sum(sum(line["time_s"].values()) for line in lines_of(found, "imports"))) <= 0.02, details
    assert near(found.cpu_marked("imports"), truth["imports"]), details
    assert seconds(found, "works", "importing_s") == 0, details
