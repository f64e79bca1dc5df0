# tests/gpu/test_own_profiles.py - what GPUs do where a program begins its profile itself, with stand-ins for CUDA's driver and for CUPTI.
#
# SPDX-License-Identifier: Apache-2.0
"""CUDA may be in use before the profile begins, and other profilers may come before and after it."""

import pytest

import cuda_programs
from conftest import Profile
from cuda_programs import PRELUDE, line, losses, notes, same
from package_copy import copy_package

standins = cuda_programs.standins

pytestmark = pytest.mark.few_pythons

LATE = PRELUDE + """
from scalene import scalene_profiler
def start():
    scalene_profiler.start("--quiet", "--cpu-only", "--gpu", "-o", "out.json")
def spin():
    until = time.perf_counter() + 0.1
    while time.perf_counter() < until:
        pass
"""


@pytest.fixture
def late(bare, python, standins, tmp_path, tmp_path_factory):
    """Runs a program that begins with LATE: late(text, script="") -> Ended with the profile of out.json."""
    site = copy_package(tmp_path_factory.mktemp("site"))

    def run(text, script=""):
        env = {**standins.env, "PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1", "STANDIN_CUPTI": script}
        ended = bare(LATE + text, python, env={**env, "CUPTI": standins.cupti, "OTHERS": str(standins.others)}).expect()
        ended.profile = Profile.read(tmp_path / "out.json", ended.program, (LATE + text).lstrip("\n"))
        return ended

    return run


def test_cuda_is_in_use_already(late):
    ended = late("""
cuda.cuInit(0)
kernel(None, 1000)  #: before
cupti = ctypes.CDLL(os.environ["CUPTI"])
start()
spin()
for _ in range(10):
    kernel(None, 1000)  #: inside
wait()
scalene_profiler.stop()
written = open("out.json").read().count('"n_gpu_launches": 10')
for _ in range(5):
    kernel(None, 1000)  #: between
wait()
scalene_profiler.start()
for _ in range(3):
    kernel(None, 1000)  #: again
wait()
scalene_profiler.stop()
print(written)
""")
    assert line(ended, "before", "n_gpu_launches") == 0
    assert line(ended, "inside", "n_gpu_launches") == 10
    assert line(ended, "inside", "n_gpu_s") == same(0.010)
    assert line(ended, "between", "n_gpu_launches") == 0
    assert line(ended, "again", "n_gpu_launches") == 3
    assert losses(ended) == {}
    assert ended.stdout == "1\n"  # what was done was in the file when stop() returned


def test_devices_until_it_is_switched_off(late):
    ended = late("""
cuda.cuInit(0)
cupti = ctypes.CDLL(os.environ["CUPTI"])
start()
for _ in range(10):
    kernel(None, 10000)  #: inside
    wait()
scalene_profiler.stop()
spin()
""")
    own = ended.profile.exact.own
    assert 0.1 - 1e-6 <= own["gpu_busy_s"] <= own["gpu_traced_s"]  # the kernels, and short pauses between them


def test_cuda_is_used_afterwards(late):
    ended = late("""
start()
spin()
cuda.cuInit(0)
for _ in range(10):
    kernel(None, 1000)  #: inside
wait()
scalene_profiler.stop()
""")
    assert line(ended, "inside", "n_gpu_launches") == 10


def test_a_profile_after_another_profiler_came(late):
    """As a later cell of a notebook."""
    ended = late("""
from scalene._session import Session
def begin(name):
    session = Session(sys.argv[0], ["--quiet", "--cpu-only", "--gpu", "-o", name])
    session.switch(True)
    return session
cuda.cuInit(0)
cupti = ctypes.CDLL(os.environ["CUPTI"])
other = ctypes.CDLL(os.environ["OTHERS"] + "/libother.so")
first = begin("first.json")
assert other.other_begin() == 0
first.finish()
second = begin("out.json")
spin()
kernel(None, 1000)
wait()
second.finish()
""")
    assert "another profiler" in notes(ended)


def test_cuda_without_cupti_stays_as_it_is(late):
    ended = late("""
cuda.cuInit(0)
start()
spin()
kernel(None, 1000)
wait()
scalene_profiler.stop()
""")
    assert not ended.profile.own.get("gpu_trace")


@pytest.mark.parametrize("when", ("before", "after"))
def test_another_profiler_comes_later_still(late, when):
    """Its library is loaded before the profile begins, or after."""
    load = 'other = ctypes.CDLL(os.environ["OTHERS"] + "/libother.so")'
    ended = late("""
cuda.cuInit(0)
cupti = ctypes.CDLL(os.environ["CUPTI"])
%s
start()
spin()
%s
for _ in range(10):
    kernel(None, 1000)  #: before
wait()
assert other.other_begin() == 0
for _ in range(20):
    kernel(None, 1000)  #: after
wait()
print(other.other_calls(), other.other_bytes())
scalene_profiler.stop()
""" % ((load, "") if when == "before" else ("", load)))
    assert ended.stdout.split() == ["40", str(20 * 208)]
    assert line(ended, "before", "n_gpu_launches") == 10
    assert line(ended, "after", "n_gpu_launches") == 0
    assert "another profiler" in notes(ended)
