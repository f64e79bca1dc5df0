# tests/view/test_json_report.py - `scalene view --json`: the report for scripts.
#
# SPDX-License-Identifier: Apache-2.0
"""The keys of the report, and that its numbers are those of the profile."""

import copy
import json
import os
import shutil
import subprocess

import make_data
import pytest
from viewing import data, view, view_in_terminal


COST = {
    "percent", "seconds", "python_percent", "native_percent", "system_percent", "await_percent", "gpu_s", "peak_mb", "allocated_percent",
    "copy_mb_s", "heat",
}
KEYS = {
    "findings": {"id", "file", "line", "end_line", "percent", "text", "why"},
    "lines": {"file", "line", "source"} | COST,
    "functions": {"file", "line", "name", "total_percent", "total_seconds"} | COST,
    "files": {"file", "percent", "seconds", "peak_mb"},
}
SUMMARY = {
    "command", "program", "python_version", "ending", "labels", "elapsed_s", "cpu_s", "total_s", "python_percent", "native_percent",
    "system_percent", "peak_mb",
}


NUMBERS_OF_ONE_LINE = ("percent", "seconds", "python_percent", "native_percent", "system_percent", "peak_mb", "copy_mb_s")


def profile_of(subject):
    with open(data(subject), encoding="utf-8") as text:
        return json.load(text)


def report(scalene, subject, *words):
    shown = view(scalene, "--json", *words, data(subject))
    assert (shown.returncode, shown.stderr) == (0, "")
    return json.loads(shown.stdout)


@pytest.mark.parametrize("subject", make_data.SUBJECTS, ids=lambda subject: subject.__name__)
def test_every_key_is_there_whatever_was_measured(scalene, subject):
    made = report(scalene, subject.__name__)
    assert set(made) == {"format", "summary", "notes", *KEYS}
    assert made["format"] == 1
    assert set(made["summary"]) == SUMMARY
    for name, keys in KEYS.items():
        for item in made[name]:
            assert set(item) == keys


@pytest.mark.parametrize("words, every", [((), False), (("--all-lines",), True)])
def test_lines_have_the_numbers_of_the_profile(scalene, words, every):
    profile = profile_of("full")
    (name,) = profile["files"]
    theirs = {line["lineno"]: line for line in profile["files"][name]["lines"]}
    made = report(scalene, "full", *words)
    assert len(made["lines"]) >= 5
    for line in made["lines"]:
        record = theirs[line["line"]]
        assert line["file"] == name
        assert line["source"] == record["line"].strip()
        assert line["python_percent"] == pytest.approx(record["n_cpu_percent_python"], rel=1e-4)
        assert line["native_percent"] == pytest.approx(record["n_cpu_percent_c"], rel=1e-4)
        assert line["system_percent"] == pytest.approx(record["n_sys_percent"], rel=1e-4)
        assert line["peak_mb"] == pytest.approx(record["n_peak_mb"], rel=1e-4)
        parts = line["python_percent"] + line["native_percent"] + line["system_percent"]
        assert line["percent"] == pytest.approx(parts, abs=0.001)
        assert line["seconds"] == pytest.approx(parts / 100 * made["summary"]["total_s"], abs=0.001)
    assert [line["percent"] for line in made["lines"]] == sorted((line["percent"] for line in made["lines"]), reverse=True)
    assert every == (len(made["lines"]) > len(report(scalene, "full")["lines"]))


def test_findings_are_those_of_the_terminal(scalene):
    made = report(scalene, "full")
    shown = " ".join(view(scalene, "--cli", data("full"), columns=400).stdout.split())
    assert "leak" in [finding["id"] for finding in made["findings"]]
    for finding in made["findings"]:
        assert finding["text"] in shown
        assert finding["why"] is None or "why: " + finding["why"] not in shown
        assert finding["file"] in profile_of("full")["files"]
        assert 1 <= finding["line"] <= finding["end_line"]


def test_why_is_shown_when_it_is_asked_for(scalene):
    reasons = [finding["why"] for finding in report(scalene, "full")["findings"] if finding["why"]]
    shown = " ".join(view(scalene, "--cli", "--why", data("full"), columns=400).stdout.split())
    assert reasons
    for why in reasons:
        assert "why: " + why in shown


def test_functions_have_their_time_with_calls(scalene):
    for function in report(scalene, "full")["functions"]:
        assert function["total_percent"] >= function["percent"]


def test_a_profile_without_data_has_empty_lists(scalene):
    made = report(scalene, "empty")
    assert [made[name] for name in KEYS] == [[]] * len(KEYS)


def test_memory_that_was_not_measured_is_null(scalene):
    assert report(scalene, "cpu")["summary"]["peak_mb"] is None
    assert report(scalene, "full")["summary"]["peak_mb"] > 1000


def test_a_terminal_gets_it_without_pager_and_colours(scalene):
    status, shown = view_in_terminal([scalene, "view", "--json", data("full")], rows=10, PAGER="sed s/^/paged:/", FORCE_COLOR="1")
    assert status == 0
    assert json.loads(shown) == report(scalene, "full")


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("subject", ("full", "hostile"))
def test_jq_reads_it(scalene, subject):
    shown = view(scalene, "--json", data(subject)).stdout
    lines = subprocess.run(["jq", "-r", ".lines[].line"], input=shown, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert [int(line) for line in lines.stdout.split()] == [line["line"] for line in report(scalene, subject)["lines"]]


@pytest.mark.parametrize("word", ("--cli", "--html", "--standalone", "--notebook"))
def test_it_goes_with_no_other_form(scalene, tmp_path, word):
    shown = view(scalene, "--json", word, data("cpu"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert f"--json does not go with {word}" in shown.stderr
    assert not list(tmp_path.iterdir())


def test_one_line_has_its_numbers_and_its_surroundings(scalene):
    hottest = report(scalene, "full")["lines"][0]
    made = report(scalene, "full", "--line", "%s:%d" % (hottest["file"], hottest["line"]))
    assert (made["file"], made["line"]) == (hottest["file"], hottest["line"])
    assert {key: made["cost"][key] for key in NUMBERS_OF_ONE_LINE} == {key: hottest[key] for key in NUMBERS_OF_ONE_LINE}
    (own,) = [line for line in made["source"] if line["line"] == made["line"]]
    assert own["text"].strip() == hottest["source"] and own["percent"] == hottest["percent"]
    theirs = {line["lineno"] for line in profile_of("full")["files"][hottest["file"]]["lines"]}
    assert {line["line"] for line in made["source"]} == {line for line in theirs if abs(line - hottest["line"]) <= 5}
    assert all(finding["line"] <= hottest["line"] <= finding["end_line"] for finding in made["findings"])


def test_one_line_by_the_end_of_its_path(scalene):
    name = next(iter(profile_of("full")["files"]))
    whole, end = (report(scalene, "full", f"--line={path}:3") for path in (name, os.path.basename(name)))
    assert whole == end


@pytest.mark.parametrize("count", [10, 13])
def test_callers_of_a_line_and_how_many_are_left_out(scalene, tmp_path, count):
    profile = profile_of("full")
    (name,) = profile["files"]
    profile["stacks"] = [[["%s f:%d;" % (name, 10 + i), "%s g:3;" % name], {"count": 1, "c_time": 0.5, "cpu_samples": 0.5 + i}] for i in range(count)]
    (tmp_path / "profile.json").write_text(json.dumps(profile))
    shown = view(scalene, "--json", "--line", name + ":3", str(tmp_path / "profile.json"))
    made = json.loads(shown.stdout)
    assert made["callees"] == [] and "callees_left_out" not in made
    assert len(made["callers"]) == 10 and made.get("callers_left_out", 0) == count - 10


@pytest.mark.parametrize("words, every", [((), False), (("-a",), True)])
def test_one_file_has_its_text_and_the_lines_that_cost_something(scalene, words, every):
    whole = report(scalene, "full", "-a")
    (name,) = {line["file"] for line in whole["lines"]}
    record = profile_of("full")["files"][name]
    made = report(scalene, "full", "--file", os.path.basename(name), *words)
    assert (made["file"], made["source_changed"], made["summary"]) == (name, False, whole["summary"])
    assert made["source"] == [line["line"].rstrip("\n") for line in record["lines"]]
    lines = [line["line"] for line in made["lines"]]
    assert lines == sorted(lines) and (len(lines) == len(record["lines"])) == every
    assert {line["line"] for line in report(scalene, "full")["lines"]} <= set(lines)
    assert {line["lineno"] for line in record["lines"] if line["n_copy_mb_s"] > 1} <= set(lines)
    for key in ("lines", "functions"):
        assert all(item in whole[key] for item in made[key]) and made[key]
    assert made["findings"] == [finding for finding in whole["findings"] if finding["file"] == name]


def test_one_file_beyond_the_ten_most_expensive_and_without_a_text(scalene, tmp_path):
    profile = profile_of("full")
    (name,) = profile["files"]
    for number in range(12):
        profile["files"]["/x/more%d.py" % number] = copy.deepcopy(profile["files"][name])
    for line in profile["files"]["/x/more7.py"]["lines"]:
        line["line"] = ""
    profile["files"]["/x/more8.py"]["lines"] = [line for line in profile["files"][name]["lines"] if line["n_cpu_percent_python"] > 0]
    (tmp_path / "profile.json").write_text(json.dumps(profile))
    made = {
        end: json.loads(view(scalene, "--json", "--file", "/x/more%d.py" % end, str(tmp_path / "profile.json")).stdout) for end in (6, 7, 8, 11)
    }
    assert all(file["lines"] for file in made.values())
    assert [file["source"] is None for file in made.values()] == [False, True, True, False]
    for end in (7, 8):
        line = made[end]["lines"][-1]
        one = json.loads(view(scalene, "--json", "--line", "more%d.py:%d" % (end, line["line"]), str(tmp_path / "profile.json")).stdout)
        assert (one["line"], one["cost"]["percent"]) == (line["line"], line["percent"])


@pytest.mark.parametrize("percent, heat", [(0.5, 0), (2.9, 0), (3, 1), (10, 2), (33, 3)])
def test_the_heat_of_a_line_is_that_of_its_mark(scalene, tmp_path, percent, heat):
    profile = profile_of("full")
    ((name, file),) = profile["files"].items()
    number = max(line["lineno"] for line in file["lines"])
    (line,) = [line for line in file["lines"] if line["lineno"] == number]
    line.update({"n_cpu_percent_python": percent, "n_cpu_percent_c": 0, "n_sys_percent": 0})
    (tmp_path / "profile.json").write_text(json.dumps(profile))
    made = json.loads(view(scalene, "--json", "--line", "%s:%d" % (name, number), str(tmp_path / "profile.json")).stdout)
    assert made["cost"]["heat"] == heat


@pytest.mark.parametrize(
    "words, status, why",
    [
        (("--file", "x.py", "--json"), 2, "has no file 'x.py'"), (("--file", "x.py"), 2, "--file goes with --json"),
        (("--file", "x.py", "--line", "x.py:3", "--json"), 2, "--line does not go with --file"),
        (("--line", "x.py:3", "--json"), 2, "has no file 'x.py'"), (("--line", "x.py", "--json"), 2, "is no place"),
        (("--line", "rows.py:2-4", "--json"), 2, "is no place: write FILE:LINE\n"), (("--line", "rows.py:99", "--json"), 2, "has no line 99"),
        (("--line", "x.py:3"), 2, "--line goes with --json"), (("--why",), 2, "--why goes with --cli"),
        (("--cli", "--follow"), 2, "--cli does not go with --follow"), (("--json", "--follow"), 2, "--json does not go with --follow"),
    ],
)
def test_a_line_that_is_not_there(scalene, words, status, why):
    shown = view(scalene, *words, data("full"))
    assert (shown.returncode, shown.stdout) == (status, "")
    assert why in shown.stderr and shown.stderr.startswith("scalene: view: ") and shown.stderr.count("view: ") == 1
