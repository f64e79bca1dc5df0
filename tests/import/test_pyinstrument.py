# tests/import/test_pyinstrument.py - pyinstrument's own JSON.
#
# SPDX-License-Identifier: Apache-2.0
"""Frames of pyinstrument's JSON have their own times."""

import json
import os

import pytest

from importing import DATA, importer, lines, near, own, seconds

__all__ = ["importer"]


def content():
    with open(os.path.join(DATA, "pyinstrument.json"), encoding="utf-8") as file:
        return json.load(file)


def a_frame(name, time, *children, **more):
    return {"function": name, "file_path": "prog.py", "line_no": 6, "time": time, **more, "children": list(children)}


def a_file(root):
    return json.dumps({"duration": 9, "root_frame": root})


def own_of(frame, name):
    inner = sum(child["time"] for child in frame["children"])
    return (frame["time"] - inner if frame["function"] == name else 0) + sum(own_of(child, name) for child in frame["children"])


def test_own_times_are_what_calls_did_not_take(importer):
    profile = importer.stored("pyinstrument.json")
    root = content()["root_frame"]
    assert seconds(profile) == pytest.approx(root["time"], abs=1e-4) and profile["elapsed_time_sec"] == near(content()["duration"])
    assert own(profile, "prog.py")["leaf"] == pytest.approx(own_of(root, "leaf"), abs=1e-4)


def test_what_awaits_waits_where_it_is_called(importer):
    waiting = a_frame("[await]", 2, file_path="", line_no=0)
    importer.write("a", a_file(a_frame("leaf", 4, waiting, a_frame("len", 1, file_path="<built-in>", line_no=0), a_frame("[self]", 0.5, file_path=""))))
    profile = importer("a")
    assert profile["scalene_c"]["time_s"] == {"other_wait": near(2), "native": near(1), "python": near(1)}
    assert lines(profile, "prog.py") == {6: near(4)}


def nested(depth):
    text = "".join('{"function": "f", "file_path": "prog.py", "line_no": 6, "time": 1, "children": [' for _ in range(depth))
    return '{"duration": 1, "root_frame": ' + text + "]}" * depth + "}"


def test_a_tree_is_as_deep_as_the_calls(importer):
    importer.write("a", nested(900))
    profile = importer("a")
    assert len(profile["scalene_c"]["call_tree"]) == 900 and lines(profile, "prog.py") == {6: near(1)}


@pytest.mark.parametrize(
    "content, said",
    [
        (nested(10001), "more than 10000 frames"), (nested(5)[:-1], "not JSON"), (nested(5)[:-4], "not JSON"), (nested(5) + "x", "not JSON"),
        (a_file(a_frame("f", 1, a_frame("g", 1.1))), "less time than those"), (a_file(a_frame("f", -1)), "no name or no time"),
        (a_file(a_frame("", 1)), "no name or no time"), (a_file({"children": [], "function": "f", "time": 1}), "no name or no time"),
        (a_file({"function": "f", "time": 1}), "no list of calls"), (a_file({}), "no list of calls"), (a_file(a_frame("f", 1e300)), "out of range"),
        (a_file(a_frame("f", 0)), "no stack that cost something"), (a_file(a_frame("f", 1, 7)), "not JSON"),
        (a_file(None), "no format that is known"), (json.dumps({"root_frame": a_frame("f", 1)}), "no format that is known"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)


def test_a_named_format_says_what_is_wrong(importer):
    assert "no duration and tree of frames" in importer.refuses("{}", "--format", "pyinstrument")
