# tests/attach/test_attach_times.py - times of a program that is read from outside, against its own clocks.
#
# Truth: the program adds up the CPU time of its thread in each function, and prints that when it is told to end. It does
# the same all the time, so what it used in all of its life is in the proportions of any part of it. Error: 4 s have about 400
# looks at a thread that always runs, so the standard deviation of a share is 2.5 points, and 80 at one that runs for a fifth.
#
# SPDX-License-Identifier: Apache-2.0
"""Times of programs read from outside."""

import json
import os
import subprocess

import pytest

from conftest import TIMEOUT_S, Profile, clean_environment, execute, kill_group

pytestmark = [pytest.mark.statistical, pytest.mark.by_version]

PROGRAM = """
import json, sys, threading, time

clock = time.thread_time
spent = {"short": 0.0, "long": 0.0}


def short(end):
    while clock() < end:
        sum(range(200))


def long(end):
    while clock() < end:
        sum(range(200))


def work(pause):
    while not ended:
        begin = clock()
        short(begin + 0.002)
        between = clock()
        long(between + 0.004)
        spent["short"] += between - begin
        spent["long"] += clock() - between
        if pause:
            time.sleep(pause)


ended = []
worker = threading.Thread(target=work, args=(float(sys.argv[1]),))
worker.start()
print("ready", flush=True)
sys.stdin.readline()
ended.append(True)
worker.join()
print(json.dumps(spent))
"""


def attached(scalene, python, folder, text, *words, duration):
    """The profile of a program from outside, what it prints at its end, and the CPU seconds that it used meanwhile."""
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    with subprocess.Popen([python.path, str(program), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          start_new_session=True, env=clean_environment()) as running:
        try:
            running.stdout.readline()
            before = cpu_s(running.pid)
            execute([scalene, "attach", "--from-outside", "--duration", str(duration), str(running.pid)], cwd=str(folder)).expect(0)
            used = cpu_s(running.pid) - before
            printed = running.communicate("\n", timeout=TIMEOUT_S)[0]
        finally:
            kill_group(running)
    return Profile.read(str(folder / "scalene-profile.json"), str(program), text), printed, used


@pytest.mark.parametrize("pause", ["0", "0.024"], ids=["always", "a_fifth"])
def test_shares_of_functions(scalene, python, tmp_path, pause):
    found, printed, used = attached(scalene, python, tmp_path, PROGRAM, pause, duration=4)
    truth = json.loads(printed)
    times = {name: found.cpu_inside(name) for name in truth}
    assert abs(times["short"] / sum(times.values()) - truth["short"] / sum(truth.values())) <= 0.12, (times, truth)
    # the profile is a little shorter than attach itself
    assert 0.75 * used <= sum(thread["cpu_s"] for thread in found.own["threads"]) <= 1.02 * used, (found.own["threads"], used)


BURSTS = """
import sys, threading, time


def work():
    while not ended:
        time.sleep(0.02)
        sum(range(300))


ended = []
workers = [threading.Thread(target=work) for _ in range(100)]
for worker in workers:
    worker.start()
print("ready", flush=True)
sys.stdin.readline()
ended.append(True)
"""


def test_threads_that_work_in_short_bursts(scalene, python, tmp_path):
    """They are hardly ever seen at work, and yet have what they use. It is the main thread that has nothing to do."""
    found, _, used = attached(scalene, python, tmp_path, BURSTS, duration=2)
    threads = {thread["name"]: thread["cpu_s"] for thread in found.own["threads"]}
    assert threads["MainThread"] <= 0.05 * used, (threads, used)
    assert sum(threads.values()) >= 0.75 * used, (threads, used)


def cpu_s(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
