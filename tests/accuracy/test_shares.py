# tests/accuracy/test_shares.py - two functions share the time; the profile must say in what ratio.
#
# The truth is the CPU time the program itself measures around the two kinds of work. One function
# calls a helper in its loop and one has the same work inlined: profilers that act on calls, or on
# the interpreter's check points, charge the first too much.
#
# Error: the work alternates in blocks of 60 to 140 ms. A block's edge falls somewhere between two
# samples 4 ms apart, which costs 1.6 ms (standard deviation of the difference of two uniform
# numbers); the about 32 edges of 1.6 s make 9 ms or 0.6 points. The limit is 2 points.
#
# SPDX-License-Identifier: Apache-2.0
"""Shares of two functions."""

import pytest

pytestmark = pytest.mark.statistical

PROGRAM = """
import json
import random
import sys
import time

SHARE = float(sys.argv[1])
SECONDS = 1.6
STEPS = 2000


def helper(i):
    return (i * 3 + 1) ^ 0x55


def calling():
    total = 0
    for i in range(STEPS):
        total += helper(i)
    return total


def inlined():
    total = 0
    for i in range(STEPS):
        total += (i * 3 + 1) ^ 0x55
    return total


def work_for(work, seconds):
    begin = now = time.thread_time()
    while now < begin + seconds:
        work()
        now = time.thread_time()
    return now - begin


def main():
    # Lengths at random, so that no rhythm of the program can fall in with the sampler's.
    choice = random.Random(7)
    times = {"calling": 0.0, "inlined": 0.0}
    while sum(times.values()) < SECONDS:
        block = choice.uniform(0.06, 0.14)
        times["calling"] += work_for(calling, SHARE * block)
        times["inlined"] += work_for(inlined, (1 - SHARE) * block)
    print(json.dumps(times))


main()
"""


def compare(reported, truth, found):
    assert abs(reported - truth) <= 2, "reported %.2f, true %.2f\n%s" % (reported, truth, found.hottest())


def check(profile, python, share):
    ended = profile(PROGRAM, python, [str(share)], ["--cpu-sampling-rate", "0.004"]).expect(0)
    times = ended.facts
    truth = 100 * times["calling"] / sum(times.values())
    assert abs(truth - 100 * share) < 5, "the program did not do what was asked of it"
    found = ended.profile
    calling, inlined = found.cpu_inside("calling", "helper"), found.cpu_inside("inlined")
    compare(100 * calling / (calling + inlined), truth, found)
    if found.undisturbed:
        calling = found.inside("calling").total + found.inside("helper").total
        inlined = found.inside("inlined").total
        compare(100 * calling / (calling + inlined), truth, found)
    # The records of functions are the sums of their lines.
    for name in ("calling", "helper", "inlined"):
        assert ended.profile.function(name).total == pytest.approx(ended.profile.inside(name).total, abs=0.1)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_two_functions(profile, python, share):
    check(profile, python, share)
