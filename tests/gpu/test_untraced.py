# tests/gpu/test_untraced.py - programs that use CUDA, or try to, where devices cannot be asked what they did.
#
# SPDX-License-Identifier: Apache-2.0
"""What is said, and what is not, without CUPTI, without its consent and without a GPU."""

import glob
import os

import pytest

import cuda_programs
import standins as libraries
from cuda_programs import notes, total
from sampled import claimed

standins, trace = cuda_programs.standins, cuda_programs.trace
nvml = libraries.nvml

pytestmark = pytest.mark.few_pythons

USE = """
assert cuda.cuInit(0) == 0
kernel(None, 1000)
wait()
at = address()
assert cuda.cuMemAlloc_v2(ctypes.byref(at), size(1000)) == 0
"""


@pytest.fixture
def a_gpu(standins, nvml):
    """Environment of a machine whose management library reports one."""
    nvml.write("device name=H100 uuid=GPU-1 total_mb=80000\n")
    return {**nvml.environment, "LD_LIBRARY_PATH": "%s:%s" % (standins.driver, nvml.folder)}


@pytest.mark.statistical  # needs that the driver was asked while the program ran
@pytest.mark.parametrize("script, why", (("taken", "another tool has it already"), ("refused", "(its error 27)")))
def test_cupti_refuses(trace, a_gpu, script, why):
    ended = trace(USE, script=script, env=a_gpu)
    assert claimed("CUPTI refused" in notes(ended) and why in notes(ended))
    assert total(ended, "n_gpu_launches") == 0
    assert not ended.profile.own.get("gpu_trace")


@pytest.mark.statistical
def test_the_user_has_another_profiler(trace, standins, a_gpu):
    """As nsys and ncu say it to the driver."""
    ended = trace(USE, env={**a_gpu, "CUDA_INJECTION64_PATH": str(standins.others / "libinjected.so")})
    assert claimed("CUPTI refused, another tool has it already (nsys, ncu" in notes(ended))
    assert not ended.profile.own.get("gpu_trace")


@pytest.mark.statistical
def test_no_cupti(trace, standins, a_gpu):
    if glob.glob("/usr/local/cuda*/extras") or glob.glob("/opt/cuda/extras"):
        pytest.skip("this machine has CUPTI")
    ended = trace(USE, env={**a_gpu, "CUDA_HOME": str(standins.others)})
    assert claimed("no libcupti" in notes(ended))
    assert not ended.profile.own.get("gpu_trace")


@pytest.mark.skipif(os.path.exists("/proc/driver/nvidia/version"), reason="this machine has a GPU")
def test_without_a_gpu_nothing_is_missed(trace, standins):
    """The driver's libraries are there, as in many images, and CUPTI refuses, is not there or has nothing to trace."""
    for text, how in ((USE, {"script": "refused"}), (USE, {"env": {"CUDA_HOME": str(standins.others)}}), ("cuda.cuInit(0)\n", {})):
        ended = trace(text, **how)
        assert not ended.profile.data.get("gpu")
        assert not ended.profile.own.get("gpu_trace") and total(ended, "n_gpu_idle_s") == 0
        said = notes(ended)
        assert "--gpu was given, but no GPU was found" in said
        assert "GPU's time" not in said and "CUPTI" not in said


@pytest.mark.statistical
@pytest.mark.parametrize("visible, traced", (("", False), ("-1", False), ("0", True)))
def test_gpus_that_are_hidden(trace, a_gpu, visible, traced):
    """A program whose GPUs its user hides is no program that uses one."""
    ended = trace(USE, script="" if traced else "refused", env={**a_gpu, "CUDA_VISIBLE_DEVICES": visible})
    assert claimed(bool(ended.profile.own.get("gpu_trace")) == traced)
    assert "GPU" not in notes(ended)
