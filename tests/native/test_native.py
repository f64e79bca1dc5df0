# tests/native/test_native.py - is Python distinguished from native code, sample by sample?
#
# Truth: each phase of phases.py is of one kind by construction. A sampler like the agent takes the
# samples inside the interpreter and the observer's classifier judges them, so that nothing but the
# unwinder and the rule (docs/design/0003-python-or-native.md) is tested.
# Error: a phase has 125 samples. A limit in percent is compared with what a true
# rate of that size gives in all but 1 of 1000 runs (allowed()).
#
# SPDX-License-Identifier: Apache-2.0
"""The kinds of samples in programs of known kind, on every interpreter."""

import json
import math
import os
import subprocess

import pytest

from conftest import BUILD, made_once
from sampled import claimed

pytestmark = pytest.mark.statistical

SAMPLES = 125
HERE = os.path.dirname(os.path.abspath(__file__))

LOOPS = "loop while_floats fib generator attributes strings lists c_iterator".split()
CREATING = """create_with_init create_plain create_with_new create_slotted create_derived
    create_and_keep""".split()
CALLING = "call_methods call_bound call_keywords call_star call_callable closures".split()
NATIVE = "sort add_up digest compress join find numpy_add numpy_product numpy_sort".split()
# OpenBLAS takes another kernel for each kind of processor; that for AMD's Zen is assembly that aligns the stack to a
# page and has no unwind records (dgemm_kernel_4x8_haswell.S), so no debugger finds its caller either.
WITHOUT_RECORDS = ["numpy_product"]
MIXED = {"load_json": 50, "match": 70, "split": 25, "make_list": 40}


def allowed(samples, percent):
    """The number of samples that a true rate of percent exceeds less than once in 1000 runs (Poisson)."""
    expected = samples * percent / 100
    count, tail = -1, 1.0
    while tail >= 0.001:
        count += 1
        tail -= math.exp(count * math.log(expected) - expected - math.lgamma(count + 1))
    return count


@pytest.fixture
def judged(python, tmp_path_factory):
    """phase -> counts, of one run of all phases for the tests of all workers."""
    return made_once(tmp_path_factory, "native-" + python.id, lambda: run_phases(python, tmp_path_factory.mktemp("native")))


def run_phases(python, directory):
    sampler = os.path.join(BUILD, "tests", "native", "libsampler.so")
    judge = os.path.join(BUILD, "tests", "native", "judge")
    command = [python.path, os.path.join(HERE, "phases.py"), sampler, judge, str(directory)]
    ended = subprocess.run(
        command + [str(SAMPLES)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300
    )
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    return json.loads(ended.stdout.decode().splitlines()[-1])


def counts(judged, name):
    found = judged[name]
    assert found["samples"] >= SAMPLES * 0.8, "too few samples to judge"
    return found


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_python(judged, name):
    found = counts(judged, name)
    assert found["native"] <= allowed(found["samples"], 1), found


@pytest.mark.parametrize("name", [*CREATING, *CALLING, "dealloc_storm"])
def test_objects_and_calls_are_python(judged, name):
    found = counts(judged, name)
    assert found["native"] <= allowed(found["samples"], 4), found


@pytest.mark.parametrize("name", NATIVE)
def test_builtins_and_extensions_are_native(judged, python, name):
    if name.startswith("numpy_") and not python.has_numpy:
        pytest.skip("this interpreter has no numpy")
    found = counts(judged, name)
    assert found["python"] <= allowed(found["samples"], 5), found


@pytest.mark.parametrize("name", sorted(MIXED))
def test_mixed_work_is_mostly_native(judged, name):
    found = counts(judged, name)
    assert found["native"] >= found["samples"] * MIXED[name] / 100, found


def test_nearly_every_walk_reaches_the_loop(judged):
    """Beside those that begin in code of which no record says how its stack is laid out."""
    walked = [found for name, found in judged.items() if name not in WITHOUT_RECORDS]
    assert claimed(len(walked) > 25)
    samples = sum(found["samples"] for found in walked)
    lost = samples - sum(found["reached"] for found in walked)
    assert lost <= samples / 200
