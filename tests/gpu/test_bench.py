# tests/gpu/test_bench.py - bench/gpu.py itself: with a stand-in for the driver, and without a GPU.
#
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of GPUs finds what is right, and what is not."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, clean_environment

sys.path.insert(0, os.path.join(ROOT, "bench"))
import gpu  # noqa: E402

STANDIN = os.path.join(ROOT, "tests", "gpu", "standin")
SCRIPT = os.path.join(ROOT, "bench", "gpu.py")


def build(source, library):
    command = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread", "-o", library]
    name = "-Wl,-soname," + os.path.basename(library)
    subprocess.run([*command, name, os.path.join(STANDIN, source), "-ldl"], check=True)


@pytest.fixture
def standins(tmp_path):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    (tmp_path / "driver").mkdir()
    (tmp_path / "lib").mkdir()
    build("bench.c", str(tmp_path / "driver" / "libcuda.so.1"))
    build("cupti.c", str(tmp_path / "lib" / "libcupti.so.12"))
    return {"LD_LIBRARY_PATH": str(tmp_path / "driver"), "CUDA_HOME": str(tmp_path)}


def bench(scalene, environment, *words):
    command = [sys.executable, SCRIPT, "--scalene", scalene, "--no-cost", *words]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(environment), universal_newlines=True, timeout=120
    )


def test_every_number_is_right_with_a_driver_that_is(scalene, standins):
    ended = bench(scalene, standins)
    # how long Python was kept from computing is not in the bench's truth, so a busy machine misses there
    missed = [row for row in ended.stdout.splitlines() if "missed" in row and not row.startswith("| idle.py: ")]
    assert ended.returncode in (0, 1) and not missed, ended.stdout + ended.stderr
    assert len(ended.stdout.splitlines()) > 35
    assert ended.stdout.startswith("stand-in, driver for CUDA 12.9, CUPTI")
    for place in ("kernels.py: matmul", "copies.py: pinned to", "streams.py", "idle.py: python", "memory.py: physical"):
        assert "| %s |" % place in ended.stdout


def test_without_cupti_numbers_are_missed(scalene, standins):
    ended = bench(scalene, {**standins, "CUDA_HOME": "/nowhere"})
    assert ended.returncode == 1
    assert "device time was not traced" in ended.stderr and "**missed**" in ended.stdout


def test_without_a_gpu_nothing_is_measured(scalene, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("")
    ended = bench(scalene, {"LD_LIBRARY_PATH": str(tmp_path)})
    assert ended.returncode == 77 and ended.stdout == ""
    assert "there is no NVIDIA driver" in ended.stderr and ended.stderr.count("\n") == 1


TORCH = """
class cuda:
    def is_available():
        return False
"""


def test_a_package_that_cannot_use_the_gpu_costs_nothing_else(scalene, standins, tmp_path):
    """torch is that of machines without one, cupy is broken; what they could not do is listed separately."""
    (tmp_path / "torch.py").write_text(TORCH)
    (tmp_path / "cupy.py").write_text("raise ImportError('no libcublas')\n")
    ended = bench(scalene, {**standins, "PYTHONPATH": str(tmp_path)})
    assert ended.returncode == 1
    assert "with_torch.py: torch finds no CUDA device; it is left out" in ended.stderr
    assert "no libcublas" in ended.stderr
    assert "| with_cupy.py | ran to its end | 1 | 0 |" in ended.stdout
    assert "| memory.py: physical |" in ended.stdout and "with_torch" not in ended.stdout


@pytest.mark.parametrize("package", ("cuda_cupti", "cu13"))
def test_cupti_of_a_wheel_is_found(tmp_path, monkeypatch, package):
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(gpu.glob, "glob", lambda pattern, real=gpu.glob.glob: [] if pattern.startswith("/usr") else real(pattern))
    library = tmp_path / "nvidia" / package / "lib"
    library.mkdir(parents=True)
    assert gpu.cupti_home([str(tmp_path)]) is None
    (library / "libcupti.so.13").write_text("")
    assert gpu.cupti_home(["/nowhere", str(tmp_path)]) == str(library.parent)


SOURCE = "x = 1\nlaunch()  # line: one\n"


def judge(truth, line):
    profile = {"files": {"/a/p.py": {"lines": [dict(line, lineno=2)]}}, "scalene_c": {"gpu_busy_s": 2.0}}
    return [check.good for check in gpu.judge("p.py", SOURCE, truth, profile)]


def test_bounds_are_kept_and_missed():
    assert judge({"one": {"gpu_s": 1.0}}, {"n_gpu_s": 1.03}) == [True]
    assert judge({"one": {"gpu_s": 1.0}}, {"n_gpu_s": 0.96}) == [False]
    assert judge({"one": {"launches": 40}}, {"n_gpu_launches": 41}) == [False]
    assert judge({"one": {"to_device_mb": 3.5}}, {"n_gpu_to_device_mb": 3.5}) == [True]
    assert judge({"one": {"from_device_mb": 3.5}}, {}) == [False]
    assert judge({"one": {"little_idle_s": 1.0}}, {"n_gpu_idle_s": 0.04}) == [True]
    assert judge({"one": {"little_idle_s": 1.0}}, {"n_gpu_idle_s": 0.06}) == [False]
    assert judge({"": {"busy_s": 2.2}}, {}) == [False]
    assert judge({"": {"busy_s": 2.05}}, {}) == [True]


def test_a_loop_may_be_faster_but_not_slower():
    assert gpu.Cost("loop", "s", 1.0, 0.7, 0.05).good
    assert gpu.Cost("loop", "s", 1.0, 1.05, 0.05).good
    assert not gpu.Cost("loop", "s", 1.0, 1.06, 0.05).good
