# tests/accuracy/test_task_lanes.py - when each task waited, against what the program itself measured.
#
# Error: a look at the tasks is due each time that the program has run, every 10 to 40 ms; a wait begins and ends
# half-way between two of them.
#
# SPDX-License-Identifier: Apache-2.0
"""Lanes of single tasks."""

import json

import pytest

from conftest import marked_lines
from sampled import claimed

pytestmark = pytest.mark.statistical

PROGRAM = """
import asyncio
import json
import time

waits = []


async def wait(seconds, which):
    begin = time.monotonic()
    if which == "long":
        await asyncio.sleep(seconds)  #: long
    else:
        await asyncio.sleep(seconds)  #: short
    waits.append([asyncio.current_task().get_name(), begin, time.monotonic(), which])


async def both():
    await wait(0.7, "long")
    await wait(0.3, "short")


async def late(lock):
    await asyncio.sleep(0.5)  #: before
    async with lock:  #: queue
        await wait(0.4, "short")


async def main():
    lock = asyncio.Lock()
    tasks = [asyncio.create_task(both(), name="both")]
    tasks += [asyncio.create_task(late(lock), name="late-%d" % i) for i in range(3)]
    await asyncio.gather(*tasks)  #: gather


asyncio.run(main())
print(json.dumps(waits))
"""


def test_waits_of_each_task_are_in_its_lane(python, profile):
    ended = profile(PROGRAM, python).expect(0)
    places = {mark: marked_lines(ended.profile.text, mark)[0] for mark in ("long", "short", "before", "queue", "gather")}
    own = ended.profile.own
    numbers = {line: number for number, (_, line, _) in enumerate(own["task_places"], 1)}
    lanes = {lane["name"]: lane["runs"] for lane in own["task_lanes"]}
    assert claimed({"both", "late-0", "late-1", "late-2"} <= set(lanes))
    assert "task_lanes_cut" not in own
    names = {name for _, _, name in own["task_places"]}
    assert claimed({"wait", "late", "main"} <= names)
    start_s = ended.profile.data["start_time_perf"]
    for name, begin_s, end_s, which in json.loads(ended.stdout):
        number = numbers[places[which]]
        (run,) = [run for run in lanes[name] if run[2] == number]
        assert run[0] == pytest.approx(begin_s - start_s, abs=0.12), (name, run)
        assert run[0] + run[1] == pytest.approx(end_s - start_s, abs=0.12), (name, run)
    queued = sorted(sum(run[1] for run in lanes["late-%d" % i] if run[2] == numbers.get(places["queue"])) for i in range(3))
    for seconds, truth in zip(queued, (0, 0.4, 0.8)):
        assert seconds == pytest.approx(truth, abs=0.12), queued
