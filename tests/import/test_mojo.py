# tests/import/test_mojo.py - austin's binary files.
#
# SPDX-License-Identifier: Apache-2.0
"""Samples of a MOJO file have their time, memory and stack, as austin's own reader says."""

import os

import pytest

from importing import DATA, importer, lines, near, seconds

__all__ = ["importer"]

METADATA, STACK, FRAME, INVALID, REF, KERNEL, GC, IDLE, TIME, MEMORY, TEXT, TEXT_REF, REPEAT, TASK, WAITER, RUNNING = range(1, 17)


def number(value):
    out, rest = bytearray([abs(value) & 0x3F | (0x40 if value < 0 else 0)]), abs(value) >> 6
    while rest:
        out[-1] |= 0x80
        out.append(rest & 0x7F)
        rest >>= 7
    return bytes(out)


def event(kind, *values):
    return bytes([kind]) + b"".join(number(value) if isinstance(value, int) else value.encode() + b"\0" for value in values)


def a_file(*events, version=4):
    return b"MOJ" + number(version) + b"".join(events)


def tables(pid=1):
    """Frames of prog.py: 10 main:32, 11 middle:13, 12 leaf:6; and 13 of a library in C."""
    texts = [event(TEXT, key, text) for key, text in ((2, "prog.py"), (3, "main"), (4, "middle"), (5, "leaf"), (6, "libz.so"), (7, "inflate"))]
    frames = [event(FRAME, key, file, name, line, line, 1, 9) for key, file, name, line in ((10, 2, 3, 32), (11, 2, 4, 13), (12, 2, 5, 6), (13, 6, 7, 0))]
    return event(STACK, pid, 0, "%x" % pid) + b"".join(texts + frames)


def refs(*keys):
    return b"".join(event(REF, key) for key in keys)


def decoded(content):
    """(thread, own frame in prog.py, whether idle, microseconds, growth) of each sample, by a reader of the test's own."""
    at, texts, frames, samples = 4, {}, {}, []

    def take():
        nonlocal at
        value, shift, first = content[at] & 0x3F, 6, content[at]
        while content[at] & 0x80:
            at += 1
            value |= (content[at] & 0x7F) << shift
            shift += 7
        at += 1
        return -value if first & 0x40 else value

    def word():
        nonlocal at
        begin, at = at, content.index(b"\0", at) + 1
        return content[begin : at - 1].decode()

    while at < len(content):
        kind = content[at]
        at += 1
        if kind == METADATA:
            word(), word()
        elif kind == STACK:
            _, _, tid = take(), take(), int(word(), 16)
            samples.append({"tid": tid, "line": None, "idle": False, "time": 0, "growth": 0})
        elif kind == FRAME:
            key, file, _, line, *_ = [take() for _ in range(7)]
            frames[key] = texts[file], line
        elif kind == REF:
            file, line = frames[take()]
            samples[-1]["line"] = line if file == "/srv/example/prog.py" else samples[-1]["line"]
        elif kind == IDLE:
            samples[-1]["idle"] = True
        elif kind == TEXT:
            key = take()
            texts[key] = word()
        else:
            samples[-1][{TIME: "time", MEMORY: "growth"}[kind]] = take()
    return samples


def test_samples_of_austin_have_time_memory_and_waiting(importer):
    with open(os.path.join(DATA, "austin-full.mojo"), "rb") as file:
        samples = decoded(file.read())
    profile = importer.stored("austin-full.mojo")
    own = profile["scalene_c"]
    assert own["time_s"] == {"python": near(sum(one["time"] for one in samples if not one["idle"]) / 1e6), "other_wait": near(sum(one["time"] for one in samples if one["idle"]) / 1e6)}
    expected = {}
    for one in samples:
        expected[one["line"]] = expected.get(one["line"], 0) + one["time"] / 1e6
    assert lines(profile, "prog.py") == {line: near(length) for line, length in expected.items() if line and length > 0}
    assert {thread["tid"]: sum(thread["time_s"].values()) for thread in own["threads"]} == {
        tid: near(sum(one["time"] for one in samples if one["tid"] == tid) / 1e6) for tid in {one["tid"] for one in samples}
    }
    assert [thread["is_main"] for thread in sorted(own["threads"], key=lambda thread: thread["tid"])] == [True, False]
    (prog,) = (content for name, content in profile["files"].items() if name.endswith("prog.py"))
    growth = {line["lineno"]: line["n_malloc_mb"] for line in prog["lines"] if line["n_malloc_mb"]}
    in_lines = {number: sum(one["growth"] for one in samples if one["line"] == number and one["growth"] > 0) for number in growth}
    assert growth == {line: near(bytes_ / 2**20) for line, bytes_ in in_lines.items()} and len(growth) >= 3
    assert profile["elapsed_time_sec"] == near(0.417099) and any("had grown by" in note for note in own["notes"])


def test_frames_may_be_those_of_the_last_sample(importer):
    """A repeated stack is what was there without native frames at its end, and what is told before the repetition inside of it."""
    again = event(STACK, 1, 0, "1")
    importer.write("a", a_file(tables(), refs(10, 11, 13), event(TIME, 4), again, refs(12), event(REPEAT), event(TIME, 2), event(STACK, 1, 0, "9"), event(REPEAT), event(TIME, 8), again, event(REPEAT), event(TIME, 1)))
    profile = importer("a")
    assert lines(profile, "prog.py") == {13: near(4e-6), 6: near(3e-6)}
    assert profile["scalene_c"]["time_s"] == {"native": near(4e-6), "python": near(11e-6)}


def test_numbers_are_those_of_a_process(importer):
    other = event(STACK, 2, 0, "2") + event(TEXT, 2, "prog.py") + event(TEXT, 3, "until") + event(FRAME, 10, 2, 3, 28, 28, 1, 9)
    importer.write("a", a_file(tables(), refs(10), event(TIME, 4), other, refs(10), event(TIME, 2), event(STACK, 1, 0, "1"), refs(10), event(TIME, 1)))
    profile = importer("a")
    assert lines(profile, "prog.py") == {32: near(5e-6), 28: near(2e-6)}
    assert sorted(thread["pid"] for thread in profile["scalene_c"]["threads"]) == [1, 2]


def test_tasks_the_kernel_and_what_is_unknown(importer):
    """Stacks of tasks are not the thread's; memory that was given back is not told apart."""
    task = event(TASK, 7, 5, 2) + refs(11, 12) + event(WAITER, 7, 8) + event(RUNNING, 7)
    unknown = event(FRAME, 20, 1, 1, 3, 3, 0, 0)
    importer.write("a", a_file(event(METADATA, "mode", "full"), tables(), task, refs(10), event(KERNEL, "do_idle"), event(INVALID), event(GC), event(TIME, 4), event(MEMORY, -5), event(STACK, 1, 0, "1"), unknown, event(TEXT_REF, 3), refs(10, 20), event(TIME, 2), event(MEMORY, 1 << 20)))
    profile = importer("a")
    assert lines(profile, "prog.py") == {32: near(6e-6)}
    assert profile["scalene_c"]["time_s"]["kernel"] == near(4e-6) and seconds(profile) == near(6e-6)
    assert sum(line["n_malloc_mb"] for content in profile["files"].values() for line in content["lines"]) == near(1)


@pytest.mark.parametrize("version, fields", [(1, ("1",)), (2, ("1",)), (3, (0, "1"))])
def test_older_forms(importer, version, fields):
    frame = (10, 2, 3, 32) if version == 1 else (10, 2, 3, 32, 32, 1, 9)
    importer.write("a", a_file(event(STACK, 1, *fields), event(TEXT, 2, "prog.py"), event(TEXT, 3, "main"), event(FRAME, *frame), refs(10), event(TIME, 300), version=version))
    assert lines(importer("a"), "prog.py") == {32: near(3e-4)}


def test_a_file_that_is_cut_off_has_what_came_before(importer):
    whole = a_file(tables(), refs(10, 11), event(TIME, 4000), event(STACK, 1, 0, "1"), refs(10), event(TIME, 2000))
    importer.write("a", whole[:-1])
    profile = importer("a")
    assert lines(profile, "prog.py") == {13: near(4e-3)}
    assert any("ends within a sample" in note for note in profile["scalene_c"]["notes"])
    begin = len(a_file(tables(), refs(10, 11), event(TIME, 4000)))
    for length in range(begin, len(whole)):
        importer.write("a", whole[:length])
        assert seconds(importer("a")) == near(4e-3)


@pytest.mark.parametrize(
    "content, said",
    [
        (a_file(tables(), version=5), "version 5"), (a_file(tables()), "no stack that cost something"), (a_file(event(17)), "unknown kind 17"),
        (a_file(tables(), refs(9)), "names a frame that there is not"), (a_file(event(STACK, 1, 0, "1"), event(FRAME, 1, 8, 1, 1, 1, 1, 1)), "names a text that there is not"),
        (a_file(tables(), refs(*[10] * 10001)), "more than 10000 frames"), (b"MOJ", "no format that is known"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)


def test_a_named_format_says_what_is_wrong(importer):
    assert "does not begin as a file of austin" in importer.refuses("{}", "--format", "mojo")
