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


SHORT = """
import threading

for k in range(50):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
"""


def test_threads_that_end_at_once_ran_python(profile, python):
    threads = profile(SHORT, python).expect(0).profile.own["threads"]
    assert [one["has_python"] for one in threads if not one["is_main"]] == [True] * 50, threads
