# tests/accuracy/test_times_of_trees.py - a process that waits for others is not added on top of their work.
#
# Truth: the program sleeps for a known time, and all other waiting is for processes that work.
#
# Error: the clock of a process that runs is reported up to a jiffy late, and processes start and end:
# some per cent of the waiting is not known to be for work. Limit: 15 % of it.
#
# SPDX-License-Identifier: Apache-2.0
"""Trees of processes."""

import pytest

from conftest import BUSY

pytestmark = [pytest.mark.statistical, pytest.mark.few_pythons]

HEAD = BUSY + """
import json
import multiprocessing
import subprocess
import sys


def asleep(seconds):
    time.sleep(seconds)


def main():
    %s


if __name__ == "__main__":
    begin = time.monotonic()
    main()
    print(json.dumps(time.monotonic() - begin))
"""

WORKING = {
    "pool": """with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(busy, [0.3] * 6, chunksize=1)""",
    "one-after-the-other": """for i in range(4):
        child = multiprocessing.get_context("fork").Process(target=busy, args=(0.3,))
        child.start()
        child.join()""",
    "interpreter": """subprocess.run([sys.executable, "-c", "for i in range(1500):\\n for k in range(10000): k ^ 5"])""",
    "below-a-shell": """subprocess.run(["sh", "-c", sys.executable + " -c 'for i in range(15000000): i ^ 5'; true"])""",
}

WAITING = ("io", "sleep", "other_wait")


def waited_s(profile):
    return sum(profile.own["time_s"].get(kind, 0) for kind in WAITING)


@pytest.mark.parametrize("what", WORKING)
def test_a_parent_waits_in_its_childrens_time(profile, python, what):
    ended = profile(HEAD % WORKING[what], python).expect()
    assert waited_s(ended.profile) <= 0.15 * ended.facts, ended.profile.own["time_s"]


def test_while_they_sleep_it_waits_itself(profile, python):
    text = HEAD % """with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(asleep, [0.4] * 4, chunksize=1)"""
    ended = profile(text, python).expect()
    assert 0.6 <= waited_s(ended.profile) <= ended.facts, ended.profile.own["time_s"]
