# tests/harness/test_harness.py - the tests' own rules hold: nothing passes unseen, nothing is excused without end.
#
# Each test writes a small test file and runs pytest on it with this tree's conftest.py.
#
# SPDX-License-Identifier: Apache-2.0
"""The rules of tests/conftest.py and tools/test_stages.py."""

import dataclasses
import datetime
import importlib.util
import os
import re
import subprocess
import sys
import time

import pytest

import moved
import pythons
from conftest import ROOT, execute, has_ended, until

TESTS = os.path.join(ROOT, "tests")

# Instead of `scalene`: executes the program and nothing else.
ONLY_EXECUTES = """#!/bin/sh
while [ "$1" != --python ]; do shift; done
python=$2
while [ "$1" != --- ]; do shift; done
shift
exec "$python" "$@"
"""


@pytest.fixture
def run_pytest(tmp_path):
    """run_pytest(text, *options) -> (outcomes such as {"passed": 1}, all that pytest printed)."""
    command = tmp_path / "build" / "src" / "cli" / "scalene"
    command.parent.mkdir(parents=True)
    command.write_text(ONLY_EXECUTES)
    command.chmod(0o755)

    def run(text, *options, folder="accuracy", path=()):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "test_it.py").write_text(text)
        words = [*options, "-p", "conftest", "-p", "no:cacheprovider", "--quick", "-rA", "-q", "--rootdir", str(tmp_path), str(place)]
        environment = {"PYTHONPATH": ":".join([*path, TESTS]), "SC_BUILD": str(tmp_path / "build"), pythons.KNOWN: os.environ[pythons.KNOWN]}
        found = execute([sys.executable, "-m", "pytest", *words], cwd=tmp_path, env=environment)
        counts = re.findall(r"(\d+) (passed|failed|skipped|errors?)", found.stdout.splitlines()[-1])
        return {word: int(count) for count, word in counts}, found.stdout + found.stderr

    return run


ASKS_NOTHING = """
import pytest

@pytest.mark.one_python
def test_it(profile, python):
    profile("print(1)", python%s).expect(0)
"""


def test_a_profile_that_was_not_written_fails_a_test_that_never_looks(run_pytest):
    counts, text = run_pytest(ASKS_NOTHING % "")
    assert counts == {"failed": 1} and "a profile was not written" in text, text


def test_a_profile_need_not_be_expected(run_pytest):
    counts, text = run_pytest(ASKS_NOTHING % ", expects_profile=False")
    assert counts == {"passed": 1}, text


EXACT_AND_SAMPLED = """
import pytest

@pytest.mark.statistical
def test_sampled():
    assert False

def test_exact():
    pass
"""


def test_the_gate_leaves_out_sampled_numbers(run_pytest):
    counts, text = run_pytest(EXACT_AND_SAMPLED, "--gate")
    assert counts == {"passed": 1}, text
    counts, text = run_pytest(EXACT_AND_SAMPLED)
    assert counts == {"passed": 1, "failed": 1}, text


def test_the_gate_names_what_is_there(stages):
    """A stage or file with another name would no longer be run, without a word."""
    assert set(stages.IN_GATE) == {stage.name for stage in stages.GATE} - {"exact", "tidy-quick"}
    assert [path for path in stages.EXACT if not os.path.exists(os.path.join(ROOT, path))] == []


def test_what_the_gate_leaves_out_for_now_is_little_and_new():
    assert list(moved.faults(moved.entries(), datetime.date.today())) == []


def test_the_gate_leaves_out_what_is_listed(run_pytest, monkeypatch, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "moved.py").write_text("def entries():\n    return [{'test': 'other/test_it.py::test_wrong'}]\n")
    text = "import pytest\ndef test_right():\n    pass\n@pytest.mark.parametrize('a', [1, 2])\ndef test_wrong(a):\n    assert False\n"
    options = ["-p", "moved"]  # before conftest.py looks for it
    counts, text = run_pytest(text, *options, "--gate", folder="other", path=[str(tmp_path / "own")])
    assert counts == {"passed": 1}, text


PYTHONS = """
import collections
Python = collections.namedtuple("Python", "id")
def find():
    return [Python("3.%d-made" % minor) for minor in (8, 11, 15)]
for_gate = few = find
def missing():
    return []
"""

OF_THREE_PYTHONS = """
import pytest

@pytest.mark.parametrize("case", range(5))
def test_in_turn(python, case):
    pass

@pytest.mark.by_version
def test_each(python):
    pass
"""


def test_the_gate_takes_the_interpreters_in_turn(run_pytest, tmp_path):
    """No case is left out, and no interpreter; what depends on the version is tried with each."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "pythons.py").write_text(PYTHONS)
    counts, text = run_pytest(OF_THREE_PYTHONS, "-p", "pythons", "--gate", folder="other", path=[str(tmp_path / "own")])
    assert counts == {"passed": 5 + 3}, text
    names = set(re.findall(r"::test_in_turn\[(3\.\d+)-made-(\d)\]", text))
    assert {case for _, case in names} == set("01234") and {python for python, _ in names} == {"3.8", "3.11", "3.15"}, names


MOVED = {"test": "tests/conftest.py::pytest_configure", "date": datetime.date(2020, 1, 1), "reason": "it has failed"}


@pytest.mark.parametrize(
    "entries, days, fault",
    [
        ([MOVED], 14, None), ([MOVED], 15, "was to be mended within 14 days"), ([MOVED] * 10, 0, None),
        ([MOVED] * 11, 0, "there are 11 entries"), ([{**MOVED, "test": "tests/conftest.py::pytest_conf"}], 0, "there is no test"),
        ([{**MOVED, "test": MOVED["test"].replace("conftest", "none")}], 0, "there is no test"),
        ([{**MOVED, "reason": ""}], 0, "has test, date and reason"),
        ([{"test": MOVED["test"], "date": MOVED["date"]}], 0, "has test, date and reason"),
    ],
)
def test_a_list_that_grows_or_ages_is_refused(entries, days, fault):
    found = list(moved.faults(entries, MOVED["date"] + datetime.timedelta(days)))
    assert len(found) == (fault is not None) and all(fault in one for one in found), found


A_PROFILE = """
import json
import pytest
from conftest import Profile

PROFILE = {
    "elapsed_time_sec": 0.5,
    "files": {"it.py": {"lines": [
        {"lineno": 1, "line": "x", "n_cpu_percent_python": 1, "n_cpu_percent_c": 0.5, "n_sys_percent": 0, "n_malloc_mb": 8.0, "time_s": {"python": 0.5}}
    ]}},
    "scalene_c": {"time_s": {"python": 0.5}, "processes": [{"pid": 5, "cpu_s": 0.5}]},
}

@pytest.mark.parametrize("condition", %r)%s
def test_it(condition):
    found = Profile(PROFILE, "it.py", "x #: x")
    assert found.own["processes"][0]["pid"] == 5 and found.file()["lines"][0]["lineno"] == 1 and "1" in found.hottest()
    assert found.exact.file()["lines"][0]["n_malloc_mb"] == 8
    assert eval(condition)
"""

COMPARES = [
    "found.marked('x').python > 0.5", "found.total_s == 0.5", "found.everything().total", "round(found.cpu_marked('x')) == 0",
    "found.data['elapsed_time_sec'] < 1", "0.6 > found.own['processes'][0]['cpu_s']",
    "found.file()['lines'][0]['n_malloc_mb'] == pytest.approx(8)", "max(row['cpu_s'] for row in found.own['processes'] * 2) > 0",
    "int(found.data['elapsed_time_sec']) == 0", "found.own['time_s'] == {'python': 0.5}",
]


@pytest.mark.parametrize("mark, word", [("", "failed"), ("\n@pytest.mark.statistical", "passed")])
def test_sampled_numbers_are_for_marked_tests(run_pytest, mark, word):
    counts, text = run_pytest(A_PROFILE % (COMPARES, mark), folder="other")
    assert counts == {word: len(COMPARES)}, text
    assert text.count("is sampled: mark the test") >= counts.get("failed", 0), text


@pytest.fixture
def stages(tmp_path, monkeypatch):
    """A copy of tools/test_stages.py of one's own, which leaves its logs in tmp_path."""
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    spec = importlib.util.spec_from_file_location("test_stages", os.path.join(ROOT, "tools", "test_stages.py"))
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # its dataclasses look for their module there
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LOGS", tmp_path)
    monkeypatch.setattr(module, "PROCESSORS", "2")
    return module


def test_light_checks_run_side_by_side_and_others_alone(stages, tmp_path):
    """Each of two neighbours ends when the other has begun; one that is alone has no other's file beside it."""
    meets = "import pathlib, sys, time\npathlib.Path(sys.argv[1]).touch()\nwhile not pathlib.Path(sys.argv[2]).exists(): time.sleep(0.01)"
    sees = "import pathlib, sys\nsys.exit([path.name for path in pathlib.Path(sys.argv[1]).iterdir() if path.suffix == '.met'] != sys.argv[2:])"
    one, other, late = (str(tmp_path / (name + ".met")) for name in ("one", "other", "late"))

    def python(name, code, *words, light=False):
        return (stages.light_check if light else stages.check)(name, sys.executable, "-c", code, *words)

    chosen = [
        python("first", sees, str(tmp_path)), python("left", meets, one, other, light=True), python("right", meets, other, one, light=True),
        python("last", "import sys; sys.exit(3)"), python("light", meets, late, one, light=True),
    ]
    reported = [(stage.name, counts) for stage, (counts, _, _) in stages.run_in_groups(chosen)]
    good, bad = stages.Counts(1, 0, 0), stages.Counts(0, 1, 0)
    assert reported == [("first", good), ("left", good), ("right", good), ("last", bad), ("light", good)]


def test_each_failure_is_named_at_the_end(stages, tmp_path):
    """A reader of the last lines alone knows what to look at: the test and its reason, or what a check said last."""
    inner = tmp_path / "test_inner.py"
    inner.write_text("def test_right():\n    pass\n\ndef test_wrong():\n    assert [1] * 500 == 'so not', 'a reason'\n")
    folder = stages.blackbox("inner", "build", str(inner))
    failed = dataclasses.replace(folder, command=(*folder.command, "-p", "no:randomly", "--rootdir", str(tmp_path)))
    check = stages.check("checked", sys.executable, "-c", "import sys; print('said first'); print('said last'); sys.exit(1)")
    lines = [line for stage in (failed, check) for line in stages.failures(stage, stages.run(stage)[1])]
    assert len(lines) == 2
    assert lines[0].startswith("inner  test_inner::test_wrong  AssertionError: a reason") and len(lines[0]) <= stages.LONGEST_LINE
    assert lines[1].split() == ["checked", "said", "last"]


def test_what_a_stage_has_started_ends_with_it(stages, tmp_path, monkeypatch):
    """At its limit, too: a checker's processes worked on beside the stages after it."""
    began = tmp_path / "began"

    class Late(subprocess.Popen):
        def wait(self, timeout=None):
            while timeout is not None and not began.exists():
                time.sleep(0.01)
            if timeout is not None:
                raise subprocess.TimeoutExpired(self.args, timeout)
            return super().wait()

    monkeypatch.setattr(stages.subprocess, "Popen", Late)
    stage = stages.check("late", "sh", "-c", "(sleep 600; :) & echo $! > '%s.new'; mv '%s.new' '%s'; wait" % (began, began, began))
    assert stages.run(stage)[0] == stages.Counts(0, 1, 0)
    until(lambda: has_ended(int(began.read_text())), "the end of what the stage has started")


def test_processors_that_are_not_ours_do_not_count(stages, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {7})
    assert stages.processors() == 1


def test_a_stage_that_is_named_brings_its_builds(stages):
    known = {stage.name: stage for stage in stages.STAGES}
    names = [stage.name for stage in stages.with_builds([known[name] for name in ("spelling", "unit-asan", "blackbox", "claims")], known)]
    assert names == ["build-asan", "build", "spelling", "unit-asan", "blackbox", "claims"]
    assert stages.with_builds([known["build"]], known) == [known["build"]]


SKIPS = """<testsuites><testsuite>
<testcase classname="a" name="runs"/>
<testcase classname="a" name="by_design"><skipped message="needs Python 3.12"/></testcase>
<testcase classname="a" name="as_root"><skipped message="root may read every file"/></testcase>
<testcase classname="a" name="as_another"><skipped message="only root can be another user"/></testcase>
<testcase classname="a" name="in_a_container"><skipped message="no PID namespace can be made"/></testcase>
<testcase classname="a" name="unexpected"><skipped message="no C compiler"/></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    "is_root, confined, truth",
    [(True, False, ["as_another", "in_a_container", "unexpected"]), (True, True, ["as_another", "unexpected"]), (False, True, ["as_root", "unexpected"])],
)
def test_a_skip_that_nobody_expects_is_a_failure(stages, tmp_path, is_root, confined, truth):
    path = tmp_path / "results.xml"
    path.write_text(SKIPS)
    assert [name for name, _ in stages.test_report.unexpected_skips(path, is_root, confined)] == [f"a::{name}" for name in truth]
