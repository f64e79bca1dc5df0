# tests/harness/test_claims.py - what tools/claims.py calls right, wrong and undecided.
#
# SPDX-License-Identifier: Apache-2.0
"""The sequential tests of sampled numbers."""

import importlib.util
import json
import os
import random
import subprocess
import sys

import host
import pytest

from conftest import ROOT

SPEC = importlib.util.spec_from_file_location("claims", os.path.join(ROOT, "tools", "claims.py"))
claims = importlib.util.module_from_spec(SPEC)
sys.modules["claims"] = claims
SPEC.loader.exec_module(claims)

MANY = 1300


@pytest.mark.parametrize(
    "values, truth",
    [
        ("", None), ("+", "right"), ("-", None), ("-+", None), ("-++", None), ("-+++", None), ("-++++", "right"), ("--++++", None),
        ("-" * 11, None), ("-" * 12, "wrong"), ("-" * 12 + "+", None), ("-++-" + "++-" * 12, "undecided"),
    ],
)
def test_verdicts(values, truth):
    claim = claims.Claim("it")
    for value in values:
        claim.add(value == "+", value == "-", 0)
    assert claim.verdict(MANY) == truth


def test_what_others_have_disturbed_decides_nothing():
    claim = claims.Claim("it")
    for _ in range(9):
        claim.add(True, False, 50.0)
    assert claim.verdict(MANY) is None
    claim.add(False, True, 50.0)
    assert claim.verdict(MANY) == "undecided" and (claim.held, claim.missed, claim.left_out) == (0, 0, 10)


def test_what_others_take_is_seen(monkeypatch):
    """Ours are the root and its descendants; of 40 nobody knows who has started it."""
    monkeypatch.setattr(host, "_processes", lambda: {1: (0, 5), 10: (1, 100), 20: (10, 30), 21: (20, 3), 30: (1, 40), 31: (30, 7), 40: (99, 2)})
    assert [host._others_ticks(root) for root in (10, 30, 31)] == [5 + 40 + 7 + 2, 5 + 133 + 2, 5 + 133 + 40 + 2]


@pytest.mark.parametrize("percent, word, least", [(0, "right", 300), (10, "right", 297), (90, "wrong", 230), (100, "wrong", 300)])
def test_claims_end_as_they_are(percent, word, least):
    """300 claims that miss in that share of their runs; the draws are the same each time."""
    draw = random.Random(5)
    found = {str(number): claims.Claim(str(number)) for number in range(300)}

    def run_again(names):
        for name in names:
            missed = draw.random() < percent / 100
            found[name].add(not missed, missed, 0)

    claims.decide(found, run_again)
    counts = claims.summary(found)["counts"]
    assert counts[word] >= least and (word == "wrong" or counts["wrong"] == 0), counts


@pytest.mark.parametrize("missed, runs, low, high", [(0, 0, 0, 100), (0, 10, 0, 27.8), (1, 10, 1.8, 40.4), (10, 10, 72.2, 100)])
def test_interval(missed, runs, low, high):
    assert claims.interval_percent(missed, runs) == pytest.approx((low, high), abs=0.06)


PROGRAM = """
import os, pathlib, pytest, subprocess, sys

def times(name):
    with open(os.path.join(%r, name), "a") as file:
        file.write("x")
    return os.path.getsize(file.name)

@pytest.mark.statistical
@pytest.mark.parametrize("first", [1, 2])
def test_misses_at_first(first):
    assert times("a%%d" %% first) >= first, "a number"

@pytest.mark.statistical
def test_always_misses():
    assert times("b") < 0

@pytest.mark.statistical
def test_counts_what_is_no_number_at_first():
    status, number = 3 * (times("e") == 1), 2
    assert (
        status == 0
    ), number

@pytest.mark.statistical
def test_mixes_a_number_with_a_status_at_first():
    assert times("f") > 1 and len(sys.argv) == 0

@pytest.mark.statistical
def test_crashes_at_first():
    if times("c") == 1:
        pytest.fail("ended with -11")

@pytest.mark.statistical
def test_is_not_for_here():
    pytest.skip("needs Python 4.0")

def test_is_exact():
    times("exact")

class TestOfAClass:
    @pytest.mark.statistical
    def test_misses_at_first(self):
        assert times("d") > 1
"""


def test_rounds(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / "state").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(PROGRAM % str(tmp_path / "state"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = statistical\n")
    (tmp_path / "conftest.py").write_text("import host\nhost.ticks = lambda: (0, 1)\n")  # nothing is left out
    environment = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "tests")}
    tool = tmp_path / "tools" / "claims.py"
    with open(os.path.join(ROOT, "tools", "claims.py"), encoding="utf-8") as own:
        tool.write_text(own.read())
    results = tmp_path / "claims.json"
    ended = subprocess.run([sys.executable, str(tool), str(results), "tests", "-p", "sampled"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert ended.returncode == 1, ended.stdout
    found = json.loads(results.read_text())
    assert found["counts"] == {"right": 3, "wrong": 1, "broken": 3, "undecided": 0, "skipped": 1}, ended.stdout
    runs = {path.name: path.stat().st_size for path in (tmp_path / "state").iterdir()}
    assert runs == {"a1": 1, "a2": 5, "b": 9, "c": 1, "d": 5, "e": 1, "f": 1}
    assert [one["missed"] for name, one in found["tests"].items() if name.endswith("_it.py::test_misses_at_first")] == [1]
