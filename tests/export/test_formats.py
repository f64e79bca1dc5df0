# tests/export/test_formats.py - every format read back, and compared with the profile number by number.
#
# SPDX-License-Identifier: Apache-2.0
"""Formats."""

import json

import pytest
from exporting import FRAMES, NODES, ORIGINAL, RUNS, everything, export, truth, write

from conftest import BUILD

HANDMADE = ("cpu", "full", "original", "hostile", "threads", "gpu")


def huge():
    """Numbers as large as a reader takes, and a tree that ends in the middle."""
    made = everything()
    own = made["scalene_c"]
    own["call_tree"] = [[0, 0, 1e15, 1e15], [1, 1, 5e-324, 0], [2, 99, 1.0, 0.0], [77, 0, 1.0, 0.0]]
    for key in ("call_at_peak_mb", "call_at_exit_mb", "call_waiting_s"):
        own[key] = [1e15]
    own["call_timeline"] = [[1e15, 1e15, 1, 2**53], [0.0, 1e-9, 9, 1]]
    made["elapsed_time_sec"] = 1e15
    made["start_time_absolute"] = 1e15
    return made


def without_tree():
    """Of a run that is not finished: no time, no stacks, no ending."""
    made = everything()
    for key in ("call_frames", "call_tree", "call_timeline", "call_at_peak_mb", "call_at_exit_mb", "call_waiting_s", "threads"):
        made["scalene_c"][key] = []
    made["scalene_c"]["time_s"] = {}
    return made


@pytest.fixture(params=("everything", "without_tree", "2.4.0", *HANDMADE))
def made(request):
    if request.param in HANDMADE:
        path = BUILD + "/tests/view/data/%s.json" % request.param
    elif request.param == "2.4.0":
        path = ORIGINAL
    else:
        return {"everything": everything, "without_tree": without_tree}[request.param]()
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


# -------- collapsed --------


def collapsed(text):
    """stack of frames as shown -> weight."""
    found = {}
    for one in text.decode("utf-8").splitlines():
        stack, _, weight = one.rpartition(" ")
        assert tuple(stack.split(";")) not in found
        found[tuple(stack.split(";"))] = int(weight)
    return found


def test_collapsed_has_all_stacks_in_microseconds(scalene, tmp_path):
    shown = [one[-1].replace(";", ":") for one in FRAMES]
    stacks, expected = [()], {}
    for parent, frame, self_s, *_ in NODES:
        stacks.append((*stacks[parent], shown[frame]))
        if self_s:
            expected[stacks[-1]] = round(self_s * 1e6)
    assert collapsed(export(scalene, "collapsed", everything(), tmp_path)) == expected


def test_collapsed_of_any_profile_sums_to_its_time(scalene, tmp_path, made):
    known = truth(made)
    found = collapsed(export(scalene, "collapsed", made, tmp_path))
    if "samples" in known:
        assert sum(found.values()) == sum(known["samples"].values())
    else:
        assert abs(sum(found.values()) - sum(known["time"].values()) / 1000) <= len(known["time"]) / 2 + 1


# -------- speedscope --------


def speedscope(text):
    """(value -> {stack: weight}, thread -> [(begin, end, depth, name)]), checked as the schema of its files demands."""
    read = json.loads(text)
    frames = [(frame["name"], frame.get("file", ""), frame.get("line", 0)) for frame in read["shared"]["frames"]]
    assert all(set(frame) <= {"name", "file", "line", "col"} for frame in read["shared"]["frames"])
    values, threads = {}, {}
    for one in read["profiles"]:
        assert one["unit"] in ("none", "nanoseconds", "bytes") and one["startValue"] == 0
        if one["type"] == "sampled":
            assert set(one) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
            assert len(one["samples"]) == len(one["weights"]) and one["endValue"] == sum(one["weights"])
            stacks = [tuple(frames[at] for at in stack) for stack in one["samples"]]
            assert one["name"] not in values
            values[one["name"]] = {}
            for stack, weight in zip(stacks, one["weights"]):
                values[one["name"]][stack] = values[one["name"]].get(stack, 0) + weight
        else:
            assert set(one) == {"type", "name", "unit", "startValue", "endValue", "events"} and one["type"] == "evented"
            events = [(event["at"], event["frame"], event["type"]) for event in one["events"]]
            threads[one["name"]] = slices(events, frames)
            assert all(0 <= at <= one["endValue"] for at, _, _ in events)
    return values, threads


def slices(events, frames):
    """[(begin, end, depth, name)] of events in their order."""
    still, found, last = [], [], 0
    for at, frame, kind in events:
        assert at >= last
        last = at
        if kind == "O":
            still.append((frame, at))
        else:
            begun, since = still.pop()
            assert begun == frame
            found.append((since, at, len(still), frames[frame][0]))
    assert not still
    return sorted(found, key=lambda one: (one[0], one[2]))


SLICES = {
    'Main"Thr;ead<U+001B>': [
        (500, 1437.5, 0, "<module>"),
        (500, 1437.5, 1, "main"),
        (750, 1437.5, 2, 'lo"ad;x<U+000A>'),
        (875, 1437.5, 3, "operator<</&|`x`"),
        (1375, 1437.5, 4, "[kernel]"),
        (2000, 8000, 0, "<module>"),
        (2000, 8000, 1, "main"),
        (3000, 8000, 2, "(lambda)"),
        (5000, 8000, 3, "(lambda)"),
    ],
    "worker": [(500, 1000, 0, "r<U+202E>")],
}
IN_NS = {name: [(begin * 1e6, end * 1e6, depth, function) for begin, end, depth, function in found] for name, found in SLICES.items()}


def test_speedscope_has_every_value_and_thread(scalene, tmp_path):
    values, threads = speedscope(export(scalene, "speedscope", everything(), tmp_path))
    assert values == truth(everything())
    assert threads == IN_NS
    assert len(RUNS) == 8


def test_speedscope_of_any_profile(scalene, tmp_path, made):
    assert speedscope(export(scalene, "speedscope", made, tmp_path))[0] == truth(made)


# -------- all --------


@pytest.mark.parametrize("form", ("collapsed", "speedscope"))
def test_huge_numbers_stay_numbers(scalene, tmp_path, form):
    assert export(scalene, form, write(tmp_path, huge()), tmp_path)
