# tests/api/test_labels.py - labels of a program: names, counts and durations, which are exact, and what is charged to them.
#
# SPDX-License-Identifier: Apache-2.0
"""scalene_profiler.label under `scalene run`, and without it."""

import pytest

from package_copy import copy_package
from sampled import claimed

HEAD = "import os, sys, threading\nfrom scalene.scalene_profiler import label\n"


@pytest.fixture
def labelled(profile, tmp_path_factory):
    """Runs HEAD and a program under `scalene run`: (Ended, name -> its unit)."""
    site = copy_package(tmp_path_factory.mktemp("site"))

    def run(text, python, **how):
        ended = profile(HEAD + text, python, env={"PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"}, **how).expect(0)
        units = ended.profile.exact.own.get("units", [])
        found = {unit["name"]: unit for unit in units}
        assert len(found) == len(units)
        return ended, found

    run.site = site
    return run


def counts(units):
    return {name: (unit["count"], unit.get("running", 0)) for name, unit in units.items()}


NESTED = """
def work():
    return sum(range(300000))

@label("decorated")
def decorated(n):
    return n and decorated(n - 1)

@label("generated")
def generated():
    yield 1
    yield 2

class Error(Exception):
    pass

for i in range(40):
    with label("outer"):
        with label("inner é"):
            work()
        try:
            with label("raises"):
                raise Error
        except Error:
            pass
shared = label("shared")
with shared:
    with shared:
        work()
decorated(2)
assert list(generated()) == [1, 2]
stopped = generated()
next(stopped)
stopped.close()
never = label("never")
forever = generated()
next(forever)
assert decorated.__name__ == "decorated"
with label("x" * 255 + "é"):
    pass
os._exit(0)
"""


def test_names_counts_and_nesting(labelled, python):
    _, units = labelled(NESTED, python)
    assert counts(units) == {
        "outer": (40, 0), "inner é": (40, 0), "raises": (40, 0), "shared": (2, 0), "decorated": (3, 0), "generated": (2, 1),
        "x" * 255: (1, 0),
    }  # fmt: skip
    outer, inner = units["outer"], units["inner é"]
    assert inner["total_s"] <= outer["total_s"]
    for unit in units.values():
        assert unit["cpu_s"] <= unit["total_s"] * 1.01 + 0.001 * unit["count"]


KINDS = """
import asyncio, types

class Class:
    @label("static")
    @staticmethod
    def static():
        return 1
    @label("class")
    @classmethod
    def of_class(cls):
        return cls
    @property
    @label("property")
    def value(self):
        return self

@label("types.coroutine")
@types.coroutine
def coroutine():
    yield
    return 5

async def use():
    return await coroutine()

one = Class()
assert (Class.static(), one.static()) == (1, 1) and one.of_class() is Class and one.value is one
assert asyncio.run(use()) == 5
sum(range(3000000))
"""


def test_what_can_be_decorated(labelled, python):
    _, units = labelled(KINDS, python)
    assert counts(units) == {"static": (2, 0), "class": (1, 0), "property": (1, 0), "types.coroutine": (1, 0)}


THREADS = """
def task(number):
    for i in range(number):
        with label("task"):
            with label("of %d" % number):
                sum(range(1000))

threads = [threading.Thread(target=task, args=(number,)) for number in (5, 7)]
with label("around"):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
shared = label("shared")
barrier = threading.Barrier(2)
def enter_together():
    with shared:
        barrier.wait()
    with shared:
        pass
threads = [threading.Thread(target=enter_together) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
def make():
    with label("left elsewhere"):
        yield
made = make()
thread = threading.Thread(target=next, args=(made,))
thread.start()
thread.join()
made.close()
sum(range(10000000))
"""


def test_each_thread_has_its_own(labelled, python):
    _, units = labelled(THREADS, python)
    found = counts(units)
    assert found.pop("left elsewhere")[0] <= 1  # the thread has ended, and its labels with it
    assert found == {"task": (12, 0), "of 5": (5, 0), "of 7": (7, 0), "around": (1, 0), "shared": (4, 0)}


FORK = """
def children():
    with label("before"):
        with label("inner"):
            pid = os.fork()
            if pid == 0:
                with label("child"):
                    grandchild = os.fork()
                    if grandchild == 0:
                        sum(range(100000))
                    else:
                        os.waitpid(grandchild, 0)
            else:
                os.waitpid(pid, 0)
    sum(range(3000000))

children()
"""


def test_a_forked_child_goes_on_in_its_labels(labelled, python):
    _, units = labelled(FORK, python)
    # the parent, its child and that one's: each leaves what it has been in
    assert counts(units) == {"before": (3, 0), "inner": (3, 0), "child": (2, 0)}


ASYNC = """
import asyncio

@label("job")
async def job():
    await asyncio.sleep(0.01)
    return 1

async def main():
    assert sum(await asyncio.gather(*(job() for _ in range(20)))) == 20
    with label("after"):
        sum(range(3000000))

asyncio.run(main())
"""


def test_tasks_may_leave_in_any_order(labelled, python):
    _, units = labelled(ASYNC, python)
    assert counts(units) == {"job": (20, 0), "after": (1, 0)}
    assert units["job"]["min_s"] >= 0.009


WRONG = """
for wrong in (1, b"bytes", None):
    try:
        label(wrong)
    except TypeError as error:
        assert "a label" in str(error), error
    else:
        raise AssertionError(wrong)
async def agen():
    yield 1
try:
    label("a")(agen)
except TypeError:
    pass
else:
    raise AssertionError
try:
    @label("a")
    class Class:
        pass
except TypeError as error:
    assert "decorate its methods" in str(error)
else:
    raise AssertionError
try:
    label("b").__exit__(None, None, None)
except RuntimeError:
    pass
else:
    raise AssertionError
with label("surrogate \\udc80"):
    pass
sum(range(3000000))
"""


def test_what_is_no_label(labelled, python):
    _, units = labelled(WRONG, python)
    assert counts(units) == {"?": (1, 0)}


def test_a_label_does_nothing_without_a_profiler(bare, labelled, python):
    text = HEAD + NESTED.replace("os._exit(0)", "print(label('x').__enter__()._spans)")
    ended = bare(text, python, env={"PYTHONPATH": labelled.site, "PYTHONDONTWRITEBYTECODE": "1"}).expect(0)
    assert list(eval(ended.stdout).values()) == [(0, None)]


BALANCED = """
import builtins, itertools, array
class Agent:
    __name__ = "_scalene_agent"
    spans = itertools.count(1 << 50)
    entered, left = array.array("q", [0] * 200), array.array("q", [0] * 200)
    def enter(self, name):
        span = next(self.spans)
        self.entered[i] = sys.getallocatedblocks()
        return span
    def leave(self, span):
        self.left[i] = sys.getallocatedblocks()
class builtin:
    __self__ = Agent()
builtins.profile = builtin
for i in range(200):
    with label("empty"):
        pass
print([left - entered for entered, left in zip(Agent.entered, Agent.left)][100:])
"""


def test_what_a_label_needs_itself_is_not_its_growth(bare, labelled, python):
    ended = bare(HEAD + BALANCED, python, env={"PYTHONPATH": labelled.site, "PYTHONDONTWRITEBYTECODE": "1"}).expect(0)
    assert set(eval(ended.stdout)) <= {0, -1}  # 3.11 to 3.13 free the method __exit__ before they call it


BLOCKS = """
kept = []
with label("keeps"):
    kept.append(bytes(bytearray(30 << 20)))
with label("gives back"):
    bytearray(b"x" * (50 << 20))
sum(range(3000000))
"""


def test_blocks_that_are_counted_one_by_one(labelled, python):
    _, units = labelled(BLOCKS, python, options=["--memory"])
    keeps, back = units["keeps"], units["gives back"]
    assert 59 <= keeps["allocated_mb"] <= 62 and 99 <= back["allocated_mb"] <= 102
    assert 29 <= keeps["growth_mb"] <= 32
    assert abs(back.get("growth_mb", 0)) <= 1


STORM = """
import signal
with label("outer"):
    os.kill(os.getppid(), signal.SIGSTOP)
    for i in range(200000):
        with label("inner"):
            pass
os.kill(os.getppid(), signal.SIGCONT)
"""


def test_what_was_entered_is_left_however_full_the_buffer_is(labelled, python):
    ended, units = labelled(STORM, python)
    lost = ended.profile.exact.own["losses"]["label_lost"]
    assert lost > 0
    assert units["outer"]["count"] == 1 and "running" not in units["outer"]
    assert "running" not in units["inner"] and units["inner"]["count"] < 200000


STALLED = """
import signal
sys.setrecursionlimit(3000)

def down(levels):
    return down(levels - 1) if levels > 0 else bytearray(3 << 20)

with label("outer"):
    os.kill(os.getppid(), signal.SIGSTOP)
    for levels in range(800):
        with label("inner"):
            down(levels)
os.kill(os.getppid(), signal.SIGCONT)
"""


def test_an_observer_that_does_not_run_for_a_while_loses_nothing(labelled, python):
    """As on a busy machine, while a program imports its modules: many stacks that were not sent yet."""
    ended, units = labelled(STALLED, python, options=["--memory"])
    losses = ended.profile.exact.own["losses"]
    assert [losses[name] for name in ("ring_full", "memory_ring_full", "label_lost")] == [0, 0, 0]
    assert units["inner"]["count"] == 800


STACKS = """
import time

def shared(end):
    while time.thread_time() < end:
        sum(range(1000))

def one():
    shared(time.thread_time() + 0.2)

def other():
    shared(time.thread_time() + 0.2)

with label("both"):
    with label("one"):
        one()
    other()
"""


def test_the_tree_of_calls_says_what_of_it_a_unit_took(labelled, python):
    """Of 0.2 s on a CPU there are samples in every run; how many is not looked at."""
    own = labelled(STACKS, python)[0].profile.exact.own
    names = [frame["display_name"] for frame in own["call_frames"]]
    functions = {unit["name"]: set() for unit in own["units"]}
    for unit, call, _ in own["call_units"]:
        while call > 0:
            call, frame = own["call_tree"][call - 1][:2]
            functions[own["units"][unit]["name"]].add(names[frame])
    assert functions["one"] >= {"one", "shared"} and "other" not in functions["one"]
    assert functions["both"] >= {"one", "other", "shared"}


MANY = """
def hold():
    with label("held"):
        yield

held = [hold() for _ in range(4100)]
for one in held:
    next(one)
for one in held:
    one.close()
sum(range(3000000))
"""


def test_what_a_thread_cannot_hold_is_a_loss(labelled, python):
    ended, units = labelled(MANY, python)
    assert counts(units) == {"held": (4096, 0)} and ended.profile.exact.own["losses"]["label_lost"] == 4


BUSY = """
def spin():
    for _ in range(400):
        sum(i * i for i in range(10000))  #: spins

with label("busy"):
    spin()
spin()
"""


@pytest.mark.statistical
def test_the_hottest_line_of_a_unit(labelled, python):
    ended, units = labelled(BUSY, python)
    busy = units["busy"]
    file, line, seconds = busy["lines"][0]
    assert claimed((file, line) == (ended.program, 6))
    assert 0.5 * busy["total_s"] <= seconds <= 1.3 * busy["total_s"]  # also while it was kept off a CPU
    assert sum(busy["time_s"].values()) >= 0.7 * busy["cpu_s"]
