# tests/import/test_gecko.py - Firefox Profiler's JSON, as Tachyon writes it.
#
# SPDX-License-Identifier: Apache-2.0
"""Samples of gecko files stand in lines, threads and over time."""

import copy
import json
import os

import pytest

from importing import DATA, importer, lines, near, seconds

__all__ = ["importer"]


def content():
    with open(os.path.join(DATA, "tachyon.gecko.json"), encoding="utf-8") as file:
        return json.load(file)


def test_samples_of_tachyon_are_the_time_of_threads(importer):
    profile = importer.stored("tachyon.gecko.json")
    interval_s = content()["meta"]["interval"] / 1000
    counts = [len(thread["samples"]["stack"]) for thread in content()["threads"]]
    assert profile["scalene_c"]["samples_taken"] == sum(counts)
    assert seconds(profile) == near(sum(counts) * interval_s)
    assert [thread["samples"] for thread in profile["scalene_c"]["threads"]] == counts
    assert profile["scalene_c"]["call_timeline"]
    (thread,) = content()["threads"]
    frames = [thread["stackTable"]["frame"][stack] for stack in thread["samples"]["stack"]]
    at_nine = [frame for frame in frames if thread["frameTable"]["line"][frame] == 9]
    assert lines(profile, "prog.py")[9] == near(len(at_nine) * interval_s)


def changed(*path, to):
    """The file with another value at a place."""
    whole = content()
    at = whole
    for step in path[:-1]:
        at = at[step]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = copy.deepcopy(to)
    return json.dumps(whole)


def test_weights_may_be_milliseconds(importer):
    count = len(content()["threads"][0]["samples"]["stack"])
    whole = json.loads(changed("threads", 0, "samples", "weight", to=[3] * count))
    whole["threads"][0]["samples"]["weightType"] = "tracing-ms"
    importer.write("a", json.dumps(whole))
    assert seconds(importer("a")) == near(count * 0.003)


@pytest.mark.parametrize(
    "content, said",
    [
        (changed("threads", 0, "samples", "stack", 0, to=10**6), "a stack that there is not"),
        (changed("threads", 0, "stackTable", "prefix", 1, to=1), "around itself"),
        (changed("threads", 0, "stackTable", "frame", to=3), "is damaged"),
        (changed("threads", 0, "stackTable", to=None), "no table 'stackTable'"),
        (changed("threads", 0, "samples", to=None), "has no samples"),
        (changed("threads", 0, "samples", "weight", to=[1e300]), "out of range"),
        (changed("threads", 0, "samples", "weight", to=[-1]), "out of range"),
        (changed("threads", 0, "samples", "weightType", to="bytes"), "bytes, not times"),
        (changed("meta", "interval", to=None), "does not say its interval"),
        (changed("meta", "interval", to="x"), "out of range"),
        (changed("threads", to=[]), "no stack that cost something"),
        (changed("threads", 0, "stackTable", to={"frame": [0] * 10001, "prefix": [None, *range(10000)]}), "more than 10000 frames"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)
