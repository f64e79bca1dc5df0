# tests/robust/test_many_tasks.py - very many tasks, short ones, forked ones, other loops, no asyncio at all.
#
# What the observer costs is printed (pytest -s) and not asserted: it depends on the machine.
#
# SPDX-License-Identifier: Apache-2.0
"""Crowds of tasks, and tasks in odd places."""

import os
import subprocess

import pytest

from conftest import ROOT
from sampled import claimed

pytestmark = pytest.mark.by_version


def all_lines(found):
    return [line for one in found.files.values() for line in one["lines"]]


CROWD = """
import asyncio


async def leaf(event):
    await event.wait()  #: wait


async def nest(event):
    await leaf(event)


async def main():
    event = asyncio.Event()
    tasks = [asyncio.ensure_future(nest(event)) for _ in range(10000)]
    for _ in range(200):  # a look at so many tasks is made once a second, and the first may come while they are made
        await asyncio.sleep(0.02)  #: tick
    event.set()
    await asyncio.gather(*tasks)
    print("done")


asyncio.run(main())
"""


@pytest.mark.statistical
def test_10000_tasks(profile, python):
    ended = profile(CROWD, python).expect(0)
    assert ended.stdout == "done\n"
    found = ended.profile
    print(
        "%s: observer %.3f s of CPU in %.2f s"
        % (python.id, found.own["observer_cpu_s"], found.data["elapsed_time_sec"])
    )
    wait, tick = found.record("wait"), found.record("tick")
    # One task ticks, 10,000 wait beside it.
    assert wait["n_async_await_percent"] >= 99
    assert wait["n_async_concurrency_peak"] == 10000
    assert tick["n_async_concurrency_peak"] <= 1
    assert len(wait["async_task_names"]) == 100


SHORT = """
import asyncio
import time


async def short(number):
    await asyncio.sleep(0.001 * (number % 7))  #: short


async def main():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        await asyncio.gather(*(short(number) for number in range(50)))  #: gather
    print("done")


asyncio.run(main())
"""


@pytest.mark.statistical
def test_tasks_that_come_and_go(profile, python):
    ended = profile(SHORT, python).expect(0)
    assert ended.stdout == "done\n"
    found = ended.profile
    short, gather = found.record("short"), found.record("gather")
    shares = {line["lineno"]: line["n_async_await_percent"] for line in all_lines(found)}
    assert sum(shares.values()) == pytest.approx(100)
    # Nothing else is ever awaited, whatever is read while tasks begin and end.
    others = set(shares) - {short["lineno"], gather["lineno"]}
    assert claimed(all(shares[lineno] == 0 for lineno in others)), shares
    assert short["n_async_await_percent"] > gather["n_async_await_percent"] > 0
    assert gather["n_async_concurrency_peak"] == 1
    assert 1 < short["n_async_concurrency_peak"] <= 50


# The child has the parent's tasks in its memory, but no loop that runs them.
FORKED = """
import asyncio
import os
import sys
import time


async def waits():
    await asyncio.sleep(1.2)  #: waits


async def child():
    await asyncio.sleep(0.8)  #: child


async def main():
    tasks = [asyncio.ensure_future(waits()) for _ in range(4)]
    await asyncio.sleep(0.1)  #: first
    pid = os.fork()
    if pid == 0:
        if sys.argv[1] == "sleep":
            time.sleep(1.0)
        else:
            asyncio.events._set_running_loop(None)
            loop = asyncio.new_event_loop()
            loop.run_until_complete(child())
        os._exit(0)
    await asyncio.get_running_loop().run_in_executor(None, os.waitpid, pid, 0)  #: pid
    await asyncio.gather(*tasks)  #: gather


asyncio.run(main())
"""


@pytest.mark.parametrize("what", ["sleep", "loop"])
@pytest.mark.statistical
def test_tasks_from_before_a_fork(profile, python, what):
    ended = profile(FORKED, python, args=[what]).expect(0)
    found = ended.profile
    marks = ["waits", "first", "pid", "gather"] + (["child"] if what == "loop" else [])
    shares = {mark: found.record(mark)["n_async_await_percent"] for mark in marks}
    # 4 tasks of 1.2 s, the main one for as long, and the child's own; the child waits for no more.
    child_s = 0.8 if what == "loop" else 0
    all_s = 5 * 1.2 + child_s
    assert abs(shares["waits"] - 100 * 4.8 / all_s) <= 5, shares
    if what == "loop":
        assert abs(shares["child"] - 100 * child_s / all_s) <= 3, shares


PURE_PYTHON = """
import sys

sys.modules["_asyncio"] = None
import asyncio


async def main():
    await asyncio.gather(*(asyncio.sleep(0.3) for _ in range(3)))
    print(type(asyncio.current_task()).__module__)


asyncio.run(main())
"""


def test_tasks_without_the_accelerator(profile, python):
    ended = profile(PURE_PYTHON, python).expect(0)
    assert ended.stdout == "asyncio.tasks\n"
    assert all(line["n_async_await_percent"] == 0 for line in all_lines(ended.profile.exact))


IN_PYTHON = """
import asyncio

# as nest_asyncio does
asyncio.Task = asyncio.tasks._CTask = asyncio.tasks.Task = asyncio.tasks._PyTask
asyncio.Future = asyncio.futures._CFuture = asyncio.futures.Future = asyncio.futures._PyFuture


async def waits():
    await asyncio.sleep(0.5)  #: sleep


async def main():
    for _ in range(3):
        await asyncio.gather(*(waits() for _ in range(3)))  #: gather
    print(type(asyncio.current_task()).__module__)


asyncio.run(main())
"""


@pytest.mark.statistical
def test_tasks_of_the_class_in_python(profile, python):
    if python.version >= (3, 14):
        pytest.skip("asyncio keeps these where nobody finds them")
    ended = profile(IN_PYTHON, python).expect(0)
    assert ended.stdout == "asyncio.tasks\n"
    sleep, gather = ended.profile.record("sleep"), ended.profile.record("gather")
    assert sleep["n_async_await_percent"] == pytest.approx(75, abs=2)
    assert gather["n_async_await_percent"] == pytest.approx(25, abs=2)
    assert sleep["n_async_concurrency_peak"] == 3
    assert gather["async_task_names"] == ["Task-1"]


KILLED = """
import asyncio
import os
import signal


async def main():
    asyncio.get_running_loop().call_later(0.6, os.kill, os.getpid(), signal.SIGKILL)
    await asyncio.sleep(60)  #: sleep


asyncio.run(main())
"""


@pytest.mark.statistical
def test_what_a_killed_program_waited_for(profile, python):
    ended = profile(KILLED, python)
    assert ended.profile.record("sleep")["n_async_await_percent"] == pytest.approx(100)


WITHOUT = """
import time

end = time.monotonic() + 0.5
while time.monotonic() < end:
    sum(range(1000))
"""


def test_a_program_without_asyncio(profile, python):
    ended = profile(WITHOUT, python).expect(0)
    for line in all_lines(ended.profile.exact):
        assert line["n_async_await_percent"] == 0
        assert line["async_task_names"] == [] and line["is_coroutine"] is False


UVLOOP = """
import asyncio

import uvloop


async def nest(seconds):
    await asyncio.sleep(seconds)  #: nest


async def main():
    await asyncio.sleep(0.3)  #: one
    await asyncio.gather(nest(0.6), nest(0.6))  #: gather
    assert isinstance(asyncio.get_running_loop(), uvloop.Loop)


loop = uvloop.new_event_loop()
loop.run_until_complete(main())
"""


@pytest.mark.statistical
def test_uvloop(profile, python):
    if subprocess.run([python.path, "-c", "import uvloop"], capture_output=True, check=False).returncode:
        pytest.skip("%s has no uvloop" % python.id)
    ended = profile(UVLOOP, python).expect(0)
    for mark, share in (("one", 100 / 7), ("nest", 400 / 7), ("gather", 200 / 7)):
        assert abs(ended.profile.record(mark)["n_async_await_percent"] - share) <= 4, mark


SWITCHED = """
import asyncio
import sys

sys.path.insert(0, %r)
from scalene import scalene_profiler


async def main():
    await asyncio.sleep(0.5)  #: before
    scalene_profiler.start()
    await asyncio.sleep(0.8)  #: during
    scalene_profiler.stop()
    await asyncio.sleep(0.5)  #: after


asyncio.run(main())
""" % os.path.join(ROOT, "python")


@pytest.mark.statistical
def test_await_time_counts_while_profiling_is_on(profile, python):
    ended = profile(SWITCHED, python, options=["--off"]).expect(0)
    shares = [ended.profile.record(mark)["n_async_await_percent"] for mark in ("before", "during", "after")]
    # At the switches up to a tick belongs to one side or the other.
    assert shares[1] >= 90, shares
