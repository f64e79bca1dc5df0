# tests/robust/test_crowds.py - very many threads, and long runs.
#
# What the observer costs is printed (pytest -s) and not asserted: it depends on the machine.
#
# SPDX-License-Identifier: Apache-2.0
"""Crowds of threads."""

import pytest

IDLE = """
import json
import os
import threading
import time

threading.stack_size(131072)
done = threading.Event()
lock = threading.Lock()
lock.acquire()


def by_event():
    done.wait()  #: event


def by_sleep():
    while not done.is_set():
        time.sleep(5)  #: sleep


def by_lock():
    with lock:  #: lock
        pass


kinds = [by_event, by_lock, by_event, by_sleep]
threads = [threading.Thread(target=kinds[k % 4]) for k in range(1000)]
for thread in threads:
    thread.daemon = True
    thread.start()


def work():
    end = time.thread_time() + 1.5
    while time.thread_time() < end:
        for i in range(2000):
            i ^ 5  #: work


begin = time.thread_time()
work()
spent = time.thread_time() - begin
time.sleep(1.0)
print(json.dumps(spent), flush=True)
# Waking 1,000 threads to let them end would cost as much again.
os._exit(0)
"""


@pytest.mark.statistical
def test_1000_idle_threads(profile, python):
    ended = profile(IDLE, python).expect(0)
    found, own = ended.profile, ended.profile.own
    print("%s: observer %.3f s of CPU in %.2f s" % (python.id, own["observer_cpu_s"], found.data["elapsed_time_sec"]))
    # Each thread is there, perhaps some of them in an entry for the rest.
    assert len(own["threads"]) >= 1000
    assert own["losses"]["no_slot"] == 0
    work = found.cpu_inside("work")
    assert abs(work - ended.facts) <= 0.03 * ended.facts, "%.3f s, true %.3f s\n%s" % (work, ended.facts, found.hottest())
    # While work() ran, no line is charged for waiting. Sleeping for the last second is the main
    # thread's.
    for mark in ("event", "lock", "sleep"):
        assert found.marked(mark).total <= 3, found.hottest()


LONG = """
import time

SOURCE = "def made_%d(n):\\n    for i in range(n):\\n        i ^ 5\\n"


def use(k):
    space = {}
    exec(compile(SOURCE % k, "<made-%d>" % k, "exec"), space)
    space["made_%d" % k](20000)


def work():
    for i in range(2000000):
        i ^ 5


end = time.monotonic() + 600
k = 0
while time.monotonic() < end:
    use(k)
    k += 1
    if k % 10 == 0:
        work()
        time.sleep(0.005)
print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
"""


@pytest.mark.one_python
@pytest.mark.statistical
def test_10_minutes(profile, bare, python, pytestconfig):
    if not pytestconfig.getoption("--long"):
        pytest.skip("takes 10 minutes; use --long")
    ended = profile(LONG, python, timeout=700).expect(0)
    found = ended.profile
    lost = {name: count for name, count in found.own["losses"].items() if count}
    print("peak %d kB, observer %.1f s, lost %s" % (ended.facts, found.own["observer_cpu_s"], lost))
    # As many new code objects as there are turns do not make the target grow.
    assert ended.facts < 100000
    assert found.own["losses"]["ring_full"] == 0
    assert found.inside("work").total + found.inside("use").total > 80, found.hottest()
    assert abs(found.total_s - 600) < 12
