# tests/cli/test_merge_neuron.py - the times of an AWS Neuron trace, merged into a profile.
#
# SPDX-License-Identifier: Apache-2.0
"""`scalene merge-neuron`, which is `python3 -m scalene.merge_scalene_neuron_profiles`."""

import json

import pytest

import command_line
from command_line import one_line

line = command_line.line

MS = 1000000
# what time.time() said when perf_counter() said 50
START = 1700000000.0
PERF = 50.0


def at(seconds):
    """A time of the trace: nanoseconds since 1970."""
    return int((START + seconds) * 1000) * MS


def a_line(number, samples=(), **more):
    return dict({"line": "x\n", "lineno": number, "cpu_samples_list": [PERF + s for s in samples]}, **more)


def a_profile(files):
    return {
        "start_time_absolute": START, "start_time_perf": PERF, "elapsed_time_sec": 10.0, "unknown": {"kept": [1, 2.5, None, "\udc80"]},
        "files": {name: {"lines": lines, "percent_cpu_time": 100.0} for name, lines in files.items()},
    }


PROFILE = a_profile({"/work/model.py": [a_line(3, [0.5, 1.05, 1.5]), a_line(7, [2.01, 2.5]), a_line(8)], "/work/other/util.py": [a_line(3, [9.0])]})

DEBUG = """PID: 4711
RANK: 0
---
SOURCE: /work/model.py:3
KERNEL: matmul
---
SOURCE: /work/model.py:7
KERNEL: softmax
---
SOURCE: /usr/lib/elsewhere.py:3
KERNEL: copy
---
SOURCE: model.py:3
---
"""


def event(name, seconds, duration_ms, exec_id=None, pid=4711, inside=True):
    known = {"name": name, "process_id": pid, "thread_id": 12}
    known.update(timestamp=at(seconds), duration=int(duration_ms * MS))
    if exec_id is not None:
        known.update({"args": {"exec_id": exec_id}} if inside else {"exec_id": exec_id})
    return known


TRACE = [
    # not in the order of time, and of another process in between
    event("nrt_execute", 4.0, 40),
    event("nrt_execute", 1.0, 10),
    event("nrt_execute", 1.5, 999, pid=99),
    event("nrt_execute", 2.0, 20),
    event("nrt_execute", 3.0, 30),
    event("kbl_exec_pre", 1.01, 1, exec_id=100),
    event("kbl_exec_pre", 2.01, 1, exec_id=101, inside=False),
    event("kbl_exec_pre", 3.01, 1, exec_id=102),
    event("kbl_exec_pre", 4.01, 1, exec_id=103),
    event("nc_exec_running", 1.02, 50, exec_id=100),
    event("nc_exec_running", 1.04, 20, exec_id=100),
    event("nc_exec_running", 2.0, 12, exec_id=101, inside=False),
    event("nc_exec_running", 4.02, 5, exec_id=103),
    event("nc_exec_running", 9.0, 5, exec_id=100, pid=99),
    event("something_else", 9.0, 500),
]


@pytest.fixture
def merge(line):
    """Merges what is given; the new profile, or the end of a line that fails."""

    def run(profile=None, trace=None, debug=DEBUG, out="out.json", status=0):
        line.write("p.json", profile if isinstance(profile, str) else json.dumps(profile or PROFILE))
        line.write("t.json", trace if isinstance(trace, str) else json.dumps(TRACE if trace is None else trace))
        if debug is not None:
            line.write("debug_rank_0.txt", debug)
        run.ended = line("merge-neuron", "p.json", "t.json", out).expect(status)
        if status != 0:
            assert not line.exists(out)
            return run.ended
        with open(str(line.directory / out), encoding="utf-8") as stream:
            return json.load(stream)

    return run


def lines_of(profile, name):
    return {known["lineno"]: known for known in profile["files"][name]["lines"]}


def test_executions_are_charged_to_the_lines_that_the_debug_file_names(merge):
    merged = merge()
    lines = lines_of(merged, "/work/model.py")
    assert lines[3]["nrt_time_ms"] == lines[3]["neuron_time_ms"] == pytest.approx(50)
    assert lines[3]["nrt_percent"] == pytest.approx(50)
    assert lines[3]["nrt_execute_count"] == 2
    assert lines[3]["nrt_source_code"] == "matmul"
    assert [known["duration_ms"] for known in lines[3]["nrt_events"]] == [10, 40]
    assert lines[3]["nrt_events"][0] == {
        "name": "nrt_execute", "duration_ns": 10 * MS, "duration_ms": 10.0, "timestamp": at(1.0), "process_id": 4711, "thread_id": 12,
    }
    assert lines[7]["nrt_time_ms"] == pytest.approx(20) and lines[7]["nrt_source_code"] == "softmax"
    assert "nrt_time_ms" not in lines[8]
    # a line of the same number in another file is another line
    assert "nrt_time_ms" not in lines_of(merged, "/work/other/util.py")[3]


def test_the_cores_runs_follow_by_their_exec_id(merge):
    lines = lines_of(merge(), "/work/model.py")
    assert lines[3]["nc_time_ms"] == pytest.approx(75)
    assert lines[3]["nc_percent"] == pytest.approx(75 / 87 * 100)
    assert lines[3]["nc_execute_count"] == 3
    assert [known["exec_id"] for known in lines[3]["nc_events"]] == [100, 100, 103]
    assert lines[3]["nc_nrt_ratio"] == pytest.approx(1.5)
    assert lines[7]["nc_time_ms"] == pytest.approx(12)


def test_samples_while_a_core_was_busy_are_counted(merge):
    merged = merge()
    lines = lines_of(merged, "/work/model.py")
    counts = ["cpu_samples_nc_overlap_count", "cpu_samples_total_count", "cpu_samples_nc_overlap_percent"]
    assert [lines[3][key] for key in counts] == [1, 3, pytest.approx(100 / 3)]
    assert [lines[7][key] for key in counts] == [1, 2, 50]
    assert [lines[8][key] for key in counts] == [0, 0, 0]
    assert merged["cpu_samples_total_with_nc_overlap"] == 2
    assert merged["cpu_samples_total"] == 6
    assert merged["cpu_samples_nc_overlap_percent_overall"] == pytest.approx(100 / 3)


def test_lines_that_cost_nothing_else_get_a_record(merge):
    """A profile has records of those alone that cost something, and the source."""
    profile = a_profile({"/work/model.py": [a_line(2), a_line(8)]})
    profile["files"]["/work/model.py"]["source"] = "".join("line %d\n" % number for number in range(1, 10))
    lines = merge(profile)["files"]["/work/model.py"]["lines"]
    assert [known["lineno"] for known in lines] == [2, 3, 7, 8]
    assert lines[1]["line"] == "line 3\n"
    assert lines[1]["nrt_time_ms"] == pytest.approx(50)


def test_totals_are_those_of_the_process(merge):
    merged = merge()
    assert merged["neuron_total_time_ms"] == pytest.approx(100)
    assert merged["neuron_total_nc_time_ms"] == pytest.approx(87)
    assert merged["neuron_event_count"] == 4
    assert merged["neuron_nc_event_count"] == 4
    assert "1 of 4 executions belong to no line" in one_line(merge.ended)


def test_all_keys_are_those_of_the_original(merge):
    merged = merge()
    before = set(PROFILE["files"]["/work/model.py"]["lines"][0])
    assert set(lines_of(merged, "/work/model.py")[3]) - before == {
        "nrt_time_ms", "nrt_percent", "nrt_execute_count", "nrt_events", "nrt_source_code",
        "nc_time_ms", "nc_percent", "nc_execute_count", "nc_events", "nc_nrt_ratio", "neuron_time_ms",
        "cpu_samples_nc_overlap_count", "cpu_samples_total_count", "cpu_samples_nc_overlap_percent",
    }  # fmt: skip
    assert set(merged) - set(PROFILE) == {
        "neuron_total_time_ms", "neuron_total_nc_time_ms", "neuron_event_count", "neuron_nc_event_count",
        "cpu_samples_total_with_nc_overlap", "cpu_samples_total", "cpu_samples_nc_overlap_percent_overall",
    }  # fmt: skip


def test_everything_else_stays_as_it_was(merge):
    merged = merge()
    for key, value in PROFILE.items():
        if key != "files":
            assert merged[key] == value, key
    for name, known in PROFILE["files"].items():
        for old, new in zip(known["lines"], merged["files"][name]["lines"]):
            assert {key: new[key] for key in old} == old


def test_a_trace_may_be_an_object_and_its_process_a_text(merge):
    texts = [dict(known, process_id=str(known["process_id"])) for known in TRACE]
    assert merge(trace={"trace_event": texts})["neuron_event_count"] == 4


def test_without_a_process_every_event_counts(merge):
    assert merge(debug=DEBUG.replace("PID: 4711\n", ""))["neuron_event_count"] == 5


def test_of_two_files_with_one_name_the_path_decides(merge):
    profile = a_profile({"/a/one/m.py": [a_line(5)], "/a/two/m.py": [a_line(5)]})
    merged = merge(profile, [event("nrt_execute", 1, 10, pid=1)], "SOURCE: two/m.py:5\n")
    assert "nrt_time_ms" not in lines_of(merged, "/a/one/m.py")[5]
    assert lines_of(merged, "/a/two/m.py")[5]["nrt_source_code"] == "unknown"


def test_a_file_whose_name_only_ends_alike_is_another(merge):
    merged = merge(a_profile({"/a/m.py": [a_line(5)]}), [event("nrt_execute", 1, 10)], "SOURCE: /a/xm.py:5\n")
    assert "nrt_time_ms" not in lines_of(merged, "/a/m.py")[5]
    assert "1 of 1 executions belong to no line" in merge.ended.stderr


def test_a_page_that_embeds_a_profile_is_one(merge):
    text = json.dumps(dict(PROFILE, program="a } in a { text"))
    page = "<!DOCTYPE html>\n<script>\n  const profile = %s;\n  const other = {};\n</script>\n" % text
    assert merge(page)["neuron_event_count"] == 4


def test_the_merged_times_are_shown(merge, line):
    merge()
    shown = line("view", "--cli", "out.json", env={"COLUMNS": "100"}).expect(0).stdout
    (row,) = [text for text in shown.splitlines() if " 3 │" in text and "ms" in text]
    assert " 50%  75ms    67%" in row
    assert "its calls took 100 ms, the cores worked for 87 ms" in " ".join(shown.split())


def test_a_page_of_answers_holds_no_profile(merge, line):
    line("run", "--cpu-only", "t.py").expect(0)
    line("view", "--html").expect(0)
    with open(str(line.directory / "scalene-profile.html"), encoding="utf-8") as stream:
        ended = merge(stream.read(), status=1)
    assert "is a page without a profile in it" in one_line(ended)


def test_a_trace_without_executions_is_said_to_be_one(merge):
    merged = merge(trace=[event("nc_exec_running", 1.02, 50, exec_id=100)])
    assert merged["neuron_event_count"] == 0 and merged["cpu_samples_total_with_nc_overlap"] == 1
    assert "no nrt_execute event" in one_line(merge.ended)


@pytest.mark.parametrize(
    "what, says",
    [
        ({"profile": "{"}, "'p.json' is no JSON"), ({"profile": "[]"}, "'p.json' is no profile"),
        ({"profile": '{"files": 3}'}, "'p.json' is no profile"), ({"trace": "nonsense"}, "'t.json' is no JSON"),
        ({"trace": '{"events": []}'}, "'t.json': it is no Neuron trace"),
        ({"debug": "PID: 3\n---\nKERNEL: k\n"}, "'debug_rank_0.txt' describes no execution"), ({"debug": None}, "debug_rank_0.txt"),
        ({"out": "no/such/directory/out.json"}, "no/such/directory"),
    ],
)
def test_what_cannot_be_merged_is_one_sentence(merge, what, says):
    assert says in one_line(merge(status=1, **what))


@pytest.mark.parametrize(
    "odd",
    [
        [None, 3, "x", [], {}, {"name": 5}, {"name": "nrt_execute"}],
        [event("nrt_execute", 1, 10), {"name": "nc_exec_running", "process_id": 4711, "args": [], "exec_id": {}}],
        [dict(event("nrt_execute", 1, 10), timestamp=-5, duration="long")],
        [dict(event("nrt_execute", 1, 10), timestamp=1e300, duration=1e300)],
        [dict(event("kbl_exec_pre", 1, 10, exec_id=None), exec_id=None)] * 3,
    ],
)
def test_odd_events_do_no_harm(merge, odd):
    merged = merge(trace=odd)
    assert merged["cpu_samples_total"] == 6


def test_odd_lines_of_a_profile_do_no_harm(merge):
    profile = dict(PROFILE, files={"model.py": {"lines": [None, {}, {"lineno": "x"}, {"lineno": 3}, {"lineno": 3}]}, "m": 3})
    assert merge(profile)["files"]["m"] == 3


def test_arguments_that_are_not_three_files(line):
    assert "three files" in one_line(line("merge-neuron", "a", "b").expect(2))
    assert line("merge-neuron", "--help").expect(0).stdout.startswith("usage: ")


def test_a_merged_profile_can_be_viewed(merge, line):
    line.write("busy.py", "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\n")
    line("run", "--cpu-only", "busy.py").expect(0)
    with open(str(line.directory / "scalene-profile.json"), encoding="utf-8") as stream:
        profile = json.load(stream)
    start = profile["start_time_absolute"]
    trace = [
        dict(event("nrt_execute", 0, 10), timestamp=int(start * 1e9)),
        dict(event("kbl_exec_pre", 0, 1, exec_id=1), timestamp=int(start * 1e9)),
        dict(event("nc_exec_running", 0, 60000, exec_id=1), timestamp=int(start * 1e9)),
    ]
    merged = merge(profile, trace, "PID: 4711\n---\nSOURCE: busy.py:3\nKERNEL: k\n")
    assert merged["cpu_samples_total"] > 0
    assert merged["cpu_samples_nc_overlap_percent_overall"] == 100
    shown = line("view", "--cli", "out.json").expect(0).stdout
    assert "busy.py" in shown
