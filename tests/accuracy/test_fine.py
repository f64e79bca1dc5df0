# tests/accuracy/test_fine.py - below the kernel's tick a perf event meets user code, and a timer the rest.
#
# The program takes turns, of 2 ms in all in the mean, at two loops, at short system calls and at long ones. An event that is blind in
# the kernel and is believed alone gives the calls nothing.
#
# Truth: the thread's own CPU clock around each part.
# Error: what the kernel has follows from the timer's samples, one every 4 to 6 ms: 500 of them in 2.5 s are right to 2.2 points
# (standard deviation at a share of 40 %). The limit is 9 points. How the loops share what is theirs follows from the
# event's samples, 1,000 or more of them: 1.5 points; the limit is 7. Where events are not permitted the timer has all of it.
#
# SPDX-License-Identifier: Apache-2.0
"""Shares at an interval below the kernel's tick."""

import pytest

PROGRAM = """
import json
import os
import random
import time

zeros = os.open("/dev/zero", os.O_RDONLY)
room = bytearray(1 << 22)
spent = {"long": 0.0, "short": 0.0, "one": 0.0, "two": 0.0}


def loop_one(steps):
    total = 0
    for i in range(steps):
        total += (i * 3 + 1) ^ 5  #: one


def loop_two(steps):
    total = 0
    for i in range(steps):
        total += (i * 3 + 1) ^ 7  #: two


def short_calls(count):
    for _ in range(count):
        os.lseek(zeros, 0, os.SEEK_CUR)  #: short


def long_call(count):
    for _ in range(count):
        os.readv(zeros, [room])  #: long


parts = {
    "one": (loop_one, 0.0008),
    "two": (loop_two, 0.0004),
    "short": (short_calls, 0.0004),
    "long": (long_call, 0.0004),
}


def cost(what, count):
    begin = time.thread_time()
    what(count)
    return (time.thread_time() - begin) / count


counts = {}
for name, (what, seconds) in parts.items():
    counts[name] = max(1, round(seconds / min(cost(what, 200 if name != "long" else 2) for _ in range(5))))

end = time.thread_time() + 2.5
now = time.thread_time()
while now < end:
    for name, (what, _) in parts.items():
        # a fixed round would keep step with the kernel's ticks, and these would meet one part of it alone
        what(max(1, round(counts[name] * random.uniform(0.2, 1.8))))
        before, now = now, time.thread_time()
        spent[name] += now - before
print(json.dumps(spent))
"""


@pytest.mark.statistical
def test_loops_and_calls(profile, python):
    ended = profile(PROGRAM, python, [], ["--cpu-sampling-rate", "0.001"]).expect(0)
    truth = ended.facts
    total = sum(truth.values())
    found = {name: ended.profile.cpu_marked(name) for name in truth}
    seen = (found, truth, ended.profile.own["samples_taken"])
    for name in ("short", "long"):
        assert abs(found[name] - truth[name]) <= 0.09 * total, seen
    share = found["one"] / (found["one"] + found["two"])
    assert abs(share - truth["one"] / (truth["one"] + truth["two"])) <= 0.07, seen
