# tests/import/test_chrome.py - traces of Chrome's form, as viztracer and py-spy write them.
#
# SPDX-License-Identifier: Apache-2.0
"""Calls of a trace have the time that is not that of the calls within them."""

import json
import os
import random

import pytest

from importing import DATA, importer, lines, near, own, seconds

__all__ = ["importer"]


def content():
    with open(os.path.join(DATA, "viztracer.json"), encoding="utf-8") as file:
        return json.load(file)


def call(name, start, length, **more):
    return {"ph": "X", "pid": 1, "tid": 2, "ts": start, "dur": length, "name": name, "cat": "fee", **more}


def a_file(*events, **more):
    return json.dumps({"traceEvents": list(events), **more})


def test_calls_of_viztracer_have_their_own_time(importer):
    profile = importer.stored("viztracer.json")
    calls = [event for event in content()["traceEvents"] if event["ph"] == "X"]
    begin, end = min(event["ts"] for event in calls), max(event["ts"] + event["dur"] for event in calls)
    assert profile["elapsed_time_sec"] == near((end - begin) / 1e6)
    assert own(profile, "prog.py")["leaf"] == near(sum(event["dur"] for event in calls if event["name"].startswith("leaf (")) / 1e6)
    threads = {thread["name"]: thread for thread in profile["scalene_c"]["threads"]}
    assert sorted(threads) == ["MainThread", "helper"] and threads["MainThread"]["is_main"]
    outermost = max((event for event in calls if event["tid"] == threads["helper"]["tid"]), key=lambda event: event["dur"])
    assert sum(threads["helper"]["time_s"].values()) == near(outermost["dur"] / 1e6)
    assert profile["scalene_c"]["call_timeline"]


def test_the_order_of_events_does_not_matter(importer):
    old = importer.stored("viztracer.json")
    whole = content()
    random.Random(1).shuffle(whole["traceEvents"])
    importer.write("viztracer.json", json.dumps(whole["traceEvents"]))
    new = importer("viztracer.json")
    assert new["scalene_c"]["time_s"] == old["scalene_c"]["time_s"] and own(new, "prog.py") == own(old, "prog.py")


def test_calls_within_calls(importer):
    """Of two that are equally long the one that ends later in the file is around; what is between calls is nobody's."""
    importer.write("a", a_file(call("len", 1, 2), call("leaf (prog.py:6)", 1, 2), call("middle (prog.py:13)", 1, 5), call("main (prog.py:32)", 10, 4)))
    profile = importer("a")["scalene_c"]
    assert profile["time_s"] == {"native": near(2e-6), "python": near(7e-6)}
    assert [node[0] for node in profile["call_tree"]] == [0, 1, 2, 0]
    assert lines(importer("a"), "prog.py") == {6: near(2e-6), 13: near(3e-6), 32: near(4e-6)}


def test_threads_are_told_by_numbers_and_words(importer):
    named = {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "worker"}}
    importer.write("a", a_file(*(dict(call("f", 0, 3), pid=pid, tid=tid) for pid, tid in ((1, 2), ("1", "2"), (3, 2), (3, "stream"), (3, "queue"))), named))
    threads = importer("a")["scalene_c"]["threads"]
    assert sorted((thread["pid"], thread["name"]) for thread in threads) == [(1, "worker"), (3, "queue"), (3, "stream"), (3, "thread 2")]
    assert len({thread["tid"] for thread in threads}) == 4


def test_stacks_of_pyspy_last_from_one_event_to_the_next(importer):
    with open(os.path.join(DATA, "pyspy.chrome.json"), encoding="utf-8") as file:
        events = json.load(file)
    stacks, since, whole, its_lines = {}, {}, 0, {}
    for event in events:
        stack, length = stacks.setdefault(event["tid"], []), event["ts"] - since.get(event["tid"], event["ts"])
        line = next((line for name, line in reversed(stack) if name == "/srv/example/prog.py"), None)
        its_lines[line] = its_lines.get(line, 0) + (length if stack else 0)
        whole += length if stack else 0
        stack.append((event["args"]["filename"], event["args"]["line"])) if event["ph"] == "B" else stack.pop()
        since[event["tid"]] = event["ts"]
    profile = importer.stored("pyspy.chrome.json")
    assert not any(stacks.values()) and len(profile["scalene_c"]["threads"]) == len(stacks) == 2
    assert seconds(profile) == near(whole / 1e6)
    expected = {line: near(length / 1e6) for line, length in its_lines.items() if line and length > 0}
    assert lines(profile, "prog.py") == expected and len(expected) >= 3
    assert not any("without an end" in note for note in profile["scalene_c"].get("notes", []))


def test_events_begin_and_end_calls(importer):
    """The first of two that begin and end together is the outer one; what has no end lasts until the last event."""

    def event(kind, moment, name=None, **args):
        return {"ph": kind, "pid": 1, "tid": 2, "ts": moment, **({"name": name, "args": args} if name else {})}

    open_and_closed = [event("B", 1, "main", filename="prog.py", line=32), event("B", 1, "middle", filename="prog.py", line=13), event("E", 4), event("E", 4)]
    importer.write("a", a_file(event("E", 0), *open_and_closed, event("B", 6, "leaf (prog.py:6)"), call("len", 6, 1), event("B", 8, "f")))
    profile = importer("a")
    assert lines(profile, "prog.py") == {13: near(3e-6), 6: near(2e-6)}
    assert profile["scalene_c"]["time_s"] == {"native": near(1e-6), "python": near(4e-6)}
    assert [node[0] for node in profile["scalene_c"]["call_tree"]] == [0, 1, 0, 3]
    assert "calls without an end, or ends without a call: 3" in profile["scalene_c"]["notes"]


def test_what_is_not_read_is_said(importer):
    importer.write("a", a_file(call("f", 0, 4), call("g", 2, 5), viztracer_metadata={"overflow": True}))
    profile = importer("a")
    assert seconds(profile) == near(4e-6)
    notes = " ".join(profile["scalene_c"]["notes"])
    assert "after the call around them: 1" in notes and "buffer was too small" in notes


@pytest.mark.parametrize(
    "content, said",
    [
        (a_file(), "no stack that cost something"), (a_file(call("f", 0, 0)), "no stack that cost something"), (a_file({"pid": 1}), "no kind"),
        (a_file(call("f", 0, -1)), "out of range"), (a_file(call("f", 1e300, 1)), "out of range"), (a_file(call("f", None, 1)), "out of range"),
        (a_file(call("f", 0, 1e16)), "out of range"), (a_file({"ph": "B", "pid": 1}), "out of range"), (a_file({"ph": "E", "pid": 1}), "has no end"), (a_file(3), "no kind"), (a_file(*[call("f", at, 30000 - at) for at in range(10001)]), "more than 10000 frames"),
        (json.dumps([call("f", 0, 1)])[:-1], "not JSON"), ('{"traceEvents": 3}', "not JSON"), (a_file(call("f", 0, 1))[:-1], "no format that is known"),
        ("[]", "no format that is known"), ('[{"ph": 1}]', "no format that is known"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)


def test_a_named_format_says_what_is_wrong(importer):
    assert "no list of events" in importer.refuses("{}", "--format", "chrome")
