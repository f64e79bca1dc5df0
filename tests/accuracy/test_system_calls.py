# tests/accuracy/test_system_calls.py - lines that make system calls have what these cost, be they short or long.
#
# Cheap ones must stay cheap.
#
# A sampler with a thread or process of its own that wakes up to interrupt the target is scheduled
# mostly when the target enters the kernel, above all when both share one CPU. Its samples then
# gather at the line of the system call: a line of 0.3 % has been seen to read 66 %.
#
# Truth: by construction; the program prints it (time of the call alone times the calls made).
# Error: 2 s at 4 ms are 500 samples, of which 0.3 % are 1.5. Eight or more, which is 1.5 %, come
# about once in 1,000 runs.
#
# Calls of a tick's length must not have more than they cost. A signal that falls due in one is
# delivered when it returns. What has passed by then is the call's, but a sampler that begins its
# next interval there meets each such call once and the work around it seldom: calls of 4 ms that
# take two thirds of the time have been seen to read 80 %.
#
# Truth: the thread's own CPU clock around each part.
# Error: 3 s at 4 ms, or 7 s at 10 ms, are 700 samples, right to 1.8 points (standard deviation) at a
# share of two thirds. Where others hold the CPUs half of the time a point or two is added, since the
# wall clock then says less of when the thread was met. The limit is 6 points.
#
# One that takes longer than several ticks is looked at from outside until it ends, and is system time all the same.
#
# SPDX-License-Identifier: Apache-2.0
"""A line of 0.3 % with a system call, and lines with calls of a tick's length."""

import pytest

from conftest import marked_lines, one_cpu

pytestmark = pytest.mark.statistical

PROGRAM = """
import json
import time


def work():
    total = 0
    for i in range(STEPS):
        total += (i * 3 + 1) ^ 5
    return total


def cost(what, times):
    begin = time.perf_counter()
    for _ in range(times):
        what()
    return (time.perf_counter() - begin) / times


def main():
    calls = 0
    end = time.thread_time() + 2.0
    while time.thread_time() < end:  #: check
        work()
        calls += 1
    return calls


# As many steps as make the call 0.3 % of one turn, found at the start of each run.
STEPS = 1000
call_cost = min(cost(time.thread_time, 2000) for _ in range(5))
step_cost = min(cost(work, 10) for _ in range(5)) / STEPS
STEPS = max(1000, int(call_cost / 0.003 / step_cost))
print(json.dumps(100 * call_cost * main() / 2.0))
"""


def check(profile, python, **how):
    ended = profile(PROGRAM, python, [], ["--cpu-sampling-rate", "0.004"], **how).expect(0)
    truth = ended.facts
    # The cost of a call changes with what else the machine does; the reading may be 1.2 points too high.
    assert 0.1 < truth < 1.5, "the line's true share is %.2f %%" % truth
    reported = ended.profile.marked("check").total
    assert reported <= max(1.5, truth + 1.2), "reported %.2f %%, true %.2f %%\n%s" % (reported, truth, ended.profile.hottest())


def test_free(profile, python):
    check(profile, python)


def test_on_one_cpu(profile, python):
    check(profile, python, prepare=one_cpu)


@pytest.mark.few_pythons
def test_on_one_busy_cpu(profile, python, busy_machine):
    check(profile, python, prepare=one_cpu)


MIXED = """
import json
import os
import random
import time

TICK_S = time.clock_getres(6)  # CLOCK_MONOTONIC_COARSE
source = os.open("/dev/urandom", os.O_RDONLY)
spent = {"call": 0.0, "work": 0.0}


def work(steps):
    total = 0
    for i in range(steps):  #: work
        total += (i * 3 + 1) ^ 5  #: work


def call(size):
    os.readv(source, [room[:size]])  #: call


def cost(what, much):
    begin = time.thread_time()
    what(much)
    length = time.thread_time() - begin
    spent[what.__name__] += length
    return length / much


room = memoryview(bytearray(1 << 25))
size = round(CALL_TICKS * TICK_S / min(cost(call, 1 << 20) for _ in range(9)))
steps = round(0.5 * CALL_TICKS * TICK_S / min(cost(work, 20000) for _ in range(9)))
end = time.thread_time() + SECONDS
now = time.thread_time()
while now < end:
    for name, what, much in (("work", work, steps), ("call", call, size)):
        # a fixed round would keep step with the kernel's ticks
        what(round(much * random.uniform(0, 2)) if name == "work" else much)
        before, now = now, time.thread_time()
        spent[name] += now - before
print(json.dumps(spent))
"""


def check_mixed(profile, python, ticks, rate, seconds):
    program = "CALL_TICKS, SECONDS = %r, %r\n%s" % (ticks, seconds, MIXED)
    ended = profile(program, python, [], ["--cpu-sampling-rate", rate]).expect(0)
    truth = ended.facts
    found = {name: ended.profile.cpu_marked(name) for name in truth}
    seen = (found, truth, ended.profile.own["samples_taken"])
    assert abs(sum(found.values()) - sum(truth.values())) <= 0.03 * sum(truth.values()), seen
    share = found["call"] / sum(found.values())
    assert abs(share - truth["call"] / sum(truth.values())) <= 0.06, seen


@pytest.mark.few_pythons
@pytest.mark.parametrize("ticks", [0.3, 1, 2, 3])
def test_calls_as_long_as_ticks(profile, python, ticks):
    check_mixed(profile, python, ticks, "0.004", 3.0)


@pytest.mark.one_python
@pytest.mark.parametrize("ticks", [1, 3])
def test_calls_at_a_longer_interval(profile, python, ticks):
    check_mixed(profile, python, ticks, "0.01", 7.0)


LONG = """
import os
import time


def cost(size):
    begin = time.thread_time()
    os.readv(source, [room[:size]])
    return time.thread_time() - begin


source = os.open("/dev/urandom", os.O_RDONLY)
room = memoryview(bytearray(1 << 29))
size = min(len(room), round((1 << 22) * 0.8 / cost(1 << 22)))
print(os.readv(source, [room[:size]]) == size)  #: call
"""


@pytest.mark.few_pythons
@pytest.mark.parametrize("options", [[], ["--cpu-only"]], ids=["all", "time"])
def test_one_call_that_takes_long(profile, python, options):
    ended = profile(LONG, python, [], options).expect(0)
    (line,) = marked_lines(ended.profile.text, "call")
    time_s = ended.profile.file()["lines"][line - 1]["time_s"]
    seen = (time_s, ended.profile.own["notes"])
    on_cpu = {kind: time_s.get(kind, 0) for kind in ("python", "native", "kernel")}
    assert on_cpu["kernel"] >= 0.9 * sum(on_cpu.values()), seen
    assert not any("SIGURG" in note for note in ended.profile.own["notes"]), seen
