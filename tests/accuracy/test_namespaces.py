# tests/accuracy/test_namespaces.py - programs in PID namespaces below ours, as containers have them.
#
# Truth: each thread's and each process's own CPU clock, read by itself, and how processes end.
#
# Error: CPU time is charged by clocks, whatever the samples were, so seconds on a CPU are right to
# the time before the first and after the last look at the clock (some ms per process); the limit is
# 50 ms and 5 %. Without the right numbers each sample counts its thread's whole life: a hundred
# times as much.
#
# SPDX-License-Identifier: Apache-2.0
"""PID namespaces."""

import subprocess

import pytest
from conftest import BUSY, ON_CPU, marked_lines, write_program

HEAD = BUSY + "import json, os, signal, sys, threading\n"

# What makes a namespace: as root alone, as others together with one of users.
WAYS = (["unshare", "-pf"], ["unshare", "-Urpf"])


@pytest.fixture(scope="session")
def unshare():
    """The command that makes a PID namespace and starts another one in it."""
    refused = []
    for way in WAYS:
        ended = subprocess.run([*way, "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ended.returncode == 0:
            return way
        refused.append("%s: %s" % (" ".join(way), ended.stdout.decode(errors="replace").strip()))
    pytest.skip("; ".join(refused))


def near(found, seconds):
    return abs(found - seconds) <= 0.05 + 0.05 * seconds


def on_cpu_s(found):
    return sum(found.own["time_s"].get(kind, 0) for kind in ON_CPU)


THREADS = HEAD + """
def first():
    busy(0.3)

def second():
    busy(0.6)

threads = [threading.Thread(target=target) for target in (first, second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
busy(0.5)
print(json.dumps({"pid": os.getpid(), "used_s": time.process_time()}))
"""


@pytest.mark.statistical
def test_threads(profile, python, unshare):
    ended = profile(THREADS, python, through=unshare).expect(0)
    found = ended.profile
    assert ended.facts["pid"] == 1
    assert near(found.cpu_inside("busy"), 1.4), (found.own["time_s"], found.hottest())
    assert on_cpu_s(found) <= ended.facts["used_s"] + 0.05, found.own["time_s"]
    threads = {one["tid"]: one["cpu_s"] for one in found.own["threads"]}
    assert sorted(threads) == [1, 2, 3] and len(found.own["threads"]) == 3, found.own["threads"]
    assert near(threads[2], 0.3) and near(threads[3], 0.6), threads


WAITS = HEAD + """
def sleeper():
    time.sleep(0.8)  #: sleep

thread = threading.Thread(target=sleeper)
thread.start()
thread.join()
end, far = os.pipe()
if os.fork() == 0:
    os.close(end)
    time.sleep(0.5)
    os._exit(0)
os.close(far)
os.read(end, 1)  #: read
"""


def waited_s(found, mark):
    lines = found.file()["lines"]
    return sum(sum(lines[number - 1].get("wait_s", {}).values()) for number in marked_lines(found.text, mark))


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_waiting_is_seen(profile, python, unshare):
    """Where a thread is blocked is read in /proc, by the number it has there."""
    found = profile(WAITS, python, through=unshare).expect(0).profile
    assert waited_s(found, "sleep") >= 0.7, (found.own["time_s"], found.own["threads"])
    assert waited_s(found, "read") >= 0.4, (found.own["time_s"], found.own["threads"])
    assert found.own["time_s"].get("sleep", 0) >= 0.6, found.own["time_s"]


TREE = HEAD + """
ends = {}
for k, how in enumerate(("exit", "killed", "exit")):
    pid = os.fork()
    if pid == 0:
        busy(0.2)
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(k)
    ends[pid] = how
for pid in ends:
    os.waitpid(pid, 0)
busy(0.2)
"""


def ends_of(found):
    return sorted((one["exit_kind"], one["exit_value"]) for one in found.own["processes"])


@pytest.mark.statistical
def test_a_tree(profile, python, unshare):
    found = profile(TREE, python, through=unshare).expect(0).profile
    assert near(found.cpu_inside("busy"), 0.8), (found.own["time_s"], found.hottest())
    tree = found.own["processes"]
    assert len(tree) == 4
    assert ends_of(found) == [("exit", 0), ("exit", 0), ("exit", 2), ("signal", 9)], tree
    assert {one["parent_pid"] for one in tree[1:]} == {tree[0]["pid"]}, tree
    for one in tree:
        assert near(one["cpu_s"], 0.22), tree


@pytest.mark.statistical
def test_two_with_the_same_numbers(profile, python, unshare):
    """Both are processes 1 and 2 of their own namespaces, at the same time."""
    both = '%s "$0" "$@" & %s "$0" "$@" & wait' % ((" ".join(unshare),) * 2)
    found = profile(TREE, python, through=["sh", "-c", both]).expect(0).profile
    assert near(found.cpu_inside("busy"), 1.6), (found.own["time_s"], found.hottest())
    tree = found.own["processes"]
    assert len(tree) == len({one["pid"] for one in tree}) == 8
    assert ends_of(found) == [("exit", 0)] * 4 + [("exit", 2)] * 2 + [("signal", 9)] * 2, tree
    threads = found.own["threads"]
    assert len({(one["pid"], one["tid"]) for one in threads}) == len(threads) == 8, threads
    for one in threads:
        assert near(one["cpu_s"], 0.2), threads


INSIDE = HEAD + """
import ctypes
NEW_PROCESSES, NEW_USERS = 0x20000000, 0x10000000
assert ctypes.CDLL(None).unshare(NEW_PROCESSES | (NEW_USERS if os.getuid() else 0)) == 0
pid = os.fork()
if pid == 0:  # the first in its namespace, which knows no parent
    assert os.getpid() == 1 and os.getppid() == 0
    child = os.fork()
    if child == 0:
        busy(0.2)
        os._exit(7)
    os.waitpid(child, 0)
    busy(0.2)
    os._exit(5)
os.waitpid(pid, 0)
busy(0.2)
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_a_namespace_that_the_program_makes(profile, python, unshare):
    found = profile(INSIDE, python).expect(0).profile
    tree = found.own["processes"]
    assert near(found.cpu_inside("busy"), 0.6), (found.own["time_s"], found.hottest())
    assert [one["exit_value"] for one in tree] == [0, 5, 7], tree
    assert [one["parent_pid"] for one in tree[1:]] == [tree[0]["pid"], tree[1]["pid"]], tree


MANY = HEAD + """
def short():
    busy(0.004)

for _ in range(15):
    threads = [threading.Thread(target=short) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(json.dumps({"used_s": time.process_time()}))
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_many_threads(profile, python, unshare):
    """Most of them are gone before anybody asks for their numbers."""
    ended = profile(MANY, python, through=unshare).expect(0)
    found = ended.profile
    assert near(on_cpu_s(found), ended.facts["used_s"]), (found.own["time_s"], ended.facts)


KILLED = HEAD + "busy(0.3)\nprint(os.getpid(), flush=True)\ntime.sleep(50)\n"

KILLER = """
import ctypes, os, signal, subprocess, sys
assert ctypes.CDLL(None).unshare(0x20000000 | (0x10000000 if os.getuid() else 0)) == 0
inner = subprocess.Popen([sys.executable, "inner.py"], stdout=subprocess.PIPE)
assert inner.stdout.readline() == b"1\\n" and inner.pid != 1
inner.kill()
inner.wait()
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_the_first_of_a_namespace_is_killed_from_outside(profile, python, unshare, tmp_path):
    """Its end is reported by a parent that is in our namespace and uses our number for it."""
    path, _ = write_program(tmp_path, KILLED, "inner.py")
    found = profile(KILLER, python).expect(0).profile
    tree = found.own["processes"]
    assert [(one["exit_kind"], one["exit_value"]) for one in tree] == [("exit", 0), ("signal", 9)], tree
    assert near(found.cpu_s(range(4, 9), path), 0.3), found.hottest()


@pytest.mark.one_python
def test_proc_of_another_namespace_is_refused(profile, python, unshare):
    """What a profiler in a namespace asks of the /proc around it is about other processes."""
    ended = profile(THREADS, python, before=unshare, expects_profile=False).expect(1)
    assert ended.stdout == "", "the program was started"
    assert "/proc shows another PID namespace than this one" in ended.stderr


@pytest.mark.one_python
@pytest.mark.statistical
def test_the_profiler_may_be_in_a_namespace(profile, python, unshare):
    found = profile(THREADS.replace("busy(0.5)", "busy(0.2)"), python, before=[*unshare, "--mount-proc"]).expect(0).profile
    assert near(found.cpu_inside("busy"), 1.1), (found.own["time_s"], found.hottest())
