# tests/export/test_protobuf.py - the formats that are messages of Protocol Buffers, read back number by number.
#
# SPDX-License-Identifier: Apache-2.0
"""Binary formats."""

import collections
import gzip

import exporting
from exporting import everything, export, truth

made = exporting.made


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


# -------- pprof --------


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
