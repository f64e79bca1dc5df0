# tests/robust/test_reasons.py - an empty or thin profile says why, and commands that are no Python.
#
# SPDX-License-Identifier: Apache-2.0
"""Reasons for empty profiles."""

import os
import resource
import time

import pytest

import refused_calls
from conftest import BUSY, Profile, execute


def notes(ended):
    return " ".join(ended.profile.own.get("notes", []))


def test_empty_program(profile, python):
    ended = profile("", python).expect(0)
    assert ended.stdout == ""
    assert not ended.profile.files, "an empty program has lines: %s" % sorted(ended.profile.files)
    assert "short" in notes(ended) or "long" in notes(ended), ended.profile.data
    # The reason is printed at the end of the run, too, on stderr.
    assert ended.stderr.strip() != ""
    for note in ended.profile.own["notes"]:
        assert note in ended.stderr


SHORT = """
import time
end = time.thread_time() + 0.010
while time.thread_time() < end:
    pass
print("done")
"""


@pytest.mark.statistical
def test_program_of_10_ms(profile, python):
    ended = profile(SHORT, python).expect(0)
    assert ended.stdout == "done\n"
    if ended.profile.files:
        assert ended.profile.everything().total > 0
    else:
        assert notes(ended) != ""


@pytest.mark.few_pythons
@pytest.mark.parametrize("is_refused", [True, False])
def test_samples_finer_than_ticks_are_refused(profile, python, is_refused):
    """Elsewhere it is said only where the system itself forbids them."""
    is_needed = time.clock_getres(6) > 0.0011  # CLOCK_MONOTONIC_COARSE: a tick
    prepare = refused_calls.refuse("perf_event_open") if is_refused else None
    ended = profile(SHORT, python, options=["--cpu-sampling-rate", "0.0011"], prepare=prepare).expect(0)
    assert not is_refused or not is_needed or "samples came with the kernel's ticks" in ended.stderr
    assert ("samples came with the kernel's ticks" in notes(ended)) == (round(ended.profile.own["interval_s"], 6) > 0.0011)


TWO_FILES = """
import os
import time
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper.py"), "w") as out:
    out.write("import time\\ndef busy(end):\\n    while time.process_time() < end:\\n        sum(range(1000))\\n")
import helper
helper.busy(time.process_time() + 0.2)
end = time.process_time() + 0.2
while time.process_time() < end:
    sum(range(1000))
"""

LIBRARY = """
import json.decoder
import sys


def main():
    text = "[" + ",".join(map(str, range(500))) + "]"
    # The decoder in Python, since the one in C belongs to the line that calls it.
    array = json.decoder.JSONArray
    json.decoder.scanstring = json.decoder.py_scanstring
    for _ in range(int(sys.argv[1])):
        json.loads(text)
    for i in range(6000000):  # work of the program's own
        i ^ 5


main()
"""


@pytest.mark.statistical
def test_program_out_of_scope_names_what_took_the_time(profile, python):
    # The program itself is left out, and so is all it calls.
    ended = profile(LIBRARY, python, ["20000"], ["--profile-exclude", "prog"]).expect(0)
    assert ended.program not in ended.profile.files
    hidden = {one["name"]: one for one in ended.profile.own["hidden_files"]}
    assert ended.program in hidden, hidden
    assert hidden[ended.program]["reason"] == "excluded"
    assert sum(one["percent"] for one in hidden.values()) > 50, hidden
    assert notes(ended) != ""


def test_what_is_advised_would_help(profile, python):
    excluded = notes(profile(TWO_FILES, python, [], ["--profile-only", "nothing-like-it"]).expect(0))
    assert "--profile-only" in excluded and "--profile-all" not in excluded
    threshold = notes(profile(TWO_FILES, python, [], ["--cpu-percent-threshold", "100"]).expect(0))
    assert "--cpu-percent-threshold 0" in threshold and "--profile-all" not in threshold


MODULE = """
def busy(n):
    for i in range(n):
        i ^ 5
"""

ELSEWHERE = """
import sys
sys.path.insert(0, sys.argv[1])
import threading
import elsewhere
thread = threading.Thread(target=elsewhere.busy, args=(24000000,))
thread.start()
"""


@pytest.mark.statistical
def test_files_outside_the_programs_directory_are_named(profile, python, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "elsewhere.py").write_text(MODULE)
    # A thread whose frames are all out of scope, and that no line of the program's waits for.
    ended = profile(ELSEWHERE, python, [str(other)]).expect(0)
    hidden = {os.path.basename(one["name"]): one for one in ended.profile.own["hidden_files"]}
    assert "elsewhere.py" in hidden, ended.profile.hottest()
    assert hidden["elsewhere.py"]["percent"] > 80
    assert hidden["elsewhere.py"]["reason"] == "outside"
    everything = profile(ELSEWHERE, python, [str(other)], ["--profile-all"]).expect(0)
    path = str(other / "elsewhere.py")
    assert everything.profile.lines([3, 4], path).total > 80, everything.profile.hottest()


class TestCommands:
    """`scalene run -- COMMAND`: any command, of which the Pythons are profiled."""

    def run(self, scalene, tmp_path, command, name="out.json"):
        out = tmp_path / name
        ended = execute([scalene, "run", "-o", str(out), "--", *command], cwd=tmp_path)
        if out.exists():
            program = str(tmp_path / "prog.py")
            text = open(program).read() if os.path.exists(program) else ""
            ended.profile = Profile.read(out, program, text)
        return ended

    def test_no_python(self, scalene, tmp_path):
        ended = self.run(scalene, tmp_path, ["true"]).expect(0)
        assert ended.stdout == ""
        assert not ended.profile.files
        assert "Python" in notes(ended), ended.profile.data

    def test_status_and_output_of_a_shell(self, scalene, tmp_path):
        ended = self.run(scalene, tmp_path, ["sh", "-c", "echo out; echo err >&2; exit 5"])
        ended.expect(5)
        assert ended.stdout == "out\n"
        assert ended.stderr.startswith("err\n")

    def test_missing_command(self, scalene, tmp_path):
        ended = self.run(scalene, tmp_path, ["no-such-command-anywhere"])
        assert ended.status != 0
        assert "no-such-command-anywhere" in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


SEALED = BUSY + """
import ctypes, os
def after(seconds):
    busy(seconds)
busy(0.3)
zero = ctypes.c_ulong(0)
print(ctypes.CDLL(None).prctl(38, ctypes.c_ulong(1), zero, zero, zero))  # PR_SET_NO_NEW_PRIVS
after(0.6)
"""


SEALED_OFTEN = """
import ctypes, os, platform, struct, threading, time
libc = ctypes.CDLL(None)
def busy(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for i in range(200):
            i ^ 5
def start_others():
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        other = threading.Thread(target=int)
        other.start()
        other.join()
# coming back from a handler, timer_create, timer_settime, timer_delete; seccomp
*forbidden, seccomp = {"x86_64": (15, 222, 223, 226, 317), "aarch64": (139, 107, 110, 111, 277)}[platform.machine()]
lines = [(0x20, 0, 0, 0)] + [(0x15, len(forbidden) - i, 0, number) for i, number in enumerate(forbidden)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines + [(6, 0, 0, 0x7FFF0000), (6, 0, 0, 0x80000000)]))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]
program = Program(len(lines) + 2, ctypes.addressof(code))
killed = 0
for _ in range(80):
    pid = os.fork()
    if pid == 0:
        threads = [threading.Thread(target=start_others) for _ in range(3)]
        for thread in threads:
            thread.start()
        busy(0.002)
        zero = ctypes.c_ulong(0)
        if os.geteuid() != 0:
            libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero)
        libc.syscall(ctypes.c_long(seccomp), ctypes.c_ulong(1), ctypes.c_ulong(1), ctypes.byref(program))  # for all threads
        for thread in threads:
            thread.join()
        os._exit(0)
    killed += os.waitpid(pid, 0)[1] != 0
print("killed", killed)
"""


@pytest.mark.one_python
def test_threads_that_begin_and_tick_when_a_filter_comes(profile, python):
    ended = profile(SEALED_OFTEN, python, options=["--cpu-sampling-rate", "0.001"]).expect(0)
    assert ended.stdout == "killed 0\n"


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_a_program_that_restricts_its_system_calls(profile, python):
    """The agent is gone from then on, the profile says so, and what comes later is still on its lines."""
    ended = profile(SEALED, python).expect(0)
    assert ended.stdout == "0\n"
    assert "restricted its own system calls after" in notes(ended)
    assert ended.profile.cpu_inside("busy") > 0.6, ended.profile.hottest()


def at_most(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


LIMITS = """
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
print(subprocess.call([sys.executable, "-c", "print('child')"]), flush=True)
child = os.fork()
if child == 0:
    os._exit(3)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
"""


@pytest.mark.few_pythons
@pytest.mark.parametrize("memory", [(), ("--memory",)], ids=["time", "memory"])
def test_a_limit_on_the_size_of_files_ends_nobody(profile, python, memory):
    """What is shared with the observer is a file to the kernel: larger than allowed, it would end the program."""
    ended = profile("print('done')\n", python, options=memory, prepare=at_most(500000)).expect(0)
    assert ended.stdout == "done\n"
    assert "on their size" in ended.stderr
    ended = profile(LIMITS, python, options=memory).expect(0)
    assert ended.stdout == "child\n0\n3\n"
    assert "on their size" in ended.stderr
