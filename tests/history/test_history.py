# tests/history/test_history.py - `scalene history`: which profiles are one version, in what order, and where it changes.
#
# SPDX-License-Identifier: Apache-2.0
"""Profiles of a program at many commits, made by hand."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import clean_environment

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "diff"))
from made import profile, written  # noqa: E402

LOOP = """
def work():
    first = 1
    second = 2
"""
FIRST, SECOND, THIRD = (digit * 40 for digit in "abc")


def at(commit, first_s, started_s, peak_mb=100.0, total_s=None, source=LOOP):
    cost = {"s": first_s, "n_peak_mb": peak_mb - 20.0, "n_malloc_mb": peak_mb}
    own = {"labels": {"commit": commit}} if commit else {}
    more = {"memory": True, "max_footprint_mb": peak_mb, "start_time_absolute": started_s}
    return profile(source, {"first": cost, "second": 4.0}, total_s or first_s + 4.0, own=own, **more)


class Folder:
    """What a directory of profiles tells."""

    def __init__(self, scalene, path):
        self.scalene, self.path = scalene, path
        (path / "bin").mkdir()

    def git(self, script):
        """The git that is found says this."""
        (self.path / "bin" / "git").write_text("#!/bin/sh\n" + script)
        (self.path / "bin" / "git").chmod(0o755)

    def run(self, *words):
        environment = {**clean_environment(), "LC_ALL": "C.UTF-8", "COLUMNS": "160", "PATH": "%s:/usr/bin:/bin" % (self.path / "bin")}
        return subprocess.run([self.scalene, "history", *words], cwd=self.path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=300, check=False)

    def told(self, profiles, *words):
        for number, made in enumerate(profiles):
            written(self.path / "kept", "%d.json" % number, made)
        ended = self.run("--json", "kept", *words)
        assert (ended.returncode, ended.stderr) == (0, "")
        return json.loads(ended.stdout)


@pytest.fixture
def folder(scalene, tmp_path):
    made = Folder(scalene, tmp_path)
    made.git("exit 128\n")
    return made


def commits(told):
    return [version["commit"] for version in told["versions"]]


STEPS = [at(FIRST, 2.0, 100.0), at(SECOND, 2.01, 200.0), at(THIRD, 3.0, 300.0, peak_mb=150.0)]


def test_the_version_that_became_slower_and_its_line(folder):
    told = folder.told(STEPS)
    assert (told["format"], told["order"], commits(told)) == (1, "time", [FIRST, SECOND, THIRD])
    assert [(version["time_s"], version["peak_mb"]) for version in told["versions"]] == [(6.0, 100), (6.01, 100), (7, 150)]
    assert [(step["before"], step["after"], step["changed"]) for step in told["steps"]] == [(0, 1, False), (1, 2, True)]
    (line,) = told["steps"][1]["difference"]["lines"]
    assert line["after"]["source"] == "first = 1"
    assert [line["numbers"][key]["verdict"] for key in ("time_s", "peak_mb")] == ["certain", "certain"]
    shown = folder.run("kept").stdout
    rows = [row.split() for row in shown.splitlines()[1:4]]
    assert [row[0] for row in rows] == [FIRST[:10], SECOND[:10], THIRD[:10]]
    assert "+990 ms ±" in shown.splitlines()[3] and "+50.0 MB ±" in shown.splitlines()[3] and "±" not in shown.splitlines()[2]
    assert "== %s, after %s ==" % (THIRD[:10], SECOND[:10]) in shown and shown.count("\n== ") == 1


def test_versions_that_do_not_differ(folder):
    told = folder.told([at(FIRST, 2.0, 1.0), at(SECOND, 2.0, 2.0)])
    assert [step["changed"] for step in told["steps"]] == [False]
    assert folder.run("kept").stdout.endswith("No version differs for certain from the one before.\n")


def test_a_profile_given_twice_is_one_run(folder):
    folder.told([at(FIRST, 2.0, 1.0), at(SECOND, 2.02, 2.0)])
    once, again = folder.run("--json", "kept"), folder.run("--json", "kept", "kept", "kept/0.json")
    assert again.stdout == once.stdout
    assert again.stderr.splitlines() == ["scalene: 'kept/%s' is given twice, and counts once" % name for name in ("0.json", "1.json", "0.json")]


def test_profiles_of_one_commit_are_one_version(folder):
    told = folder.told([at(SECOND, 2.0, 4.0), at(FIRST, 2.0, 1.0), at(SECOND, 2.2, 2.0), at(FIRST, 2.0, 3.0)])
    assert commits(told) == [FIRST, SECOND]
    assert [version["profiles"] for version in told["versions"]] == [["kept/1.json", "kept/3.json"], ["kept/2.json", "kept/0.json"]]
    assert [version["started_s"] for version in told["versions"]] == [1.0, 2.0]
    assert told["versions"][1]["time_s"] == pytest.approx(6.1)


def test_the_order_is_that_of_the_commits_where_git_knows_it(folder):
    folder.git('echo "$@" > asked\nprintf "%s\\n" ' + " ".join([THIRD, 40 * "d", FIRST, SECOND]))
    told = folder.told(STEPS)
    assert (told["order"], commits(told)) == ("commit", [THIRD, FIRST, SECOND])
    assert (folder.path / "asked").read_text().split() == ["rev-list", "--topo-order", "--reverse", FIRST, SECOND, THIRD]
    assert commits(folder.told(STEPS, "--by-time")) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("script", ["exit 128\n", "printf '%s\\n' " + FIRST, "printf '%s\\n' " + " ".join([THIRD[:39], SECOND, FIRST]), "kill -9 $$\n"])
def test_what_git_does_not_know_is_ordered_by_time(folder, script):
    folder.git(script)
    told = folder.told(STEPS)
    assert (told["order"], commits(told)) == ("time", [FIRST, SECOND, THIRD])


def test_profiles_without_a_commit_are_versions_by_themselves(folder):
    folder.git("touch asked\n")
    told = folder.told([at(None, 2.0, 3.0), at(FIRST, 2.0, 2.0), at(None, 2.0, 1.0), at("--output=/x", 2.0, 4.0)])
    assert (commits(told), told["order"]) == ([None, FIRST, None, None], "time")
    assert [version["profiles"] for version in told["versions"]] == [["kept/2.json"], ["kept/1.json"], ["kept/0.json"], ["kept/3.json"]]
    assert not (folder.path / "asked").exists()
    assert [row.split()[0] for row in folder.run("kept").stdout.splitlines()[1:5]] == ["2.json", FIRST[:10], "0.json", "3.json"]


def test_a_change_among_many_versions_must_be_the_more_certain(folder):
    """What is a change in one comparison is none in one of ten."""
    commit = ["%040x" % number for number in range(11)]
    steps = [at(commit[number], 2.0 if number < 10 else 2.19, number + 1.0) for number in range(11)]
    assert folder.told(steps[9:])["steps"][0]["changed"] is True
    shutil.rmtree(folder.path / "kept")
    assert [step["changed"] for step in folder.told(steps)["steps"]] == [False] * 10


@pytest.mark.parametrize(
    "words, status, why",
    [
        ((), 2, "history: name profiles, or a folder of them"), (("none.json",), 1, "history: cannot read 'none.json'"),
        (("bin",), 1, "history: there is no profile (*.json) in 'bin'"), (("one",), 1, "history: all these profiles are of one version"),
        (("/dev/null", "one"), 1, "history: '/dev/null' is no regular file"), (("one", "--jsonn"), 2, "--json"), (("empty.json", "one"), 1, "history: there is no profile data in 'empty.json'"),
    ],
)
def test_what_cannot_be_shown(folder, words, status, why):
    written(folder.path / "one", "a.json", at(FIRST, 2.0, 1.0))
    written(folder.path / "one", "b.json", at(FIRST, 2.0, 2.0))
    (folder.path / "empty.json").write_text("{}")
    ended = folder.run(*words)
    assert (ended.returncode, ended.stdout) == (status, "")
    assert why in ended.stderr and ended.stderr.startswith("scalene: ") and ended.stderr.count("history: ") <= 1
