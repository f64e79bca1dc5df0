# tests/harness/test_invariants.py - a profile whose numbers do not agree turns its test red, whatever the test asks.
#
# SPDX-License-Identifier: Apache-2.0
"""The rules of tests/invariants.py, each broken in a profile that keeps them all."""

import copy
import json
import sys

import pytest

import invariants
import whole
from conftest import execute

PLACE = "/a/prog.py"


def line(number, python=0.0, native=0.0, system=0.0, inclusive=0.0, **more):
    record = {
        **whole.plain_line(number, "x\n"), "n_cpu_percent_python": python, "n_cpu_percent_c": native, "n_sys_percent": system,
        "n_core_utilization": 0.5, "time_s": {"python": python / 50, "native": native / 50, "sleep": system / 50},
    }
    if inclusive:
        record["n_cumulative_percent"] = inclusive
    record.update(more)
    return record


def py(number):
    return {"kind": "py", "display_name": "f", "filename_or_module": PLACE, "line": number, "ip": None, "offset": None}


def native(name):
    return {"kind": "native", "display_name": name, "filename_or_module": name, "line": None, "ip": 0, "offset": 0}


def agreeing():
    """Two seconds in 10 ms: line 2 calls line 1, which interprets, is in native code and sleeps."""
    inner = line(
        1, 50.0, 30.0, 15.0, 95.0, n_malloc_mb=8.0, n_peak_mb=6.0, n_avg_mb=3.0, n_growth_mb=2.0, n_live_at_exit_mb=2.0, n_live_at_peak_mb=6.0,
        n_usage_fraction=0.8, memory_samples=[[0, 0.0], [5, 6.0], [9, 2.0]], n_samples=160, cpu_samples_list=[1.25, 1.5],
        n_async_await_percent=60.0, n_async_concurrency_mean=1.0, n_async_concurrency_peak=2.0,
    )  # fmt: skip
    outer = line(2, 5.0, 0.0, 0.0, 100.0, n_samples=10)
    function = line(1, 50.0, 30.0, 15.0, 95.0, line="f", n_samples=160)
    times = {"python": 1.1, "native": 0.6, "sleep": 0.3}
    return {
        "elapsed_time_sec": 2.5,
        "start_time_perf": 1.0,
        "memory": True,
        "max_footprint_mb": 7.0,
        "native_allocations_mb": 1.0,
        "samples": [[0, 0.0], [5, 7.0]],
        "files": {PLACE: {"percent_cpu_time": 100.0, "lines": [inner, outer], "functions": [function], "imports": [], "leaks": {}}},
        "stacks": [
            [[PLACE + " m:2;", PLACE + " f:1;"], {"count": 190, "cpu_samples": 0.95, "python_time": 0.5, "c_time": 0.3}],
            [[PLACE + " m:2;"], {"count": 10, "cpu_samples": 0.05, "python_time": 0.05, "c_time": 0.0}],
        ],
        "combined_stacks": [
            [[py(2), py(1)], 100], [[py(2), py(1), native("z")], 60], [[py(2), py(1), native("[kernel]")], 30], [[py(2)], 10],
        ],
        "combined_stacks_timeline": [{"count": 100, "stack_index": 0, "t_sec": 0.0, "thread_id": 7}, {"count": 10, "stack_index": 3, "t_sec": 1.0, "thread_id": 7}],
        "memory_stacks": [[[py(2), py(1)], 8.0]],
        "scalene_c": {
            "interval_s": 0.01, "time_s": times, "wait_s": {}, "gc_s": 0.0, "freeing_s": 0.5, "importing_s": 0.0, "ending_s": 0.0,
            "call_frames": [py(2), py(1), {**py(5), "filename_or_module": "/lib/l.py", "role": "library"}, native("z"), native("[kernel]")],
            "call_tree": [[0, 0, 0.1, 0.0], [1, 1, 0.5, 6.0], [2, 2, 0.5, 1.0], [3, 3, 0.6, 1.0], [2, 4, 0.3, 0.0], [0, 3, 0.0, 1.0]],
            "call_at_peak_mb": [0.0, 5.0, 1.0, 1.0, 0.0, 0.0], "call_moments_s": [0.5, 1.0],
            "call_moments": [[0, 2, 5.0], [1, 2, 2.0], [1, 3, 1.0]], "call_waiting_s": [0.0, 0.0, 0.0, 0.0, 0.3, 0.0],
            "call_at_exit_mb": [0.0, 2.0, 1.0, 0.0, 0.0, 0.0], "call_timeline": [[0.0, 1.0, 2, 7], [1.0, 0.1, 1, 7]],
            "call_tree_percent": 100.0, "call_tree_folded_percent": 0.0, "stacks_percent": 100.0, "stacks_folded_percent": 0.0,
            "timeline_start_s": 0.0, "timeline_tracks": [{"id": "io", "begin_s": 0.0, "slot_s": 0.01, "shares": [0.5, 1.0]}],
            "allocated_mb": 10.0, "await_s": 5.0, "task_places": [[PLACE, 1, "f"]],
            "task_lanes": [{"name": "Task-1", "pid": 7, "runs": [[0.5, 1.0, 1], [2.0, 0.25, 0]]}], "copied_mb": 1.0, "live_at_exit_mb": 3.0,
            "max_rss_mb": 30.0, "rss": [[0, 20.0], [5, 30.0]], "target_cpu_s": 1.7, "processes": [{"pid": 7, "cpu_s": 1.7}],
            "threads": [{"tid": 7, "python_ident": 7, "samples": 170, "time_s": times}], "hidden_files": [],
            "findings": [{"id": "native_line", "percent": 30.0, "text": "prog.py:1 takes 30% of the time", "file": PLACE, "lineno": 1, "end_lineno": 1}],
        },
    }  # fmt: skip


def at(profile, *path):
    for key in path:
        profile = profile[key]
    return profile


def put(*path):
    """put("a", "b", value): a change of a profile."""

    def change(profile):
        at(profile, *path[:-2])[path[-2]] = path[-1]

    return change


FIRST = ("files", PLACE, "lines", 0)

# What is wrong, how it becomes so, a word of what is said.
UNIT = {"name": "job", "count": 2, "total_s": 3.0, "min_s": 1.0, "p50_s": 1.0, "p99_s": 2.0, "max_s": 2.0, "lines": []}

LIES = [
    ("no number", put(*FIRST, "n_avg_mb", float("nan")), "n_avg_mb is nan"),
    ("below 0", put("scalene_c", "gc_s", -1.0), "gc_s is -1.0"),
    ("more freed than there was time", put(*FIRST, "freeing_s", 2.0), "freeing_s"),
    ("more imported by lines than by the run", put(*FIRST, "importing_s", 0.1), "lines' importing_s"),
    ("what is freed and collected at once", lambda profile: profile["files"][PLACE]["lines"][0].update(freeing_s=1.0, gc_s=1.0), "gc_s and freeing_s"),
    ("a lock that is held while nobody waits", put("scalene_c", "gil_waits", [{"wait_s": 0.1}]), "waits for the lock"),
    ("a unit shorter than its shortest", put("scalene_c", "units", [UNIT | {"total_s": 0.5}]), "job: all shortest"),
    ("more than all", put("scalene_c", "stacks_percent", 101.0), "stacks_percent"),
    ("more than a whole", put(*FIRST, "n_core_utilization", 1.5), "n_core_utilization"),
    ("more notes on refusals than there are", put("scalene_c", "refusal_notes", 1), "notes on refusals"),
    ("a line 0", put(*FIRST, "lineno", 0), "its lines are [0"),
    ("a loop elsewhere", put(*FIRST, "start_outermost_loop", 2), "start_outermost_loop"),
    ("a leak behind the end", put("files", PLACE, "leaks", {"3": {}}), "a leak at line 3"),
    ("Python that no number of seconds covers", put(*FIRST, "n_cpu_percent_python", 51.0), "n_cpu_percent_python"),
    ("less with what it calls", put(*FIRST, "n_cumulative_percent", 90.0), "with what it calls"),
    ("a file that is not its lines", put("files", PLACE, "percent_cpu_time", 99.0), "lines of"),
    ("an end of the interpreter that is in files", put("scalene_c", "ending_s", 0.1), "all files"),
    ("files of more than all", put("scalene_c", "hidden_files", [{"percent": 1.0}]), "all files"),
    ("a function with more than its lines", put("files", PLACE, "functions", 0, "n_samples", 161), None),
    ("lines with more samples than there were", put("scalene_c", "threads", 0, "samples", 169), "samples"),
    ("a thread with more than the run", put("scalene_c", "threads", [{"tid": 7, "python_ident": 7, "samples": 1, "time_s": {"python": 2.2}}]), "thread 7"),
    ("a moment before the start", put(*FIRST, "cpu_samples_list", [0.25, 1.5]), "a moment at"),
    ("stacks that are not the lines", put("stacks", 0, 1, "python_time", 0.4), "stacks: Python of"),
    ("Python that is native in flames", put("combined_stacks", 0, [[py(2), py(1), native("y")], 100]), "combined_stacks: Python of"),
    ("a library's native code that is Python", put("scalene_c", "call_tree", 3, [2, 2, 0.6, 1.0]), "call_tree: Python of"),
    ("a tree of more than it says", put("scalene_c", "call_tree_percent", 99.0), "call_tree"),
    ("bytes that were not allocated", put("scalene_c", "call_tree", 5, [0, 3, 0.0, 2.5]), "call_tree: MB"),
    ("a peak above the program's", put("scalene_c", "call_at_peak_mb", 1, 5.5), "call_at_peak_mb"),
    ("more at the end than was left", put("scalene_c", "call_at_exit_mb", 1, 2.5), "call_at_exit_mb"),
    ("volumes of fewer nodes", put("scalene_c", "call_at_exit_mb", [3.0]), "call_at_exit_mb: nodes"),
    ("more at a moment than at the peak", put("scalene_c", "call_moments", 0, [0, 2, 50.0]), "call_moments: moment 0"),
    ("memory of a node that is not there", put("scalene_c", "call_moments", 1, [1, 7, 2.0]), "call_moments: 2.0 MB at 1, node 7"),
    ("moments that are not in order", put("scalene_c", "call_moments_s", [1.0, 0.5]), "call_moments_s"),
    ("a unit at a node that is not there", put("scalene_c", "call_units", [[0, 7, 0.1]]), "call_units: 0.1 s of 0, node 7"),
    ("more at the nodes than a unit waited", lambda made: made["scalene_c"].update(units=[UNIT], call_unit_waits=[[0, 1, 0.1]]), "call_unit_waits: job"),
    ("more waiting than time", put("scalene_c", "call_waiting_s", 0, 0.2), "call_waiting_s: 0.2 s of 0.1 s"),
    ("more waiting than in the run", put("scalene_c", "call_waiting_s", 1, 0.2), "call_waiting_s"),
    ("waiting of fewer nodes", put("scalene_c", "call_waiting_s", [0.3]), "call_waiting_s: nodes"),
    ("bytes that only lists have", put("scalene_c", "call_tree", 1, [1, 1, 0.5, 4.0]), "memory_stacks beside"),
    ("a run of a node that is not there", put("scalene_c", "call_timeline", 0, [0.0, 1.0, 7, 7]), "call_timeline: node 7"),
    ("runs that are not in order", put("scalene_c", "call_timeline", 1, [-1.0, 0.1, 1, 7]), "call_timeline: 0.1 s"),
    ("waits that are not in order", put("scalene_c", "task_lanes", 0, "runs", 1, [1.0, 0.25, 1]), "task_lanes: 1.0 s"),
    ("a wait at no place", put("scalene_c", "task_lanes", 0, "runs", 1, [2.0, 0.25, 2]), "task_lanes: place 2"),
    ("a place in no file", put("scalene_c", "task_places", 0, ["/no.py", 1, "f"]), "task_places: /no.py:1"),
    ("a lane without a run", put("scalene_c", "task_lanes", 0, "runs", []), "has no run"),
    ("await time of lines without any", put("scalene_c", "await_s", 0.0), "without await_s"),
    ("a run of no thread", put("scalene_c", "call_timeline", 1, [1.0, 0.1, 1, 8]), "call_timeline: thread 8"),
    ("runs longer than all time", put("scalene_c", "call_timeline", 0, [0.0, 1.95, 2, 7]), "call_timeline"),
    ("native code outside of Python", put("combined_stacks", 3, [[native("z"), py(2)], 10]), "native frames outside"),
    ("native code in memory_stacks", put("memory_stacks", 0, [[py(2), py(1), native("z")], 8.0]), "memory_stacks: ["),
    ("a caller with less than its callees", put("files", PLACE, "lines", 1, "n_cumulative_percent", 90.0), "stacks with"),
    ("a run of a stack that is not listed", put("combined_stacks_timeline", 0, "stack_index", 4), "timeline: stack 4"),
    ("a run of a thread that is not listed", put("combined_stacks_timeline", 0, "thread_id", 8), "timeline: thread 8"),
    ("a timeline longer than the run", put("combined_stacks_timeline", 0, "count", 1000), "timeline"),
    ("a moment that counts twice", put("scalene_c", "timeline_tracks", 0, "shares", [2.0]), "track io"),
    ("a curve without the peak", put(*FIRST, "memory_samples", [[0, 5.0]]), "highest of its curve"),
    ("more alive than at the peak", put(*FIRST, "n_live_at_peak_mb", 6.5), "alive"),
    ("a line with a higher peak than the program", put("max_footprint_mb", 5.0), "peak beside the program's"),
    ("more than was allocated", put("scalene_c", "allocated_mb", 6.0), "footprint"),
    ("more copied than there was", put(*FIRST, "n_copy_mb_s", 1.0), "copies"),
    ("more alive than was allocated", put("scalene_c", "allocated_mb", 5.0), "peak: 6"),
    ("bytes by stack that are not the line's", put("memory_stacks", 0, 1, 7.0), "memory_stacks"),
    ("fewer tasks at most than on average", put(*FIRST, "n_async_concurrency_mean", 3.0), "tasks"),
    ("processes that have used less", put("scalene_c", "processes", [{"pid": 7, "cpu_s": 1.0}]), "beside processes"),
    ("a finding whose number is not the line's", put("scalene_c", "findings", 0, "percent", 31.0), "finding"),
    ("a finding of more imports than there were", put("scalene_c", "findings", 0, "id", "imports"), "finding: "),
    ("a finding that says another number", put("scalene_c", "findings", 0, "text", "takes 40% of the time"), "finding of 30.0 %"),
]  # fmt: skip


def test_a_profile_that_agrees_is_right():
    assert invariants.violations(agreeing()) == []


@pytest.mark.parametrize("name, change, word", LIES, ids=[name for name, _, _ in LIES])
def test_each_lie_is_seen(name, change, word):
    profile = copy.deepcopy(agreeing())
    change(profile)
    if name.startswith("a function"):
        profile["files"][PLACE]["lines"][0].update(start_function_line=1, end_function_line=1)
    found = invariants.violations(profile)
    assert any(word is None or word in text for text in found), found


def test_each_rule_has_a_lie():
    """A rule that nothing breaks may say nothing at all."""
    silent = set(invariants.RULES)
    for name, change, _ in LIES:
        profile = copy.deepcopy(agreeing())
        change(profile)
        if name.startswith("a function"):
            profile["files"][PLACE]["lines"][0].update(start_function_line=1, end_function_line=1)
        for rule in list(silent):
            checked = invariants.Checked(profile)
            rule(checked)
            if checked.wrong:
                silent.discard(rule)
    assert not silent, [rule.__name__ for rule in silent]


WRITES = "import json, sys; json.dump(json.loads(sys.argv[1]), open(sys.argv[2], 'w'))"


@pytest.mark.parametrize("words", [["scalene-profile.json"], ["elsewhere", "-o", "elsewhere"]])
def test_a_command_that_writes_a_lie_fails_its_test(tmp_path, words):
    truth, lie = agreeing(), agreeing()
    lie["files"][PLACE]["percent_cpu_time"] = 99.0
    command = [sys.executable, "-c", WRITES]
    execute([*command, json.dumps(truth), *words], cwd=tmp_path)
    with pytest.raises(invariants.Violated, match="do not agree"):
        execute([*command, json.dumps(lie), *words], cwd=tmp_path)


def test_what_a_command_has_not_written_is_not_its_fault(tmp_path):
    lie = agreeing()
    lie["files"][PLACE]["percent_cpu_time"] = 99.0
    (tmp_path / "out.json").write_text(json.dumps(lie))
    execute([sys.executable, "-c", ""], cwd=tmp_path).expect(0)
