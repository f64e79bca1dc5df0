# tests/accuracy/test_totals.py - the sum of all times is the CPU time the target really used.
#
# Samples carry the time that passed since the one before, so the sum does not depend on how many
# were taken or lost. Truth: the program's own process clock from its first statement to its last.
# Error: the interpreter's end is in the profile but not between the two readings; it is taken from
# the kernel's figure for the whole process. Beyond that only the clocks' edges. Limit: 2 %.
#
# SPDX-License-Identifier: Apache-2.0
"""Totals."""

import os
import signal
import time

import pytest

from conftest import BUSY, ON_CPU
from package_copy import copy_package

pytestmark = pytest.mark.statistical

PROGRAM = """
import json
import threading
import time

BEGIN = time.process_time()


def count():
    until = time.thread_time() + 0.35
    while time.thread_time() < until:
        sum(range(200))
        for i in range(2000):
            i ^ 5


def sleepy():
    for _ in range(40):
        time.sleep(0.005)
        for i in range(50000):
            i ^ 5


threads = [threading.Thread(target=count) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# Short threads, most of which end before their first tick.
for _ in range(50):
    thread = threading.Thread(target=lambda: [i ^ 5 for i in range(40000)])
    thread.start()
    thread.join()
sleepy()
print(json.dumps([BEGIN, time.process_time()]))
"""

ONE_THREAD = """
import time
begin = time.perf_counter()
for i in range(8000000):
    i ^ 5
time.sleep(0.3)
sum(range(10000000))
print(time.perf_counter() - begin)
"""

@pytest.mark.parametrize("rate", ["0.01", "0.1"])
def test_total_is_the_targets_cpu_time(profile, python, rate):
    ended = profile(PROGRAM, python, [], ["--cpu-sampling-rate", rate]).expect(0)
    begin, end = ended.facts
    truth = end - begin
    assert truth > 1.4
    own = ended.profile.own
    total = sum(own["time_s"].get(name, 0) for name in ON_CPU)
    # The kernel's figure counts from where user code begins, and has the interpreter's end in it.
    assert truth - 0.01 <= own["target_cpu_s"] <= end + 0.5
    with_end = own["target_cpu_s"]
    assert 0.98 * truth <= total <= 1.02 * with_end, (
        "reported %.3f s, true %.3f s, with the interpreter's end %.3f s; lost: %s"
        % (total, truth, with_end, own["losses"])
    )


def test_lines_add_up_to_everything(profile, python):
    ended = profile(PROGRAM, python).expect(0)
    # The whole program is one file, but for what threads do in threading.py before and after.
    # Nearly no time is spent where there is no line at all.
    everything = ended.profile.everything().total
    everything += sum(one["percent"] for one in ended.profile.own["hidden_files"])
    assert 98 <= everything <= 100.01, "%s\n%s" % (
        ended.profile.own["hidden_files"],
        ended.profile.hottest(),
    )


def test_one_thread_adds_up_to_the_wall_clock(profile, python):
    # A moment counts once, whether on a CPU, waiting for one, or asleep. Of the start and the end
    # of the interpreter some 20 ms are in the profile and not between the two clock readings.
    ended = profile(ONE_THREAD, python).expect(0)
    assert abs(ended.profile.total_s - ended.facts) <= 0.02 * ended.facts + 0.03
    assert abs(ended.profile.data["elapsed_time_sec"] - ended.facts) <= 0.02 * ended.facts + 0.03


WORK = BUSY + "import os, sys, threading\n"


@pytest.mark.one_python
def test_a_job_that_was_suspended(profile, python):
    """Ctrl-Z stops the profiler, too, so nobody sees it."""

    def suspend(process):
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(2)
        os.killpg(process.pid, signal.SIGCONT)

    own = profile(WORK + "busy(0.8)", python, act=suspend).expect(0).profile.own
    assert sum(value for name, value in own["time_s"].items() if name.endswith("wait")) <= 0.2


@pytest.mark.one_python
def test_threads_that_exec_has_ended(profile, python):
    """Their time stays in the clock of the process."""
    text = """
if len(sys.argv) == 1:
    thread = threading.Thread(target=busy, args=(0.7,))
    thread.start()
    thread.join()
    os.execv(sys.executable, [sys.executable, __file__, "again"])
busy(0.2)
"""
    own = profile(WORK + text, python).expect(0).profile.own
    assert 0.9 <= own["target_cpu_s"] <= 1.2


@pytest.mark.one_python
def test_time_while_it_is_off_counts_nowhere(profile, python, tmp_path):
    text = """
from scalene import scalene_profiler
scalene_profiler.start()
busy(0.1)
scalene_profiler.stop()
time.sleep(0.7)
"""
    found = profile(WORK + text, python, (), ["--off"], env={"PYTHONPATH": copy_package(tmp_path)}).expect(0).profile
    assert abs(found.total_s - found.data["elapsed_time_sec"]) <= 0.01
    assert 0.7 < found.own["span_s"] - found.data["elapsed_time_sec"] < 1.5
    assert 0 < found.own["measured_from_s"] < 0.5
