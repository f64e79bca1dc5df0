# tests/export/exporting.py - profiles to export, what a format must say of them, and running `scalene export`.
#
# What is expected is computed from the profile's JSON alone, and each format is read by a decoder that knows its definition, so
# that both can be compared exactly.
#
# SPDX-License-Identifier: Apache-2.0
"""A profile with everything in it, and its truth."""

import collections
import importlib
import json
import os
import re
import sys

import packages
import pytest

from conftest import BUILD, ROOT, execute

sys.path.insert(0, os.path.join(ROOT, "tests", "view"))
from data_parts import file, own_part, profile, thread  # noqa: E402

ORIGINAL = os.path.join(ROOT, "tests", "profile", "data", "original-2.4.0.json")
PROGRAM = "/srv/app/prog.py"
WAITS = ("io", "lock", "gil", "sleep", "child", "other")

with open(os.path.join(ROOT, "src", "export", "writers.h"), encoding="utf-8") as stream:
    FORMATS = dict(re.findall(r'^    X\((\w+), "([^"]+)"', stream.read(), re.M))  # and their extensions

SOURCE = '''\
def main():
    load("=1,2", "a;b")
    run()


def run():
    work()
'''

# kind, name, file or module, line, role; and as people see it
FRAMES = (
    ("py", "<module>", PROGRAM, 9, None, "<module> (prog.py:9)"),
    ("py", "main", PROGRAM, 2, None, "main (prog.py:2)"),
    ("py", 'lo"ad;x\n', "/srv/app/a,b 名\udcff.py", 3, None, 'lo"ad;x<U+000A> (a,b 名<FF>.py:3)'),
    ("py", "(lambda)", PROGRAM, 7, None, "(lambda) (prog.py:7)"),
    ("py", "JSONEncoder.encode", "/usr/lib/python3.12/json/encoder.py", 200, "library", "JSONEncoder.encode (json.encoder:200)"),
    ("native", "operator<</&|`x`", "/usr/lib/libz.so.1", None, None, "operator<</&|`x` (libz.so.1)"),
    ("native", "[kernel]", "[kernel]", None, None, "[kernel]"),
    ("py", "main", PROGRAM, 3, None, "main (prog.py:3)"),
    ("py", "r\u202e", "", 5, None, "r<U+202E>"),
)

# parent, frame, self s, self MB, MB at the peak, MB at exit, s of waiting
NODES = (
    (0, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (1, 1, 0.25, 1.5, 1.0, 0.5, 0.0),
    (2, 2, 0.125, 0.0, 0.0, 0.0, 0.125),
    (3, 5, 0.5, 8.0, 8.0, 0.0, 0.0),
    (4, 6, 0.0625, 0.0, 0.0, 0.0, 0.03125),
    (1, 7, 1.0, 0.0, 0.0, 0.0, 0.0),
    (6, 3, 2.0, 64.25, 64.25, 64.25, 0.0),
    (7, 3, 3.0, 0.0, 0.0, 0.0, 0.0),  # calls itself
    (8, 4, 0.000001, 0.0, 0.0, 0.0, 0.0),
    (0, 8, 0.75, 0.0, 0.0, 0.0, 0.0),
)

# s since the start, s, node, thread
RUNS = (
    (0.5, 0.25, 2, 11), (0.75, 0.125, 3, 11), (0.875, 0.5, 4, 11), (1.375, 0.0625, 5, 11), (2.0, 1.0, 6, 11), (3.0, 2.0, 7, 11),
    (5.0, 3.0, 8, 11), (0.5, 0.5, 10, 12),
)


def frame_of(kind, name, path, line, role, _):
    made = {"display_name": name, "filename_or_module": path, "ip": None if line else 4096, "kind": kind, "line": line, "offset": None}
    return {**made, "role": role} if role else made


def everything():
    """All that a profile may have, with names that break out of formats."""
    functions = [("main", 1, {"python": 20.0}), ("run", 6, {})]
    costs = {
        2: {"python": 20.0, "n_copy_mb_s": 2.0, "wait_s": {"io": 0.5, "gil": 0.25}, "time_s": {"python": 1.5, "io": 0.125}, "n_malloc_mb": 65.0},
        3: {"native": 5.5, "n_copy_mb_s": 0.5, "wait_s": {"lock": 4.0}, "n_gpu_s": 0.75, "curve": [[10, 1.5]]},
        7: {"system": 1e-3, "n_samples": 3, "n_mallocs": 12345678901},
    }
    made = file(SOURCE, costs, functions)
    for line in made["lines"]:
        if line["lineno"] not in (4, 5):
            line["start_function_line"], line["end_function_line"] = (1, 3) if line["lineno"] < 4 else (6, 7)
    threads = [thread("Main\"Thr;ead\x1b", 7.0, 11, main=True, io=0.5), thread("worker", 0.5, 12, lock=4.0)]
    own = own_part(
        7.5, {"python": 7.0, "native": 0.5, "io": 0.15625, "kernel": 0.03125}, {"io": 0.5, "lock": 4.0, "gil": 0.25}, threads=threads,
        call_frames=[frame_of(*one) for one in FRAMES], call_tree=[list(node[:4]) for node in NODES],
        call_at_peak_mb=[node[4] for node in NODES], call_at_exit_mb=[node[5] for node in NODES],
        call_waiting_s=[node[6] for node in NODES], call_timeline=[list(run) for run in RUNS], call_tree_percent=100.0,
        rss=[[0, 10.0], [4_000_000_000, 80.5]], max_rss_mb=80.5, gpu_memory=[[1_000_000_000, 3.0]], labels={"host": "n\x1b7", "rank": "3"},
    )
    return profile(
        PROGRAM, 8.0, {PROGRAM: made}, own, memory=True, max_footprint_mb=73.25, samples=[[0, 1.0], [2_000_000_000, 73.25]],
        args=[PROGRAM, "--password=hunter2"],
    )  # fmt: skip


def seen(text, but=""):
    """As base/visible.h has it, for the characters that are used here."""
    unseen = "[\x00-\x1f\x7f-\x9f\u200d\u202e\ufe0f]"
    text = re.sub(unseen, lambda found: found[0] if found[0] in but else "<U+%04X>" % ord(found[0]), text)
    return re.sub("[\udc80-\udcff]", lambda found: "<%02X>" % (ord(found[0]) - 0xDC00), text)


def frame_key(frame):
    """name, path, line."""
    line = frame.get("line") if frame["kind"] == "py" else 0
    return seen(frame["display_name"] or "(unknown)"), seen(frame["filename_or_module"] or ""), line or 0


def whole(number):
    return int(number + 0.5)


def truth(made):
    """value -> {stack of (name, path, line), outermost first: whole number}, without zeros."""
    sums = collections.defaultdict(lambda: collections.defaultdict(float))
    own = made.get("scalene_c", {})
    if own.get("call_tree"):
        stacks = [()]
        for at, (parent, frame, self_s, self_mb) in enumerate(own["call_tree"]):
            stack = (*stacks[parent], frame_key(own["call_frames"][frame]))
            stacks.append(stack)
            values = {"time": self_s * 1e9, "allocated": self_mb * 2**20}
            for name, key, unit in (("in_use_at_peak", "call_at_peak_mb", 2**20), ("in_use_at_exit", "call_at_exit_mb", 2**20), ("waiting", "call_waiting_s", 1e9)):
                values[name] = (own.get(key) or [0] * len(own["call_tree"]))[at] * unit
            for name, value in values.items():
                sums[name][stack] += value
    else:
        for key, name, unit in (("combined_stacks", "samples", 1), ("memory_stacks", "allocated", 2**20)):
            for frames, weight in made.get(key, ()):
                sums[name][tuple(map(frame_key, frames))] += weight * unit
        for names, hits in made.get("stacks", ()) if not made.get("combined_stacks") else ():  # "FILE NAME:LINE;"
            stack = tuple(re.fullmatch("(.*) ([^ ]*):([0-9]+);", name).groups() for name in names)
            sums["samples"][tuple((name, path, int(line)) for path, name, line in stack)] += hits["count"]
    is_of_lines = not any(sums["time"].values()) and not any(sums["samples"].values())
    has_memory = any(sums["allocated"].values())
    total_s = sum(own.get("time_s", {}).values()) or made["elapsed_time_sec"]
    for path, one in made["files"].items():
        for line in one["lines"]:
            values = {"copied": line["n_copy_mb_s"] * made["elapsed_time_sec"] * 2**20, "gpu": line.get("n_gpu_s", 0) * 1e9}
            values.update({"blocked_" + wait: line.get("wait_s", {}).get(wait, 0) * 1e9 for wait in WAITS})
            if is_of_lines:
                values["time"] = total_s / 100 * (line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]) * 1e9
                values["waiting"] = sum(line.get("time_s", {}).get(kind, 0) for kind in ("io", "sleep", "other_wait")) * 1e9
            if not has_memory:
                values["allocated"] = line["n_malloc_mb"] * 2**20
            around = [f for f in one["functions"] if f["lineno"] <= line["lineno"] <= end_of(one, f)]
            name = around[-1]["line"] if around else "<module>"
            for value, amount in values.items():
                sums[value][((seen(name), seen(path), line["lineno"]),)] += amount
    found = {name: {stack: whole(value) for stack, value in stacks.items() if whole(value)} for name, stacks in sums.items()}
    return {name: stacks for name, stacks in found.items() if stacks}


def end_of(one, function):
    line = next((line for line in one["lines"] if line["lineno"] == function["lineno"]), {})
    return max(line.get("end_function_line", 0), function["lineno"]) if line.get("start_function_line") == function["lineno"] else function["lineno"]


def write(folder, made, name="p.json"):
    path = os.path.join(str(folder), name)
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(made, stream)
    return path


def export(scalene, form, made, folder):
    """The bytes of a format."""
    path = made if isinstance(made, str) else write(folder, made)
    out = os.path.join(str(folder), "out")
    ended = execute([scalene, "export", "--format", form, "-o", out, path], cwd=str(folder)).expect(0)
    assert ended.stderr == ""
    with open(out, "rb") as stream:
        return stream.read()


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


# What the threads of everything() did, in ms.
SLICES = {
    'Main"Thr;ead<U+001B>': [
        (500, 1437.5, 0, "<module>"), (500, 1437.5, 1, "main"), (750, 1437.5, 2, 'lo"ad;x<U+000A>'), (875, 1437.5, 3, "operator<</&|`x`"),
        (1375, 1437.5, 4, "[kernel]"), (2000, 8000, 0, "<module>"), (2000, 8000, 1, "main"), (3000, 8000, 2, "(lambda)"),
        (5000, 8000, 3, "(lambda)"),
    ],
    "worker": [(500, 1000, 0, "r<U+202E>")],
}
SLICES_NS = {name: [(begin * 1e6, end * 1e6, depth, function) for begin, end, depth, function in found] for name, found in SLICES.items()}


def slices(events, frames):
    """[(begin, end, depth, name)] of calls that begin ("O") and end, in their order."""
    still, found, last = [], [], 0
    for at, frame, kind in events:
        assert at >= last
        last = at
        if kind == "O":
            still.append((frame, at))
        else:
            begun, since = still.pop()
            assert frame in (begun, None)
            found.append((since, at, len(still), frames[begun][0]))
    assert not still
    return sorted(found, key=lambda one: (one[0], one[2]))


def reader(module):
    """A package that reads a format."""
    why = packages.for_tests(packages.EXPORTS)
    if why is not None:
        pytest.skip("%s cannot be installed: %s" % (module, why))
    return importlib.import_module(module)
