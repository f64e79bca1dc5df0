# tests/accuracy/test_await.py - what coroutines wait for, against what the program itself measured.
#
# Truth: the program takes time.monotonic() around each await and adds up by line; the await time of
# a line is the sum over all tasks that waited there.
#
# Error: a task's wait is known to begin and to end between two ticks of the observer (10 ms, 40 ms
# when nothing happens) and is charged half of that; here waits are of 0.2 s and more, so a share is
# off by 1 point at most. The limit is 3 points.
#
# SPDX-License-Identifier: Apache-2.0
"""Await time by line."""

import pytest


pytestmark = [pytest.mark.statistical, pytest.mark.by_version]

HEAD = """
import asyncio
import json
import sys
import threading
import time

spent = {}


class Clock:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.begin = time.monotonic()

    def __exit__(self, *error):
        spent[self.name] = spent.get(self.name, 0) + time.monotonic() - self.begin


"""

TAIL = """
print(json.dumps(spent))
"""

ONE_TWO_SEVEN = HEAD + """
async def main():
    with Clock("one"):
        await asyncio.sleep(0.25)  #: one
    with Clock("two"):
        await asyncio.sleep(0.5)  #: two
    with Clock("seven"):
        await asyncio.sleep(1.75)  #: seven


asyncio.run(main())
""" + TAIL

# Nested calls are charged to the innermost line of the program's own code.
AT_ONCE = HEAD + """
async def nap(seconds):
    await asyncio.sleep(seconds)  #: nap


async def one():
    with Clock("one"):
        await asyncio.sleep(0.2)  #: one


async def two():
    with Clock("nap"):
        await nap(0.4)


async def seven():
    with Clock("seven"):
        await asyncio.wait_for(asyncio.sleep(1.4), 60)  #: seven


async def main():
    with Clock("all"):
        await asyncio.gather(one(), two(), seven())  #: all


asyncio.run(main())
""" + TAIL

# The loop is busy for a second: no task waits for that but those that would wait anyway.
CPU_IN_THE_LOOP = HEAD + """
def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(2000))


async def busy():
    work(0.5)  #: busy
    await asyncio.sleep(0)  #: turn
    work(0.5)  #: busy


async def ready(future):
    await future  #: ready


async def main():
    loop = asyncio.get_running_loop()
    futures = [loop.create_future() for _ in range(20)]
    tasks = [loop.create_task(ready(future)) for future in futures]
    await asyncio.sleep(0)
    for future in futures:
        future.set_result(None)  # from now on they wait for their turn only
    work(1.0)  #: main
    for task in tasks:
        await task
    await busy()
    with Clock("sleep"):
        await asyncio.sleep(0.3)  #: sleep


asyncio.run(main())
""" + TAIL

KINDS = HEAD + """
class Manager:
    async def __aenter__(self):
        with Clock("enter"):
            await asyncio.sleep(0.3)  #: enter

    async def __aexit__(self, *error):
        pass


async def numbers():
    for number in range(3):
        with Clock("numbers"):
            await asyncio.sleep(0.2)  #: numbers
        yield number


async def produce(queue):
    for number in range(2):
        await asyncio.sleep(0.25)  #: produce
        spent["produce"] = spent.get("produce", 0) + 0.25
        for _ in range(5):
            queue.put_nowait(number)


async def consume(queue):
    for _ in range(2):
        with Clock("consume"):
            await queue.get()  #: consume


async def main():
    loop = asyncio.get_running_loop()
    async with Manager():
        pass
    async for number in numbers():
        pass
    with Clock("executor"):
        await loop.run_in_executor(None, time.sleep, 0.5)  #: executor
    queue = asyncio.Queue()
    consumers = [loop.create_task(consume(queue)) for number in range(5)]
    if hasattr(consumers[0], "set_name"):
        for number, task in enumerate(consumers):
            task.set_name("consumer %d" % number)
    await produce(queue)
    for task in consumers:
        await task


def other():
    loop = asyncio.new_event_loop()

    async def wait():
        with Clock("thread"):
            await asyncio.sleep(0.8)  #: thread

    loop.run_until_complete(wait())


thread = threading.Thread(target=other)
thread.start()
asyncio.run(main())
thread.join()
""" + TAIL


def compare(ended, limit=3):
    truth, found = ended.facts, ended.profile
    whole = sum(truth.values())
    shares = {name: found.record(name)["n_async_await_percent"] for name in truth}
    for name, true_s in truth.items():
        assert abs(shares[name] - 100 * true_s / whole) <= limit, "%s: reported %s, true seconds %s" % (name, shares, truth)
    everything = sum(line["n_async_await_percent"] for file in found.files.values() for line in file["lines"])
    assert abs(everything - 100) <= 0.01


def test_one_two_seven(profile, python):
    ended = profile(ONE_TWO_SEVEN, python).expect(0)
    compare(ended)
    assert ended.profile.data["async_profile"] is True
    assert ended.profile.data["scalene_c"]["await_s"] == pytest.approx(2.5, abs=0.15)
    for mark, share in (("one", 10), ("two", 20), ("seven", 70)):
        line = ended.profile.record(mark)
        assert abs(line["n_async_await_percent"] - share) <= 3
        assert line["n_async_concurrency_mean"] == pytest.approx(1)
        assert line["n_async_concurrency_peak"] == 1
        assert line["async_task_names"] == ["Task-1"]
        assert line["is_coroutine"] is True
    (main,) = [one for one in ended.profile.file()["functions"] if one["line"] == "main"]
    assert main["n_async_await_percent"] == pytest.approx(100)
    assert main["is_coroutine"] is True


def test_at_once(profile, python):
    ended = profile(AT_ONCE, python).expect(0)
    compare(ended)


def test_cpu_in_the_loop(profile, python):
    ended = profile(CPU_IN_THE_LOOP, python).expect(0)
    compare(ended)
    for mark in ("turn", "ready"):
        assert ended.profile.record(mark)["n_async_await_percent"] <= 3


def test_kinds_of_awaits(profile, python):
    ended = profile(KINDS, python).expect(0)
    compare(ended)
    consume = ended.profile.record("consume")
    assert consume["async_task_names"] == ["consumer %d" % number for number in range(5)]
    assert consume["n_async_concurrency_peak"] == 5
    # a look or two can fall between the steps of the loop that wake and start them
    assert 3 <= consume["n_async_concurrency_mean"] <= 5


def test_switched_off(profile, python):
    ended = profile(ONE_TWO_SEVEN, python, options=["--no-async"]).expect(0)
    assert ended.profile.data["async_profile"] is False
    for line in ended.profile.file()["lines"]:
        assert line["n_async_await_percent"] == 0 and line["async_task_names"] == []
