# tests/gpu/cuda_programs.py - programs that use CUDA, whose driver and CUPTI are stand-ins.
#
# The stand-ins (standin/) are built here.
#
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with stand-ins for CUDA, and reads what their profiles say of devices: what the stand-ins report, in every run."""

import os
import shutil
import subprocess
import types

import pytest

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")

# Kernels are launched as `kernel(None, microseconds)`.
PRELUDE = """
import ctypes, os, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
kernel, wait = cuda.cuLaunchKernel, cuda.cuCtxSynchronize
size = ctypes.c_size_t
def address():
    return ctypes.c_uint64()
until = time.perf_counter() + 0.1  # something to see, so that there is a profile
while time.perf_counter() < until:
    pass
"""


def build(source, library, *flags):
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", os.path.join(HERE, source)]
    subprocess.run([*command, "-o", library, "-Wl,-soname," + os.path.basename(library), *flags, "-ldl"], check=True)


@pytest.fixture(scope="session")
def standins(tmp_path_factory):
    """Folders: of the driver, of a toolkit with CUPTI, of other things in a program."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    root = tmp_path_factory.mktemp("cuda")
    made = types.SimpleNamespace(driver=root / "driver", toolkit=root / "toolkit", others=root / "others")
    cupti = made.toolkit / "extras" / "CUPTI" / "lib64"
    for folder in (made.driver, cupti, made.others):
        folder.mkdir(parents=True)
    build("cuda.c", str(made.driver / "libcuda.so.1"))
    build("cupti.c", str(cupti / "libcupti.so.12"))
    build("other.c", str(made.others / "libother.so"), str(cupti / "libcupti.so.12"), "-Wl,-rpath," + str(cupti))
    build("injected.c", str(made.others / "libinjected.so"))
    made.cupti = str(cupti / "libcupti.so.12")
    made.env = {"LD_LIBRARY_PATH": str(made.driver), "CUDA_HOME": str(made.toolkit)}
    return made


@pytest.fixture
def trace(profile, python, standins):
    """Runs a program that begins with PRELUDE: trace(text, script="", env={}, options=()) -> Ended."""

    def run(text, script="", env=(), options=(), status=0, **how):
        variables = {**standins.env, "STANDIN_CUPTI": script, "OTHERS": str(standins.others), **dict(env)}
        ended = profile(PRELUDE + text, python, options=["--gpu", *options], env=variables, **how).expect(status)
        assert "Segmentation" not in ended.stderr
        return ended

    return run


def line(ended, mark, key):
    """The sum of what the lines that end in `#: mark` have under this key."""
    marked = [number for number, text in enumerate(ended.profile.text.splitlines(), 1) if text.endswith("#: " + mark)]
    assert marked
    return sum(ended.profile.exact.file()["lines"][number - 1].get(key, 0) for number in marked)


def total(ended, key):
    return sum(record.get(key, 0) for one in ended.profile.exact.files.values() for record in one["lines"])


def losses(ended):
    return {name: count for name, count in ended.profile.exact.own["losses"].items() if count and name.startswith("gpu")}


def notes(ended):
    return " ".join(ended.profile.own.get("notes", ()))


def same(value):
    return pytest.approx(value, abs=1e-6)
