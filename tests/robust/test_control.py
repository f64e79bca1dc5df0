# tests/robust/test_control.py - profiling is switched on and off while the program runs, from within and without.
#
# SPDX-License-Identifier: Apache-2.0
"""Switching on and off."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from conftest import ROOT, SCALENE, TIMEOUT_S, clean_environment, until

PACKAGE = os.path.join(ROOT, "python")

# Both ways to give an order from without.
MODULE = [sys.executable, "-m", "scalene.profile"]
COMMAND = [SCALENE, "profile"]

PROGRAM = """
import sys, time
sys.path.insert(0, %r)
from scalene import scalene_profiler
def first():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
def second():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
def third():
    kept = [bytearray(1 << 20) for _ in range(30)]
    time.sleep(0.3)
first()
begin = time.monotonic()
scalene_profiler.start()
second()
scalene_profiler.stop()
spent = time.monotonic() - begin
first()
third()
begin = time.monotonic()
with scalene_profiler.enable_profiling():
    second()
spent += time.monotonic() - begin
first()
print(spent)
""" % PACKAGE


@pytest.mark.statistical
def test_from_within(profile, python):
    ended = profile(PROGRAM, python, options=["--off", "--memory"]).expect(0)
    found = ended.profile
    assert abs(found.cpu_inside("second") - 0.8) <= 0.06, found.hottest()
    assert found.cpu_inside("first") <= 0.04, found.hottest()
    assert found.inside("third").total <= 3, found.hottest()
    assert found.data["max_footprint_mb"] <= 5
    assert abs(found.data["elapsed_time_sec"] - ended.facts) <= 0.1 + 0.05 * ended.facts, ended.facts
    assert abs(found.own["target_cpu_s"] - 0.8) <= 0.1


def test_without_a_profiler_it_does_nothing(bare, python):
    # the package of the source tree has no native program
    assert bare(PROGRAM, python).expect(0).stderr.count("scalene: nothing is profiled: cannot start") == 1


WAITING = """
import os, sys, time
sys.path.insert(0, %r)
from scalene import scalene_profiler
pid = os.fork()
if pid == 0:
    time.sleep(0.3)
    scalene_profiler.stop()
    time.sleep(0.2)
    scalene_profiler.start()
    time.sleep(0.8)
    os._exit(0)
os.waitpid(pid, 0)  #: wait
scalene_profiler.stop()  #: after
scalene_profiler.start()
""" % PACKAGE


SIGNALLED = """
import os, signal, time
def first():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
def second():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
print(int(signal.getsignal(signal.SIGILL)), int(signal.getsignal(signal.SIGBUS)))
for work, number in ((first, signal.SIGILL), (second, signal.SIGBUS), (first, 0)):
    work()
    os.kill(os.getpid(), number)
    time.sleep(0.1)  # the order takes up to a tick
"""


@pytest.mark.statistical
def test_signals_switch_a_program_that_began_with_profiling_off(profile, python):
    ended = profile(SIGNALLED, python, options=["--off"]).expect(0)
    assert ended.stdout == "0 0\n"
    assert abs(ended.profile.cpu_inside("second") - 0.4) <= 0.06, ended.profile.hottest()
    assert ended.profile.cpu_inside("first") <= 0.04, ended.profile.hottest()


FAULT = """
import mmap
with open("file", "wb+") as file:
    file.truncate(8192)
    pages = mmap.mmap(file.fileno(), 8192)
    file.truncate(0)
    pages[5000]
"""

CHILD = """
import os, subprocess, sys
child = subprocess.Popen(["sleep", "30"])
child.send_signal(4)
print(child.wait(), subprocess.call([sys.executable, "-c", %r]))
"""

HANDLER = """
import os, signal
signal.signal(signal.SIGILL, lambda number, frame: print(number, flush=True))
os.kill(os.getpid(), signal.SIGILL)
signal.signal(signal.SIGILL, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGILL)
"""


@pytest.mark.parametrize(
    "text, status, printed",
    [(FAULT, -signal.SIGBUS, ""), (HANDLER, -signal.SIGILL, "4\n"), (CHILD % FAULT, 0, "-4 -7\n")],
    ids=["a fault", "a handler of its own", "children"],
)
def test_signals_that_switch_are_the_programs_otherwise(profile, python, text, status, printed):
    assert profile(text, python, options=["--off"]).expect(status).stdout == printed


def test_without_off_the_signals_switch_nothing(profile, python):
    profile("import os, signal\nos.kill(os.getpid(), signal.SIGILL)", python).expect(-signal.SIGILL)


@pytest.mark.statistical
def test_what_waits_while_it_is_switched_goes_on_waiting_there(profile, python):
    found = profile(WAITING, python).expect(0).profile
    assert found.own["wait_s"]["child"] >= 0.9, found.own["wait_s"]
    assert found.marked("wait").total >= 5 * found.marked("after").total, found.hottest()


LATE = """
import os, signal, subprocess, sys, time
sys.path.insert(0, %r)
from scalene import scalene_profiler
observer = os.getppid()
waker = subprocess.Popen(["sh", "-c", "sleep 1.2; kill -CONT $0", str(observer)])
scalene_profiler.start()
begin = time.monotonic()
sum(range(1000000))
if open("/proc/self/../%%d/comm" %% observer).read() == "scalene\\n":
    os.kill(observer, signal.SIGSTOP)
print(time.monotonic() - begin, flush=True)
scalene_profiler.stop()  #: stop
waker.wait()
""" % PACKAGE


@pytest.mark.statistical
def test_waiting_for_the_observer_is_not_the_programs(profile, python):
    ended = profile(LATE, python, options=["--off"]).expect(0)
    found = ended.profile
    assert found.data["elapsed_time_sec"] <= ended.facts + 0.3, (ended.facts, found.hottest())


LONG = """
import time
print("ready", flush=True)
def busy():
    end = time.process_time() + 3
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5
busy()
"""


def cpu_s_of_child(process):
    """CPU seconds of the program: the one child of the profiler that executes something else."""
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="utf-8") as stream:
        children = stream.read().split()
    own = os.readlink("/proc/%d/exe" % process.pid)
    found = []
    for child in children:
        if os.readlink("/proc/%s/exe" % child) != own:
            with open("/proc/%s/stat" % child, encoding="utf-8") as stream:
                found.append(stream.read().rpartition(")")[2].split())
    (fields,) = found
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.few_pythons
@pytest.mark.parametrize("way", [MODULE, COMMAND], ids=["module", "command"])
@pytest.mark.statistical
def test_from_without(profile, python, way):
    """Of the program's CPU time what is between the orders counts; each order falls somewhere into its own client's life."""
    answers, clock = [], [(0, 0)]  # before and after each order; it begins switched on

    def switch(process):
        time.sleep(0.2)
        for word, spent in (("--off", 1), ("--on", 0.5), ("--off", 0.5)):
            while cpu_s_of_child(process) < clock[-1][1] + spent:
                time.sleep(0.01)
            command = [*way, word, "--pid", str(process.pid)]
            before = cpu_s_of_child(process)
            answers.append(subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True))
            clock.append((before, cpu_s_of_child(process)))

    found = profile(LONG.replace("+ 3", "+ 5"), python, act=switch).expect(0).profile
    assert [one.stdout for one in answers] == ["scalene: profiling is %s\n" % word for word in ("off", "on", "off")], answers
    least = clock[1][0] - clock[0][1] + clock[3][0] - clock[2][1]
    most = clock[1][1] - clock[0][0] + clock[3][1] - clock[2][0]
    # less the start of the interpreter
    assert least - 0.3 <= found.cpu_inside("busy") <= most + 0.05, (clock, found.hottest())


@pytest.mark.one_python
@pytest.mark.parametrize("way", [MODULE, COMMAND], ids=["module", "command"])
@pytest.mark.statistical
def test_many_orders_beside_silent_clients_and_a_stopped_observer(profile, python, way):
    """Nobody is turned away: not while others have connected and say nothing, nor while the observer stands still."""
    answers = []

    def switch(process):
        time.sleep(0.7)
        silent = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(12)]
        for client in silent:
            client.connect("\0scalene-control-%d" % process.pid)
        words = ["--off", "--on"] * 8
        os.kill(process.pid, signal.SIGSTOP)
        orders = [
            subprocess.Popen([*way, word, "--pid", str(process.pid)], cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for word in words
        ]
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGCONT)
        answers.extend(zip(words, (one.communicate()[0] for one in orders)))
        answers.append(("--on", subprocess.run([*way, "--on", "--pid", str(process.pid)], cwd=PACKAGE, capture_output=True, text=True).stdout))
        for client in silent:
            client.close()

    found = profile(LONG.replace("+ 3", "+ 8"), python, act=switch).expect(0).profile
    assert len(answers) == 17 and all(text == "scalene: profiling is %s\n" % word[2:] for word, text in answers), answers
    assert found.cpu_inside("busy") >= 0.3, found.hottest()


@pytest.mark.parametrize("way", [MODULE, COMMAND], ids=["module", "command"])
def test_who_switches_off_has_the_profile(scalene, tmp_path, way):
    """As a server never ends, what was measured is looked at when it has been switched off."""
    (tmp_path / "serves.py").write_text(
        "import os\nkept = bytearray(b'x') * (64 << 20)\nopen('ready', 'w').close()\nwhile not os.path.exists('end'):\n    sum(range(1000))\n"
    )
    with subprocess.Popen([scalene, "run", "-q", "-o", "p.json", "serves.py"], cwd=tmp_path, env=clean_environment()) as process:
        try:
            until((tmp_path / "ready").exists)
            assert not (tmp_path / "p.json").exists()
            answer = subprocess.run([*way, "--off", "--pid", str(process.pid)], cwd=PACKAGE, capture_output=True, text=True, timeout=TIMEOUT_S)
            assert answer.stdout == "scalene: profiling is off\n", answer
            made = json.loads((tmp_path / "p.json").read_text())
        finally:
            (tmp_path / "end").touch()
        assert process.wait(TIMEOUT_S) == 0
    assert [name.rpartition("/")[2] for name in made["files"]] == ["serves.py"]


@pytest.mark.parametrize("way", [MODULE, COMMAND], ids=["module", "command"])
def test_a_wrong_process_is_an_error(way):
    ended = subprocess.run([*way, "--on", "--pid", "4194303"], cwd=PACKAGE, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "no program is profiled as process 4194303" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize("way", [MODULE, COMMAND], ids=["module", "command"])
@pytest.mark.parametrize(
    "words", [[], ["--on"], ["--pid", "1"], ["--on", "--off", "--pid", "1"], ["--on", "--pid", "x"], ["--on", "--pid", "1", "y"]], ids=" ".join
)
def test_a_wrong_line_is_a_usage_error(way, words):
    ended = subprocess.run([*way, *words], cwd=PACKAGE, capture_output=True, text=True)
    assert ended.returncode == 2, ended
    assert ended.stdout == "" and ended.stderr != ""
