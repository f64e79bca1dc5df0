# tests/import/test_speedscope.py - speedscope's JSON of py-spy, pyinstrument and memray.
#
# SPDX-License-Identifier: Apache-2.0
"""speedscope files: the profile has their weights, as lines, threads and a timeline."""

import json
import os

import pytest

from importing import DATA, importer, lines, near, own, seconds

__all__ = ["importer"]


def content_of(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return json.load(file)


def test_weights_of_pyspy_are_the_times_of_threads(importer):
    profile = importer.stored("pyspy.speedscope.json")
    threads = content_of("pyspy.speedscope.json")["profiles"]
    assert seconds(profile) == near(sum(sum(thread["weights"]) for thread in threads))
    assert profile["scalene_c"]["samples_taken"] == sum(len(thread["samples"]) for thread in threads)
    assert profile["elapsed_time_sec"] == near(max(thread["endValue"] for thread in threads))
    assert [thread["cpu_s"] for thread in profile["scalene_c"]["threads"]] == [near(sum(thread["weights"])) for thread in threads]
    assert len({run[3] for run in profile["scalene_c"]["call_timeline"]}) == len(threads)


def test_events_of_pyinstrument_are_the_time_between_them(importer):
    profile = importer.stored("pyinstrument.speedscope.json")
    (lane,) = content_of("pyinstrument.speedscope.json")["profiles"]
    assert seconds(profile) == near(lane["events"][-1]["at"])
    assert profile["scalene_c"]["samples_taken"] == 0
    assert "[self]" not in own(profile, "<no file>")


def test_functions_of_c_are_native_code(importer):
    importer.write("a", a_file([sampled([[0, 1], [0]], [3, 4])], [{"name": "f", "file": "prog.py", "line": 9}, {"name": "lock.acquire", "file": "<built-in>", "line": 0}]))
    assert importer("a")["scalene_c"]["time_s"] == {"native": near(3), "python": near(4)}


def test_bytes_of_memray_are_the_peak(importer):
    profile = importer.stored("memray.speedscope.json")
    sizes, blocks = content_of("memray.speedscope.json")["profiles"]
    assert profile["max_footprint_mb"] == pytest.approx(sum(sizes["weights"]) / 2**20)
    assert lines(profile, "prog.py", "n_malloc_mb")[38] == pytest.approx(12000000 / 2**20, rel=1e-3)
    assert lines(profile, "prog.py", "n_mallocs")[38] == 4
    assert sum(blocks["weights"]) > 4


def a_file(lanes, frames=({"name": "f", "file": "prog.py", "line": 9},)):
    return json.dumps({"profiles": lanes, "shared": {"frames": list(frames)}})


def sampled(samples, weights, unit="seconds"):
    return {"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "endValue": 1, "samples": samples, "weights": weights}


def evented(*events, unit="seconds"):
    events = [{"type": kind, "at": at, "frame": frame} for kind, at, frame in events]
    return {"type": "evented", "name": "t", "unit": unit, "startValue": 0, "endValue": 1, "events": events}


def test_units_are_converted(importer):
    importer.write("a", a_file([sampled([[0], []], [3, 4], unit="milliseconds"), evented(("O", 0, 0), ("C", 5000, 0), unit="microseconds")]))
    assert seconds(importer("a")) == near(0.012)


def test_memory_of_one_stack_is_one_record(importer):
    """However many samples it has; each of them is a block, or as many as the second list says."""
    sizes = sampled([[0], [], [0], [0]], [3, 0, 4, 0], unit="bytes")
    for lanes, blocks in (([sizes], 2), ([sizes, sampled([[0], [], [0], [0]], [5, 9, 1, 7], unit="none")], 6)):
        importer.write("a", a_file(lanes))
        profile = importer("a")
        assert (profile["alloc_samples"], lines(profile, "prog.py", "n_mallocs")) == (2, {9: blocks})  # allocated and freed
        assert profile["max_footprint_mb"] == 7 / 2**20 and profile["scalene_c"]["samples_taken"] == 0


def test_threads_of_several_files_are_kept_apart(importer):
    for name, end in (("a", 1), ("b", 2)):
        importer.write(name, a_file([evented(("O", 0, 0), ("C", end * 1000, 0), unit="milliseconds")]))
    profile = importer("a", "b")["scalene_c"]
    threads = {thread["tid"]: thread for thread in profile["threads"]}
    assert sorted(thread["pid"] for thread in threads.values()) == [1, 2]
    assert sorted((run[1], threads[run[3]]["time_s"]["python"]) for run in profile["call_timeline"]) == [(near(1), near(1)), (near(2), near(2))]
    assert importer("a")["scalene_c"]["threads"][0]["pid"] == 0


def test_pyspy_names_processes_of_threads(importer):
    importer.write("a", a_file([dict(sampled([[0]], [1]), name=name) for name in ('Process 10 Thread 10 "main"', 'Process 11 Thread 0x7F11 "w"')]))
    assert [(thread["pid"], thread["tid"], thread["name"]) for thread in importer("a")["scalene_c"]["threads"]] == [(10, 10, "main"), (11, 0x7F11, "w")]


def test_beyond_a_thousand_threads_one_stands_for_the_rest(importer):
    importer.write("a", a_file([dict(sampled([[0]], [1]), name="t%d" % i) for i in range(1200)]))
    threads = importer("a")["scalene_c"]["threads"]
    assert len(threads) == 1000 and {thread["name"]: thread["samples"] for thread in threads}["other threads"] == 201
    assert importer("a")["elapsed_time_sec"] == near(1)


def test_no_thread_has_taken_more_than_has_passed(importer):
    """Of two files, one says how long it took, and the other took longer."""
    importer.write("a", a_file([sampled([[0]], [1])]))
    importer.write("b", "f (prog.py:9);g (prog.py:10) 500\n")
    assert importer("a", "b")["elapsed_time_sec"] == near(5)


@pytest.mark.parametrize(
    "content, said",
    [
        (a_file([]), "no stack that cost something"), (a_file([sampled([[1]], [1])]), "a frame that there is not"),
        (a_file([sampled([[-1]], [1])]), "a frame that there is not"), (a_file([sampled([[0], [0]], [1])]), "out of range"),
        (a_file([sampled([[0]], [-1])]), "out of range"), (a_file([sampled([[0]], [1e300])]), "out of range"),
        (a_file([sampled([[0]], [2**63], unit="bytes")]), "out of range"),
        (a_file([sampled([[0]], [1], unit="parsecs")]), "'parsecs' is not known"),
        (a_file([sampled([[0] * 10001], [1])]), "more than 10000 frames"),
        (a_file([evented(*[("O", 0, 0)] * 10001)]), "more than 10000 frames"),
        (a_file([evented(("O", 0, 0), ("C", 1, 1))], [{"name": "f"}, {"name": "g"}]), "not the innermost"),
        (a_file([evented(("C", 1, 0))]), "not the innermost"), (a_file([evented(("O", 1, 0), ("C", 0, 0))]), "go back in time"),
        (a_file([evented(("O", 0, 0), ("C", 1, 0), unit="bytes")]), "not in units of time"),
        (a_file([{"name": "t"}]), "no name or no unit"), (a_file([sampled([[0]], [1])], [3]), "list of frames is damaged"),
        ('{"shared": {}, "profiles": []}', "no list of frames"), ('{"shared": {}, "profiles": [' + "[" * 100000, "no format that is known"),
        (a_file([sampled([[0]], [1])])[:-1] + ', "exporter": "scalene 1"}', "exported from a profile of Scalene's"),
        (a_file([sampled([[0]], [1])])[:-20], "no format that is known"),
        (a_file([sampled([[0]], [float("nan")])]), "no format that is known"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)


def test_a_named_format_says_what_is_wrong(importer):
    assert "not JSON: line 1, column 2" in importer.refuses("{", "--format", "speedscope")
