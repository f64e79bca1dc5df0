# tests/import/test_jsonl.py - JSON lines of Tachyon.
#
# SPDX-License-Identifier: Apache-2.0
"""Counts of Tachyon's JSON lines are the time of lines."""

import json
import os

import pytest

from importing import DATA, importer, lines, near, seconds

__all__ = ["importer"]


def content():
    with open(os.path.join(DATA, "tachyon.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def written(records):
    return "".join(json.dumps(dict({"v": 0, "run_id": "r"}, **record)) + "\n" for record in records)


META = {"type": "meta", "sample_interval_usec": 1000, "mode": "wall"}
STRINGS = {"type": "string_table", "strings": [{"str_id": 0, "value": "leaf"}, {"str_id": 1, "value": "prog.py"}]}
FRAMES = {"type": "frame_table", "frames": [{"frame_id": 0, "path_str_id": 1, "func_str_id": 0, "line": 9}]}
COUNTS = {"type": "agg", "kind": "frame", "entries": [{"frame_id": 0, "self": 3, "cumulative": 5}]}
END = {"type": "end", "samples_total": 3}
RUN = [META, STRINGS, FRAMES, COUNTS, END]


def test_counts_of_tachyon_are_the_time_of_lines(importer):
    profile = importer.stored("tachyon.jsonl")
    meta, strings, frames, counts, end = content()
    interval_s = meta["sample_interval_usec"] / 1e6
    assert profile["scalene_c"]["samples_taken"] == end["samples_total"] and seconds(profile) == near(end["samples_total"] * interval_s)
    own = {entry["frame_id"]: entry["self"] for entry in counts["entries"]}
    at_nine = sum(own[frame["frame_id"]] for frame in frames["frames"] if frame["line"] == 9 and strings["strings"][frame["path_str_id"]]["value"].endswith("prog.py"))
    assert lines(profile, "prog.py")[9] == near(at_nine * interval_s)
    assert any("not stacks" in note for note in profile["scalene_c"]["notes"])


def test_runs_may_follow_each_other(importer):
    """Each has numbers of its own; a record or a key that is not known is passed over."""
    other = dict(FRAMES, frames=[{"frame_id": 0, "path_str_id": 1, "func_str_id": 0, "line": 8, "col": 4}])
    importer.write("a", written([*RUN, dict(META, sample_interval_usec=2000), {"type": "news"}, STRINGS, other, COUNTS, END]) + "\n")
    assert lines(importer("a"), "prog.py") == {9: near(0.003), 8: near(0.006)}


def instead(record, **more):
    return written([dict(one, **more) if one is record else one for one in RUN])


@pytest.mark.parametrize(
    "content, said",
    [
        (written(RUN[:-1]), "its last record is missing"), (written(RUN)[:-3], "line 5 is no such record"), (instead(COUNTS, v=1), "version that is not known"),
        (written([META, FRAMES, COUNTS, END]), "line 2 is no such"), (written([META, STRINGS, COUNTS, END]), "line 3 is no such"), (written([META, META]), "line 2 is no such"),
        (instead(COUNTS, entries=[{"frame_id": 1, "self": 1}]), "line 4 is no such"), (instead(COUNTS, entries=[{"frame_id": 0, "self": -1}]), "out of range"),
        (instead(STRINGS, strings=[{"str_id": 7, "value": "f"}]), "line 2 is no such"), (instead(META, sample_interval_usec=-1), "line 1 is no such"),
        (instead(META, sample_interval_usec=1e300), "out of range"), (instead(COUNTS, entries=[]), "no stack that cost something"), (written(RUN) + "{", "line 6 is no such"),
        (written(RUN[1:]), "no format that is known"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)
