# tests/import/test_pprof.py - files of pprof: of `scalene export`, and made ones as other profilers write them.
#
# SPDX-License-Identifier: Apache-2.0
"""Which value is time and which memory, stacks with inlined functions, threads, and files that are damaged."""

import gzip
import os
import sys

import pytest

import calls
from conftest import ROOT
from importing import importer, lines, near, own, seconds

sys.path.insert(0, os.path.join(ROOT, "tests", "export"))
from exporting import everything, write  # noqa: E402

__all__ = ["importer"]

# Fields of a profile: https://github.com/google/pprof/blob/main/proto/profile.proto
SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, TEXT, DURATION, PERIOD_TYPE, PERIOD = 1, 2, 3, 4, 5, 6, 10, 11, 12


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


class Pprof:
    """A profile with functions of prog.py: sample([(function, line), ...] from the innermost, values)."""

    def __init__(self, *types):
        self.texts = [""]
        self.types = b"".join(field(SAMPLE_TYPE, self.pair(*kind)) for kind in types)
        self.functions = {}
        self.places = {}
        self.samples = b""
        self.rest = b""

    def text(self, text):
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def pair(self, name, unit):
        return field(1, self.text(name)) + field(2, self.text(unit))

    def place(self, *frames):
        """The number of a place whose frames, the innermost first, are all but the last inlined."""
        for name, _ in frames:
            self.functions.setdefault(name, 10 * len(self.functions) + 7)
        return self.places.setdefault(frames, 100 * len(self.places) + 3)

    def sample(self, places, values, labels=(), packed=True):
        numbers = [self.place(*frames) for frames in places]
        if packed:
            body = field(1, b"".join(map(varint, numbers))) + field(2, b"".join(map(varint, values)))
        else:
            body = b"".join(field(1, number) for number in numbers) + b"".join(field(2, value) for value in values)
        for key, value in labels:
            body += field(3, field(1, self.text(key)) + (field(3, value) if isinstance(value, int) else field(2, self.text(value))))
        self.samples += field(SAMPLE, body)
        return self

    def bytes(self):
        """Samples stand before the tables that they refer to."""
        out = self.types + self.samples + self.rest
        out += field(MAPPING, field(1, 1) + field(5, self.text("/lib/libc.so.6")))
        for frames, number in self.places.items():
            body = field(1, number) + field(2, 1) + field(3, 0x40F0)
            out += field(LOCATION, body + b"".join(field(4, field(1, self.functions[name]) + field(2, line)) for name, line in frames))
        for name, number in self.functions.items():
            out += field(FUNCTION, field(1, number) + field(2, self.text(name)) + field(4, self.text("prog.py")) + field(5, 1))
        return out + b"".join(field(TEXT, text) for text in self.texts)


CPU = (("samples", "count"), ("cpu", "nanoseconds"))
F = (("f", 2),)
MAIN = (("main", 9),)


def read(importer, made, name="p.pb.gz"):
    importer.write(name, gzip.compress(made.bytes()))
    return importer(name)


def test_an_export_comes_back(importer):
    made = everything()
    write(str(importer.directory), made, "made.json")
    importer.line("export", "-f", "pprof", "-o", "made.pb.gz", "made.json").expect(0)
    profile = importer("made.pb.gz")
    assert seconds(profile) == near(sum(node[2] for node in made["scalene_c"]["call_tree"]))
    at_peak = sum(line["n_peak_mb"] for file in profile["files"].values() for line in file["lines"])
    assert at_peak == near(profile["max_footprint_mb"]) and at_peak > 0


def test_times_by_line_and_stack(importer):
    made = Pprof(*CPU).sample([F, MAIN], [3, 30_000_000]).sample([MAIN], [1, 10_000_000]).sample([F, MAIN], [1, 5_000_000], packed=False)
    profile = read(importer, made)
    assert lines(profile, "prog.py") == {2: near(0.035), 9: near(0.01)}
    assert own(profile, "prog.py") == {"f": near(0.035), "main": near(0.01)}


def test_a_file_need_not_be_compressed(importer):
    importer.write("p.pb", Pprof(*CPU).sample([F], [1, 5_000_000]).bytes())
    assert seconds(importer("p.pb")) == near(0.005)


def test_inlined_functions_are_frames(importer):
    profile = read(importer, Pprof(*CPU).sample([(("f", 2), ("g", 5)), MAIN], [1, 1_000_000]))
    (path,) = [[frame["display_name"] for frame in frames] for frames, spent, _ in calls.nodes(profile) if spent > 0]
    assert path == ["main", "g", "f"]


def test_counts_stand_for_the_period(importer):
    made = Pprof(("samples", "count")).sample([F], [4])
    made.rest += field(PERIOD_TYPE, made.pair("cpu", "microseconds")) + field(PERIOD, 2500)
    assert seconds(read(importer, made)) == near(0.01)
    without = read(importer, Pprof(("samples", "count")).sample([F], [4]))
    assert seconds(without) == near(0.04) and any("10 ms are assumed" in note for note in without["scalene_c"]["notes"])


@pytest.mark.parametrize(
    "types, values, waited_s, ran_s",
    [
        ((("wall-time", "nanoseconds"), ("cpu-time", "nanoseconds")), [9_000_000, 2_000_000], 0.007, 0.002),
        ((("time", "nanoseconds"), ("waiting", "nanoseconds")), [9_000_000, 4_000_000], 0.004, 0.005),
        ((("contentions", "count"), ("delay", "nanoseconds")), [7, 6_000_000], 0.006, 0),
        ((("cpu", "milliseconds"),), [5], 0, 0.005),
        ((("cpu", "nanoseconds"), ("other", "count")), [-5_000_000, 3], None, None),
    ],
)
def test_waiting_is_told_apart(importer, types, values, waited_s, ran_s):
    made = Pprof(*types).sample([F], values)
    if waited_s is None:
        assert "no stack that cost something" in importer.refuses(gzip.compress(made.bytes()))
        return
    profile = read(importer, made)
    (thread,) = profile["scalene_c"]["threads"]
    assert thread["cpu_s"] == near(ran_s) and seconds(profile) == near(waited_s + ran_s)


def test_memory_in_use_is_part_of_what_was_allocated(importer):
    types = (("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes"))
    mb = 1 << 20
    made = Pprof(*types).sample([F], [8, 24 * mb, 2, 10 * mb]).sample([MAIN], [0, 0, 1, 3 * mb])
    profile = read(importer, made)
    by_line = {line["lineno"]: line for line in profile["files"][next(iter(profile["files"]))]["lines"]}
    assert (by_line[2]["n_malloc_mb"], by_line[2]["n_peak_mb"]) == (near(24), near(10))
    assert (by_line[9]["n_malloc_mb"], by_line[9]["n_peak_mb"]) == (near(3), near(3))  # older than what the file covers
    assert profile["max_footprint_mb"] == near(13)


def test_threads_are_told_by_labels(importer):
    made = Pprof(*CPU)
    for labels in ([("thread id", "12"), ("thread name", "MainThread")], [("thread_id", 12)], [("thread", "pool-1")], [("thread", "pool-1")], [("task", "x")]):
        made.sample([F], [1, 1_000_000], labels)
    threads = {thread["name"]: thread["cpu_s"] for thread in read(importer, made)["scalene_c"]["threads"]}
    assert threads == {"MainThread": near(0.002), "pool-1": near(0.002), "thread 0": near(0.001)}


def test_code_without_a_name_has_its_address(importer):
    profile = read(importer, Pprof(*CPU).sample([(), MAIN], [1, 1_000_000]))
    names = [frame["display_name"] for frames, _, _ in calls.nodes(profile) for frame in frames]
    assert any("0x40f0" in name for name in names), names


@pytest.mark.parametrize(
    "content, why",
    [
        (Pprof(("space", "hectares")).sample([F], [1]).bytes(), "none of its values is a time or memory"),
        (Pprof(("other", "count")).sample([F], [1]).bytes(), "none of its values is a time or memory"),
        (Pprof(*CPU).sample([F], [1, 5]).bytes()[:-2], "damaged or cut off"),
        (Pprof(*CPU).bytes() + field(SAMPLE, field(1, 77) + field(2, 1) + field(2, 1)), "a stack names a place that there is not"),
        (Pprof(*CPU).bytes() + field(SAMPLE, field(1, b"\x80")), "a sample is damaged"),
        (Pprof(*CPU).bytes() + field(LOCATION, b"\x0a\xff"), "a message in it is damaged"),
        (Pprof(*CPU).sample([F], [1, (1 << 63) - 1]).sample([F], [1, (1 << 63) - 1]).bytes(), "out of range"),
    ],
)
def test_damaged_files_are_refused(importer, content, why):
    importer.write("hostile", content)
    assert why in importer.refused("--format", "pprof", "hostile")
