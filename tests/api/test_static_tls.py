# tests/api/test_static_tls.py - a profile that is begun when the loader has little thread-local memory left.
#
# Libraries that are loaded late share a small room for thread-local variables with the agent. Here it is used up
# first, in steps of 16 bytes, but for a part.
#
# SPDX-License-Identifier: Apache-2.0
"""The agent, loaded late, beside libraries that have taken nearly all static thread-local memory."""

import os
import shutil
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))

from case import compiled  # noqa: E402
from conftest import Profile  # noqa: E402
from cases_memory_in_c import STATIC_TLS  # noqa: E402
from package_copy import copy_package  # noqa: E402

STEP_BYTES = 16

PROGRAM = """
import ctypes, os, shutil, sys, threading, time
folder, out, spare = sys.argv[1], sys.argv[2], int(sys.argv[3])
from scalene import scalene_profiler

def room(name):
    shutil.copy(os.path.join(folder, "room.so"), os.path.join(folder, name))
    return ctypes.CDLL(os.path.join(folder, name))

def fits():
    pid = os.fork()
    if pid == 0:
        count = 0
        try:
            while True:
                room("try%d-%d.so" % (os.getpid(), count))
                count += 1
        except OSError:
            os._exit(count)
    return os.waitpid(pid, 0)[1] >> 8

left = fits()
taken = [room("room%d.so" % number) for number in range(left - spare)]
scalene_profiler.start("--quiet", "--memory", "-o", out)

def busy():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        for i in range(1000):
            i ^ 5
    kept.append(bytearray(20 << 20))

kept = []
busy()
thread = threading.Thread(target=busy)
thread.start()
thread.join()
scalene_profiler.stop()
print(len(taken) >= 64, len(kept), fits())
"""


@pytest.fixture
def begin(bare, python, tmp_path, tmp_path_factory):
    """Runs the program with so many of the steps left over: (Ended, Profile or None)."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    rooms = tmp_path_factory.mktemp("rooms")
    (rooms / "room.so").write_bytes(compiled(STATIC_TLS))
    out = tmp_path / "out.json"

    def run(spare):
        site = copy_package(tmp_path_factory.mktemp("site"))
        ended = bare(PROGRAM, python, [str(rooms), str(out), str(spare)], env={"PYTHONPATH": site}).expect(0)
        return ended, Profile.read(out) if out.exists() else None

    return run


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_it_works_with_just_enough(begin):
    """The agent takes 256 bytes and no more."""
    ended, found = begin(256 // STEP_BYTES)
    assert ended.stderr == ""
    assert ended.stdout == "True 2 0\n"
    assert 0.4 < found.own["target_cpu_s"] < 1.5
    assert 38 <= found.data["max_footprint_mb"] <= 45


@pytest.mark.few_pythons
@pytest.mark.parametrize("spare", [0, 256 // STEP_BYTES - 1])
def test_it_says_clearly_that_it_cannot(begin, spare):
    ended, found = begin(spare)
    assert ended.stdout == "True 2 %d\n" % spare
    assert found is None
    (line,) = ended.stderr.splitlines()
    assert line.startswith("scalene: nothing is profiled: ") and "thread-local memory" in line, line
    assert "scalene run" in line
