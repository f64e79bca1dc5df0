# tests/import/test_gecko.py - Firefox Profiler's JSON, as Tachyon writes it, or the profiler.
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


def newer(offsets):
    """The file as the profiler of today saves it; offsets: from version 66 on."""
    whole = content()
    shared, (thread,) = whole["shared"], whole["threads"]
    shared.update({key: thread.pop(key) for key in ("stackTable", "frameTable", "funcTable", "resourceTable")})
    files = shared["funcTable"].pop("fileName")
    shared["sources"] = {"filename": sorted({file for file in files if file is not None}, reverse=True)}
    shared["funcTable"]["source"] = [None if file is None else shared["sources"]["filename"].index(file) for file in files]
    times = thread["samples"].pop("time")
    thread["samples"]["timeDeltas"] = [time - before for time, before in zip(times, [0, *times])]
    if offsets:
        shared["stackTable"]["prefixOffset"] = [0 if stack is None else at - stack for at, stack in enumerate(shared["stackTable"].pop("prefix"))]
    return whole


@pytest.mark.parametrize("offsets", [False, True])
def test_tables_that_threads_share_are_read(importer, offsets):
    old = importer.stored("tachyon.gecko.json")
    importer.write("tachyon.gecko.json", json.dumps(newer(offsets)))
    new = importer("tachyon.gecko.json")
    assert (new["files"], new["scalene_c"]["call_timeline"]) == (old["files"], old["scalene_c"]["call_timeline"])
    whole = newer(offsets)
    whole["shared"]["stackTable"].update(prefixOffset=[0, 2])
    assert "around itself" in importer.refuses(json.dumps(whole))
    del whole["shared"]["frameTable"]
    assert "no table 'frameTable'" in importer.refuses(json.dumps(whole))


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


def test_threads_whose_numbers_are_texts_are_kept_apart(importer):
    """As the profiler, samply and `scalene export` write them; those without one have their place in the file."""
    whole = content()
    whole["threads"] = [dict(whole["threads"][0], pid=pid, tid=tid) for pid, tid in (("10", "10"), ("10", "12"), (10, 13), ("10.1", "14.1"), (None, None))]
    importer.write("a", json.dumps(whole))
    profile = importer("a")["scalene_c"]
    assert [(thread["pid"], thread["tid"]) for thread in profile["threads"]] == [(10, 10), (10, 12), (10, 13), (1, 4), (1, 5)]
    assert {thread["samples"] for thread in profile["threads"]} == {len(content()["threads"][0]["samples"]["stack"])}


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
