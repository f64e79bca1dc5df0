# tests/accuracy/test_functions.py - what functions take themselves, with what they call, and of the processors.
#
# Truth: the program's own clocks. Error: 100 samples in a second; a share of half is then right to 10 % of the whole
# in all but 1 of 20.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions: own time, cumulative time with recursion, use of the processors."""

import os

import pytest

pytestmark = pytest.mark.statistical

PROGRAM = """
import json, os, time

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(1000):
            pass

def deep(levels, seconds):
    if levels == 0:
        burn(seconds)
    else:
        deep(levels - 1, seconds)

def outer(seconds):
    deep(5, seconds)
    for _ in range(2):
        deep(3, seconds / 2)

def other(seconds):
    burn(seconds)

wall, cpu = time.monotonic(), time.process_time()
outer(0.4)
other(0.4)
print(json.dumps({"cpu_s": time.process_time() - cpu, "wall_s": time.monotonic() - wall, "processors": len(os.sched_getaffinity(0))}))
"""


def shares(record):
    return record["n_cpu_percent_python"] + record["n_cpu_percent_c"] + record["n_sys_percent"]


@pytest.fixture
def one_processor():
    """What the test starts may use one processor only."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.few_pythons
def test_own_and_cumulative_time(profile, python):
    file = profile(PROGRAM, python).expect(0).profile.file()
    found = {one["line"]: one for one in file["functions"]}
    own = {name: shares(one) for name, one in found.items()}
    cumulative = {name: one["n_cumulative_percent"] for name, one in found.items()}
    assert set(found) == {"burn", "deep", "outer", "other"}, own
    assert own["burn"] >= 90 and own["deep"] + own["outer"] + own["other"] <= 5, own
    assert abs(sum(own.values()) - sum(shares(line) for line in file["lines"])) <= 5, own
    assert abs(cumulative["burn"] - own["burn"]) <= 1, cumulative
    assert 56 <= cumulative["outer"] <= 76, cumulative
    assert abs(cumulative["deep"] - cumulative["outer"]) <= 2, cumulative  # each stack once, however deep it is there
    assert abs(cumulative["other"] + cumulative["outer"] - cumulative["burn"]) <= 5, cumulative


@pytest.mark.few_pythons
@pytest.mark.usefixtures("one_processor")
def test_processors_are_those_that_it_may_use(profile, python):
    ended = profile(PROGRAM, python).expect(0)
    facts = ended.facts
    assert facts["processors"] == 1
    (burn,) = [one for one in ended.profile.file()["functions"] if one["line"] == "burn"]
    right = facts["cpu_s"] / facts["wall_s"]  # little on a busy machine, where its half is near it, too
    assert abs(burn["n_core_utilization"] - right) <= min(0.12, 0.3 * right), (burn, facts)
