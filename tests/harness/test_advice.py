# tests/harness/test_advice.py - bench/advice reads its programs, and counts findings as it says.
#
# SPDX-License-Identifier: Apache-2.0
"""The bench of the findings: what its programs expect, and how findings are judged."""

import importlib.util
import os
import re

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IDS = """list_membership linear_search manual_count string_growth array_growth list_front scalar_numpy repeated_parse deepcopy regex_in_loop
logging_format blocking_in_coroutine lock_queue exceptions_as_flow iterrows object_column loader_starved query_per_row repeated_open peak_allocation leak
gil imports freeing python_loop python_function native_line waiting churn copies garbage_collection"""
PROGRAM = """# advice: deepcopy | copies
# also: waiting
import copy


def work(things):
    kept = []
    for thing in things:
        if thing:
            kept.append(
                copy.deepcopy(thing)  # <- here
            )
    return kept


print(work([1]))
"""


@pytest.fixture(scope="module")
def bench():
    path = os.path.join(ROOT, "bench", "advice", "__main__.py")
    spec = importlib.util.spec_from_file_location("bench_advice", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def expected(bench, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return bench.expected_of(str(path))


def outcome(bench, expected, *findings):
    return bench.Outcome("program", expected, [{"id": name, "lineno": line, "percent": 50} for name, line in findings])


def test_programs_name_known_ids_and_mark_lines(bench):
    paths = bench.chosen(bench.options_of([]))
    silent = 0
    for path in paths:
        expected = bench.expected_of(path)
        assert expected.advice | expected.also <= set(IDS.split()), path
        assert expected.advice or not expected.marked, path
        silent += not expected.advice
    assert silent >= 32 and len(paths) - silent >= 64


def test_programs_are_marked_as_the_runner_reads_it(bench):
    for path in bench.chosen(bench.options_of([])):
        with open(path) as stream:
            text = stream.read()
        assert len(re.findall(r"#\s*<-\s*here", text)) == len(bench.expected_of(path).marked), path


def test_a_place_that_encloses_the_line_is_as_good(bench, expected):
    assert expected.advice == {"deepcopy", "copies"} and expected.also == {"waiting"}
    for line in (6, 8, 10, 11, 12):  # function, loop, the lines of the statement
        assert outcome(bench, expected, ("deepcopy", line)).verdict() == "right"
    assert outcome(bench, expected, ("deepcopy", 0)).verdict() == "right"  # about the whole program
    for line in (3, 7, 9, 13):
        assert outcome(bench, expected, ("deepcopy", line)).verdict() == "missing, and wrong ones"


def test_an_advice_counts_among_the_first_two(bench, expected):
    noise = [("python_loop", 8), ("churn", 11)]
    assert outcome(bench, expected, noise[0], ("copies", 11)).verdict() == "right, and wrong ones"
    assert outcome(bench, expected, *noise, ("copies", 11)).verdict() == "late, and wrong ones"
    assert outcome(bench, expected, ("waiting", 3)).verdict() == "missing"


def test_summary_counts_findings_and_programs(bench, expected, tmp_path):
    path = tmp_path / "silent.py"
    path.write_text("# advice: none\nprint()\n")
    silent = bench.expected_of(str(path))
    outcomes = [
        outcome(bench, expected, ("deepcopy", 11), ("waiting", 3), ("churn", 11)),
        outcome(bench, expected),
        outcome(bench, silent, ("churn", 2)),
        outcome(bench, silent),
        bench.Outcome("other", expected, [], trouble="not run: no module torch"),
    ]
    text = "\n".join(bench.summary(outcomes))
    assert "precision 50.0 % (2 of 4 findings" in text
    assert "recall 50.0 % (1 of 2 programs" in text
    assert "false alarms: 1 of 2 programs" in text
    assert "| deepcopy | 2 | 1 | 1 | 1 |" in text and "| copies | 2 | 0 |" in text
    assert "other: not run: no module torch" in text
