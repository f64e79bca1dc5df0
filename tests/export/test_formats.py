# tests/export/test_formats.py - every format read back, and compared with the profile number by number.
#
# SPDX-License-Identifier: Apache-2.0
"""Formats."""

import collections
import gzip
import json

import pytest
from exporting import FORMATS, FRAMES, NODES, ORIGINAL, RUNS, everything, export, truth, write

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


# -------- pprof --------


def fields(message):
    """Field number -> its values in a message of Protocol Buffers: numbers, or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(message):
        tag, at = varint(message, at)
        if tag & 7 == 0:
            value, at = varint(message, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint(message, at)
            assert tag & 7 in (1, 2) and at + size <= len(message)
            value, at = message[at : at + size], at + size
            value = int.from_bytes(value, "little") if tag & 7 == 1 else value
        found[tag >> 3].append(value)
    return found


def varint(message, at):
    value = 0
    for shift in range(0, 70, 7):
        value |= (message[at] & 0x7F) << shift
        at += 1
        if message[at - 1] < 0x80:
            return value, at
    raise AssertionError("a number does not end")


def packed(message):
    at, found = 0, []
    while at < len(message):
        value, at = varint(message, at)
        found.append(value)
    return found


def one(message, field):
    """The only value of a field; 0 when it is not there."""
    (value,) = message.get(field, [0])
    return value


def add_up(sums, stack, numbers):
    for name, number in numbers.items():
        if number:
            sums[name][stack] = sums[name].get(stack, 0) + number


def pprof(zipped):
    """(value -> {stack: number}, thread -> {value: number}, the message)."""
    message = fields(gzip.decompress(zipped))
    texts = [text.decode("utf-8") for text in message[6]]
    assert texts[0] == "" and len(set(texts)) == len(texts)
    types = [(texts[one(kind, 1)], texts[one(kind, 2)]) for kind in map(fields, message[1])]
    assert all(unit in ("nanoseconds", "bytes", "count") for _, unit in types)
    functions = {one(made, 1): (texts[one(made, 2)], texts[one(made, 4)]) for made in map(fields, message[5])}
    mappings = {one(made, 1): texts[one(made, 5)] for made in map(fields, message[3])}
    locations = {}
    for location in map(fields, message[4]):
        line = fields(one(location, 4))
        locations[one(location, 1)] = (*functions[one(line, 1)], one(line, 2))
        assert mappings[one(location, 2)] in (functions[one(line, 1)][1], mappings[1])
    assert 0 not in functions and 0 not in locations and len(locations) == len(message[4])
    values, threads = collections.defaultdict(dict), collections.defaultdict(lambda: collections.defaultdict(int))
    for sample in map(fields, message[2]):
        stack = tuple(locations[at] for at in reversed(packed(one(sample, 1))))
        numbers = packed(one(sample, 2))
        assert len(numbers) == len(types)
        numbers = {name: number for (name, _), number in zip(types, numbers)}
        add_up(values, stack, numbers)
        labels = [(texts[one(label, 1)], texts[one(label, 2)]) for label in map(fields, sample[3])]
        assert [key for key, _ in labels] in ([], ["thread"])
        for name, number in numbers.items():
            threads[labels[0][1] if labels else None][name] += number
    assert set(values) == {name for name, _ in types}
    return dict(values), threads, message


def test_pprof_has_every_value_and_the_threads(scalene, tmp_path):
    values, threads, message = pprof(export(scalene, "pprof", everything(), tmp_path))
    assert values == truth(everything())
    of_thread = {name: {value: number for value, number in found.items() if number} for name, found in threads.items()}
    of_none = of_thread.pop(None)
    assert of_thread == {'Main"Thr;ead<U+001B>': {"time": 6_937_500_000, "waiting": 156_250_000}, "worker": {"time": 500_000_000}}
    assert of_none["time"] == 250_001_000 and of_none["allocated"] == sum(values["allocated"].values())
    assert (one(message, 9), one(message, 10), one(message, 12)) == (1_790_000_000_500_000_000, 8_000_000_000, 10_000_000)


def test_pprof_of_any_profile(scalene, tmp_path, made):
    assert pprof(export(scalene, "pprof", made, tmp_path))[0] == truth(made)


# -------- all --------


@pytest.mark.parametrize("form", FORMATS)
def test_huge_numbers_stay_numbers(scalene, tmp_path, form):
    assert export(scalene, form, write(tmp_path, huge()), tmp_path)
