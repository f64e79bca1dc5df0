# tests/accuracy/test_threads.py - several threads, each charged its own CPU time and no more.
#
# Truth: each thread's own CPU clock, read by the thread around its work and printed.
#
# Error: each thread has its own timer on its own CPU clock, so its total is wrong by one interval
# at most (10 ms of 0.3 s or more, spread over all: under 1 point). The limit is 3 points of the
# whole. A thread that sleeps or waits has no CPU time; 0.5 points allow for its start and its end.
#
# SPDX-License-Identifier: Apache-2.0
"""Threads."""

HEAD = """
import hashlib
import json
import threading
import time

spent = {}


def until(seconds, work, name):
    begin = now = time.thread_time()
    while now < begin + seconds:
        work()
        now = time.thread_time()
    spent[name] = now - begin


def run(*targets):
    threads = [threading.Thread(target=target, name=target.__name__) for target in targets]
    for thread in threads:
        thread.start()
    return threads


def join(threads):
    for thread in threads:
        thread.join()  #: join
    print(json.dumps(spent))

"""

WORK = """
def work_{name}():
    total = 0
    for i in range(3000):
        total += i ^ 5
    return total


def {name}():
    until({seconds}, work_{name}, "work_{name}")

"""

ONE_TWO_THREE = (
    HEAD
    + WORK.format(name="one", seconds=0.4)
    + WORK.format(name="two", seconds=0.8)
    + WORK.format(name="three", seconds=1.2)
    + "\njoin(run(one, two, three))\n"
)

FOUR_AND_A_SLEEPER = (
    HEAD
    + "".join(WORK.format(name="busy%d" % k, seconds=0.5) for k in range(4))
    + """
done = threading.Event()


def sleeper():
    for _ in range(10):
        time.sleep(0.1)  #: sleep
    done.wait()  #: wait


asleep = run(sleeper)
threads = run(busy0, busy1, busy2, busy3)
for thread in threads:
    thread.join()  #: join
done.set()
join(asleep)
"""
)

# hashlib gives up the interpreter lock for large inputs, so both threads run at once.
WITHOUT_THE_LOCK = (
    HEAD
    + """
DATA = bytes(4 << 20)


def digest():
    return hashlib.sha256(DATA).digest()  #: digest


def hashing():
    until(1.2, digest, "digest")

"""
    + WORK.format(name="python", seconds=1.2)
    + "\njoin(run(hashing, python))\n"
)


def compare(ended, limit=3):
    truth = ended.facts
    whole = sum(truth.values())
    reported = {name: ended.profile.inside(name).total for name in truth}
    for name, seconds in truth.items():
        assert abs(reported[name] - 100 * seconds / whole) <= limit, (
            "%s: reported %s, true seconds %s\n%s"
            % (name, reported, truth, ended.profile.hottest())
        )


def test_one_two_three(profile, python):
    ended = profile(ONE_TWO_THREE, python).expect(0)
    if ended.profile is None:
        return
    compare(ended)
    assert ended.profile.marked("join").total <= 0.5, ended.profile.hottest()
    # The threads are known by the names the program gave them, with the kernel's figures.
    threads = {thread["name"]: thread for thread in ended.profile.own["threads"]}
    for name in ("one", "two", "three"):
        assert name in threads, sorted(threads)
        assert abs(threads[name]["cpu_s"] - ended.facts["work_" + name]) <= 0.03


def test_four_busy_and_one_asleep(profile, python):
    ended = profile(FOUR_AND_A_SLEEPER, python).expect(0)
    if ended.profile is None:
        return
    compare(ended)
    for mark in ("sleep", "wait", "join"):
        assert ended.profile.marked(mark).total <= 0.5, ended.profile.hottest()


def test_thread_in_c_without_the_lock(profile, python):
    ended = profile(WITHOUT_THE_LOCK, python).expect(0)
    if ended.profile is None:
        return
    compare(ended)
    digest = ended.profile.marked("digest")
    assert digest.native >= 0.95 * digest.total, ended.profile.hottest()
