# tests/diff/test_certainty.py - `scalene diff`: what is called a change, and what is not.
#
# SPDX-License-Identifier: Apache-2.0
"""Numbers, errors and verdicts of one run and of several; what is said of runs that differ in themselves."""

import json
import os
import subprocess

import pytest
from made import diff, lines, profile, run, written

from conftest import clean_environment

LOOP = '''
def work():
    first = 1
    second = 2
    third = 3
'''


def of(result, text, key="time_s"):
    (line,) = [line for line in result["lines"] if (line["after"] or line["before"])["source"] == text]
    return line["numbers"][key]


def loop(first, second=5.0, total_s=None, **more):
    return profile(LOOP, {"first": first, "second": second}, total_s or 10.0, **more)


def with_memory(peak_mb, line_mb, **more):
    cost = {"s": 5.0, "n_peak_mb": line_mb, "n_malloc_mb": 2 * line_mb}
    return profile(LOOP, {"first": cost}, memory=True, max_footprint_mb=peak_mb, own={"allocated_mb": 2 * line_mb}, **more)


@pytest.fixture
def compare(scalene, tmp_path):
    return lambda before, after, *words: diff(scalene, tmp_path, before, after, *words)


@pytest.mark.parametrize("copies", (1, 3))
def test_a_profile_and_itself_have_no_difference(scalene, tmp_path, copies):
    paths = [written(tmp_path, "%d.json" % i, with_memory(100.0, 30.0, stacks=[(["work"], 5.0)])) for i in range(copies)]
    path = paths[0]
    shown = run(scalene, *paths, "--", *paths)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "No difference: total time 10.00 s, peak 100.0 MB, before and after.\n", "")
    made = json.loads(run(scalene, "--json", "--all", path, path).stdout)
    assert (made["same"], made["lines"], made["functions"], made["stacks"], made["notes"]) == (True, [], [], [], [])


def test_one_run_each_has_its_sampling_error_and_what_is_allowed(compare):
    # 0.06 is 1.96 standard deviations; 2 % of each number is allowed: sqrt(2 (0.06 / 1.96)^2 + 0.02^2 (1 + 1.3^2)) * 1.96
    cost = {"error_s": 0.06}
    result = compare(loop({"s": 1.0, **cost}), loop({"s": 1.3, **cost}))
    assert of(result, "first = 1") == {
        "before": 1.0, "after": 1.3, "change": 0.3,
        "error": pytest.approx(((2 * (0.06 / 1.959964) ** 2 + 0.02**2 * (1 + 1.3**2)) ** 0.5) * 1.959964, rel=1e-4), "verdict": "certain",
    }


def test_what_sampling_explains_is_no_change(scalene, tmp_path, compare):
    cost = {"error_s": 0.5}
    before, after = loop({"s": 1.0, **cost}), loop({"s": 1.3, **cost})
    assert lines(compare(before, after)) == {}
    assert of(compare(before, after, "--all"), "first = 1")["verdict"] == "not certain"
    shown = run(scalene, written(tmp_path, "a.json", before), written(tmp_path, "b.json", after)).stdout
    assert "No line, function or stack differs for certain" in shown and "first" not in shown
    shown = run(scalene, "--all", str(tmp_path / "a.json"), str(tmp_path / "b.json")).stdout
    assert "not certain" in shown and "first = 1" in shown


@pytest.mark.parametrize(
    "key, before, after, is_certain",
    [
        ("copied_mb", 0.02, 0.04, False),  # less than a sample
        ("copied_mb", 10.3, 7.2, False),  # a sample stands for 0.5 MB
        ("copied_mb", 103.0, 30.0, True),
        ("allocated_mb", 3.9, 3.6, False),  # and for 8 KB
        ("allocated_mb", 39.0, 36.0, True),
    ],
)
def test_volumes_of_the_whole_program_have_the_errors_of_samples(compare, key, before, after, is_certain):
    made = [profile(LOOP, {"first": {"s": 5.0}}, memory=True, max_footprint_mb=100.0, own={key: mb}) for mb in (before, after)]
    number = compare(*made)["numbers"][{"copied_mb": "copies_mb"}.get(key, key)]
    assert (number["verdict"] == "certain") == is_certain


def test_too_few_samples_are_not_enough_data(compare):
    cost = {"error_s": 0.9}
    result = compare(loop({"s": 0.5, **cost}), loop({"s": 1.0, **cost}), "--all")
    assert of(result, "first = 1")["verdict"] == "not enough data"


def test_several_runs_are_judged_by_their_spread_not_by_sampling(compare):
    def runs(*seconds):
        return [loop({"s": s, "error_s": 0.01}, total_s=10.0) for s in seconds]

    noisy = compare(runs(1.0, 1.6, 1.2), runs(1.5, 1.9, 1.3), "--all")
    assert of(noisy, "first = 1")["verdict"] in ("not certain", "not enough data")
    steady = of(compare(runs(1.0, 1.01, 1.02), runs(1.5, 1.51, 1.52)), "first = 1")
    assert (steady["before"], steady["after"], steady["verdict"]) == (1.01, 1.51, "certain")
    # t of 4 degrees of freedom, 2.776, times sqrt(2 * 0.01^2 / 3)
    assert steady["error"] == pytest.approx(2.776445 * (2 * 0.01**2 / 3) ** 0.5, rel=1e-4)


def test_a_line_that_some_runs_lack_is_0_there(compare):
    before = [loop(1.0), profile(LOOP, {"second": 5.0}), loop(0.5)]
    number = of(compare(before, [loop(1.0)] * 3, "--all"), "first = 1")
    assert (number["before"], number["after"]) == (0.5, 1.0)


def test_one_run_among_several_is_judged_by_their_spread(compare):
    runs = [loop({"s": s, "error_s": 0.01}) for s in (1.0, 1.3, 1.6)]
    assert lines(compare(runs, [loop({"s": 1.5, "error_s": 0.01})])) == {}


def test_many_lines_are_judged_together(compare):
    """Each of them alone would be a change at 5 %, and so is one that is the only one."""
    cost = {"error_s": 0.05}
    text = "".join(f"line_{i:02} = {i}\n" for i in range(40))
    before = profile(text, {f"line_{i:02}": {"s": 0.25, **cost} for i in range(40)})
    after = profile(text, {f"line_{i:02}": {"s": 0.25 + (0.08 if i == 7 else 0), **cost} for i in range(40)}, 10.0)
    assert lines(compare(before, after)) == {}
    few = [profile(text, {"line_07": {"s": s, **cost}}) for s in (0.25, 0.33)]
    assert set(lines(compare(*few))) == {"line_07 = 7"}


def test_seconds_are_compared_not_shares(compare):
    """The first line has the same seconds, and half the share."""
    result = compare(loop(4.0, 2.0, 10.0), loop(4.0, 10.0, 20.0))
    assert set(lines(result)) == {"second = 2"}


def test_time_without_a_free_cpu_is_left_out(compare):
    before = loop({"s": 4.0, "error_s": 0.1}, 6.0, stacks=[(["work"], 10.0)])
    lines_s = {"first": {"s": 8.0, "error_s": 0.2}, "second": {"s": 12.0}}
    after = profile(LOOP, lines_s, 20.0, stacks=[(["work"], 20.0)], own={"time_s": {"python": 10.0, "preempted_python": 10.0}})
    for file in after["files"].values():
        for item in [*file["lines"], *file["functions"]]:
            half = item.get("time_s", {}).get("python", 0.0) / 2
            item["time_s"] = {"python": half, "preempted_python": half}
    result = compare(before, after, "--all")
    assert {key: result["numbers"][key]["change"] for key in ("time_s", "python_s", "elapsed_s")} == {"time_s": 0, "python_s": 0, "elapsed_s": 10}
    assert result["numbers"]["elapsed_s"]["verdict"] != "certain"
    assert (result["lines"], result["functions"], result["stacks"]) == ([], [], [])
    assert result["notes"] == ["No CPU was free for up to 0% of a run before, 50% after; that time is left out."]
    busier = compare(before, loop({"s": 4.3, "error_s": 0.1}, 6.0), "--all")
    assert of(busier, "first = 1")["error"] == pytest.approx(((2 * (0.1 / 1.959964) ** 2 + 0.02**2 * (4**2 + 4.3**2)) ** 0.5) * 1.959964, rel=1e-4)
    slower = compare(before, {**after, "files": loop({"s": 8.6, "error_s": 0.2}, 12.0, 20.0)["files"]}, "--all")
    # the error of the line is half of what it says of both halves, and half of 5 % is allowed more
    wanted = ((0.1 / 1.959964) ** 2 + (0.1 / 1.959964) ** 2 + (0.02 * 4) ** 2 + (0.045 * 8.6) ** 2) ** 0.5 * 1.959964
    assert of(slower, "first = 1")["error"] == pytest.approx(wanted, rel=1e-4)


def test_memory_of_the_run_and_of_lines(scalene, tmp_path, compare):
    result = compare(with_memory(100.0, 30.0), with_memory(150.0, 80.0))
    assert result["numbers"]["peak_mb"] == {"before": 100, "after": 150, "change": 50, "error": pytest.approx(3.533, rel=1e-3), "verdict": "certain"}
    assert of(result, "first = 1", "peak_mb")["change"] == 50.0
    assert of(result, "first = 1", "allocated_mb")["change"] == 100.0
    shown = run(scalene, str(tmp_path / "before0.json"), str(tmp_path / "after0.json")).stdout
    assert "peak 100.0 MB → 150.0 MB (+50.0 MB ± 3.5 MB, 50% more)." in shown


def test_memory_that_one_side_lacks_is_not_compared(compare):
    result = compare(loop(1.0), with_memory(100.0, 30.0))
    assert "peak_mb" not in result["numbers"]
    assert result["notes"] == ["The runs differ in memory: not measured before, measured in a run after; it is not compared."]


def test_waits(compare):
    result = compare(profile(LOOP, {"first": {"s": 1.0, "wait_s": 1.0}}), profile(LOOP, {"first": {"s": 1.0, "wait_s": 4.0}}))
    assert of(result, "first = 1", "wait_s")["change"] == 3.0


@pytest.mark.parametrize(
    "own, more, words",
    [
        ({"python_version": "3.9.2"}, {}, "Python: 3.12.1 before, 3.9.2 in a run after"),
        ({"mode": "virtual"}, {}, "kind of time: wall before, virtual in a run after"),
        ({}, {"program": "/home/ada/other.py"}, "program: shop.py before, other.py in a run after"),
    ],
)
def test_runs_that_differ_in_themselves(compare, own, more, words):
    (note,) = compare(loop(1.0), loop(1.0, own=own, **more))["notes"]
    assert note == f"The runs differ in {words}."


def test_a_run_that_failed(compare):
    assert compare(loop(1.0), loop(1.0, own={"exit_kind": "exit", "exit_value": 3}))["notes"] == ["A run after: exit status 3."]


def test_profiles_of_the_original(scalene, tmp_path):
    """No errors, no seconds, no kinds of their own: intervals are its own, and stacks have its samples."""
    made = loop(4.0, 5.0)
    del made["scalene_c"]
    for file in made["files"].values():
        for item in [*file["lines"], *file["functions"]]:
            for key in ("n_error_percent", "time_s"):
                item.pop(key, None)
    slower = json.loads(json.dumps(made))
    slower["elapsed_time_sec"] = 20.0
    paths = [written(tmp_path, "a.json", made), written(tmp_path, "b.json", slower)]
    result = json.loads(run(scalene, "--json", *paths).stdout)
    assert of(result, "first = 1")["change"] == 4.0
    assert result["numbers"]["python_s"]["change"] == 9.0
    mixed = json.loads(run(scalene, "--json", paths[0], written(tmp_path, "c.json", loop(8.0))).stdout)
    assert any("the original before, Scalene in a run after" in note for note in mixed["notes"])
    assert of(mixed, "first = 1")["change"] == 4.0


def test_folders_are_several_runs(scalene, tmp_path):
    for side, first in (("old", 1.0), ("new", 2.0)):
        for i in range(3):
            written(tmp_path / side, f"{i}.json", loop(first + i / 100))
        written(tmp_path / side, "notes.txt", {})
        os.mkdir(str(tmp_path / side / "sub.json"))
        os.mkfifo(str(tmp_path / side / "pipe.json"))
    result = json.loads(run(scalene, "--json", str(tmp_path / "old"), str(tmp_path / "new")).stdout)
    assert (result["runs_before"], result["runs_after"]) == (3, 3)
    assert of(result, "first = 1")["change"] == 1.0
    twice = run(scalene, "--json", str(tmp_path / "old" / "0.json"), str(tmp_path / "old"), "--", str(tmp_path / "new"))
    assert twice.stderr == "scalene: '%s/old/0.json' is given twice, and counts once\n" % tmp_path
    assert json.loads(twice.stdout)["runs_before"] == 3


def test_many_runs_of_a_long_program_take_little_memory(scalene, tmp_path):
    """Lines that cost nothing are kept once: those of all these runs together would take more than is allowed here."""
    long = LOOP + "".join(f"x{number} = {number}\n" for number in range(40_000))
    for side, first in (("old", 1.0), ("new", 2.0)):
        made = loop(first)
        (content,) = made["files"].values()
        content["source"] = long.lstrip("\n")
        path = written(tmp_path / side, "0.json", made)
        for i in range(1, 15):
            os.link(path, str(tmp_path / side / f"{i}.json"))
    command = [scalene, "diff", "--json", str(tmp_path / "old"), str(tmp_path / "new")]
    limited = ["/bin/sh", "-c", 'ulimit -v 450000 && exec "$@"', "sh"]
    ended = subprocess.run(limited + command, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, encoding="utf-8")
    assert ended.returncode == 0, ended.stderr
    assert of(json.loads(ended.stdout), "first = 1")["change"] == 1.0


@pytest.mark.parametrize("columns", (40, 60, 80, 90, 132))
@pytest.mark.parametrize("words", [(), ("--all",)])
def test_no_line_is_wider_than_the_terminal(scalene, tmp_path, columns, words):
    calls = tuple("a_function_whose_name_is_long_%d" % level for level in range(30))
    paths = [written(tmp_path, "%g.json" % s, loop(s, stacks=[(calls, s)])) for s in (1.0, 3.0)]
    shown = run(scalene, *words, "--fail-if", "time(%s)>5%%" % ("shop.py:" + "f" * 90), *paths, columns=columns)
    assert shown.returncode == 0 and "1.00 s → 3.00 s" in shown.stdout and ".py:2" in shown.stdout and "a_function" in shown.stdout
    assert [line for line in shown.stdout.splitlines() if len(line) > columns] == []


def test_narrow_and_plain_terminals(scalene, tmp_path):
    paths = [written(tmp_path, "a.json", loop(1.0)), written(tmp_path, "b.json", loop(3.0))]
    shown = run(scalene, *paths, columns=60).stdout
    assert "first = 1" in shown
    os.environ["LC_ALL"], kept = "C", os.environ.get("LC_ALL")
    try:
        assert run(scalene, *paths).stdout.count("→") >= 1  # the locale is the test's own
    finally:
        os.environ.pop("LC_ALL")
        os.environ.update({} if kept is None else {"LC_ALL": kept})
