# tests/robust/test_deep.py - a stack of thousands of frames costs no more than a small part of the run.
#
# Truth: by construction, a loop of one second of CPU time at the bottom of a recursion; the depth is in each stack.
#
# SPDX-License-Identifier: Apache-2.0
"""Deep stacks."""

import pytest

DEPTH = 9500

PROGRAM = """
import json
import sys
import threading
import time

DEPTH = %d


def leaf():
    end = time.thread_time() + 1.0
    total = 0
    while time.thread_time() < end:  #: leaf
        for i in range(5000):  #: leaf
            total += i * i %% 7  #: leaf
    return total


def down(left):
    if left == 0:
        return leaf()
    return down(left - 1)


def begin():
    down(DEPTH)
    print(json.dumps(time.thread_time()))


sys.setrecursionlimit(DEPTH + 1000)
threading.stack_size(256 << 20)  # up to 3.10 each call of Python takes some of it
thread = threading.Thread(target=begin)
thread.start()
thread.join()
""" % DEPTH


@pytest.mark.parametrize("rate", ("0.001", "0.01"))
@pytest.mark.statistical
def test_deep(profile, python, rate):
    ended = profile(PROGRAM, python, [], ["--cpu-sampling-rate", rate]).expect(0)
    found = ended.profile
    own = found.own
    assert own["losses"]["ring_full"] == 0
    # A tick has 20 times its cost to itself before the next: the one that came last may not have had it yet.
    assert own["handler_cpu_s"] <= ended.facts / 20 + 0.01, (own["handler_cpu_s"], own["samples_taken"], ended.facts)
    assert own["samples_taken"] >= 8, own
    assert found.marked("leaf").total >= 80, found.hottest()
    deepest = max(len(stack[0]) for stack in found.data["stacks"])
    assert deepest >= DEPTH, deepest
