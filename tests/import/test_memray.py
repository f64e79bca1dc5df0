# tests/import/test_memray.py - memray's exports: csv, gprof2dot and stats.
#
# SPDX-License-Identifier: Apache-2.0
"""Memory of memray's exports stands at lines and in calls."""

import csv
import json
import os

import pytest

from importing import DATA, importer, lines

__all__ = ["importer"]

HEAD = "allocator,num_allocations,size,tid,thread_name,stack_trace\r\n"
MB = 2**20


def rows():
    with open(os.path.join(DATA, "memray.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def graph_of(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return json.load(file)


def test_bytes_and_blocks_of_the_table_stand_at_lines(importer):
    profile = importer.stored("memray.csv")
    own = [row for row in rows() if ";prog.py;38" in row["stack_trace"]]
    assert profile["max_footprint_mb"] == pytest.approx(sum(int(row["size"]) for row in rows()) / MB)
    assert lines(profile, "prog.py", "n_malloc_mb")[38] == pytest.approx(sum(int(row["size"]) for row in own) / MB)
    assert lines(profile, "prog.py", "n_mallocs")[38] == sum(int(row["num_allocations"]) for row in own)
    assert lines(profile, "prog.py", "n_peak_mb")[38] == lines(profile, "prog.py", "n_malloc_mb")[38]


def test_the_graph_has_functions_alone(importer):
    profile = importer.stored("memray.gprof2dot.json")
    assert profile["max_footprint_mb"] == pytest.approx(sum(event["cost"][0] for event in graph_of("memray.gprof2dot.json")["events"]) / MB)
    (file,) = [content for name, content in profile["files"].items() if name.endswith("prog.py")]
    assert {f["line"]: f["lineno"] for f in file["functions"]}["main"] == 32


def test_stats_have_the_places_with_most(importer):
    profile = importer.stored("memray.stats.json")
    stats = graph_of("memray.stats.json")
    (size,) = [place["size"] for place in stats["top_allocations_by_size"] if place["location"].endswith("prog.py:38")]
    assert profile["scalene_c"]["allocated_mb"] == pytest.approx(stats["total_bytes_allocated"] / MB)
    assert lines(profile, "prog.py", "n_malloc_mb")[38] == pytest.approx(size / MB)


def test_fields_may_be_in_quotes(importer):
    importer.write("a", HEAD + 'MALLOC,2,3145728,1,"a,""b""","f(a, b);prog.py;9|g;prog.py;15"\r\n')
    assert lines(importer("a"), "prog.py", "n_mallocs") == {9: 2}


GRAPH = {"version": 0, "costs": [], "events": [{"callchain": [0], "cost": [5]}], "functions": [{"name": "f", "module": "prog.py"}]}
STATS = {"total_bytes_allocated": 5, "top_allocations_by_size": [{"location": "f:prog.py:9", "size": 5}]}


@pytest.mark.parametrize(
    "content, said",
    [
        (HEAD + "MALLOC,1\r\n", "row 2: it does not have the six fields"),
        (HEAD + "MALLOC,1,x,1,t,f;a.py;3\r\n", "row 2: it does not have the six fields"),
        (HEAD + "MALLOC,1,9223372036854775808,1,t,f;a.py;3\r\n", "row 2: it does not have the six fields"),
        (HEAD + "MALLOC,1,2000000000000000000,1,t,f;a.py;3\r\n", "row 2: 2000000000000000000 bytes"),
        (HEAD + "MALLOC,1,1,1,t," + "f;a.py;3|" * 10001 + "f;a.py;3\r\n", "row 2: a stack has more than 10000 frames"),
        (HEAD, "no stack that cost something"),
        (json.dumps(dict(GRAPH, events=[{"callchain": [1], "cost": [5]}])), "a function that there is not"),
        (json.dumps(dict(GRAPH, events=[{"callchain": [0], "cost": [-5]}])), "out of range"),
        (json.dumps(dict(GRAPH, events=[{}])), "no callchain"),
        (json.dumps(dict(GRAPH, functions=[1])), "list of functions is empty or damaged"),
        (json.dumps(dict(STATS, total_bytes_allocated=4)), "more than all"),
        (json.dumps(dict(STATS, top_allocations_by_size=[1])), "no name or no size"),
    ],
)
def test_what_is_no_such_file_is_refused(importer, content, said):
    assert said in importer.refuses(content)
