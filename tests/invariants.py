# tests/invariants.py - what is true of every profile, whatever was run: its numbers agree with one another.
#
# The harness calls check() on every profile that a run in any test has written. A rule compares numbers that describe the same thing.
#
# How far two numbers may be apart is stated where they are compared. Reasons for a tolerance:
#   EXACT      numbers are written with all their digits; sums of some 100,000 of them lose 1e-9
#   CURVE_MB   curves are rounded to a thousandth of a MB
#   a count    is time in whole intervals: half an interval off, and a whole one where 1 stands for less
#   folding    a stack of less than a thousandth is shown as its caller's; the profile says how much that moved
#
# SPDX-License-Identifier: Apache-2.0
"""check(profile): the numbers of a profile agree with one another."""

import collections
import json
import math
import re

import calls
from invariants_of_parts import moments_of_calls, units_are_of_the_run, units_of_calls, waiting_of_calls

EXACT = 1e-6
CURVE_MB = 0.0005 + EXACT

PYTHON = ("python", "preempted_python")
NATIVE = ("native", "parallel_native", "preempted_native")

KINDS = (("n_cpu_percent_python", PYTHON), ("n_cpu_percent_c", NATIVE))

# What a record's time was used for, beside its kinds.
PARTS_OF_TIME = ("gc_s", "freeing_s", "importing_s", "worker_threads_s")

# Work that a line has handed over to threads whose Python frames are not shown.
WORKERS = "[in worker threads]"

# Numbers that may be below 0: a status and what Python makes of a signal.
SIGNED = ("exit_value", "growth_mb")


class Checked:
    """A profile and what was found wrong with it."""

    def __init__(self, profile):
        self.profile = profile
        self.own = profile.get("scalene_c", {})
        self.files = profile.get("files", {})
        self.wrong = []
        self.total_s = sum(self.own.get("time_s", {}).values())

    def expect(self, is_right, text, *values):
        if not is_right:
            self.wrong.append(text % values)

    def at_most(self, smaller, larger, tolerance, what):
        self.expect(smaller <= larger + tolerance, "%s: %.9g is more than %.9g by more than %.3g", what, smaller, larger, tolerance)

    def equal(self, one, other, tolerance, what):
        self.expect(abs(one - other) <= tolerance, "%s: %.9g is not %.9g, to within %.3g", what, one, other, tolerance)

    def percent_of(self, seconds):
        return 100 * seconds / self.total_s if self.total_s > 0 else 0.0

    def interval_percent(self):
        return self.percent_of(self.own.get("interval_s", 0))

    def lines(self):
        for name, file in self.files.items():
            for line in file["lines"]:
                yield name, line

    def records(self):
        """Lines and functions, each with words for messages."""
        for name, file in self.files.items():
            for line in file["lines"]:
                yield "%s:%d" % (name, line["lineno"]), line
            for function in file["functions"]:
                yield "%s %s" % (name, function["line"]), function


def share_of(record):
    return record["n_cpu_percent_python"] + record["n_cpu_percent_c"] + record["n_sys_percent"]


def walk(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, path + (key,))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from walk(inner, path + (number,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def numbers_are_numbers(checked):
    """Nothing is infinite, no measure is below 0, no percentage above 100, no fraction above 1."""
    for path, number in walk(checked.profile, ()):
        key = next((one for one in reversed(path) if isinstance(one, str)), "")
        where = "/".join(map(str, path))
        checked.expect(math.isfinite(number), "%s is %s", where, number)
        checked.expect(number >= 0 or key in SIGNED, "%s is %s", where, number)
        if key.endswith("percent") or key.startswith("n_cpu_percent"):
            checked.at_most(number, 100, EXACT, where)
        if key.endswith("_fraction") or key in ("n_core_utilization", "likelihood"):
            checked.at_most(number, 1, EXACT, where)


def lines_are_in_order(checked):
    """One record for each line from 1 on; what is around a line holds it."""
    for name, file in checked.files.items():
        numbers = [line["lineno"] for line in file["lines"]]
        checked.expect(numbers == list(range(1, len(numbers) + 1)), "%s: its lines are %s...", name, numbers[:5])
        for line in file["lines"]:
            here = line["lineno"]
            for start, end in (("start_region_line", "end_region_line"), ("start_outermost_loop", "end_outermost_loop")):
                checked.expect(1 <= line[start] <= here <= line[end] <= len(numbers), "%s:%d: %s %d, %s %d", name, here, start, line[start], end, line[end])
        for number in file["leaks"]:
            checked.expect(1 <= int(number) <= len(numbers), "%s: a leak at line %s", name, number)
        for function in file["functions"]:
            checked.expect(function["lineno"] >= 1, "%s: %s begins at line %d", name, function["line"], function["lineno"])


def kinds_make_the_share(checked):
    """A record's Python, native and system parts are what its seconds by kind say."""
    for where, record in checked.records():
        times = record.get("time_s", {})
        parts = [(key, checked.percent_of(sum(times.get(kind, 0) for kind in kinds))) for key, kinds in KINDS]
        parts.append(("n_sys_percent", checked.percent_of(sum(times.values())) - sum(percent for _, percent in parts)))
        for key, percent in parts:
            checked.equal(record[key], percent, EXACT, "%s %s" % (where, key))
        checked.at_most(share_of(record), record.get("n_cumulative_percent", 0), EXACT, "%s with what it calls" % where)
        for key in PARTS_OF_TIME:
            checked.at_most(record.get(key, 0), sum(times.values()), EXACT, "%s %s" % (where, key))
        both = record.get("gc_s", 0) + record.get("freeing_s", 0)
        checked.at_most(both, sum(times.values()), EXACT, "%s gc_s and freeing_s" % where)


def whole_of_files(checked):
    """Lines and functions make up no more than their file, files no more than the run."""
    files_percent = sum(file["percent_cpu_time"] for file in checked.files.values())
    hidden_percent = sum(file["percent"] for file in checked.own.get("hidden_files", []))
    ending_percent = checked.percent_of(checked.own.get("ending_s", 0))
    checked.at_most(files_percent + hidden_percent + ending_percent, 100, EXACT, "all files")
    for name, file in checked.files.items():
        lines_percent = sum(map(share_of, file["lines"]))
        functions_percent = sum(map(share_of, file["functions"]))
        checked.at_most(lines_percent, file["percent_cpu_time"], EXACT, "lines of %s" % name)
        checked.at_most(functions_percent, file["percent_cpu_time"], EXACT, "functions of %s" % name)
        if not has_other_lines(checked, name, file):
            checked.equal(lines_percent, file["percent_cpu_time"], EXACT, "lines of %s" % name)


def has_marks(checked):
    """Whether functions may be marked: then the other lines have no numbers, and stacks are as they were."""
    return any(line["line"].strip().startswith("@") and "profile" in line["line"] for _, line in checked.lines())


def has_other_lines(checked, name, file):
    """Whether time may be at lines that the text does not have, or that are not shown."""
    if file.get("source_changed") or has_marks(checked):
        return True
    stacks = checked.profile.get("combined_stacks", [])
    if not stacks:  # which would show it
        return True
    last = len(file["lines"])
    return any(frame["filename_or_module"] == name and (frame["line"] or last + 1) > last for frames, _ in stacks for frame in frames if frame["kind"] == "py")


def whole_of_functions(checked):
    """A function's own time is at its lines."""
    for name, file in checked.files.items():
        if has_other_lines(checked, name, file):
            continue
        by_line = {line["lineno"]: line for line in file["lines"]}
        for function in file["functions"]:
            first = by_line.get(function["lineno"])
            if first is None or first["start_function_line"] != function["lineno"]:
                continue
            inside = [by_line[number] for number in range(first["lineno"], first["end_function_line"] + 1) if number in by_line]
            for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent", "n_malloc_mb", "n_copy_mb_s", "n_async_await_percent", "n_samples"):
                checked.at_most(function.get(key, 0), sum(line.get(key, 0) for line in inside), EXACT, "%s %s %s" % (name, function["line"], key))


def sums_of_the_run(checked):
    """What lines and threads have is part of what the run has."""
    own = checked.own
    checked.at_most(own.get("refusal_notes", 0), len(own.get("notes", [])), 0, "notes on refusals")
    for group in ("time_s", "wait_s"):
        sums = collections.Counter()
        for _, line in checked.lines():
            sums.update(line.get(group, {}))
        for kind, seconds in sums.items():
            checked.at_most(seconds, own.get(group, {}).get(kind, 0), EXACT, "lines' %s %s" % (group, kind))
    for key in set(PARTS_OF_TIME) - {"worker_threads_s"}: # which is of lines alone
        checked.at_most(sum(line.get(key, 0) for _, line in checked.lines()), own.get(key, 0), EXACT, "lines' %s" % key)
        checked.at_most(own.get(key, 0), checked.total_s, EXACT, key)
    gil_s = sum(wait["wait_s"] for wait in own.get("gil_waits", []))
    checked.at_most(gil_s, own.get("wait_s", {}).get("gil", 0), EXACT, "waits for the lock with a holder")
    threads_samples = sum(thread["samples"] for thread in own.get("threads", []))
    checked.at_most(sum(line.get("n_samples", 0) for _, line in checked.lines()), threads_samples, 0, "lines' samples")
    for thread in own.get("threads", []):
        # its kind is decided anew for threads and processes that were too short to be sampled
        checked.at_most(sum(thread["time_s"].values()), checked.total_s, EXACT, "time of thread %s" % thread["tid"])


def moments_are_in_the_run(checked):
    """Moments are in order and after the start. elapsed_time_sec is without the time that profiling was off, so it does not give the end."""
    start = checked.profile.get("start_time_perf", 0)
    for where, record in checked.records():
        moments = record["cpu_samples_list"]
        checked.expect(moments == sorted(moments), "%s: moments are not in order", where)
        checked.expect(len(moments) <= 500, "%s: %d moments", where, len(moments))
        if moments and start > 0:
            checked.expect(start - EXACT <= moments[0], "%s: a moment at %s of a run from %s", where, moments[0], start)


# ---- stacks -----------------------------------------------------------------------------------------------------


def owner_of(frames):
    """The line that a stack of the format with six keys is charged to: its innermost Python frame."""
    for frame in reversed(frames):
        if frame["kind"] == "py":
            return frame["filename_or_module"], frame["line"]
    return None


def line_shares(checked):
    shares = {}
    for name, line in checked.lines():
        shares[name, line["lineno"]] = (line["n_cpu_percent_python"], line["n_cpu_percent_c"], line["n_sys_percent"])
    return shares


def may_differ(checked):
    """How far lists of stacks may be from lines, in points: what is in no listed stack, and what was moved to callers."""
    unlisted = 100 - checked.own.get("stacks_percent", 0)
    return unlisted + checked.own.get("stacks_folded_percent", 0) + EXACT


def stacks_are_lines(checked):
    """The time of stacks that end at a line is the line's, all of it and by kind."""
    shown = line_shares(checked)
    found = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
    for names, stats in checked.profile.get("stacks", []):
        match = re.fullmatch(r"(.*) (\S+):(\d+);", names[-1], re.DOTALL) if names else None
        checked.expect(match is not None, "stacks: %r is no frame", names[-1:])
        python, native = 100 * stats["python_time"], 100 * stats["c_time"]
        parts = found[match.group(1), int(match.group(3))] if match else [0, 0, 0]
        for i, percent in enumerate((python, native, 100 * stats["cpu_samples"] - python - native)):
            checked.expect(percent >= -EXACT, "stacks: a part of %r is %g", names[-1:], percent)
            parts[i] += percent
    checked.at_most(sum(map(sum, found.values())), 100, EXACT, "stacks")
    if not checked.profile.get("stacks"):
        return
    compare_with_lines(checked, "stacks", shown, found, lambda place: 0)


def combined_stacks_are_lines(checked):
    """The same of the stacks with native frames: one that ends in Python is Python time, in native code native, in the kernel system."""
    shown = line_shares(checked)
    found = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
    counts = collections.Counter()
    unsaid = collections.Counter()  # what other threads did there that is not shown may be of any kind
    one = checked.interval_percent()
    for frames, count in checked.profile.get("combined_stacks", []):
        checked.expect(count >= 1 and frames, "combined_stacks: %d of %s", count, frames)
        kinds = [frame["kind"] for frame in frames]
        checked.expect(kinds == sorted(kinds, reverse=True), "combined_stacks: native frames outside of Python's: %s", frames)
        checked.expect(all((frame["line"] is None or frame["line"] >= 1) for frame in frames if frame["kind"] == "py"), "combined_stacks: %s", frames)
        place = owner_of(frames)
        if place is None or place[0] not in checked.files:
            continue
        leaf = frames[-1]
        if any(frame["filename_or_module"] == WORKERS for frame in frames):
            unsaid[place] += count * one
        found[place][leaf_kind(leaf)] += count * one
        counts[place] += 1
    if checked.profile.get("combined_stacks"):
        compare_with_lines(checked, "combined_stacks", shown, found, lambda place: counts[place] * one + unsaid[place])


def leaf_kind(frame):
    """Where the time of a stack with this innermost frame stands among a line's parts: Python, native, system."""
    return 0 if frame["kind"] == "py" else 2 if frame["filename_or_module"] == "[kernel]" else 1


def calls_are_lines(checked):
    """The same of the tree of calls, where libraries have frames: their time is the line's that called them."""
    own = checked.own
    if not own.get("call_tree"):
        return
    found = collections.defaultdict(lambda: [0.0, 0.0, 0.0])
    unsaid = collections.Counter()
    nodes = calls.nodes(checked.profile)
    for frames, seconds, _ in nodes:
        checked.expect(seconds >= 0, "call_tree: %s s", seconds)
        place = calls.owner_of(frames)
        if place is None or place[0] not in checked.files:
            continue
        percent = checked.percent_of(seconds)
        if any(frame["filename_or_module"] == WORKERS for frame in frames):
            unsaid[place] += percent
        found[place][leaf_kind(frames[-1])] += percent
    all_s = sum(seconds for _, seconds, _ in nodes)
    rounding = checked.percent_of(1e-6 * len(nodes))  # each is cut to a microsecond
    checked.equal(checked.percent_of(all_s), own["call_tree_percent"], rounding + EXACT, "call_tree")
    if all_s > 0 and not has_marks(checked):
        tolerance = 100 - own["call_tree_percent"] + own["call_tree_folded_percent"] + rounding + EXACT
        compare(checked, "call_tree", line_shares(checked), found, lambda place: tolerance + unsaid[place])


def runs_are_calls(checked):
    """Runs are of nodes and threads that are there, in order, in the run, and no more than the nodes."""
    own = checked.own
    tids = {thread["tid"] for thread in own.get("threads", [])}
    before = 0.0
    runs = own.get("call_timeline", [])
    for start_s, seconds, node, tid in runs:
        checked.expect(start_s >= before and seconds >= 0, "call_timeline: %s s at %s s, after %s s", seconds, start_s, before)
        checked.expect(1 <= node <= len(own["call_tree"]), "call_timeline: node %s of %d", node, len(own["call_tree"]))
        checked.expect(tid in tids, "call_timeline: thread %s is not listed", tid)
        before = start_s
    checked.at_most(sum(run[1] for run in runs), checked.total_s, EXACT, "call_timeline")


def compare_with_lines(checked, what, shown, found, rounding):
    tolerance = may_differ(checked)
    if not has_marks(checked):
        compare(checked, what, shown, found, lambda place: tolerance + rounding(place))


def compare(checked, what, shown, found, tolerance):
    for place in set(shown) | set(found):
        if place not in shown:
            continue  # a line that the text does not have, of a file that is not shown
        for i, kind in enumerate(("Python", "native", "system")):
            checked.equal(found[place][i], shown[place][i], tolerance(place), "%s: %s of %s:%d" % (what, kind, place[0], place[1]))


def callers_hold_callees(checked):
    """What stacks with a line have is no more than the line has with what it calls."""
    sums = collections.Counter()
    for names, stats in checked.profile.get("stacks", []):
        for name in set(names):
            match = re.fullmatch(r"(.*) (\S+):(\d+);", name, re.DOTALL)
            if match:
                sums[match.group(1), int(match.group(3)), match.group(2)] += 100 * stats["cpu_samples"]
    by_place = {(name, line["lineno"]): line for name, line in checked.lines()}
    if has_marks(checked):
        return
    for (name, number, _), percent in sums.items():
        if (name, number) in by_place:
            checked.at_most(percent, by_place[name, number].get("n_cumulative_percent", 0), EXACT, "stacks with %s:%d" % (name, number))


def timeline_is_stacks(checked):
    """Runs are of listed stacks, in order, of known threads, in the run, and no more than the stacks."""
    runs = checked.profile.get("combined_stacks_timeline", [])
    stacks = checked.profile.get("combined_stacks", [])
    interval_s = checked.own.get("interval_s", 0)
    idents = {thread["python_ident"] for thread in checked.own.get("threads", [])} | {thread["tid"] for thread in checked.own.get("threads", [])}
    before = 0.0
    for run in runs:
        checked.expect(0 <= run["stack_index"] < len(stacks), "timeline: stack %d of %d", run["stack_index"], len(stacks))
        checked.expect(run["t_sec"] >= before and run["count"] >= 1, "timeline: %s after %s s", run, before)
        checked.expect(run["thread_id"] in idents, "timeline: thread %s is not listed", run["thread_id"])
        before = run["t_sec"]
    seconds = interval_s * sum(run["count"] for run in runs)
    checked.at_most(seconds, checked.total_s, interval_s * len(runs) + EXACT, "timeline")
    for track in checked.own.get("timeline_tracks", []):
        if track["id"] != "gil":  # threads wait together
            checked.expect(all(share <= 1 + 0.0005 + EXACT for share in track["shares"]), "track %s: %s", track["id"], max(track["shares"], default=0))


# ---- memory -----------------------------------------------------------------------------------------------------


def memory_of_records(checked):
    """Of bytes: alive no more than allocated, at no time more than at the peak, and the curve shows that peak."""
    peak_mb = checked.profile.get("max_footprint_mb", 0)
    for where, record in checked.records():
        live = max(record["n_growth_mb"], record.get("n_live_at_exit_mb", 0), record.get("n_live_at_peak_mb", 0), record["n_avg_mb"])
        checked.equal(record["n_growth_mb"], record.get("n_live_at_exit_mb", 0), EXACT, "%s: growth" % where)
        checked.at_most(live, record["n_peak_mb"], EXACT, "%s: alive" % where)
        # small objects that were freed at once are distinguished, and were alive, too; of a block that it has resized
        # another line may have allocated a part
        allocated_mb = checked.own.get("allocated_mb", record["n_malloc_mb"])
        checked.at_most(record["n_peak_mb"], allocated_mb + record.get("n_churn_mb", 0), EXACT, "%s: peak" % where)
        checked.at_most(record["n_peak_mb"], peak_mb, EXACT, "%s: peak beside the program's" % where)
        checked.at_most(record["n_peak_mb"], record.get("n_peak_allocated_mb", record["n_peak_mb"]), EXACT, "%s: peak" % where)
        checked.at_most(record.get("n_live_at_exit_mb", 0), record.get("n_live_at_exit_allocated_mb", record.get("n_live_at_exit_mb", 0)), EXACT, "%s: at exit" % where)
        curve = record["memory_samples"]
        checked.expect([time for time, _ in curve] == sorted(time for time, _ in curve), "%s: its curve is not in order", where)
        if curve:
            checked.equal(max(mb for _, mb in curve), record["n_peak_mb"], CURVE_MB, "%s: highest of its curve" % where)


def memory_of_the_run(checked):
    profile, own = checked.profile, checked.own
    if not profile.get("memory"):
        return
    elapsed_s = profile["elapsed_time_sec"]
    sums = collections.Counter()
    for _, line in checked.lines():
        for key in ("n_malloc_mb", "n_live_at_peak_mb", "n_live_at_exit_mb", "n_copy_mb_s", "n_usage_fraction"):
            sums[key] += line.get(key, 0)
        allocated_mb = own["allocated_mb"]
        if allocated_mb > 0:
            checked.equal(line["n_usage_fraction"], line["n_malloc_mb"] / allocated_mb, EXACT, "line %d: its share of all bytes" % line["lineno"])
    checked.at_most(sums["n_malloc_mb"], own["allocated_mb"], EXACT, "lines' allocations")
    checked.at_most(sums["n_live_at_peak_mb"], profile["max_footprint_mb"], EXACT, "lines' bytes at the peak")
    checked.at_most(sums["n_live_at_exit_mb"], own["live_at_exit_mb"], EXACT, "lines' bytes at exit")
    checked.at_most(sums["n_copy_mb_s"] * elapsed_s, own["copied_mb"], EXACT + 1e-6 * own["copied_mb"], "lines' copies")
    checked.at_most(own["live_at_exit_mb"], profile["max_footprint_mb"], EXACT, "alive at exit")
    checked.at_most(profile["max_footprint_mb"], own["allocated_mb"] + own.get("churn_mb", 0), EXACT, "footprint")
    checked.at_most(profile["native_allocations_mb"], own["allocated_mb"] + own.get("churn_mb", 0), EXACT, "native allocations")
    checked.at_most(profile["max_footprint_mb"], own.get("max_footprint_allocated_mb", profile["max_footprint_mb"]), EXACT, "footprint")
    for what, curve in (("footprint", profile["samples"]), ("resident", own.get("rss", []))):
        times = [time for time, _ in curve]
        checked.expect(times == sorted(times), "the curve of the %s is not in order", what)
    if profile["samples"]:
        checked.equal(max(mb for _, mb in profile["samples"]), profile["max_footprint_mb"], CURVE_MB, "highest of the footprint's curve")
    # the kernel keeps the highest; the curve has it as often as it was looked at
    checked.at_most(max((mb for _, mb in own.get("rss", [])), default=0), own["max_rss_mb"], CURVE_MB, "highest of the curve of resident memory")


def memory_stacks_are_lines(checked):
    """Bytes by stack are the lines'."""
    found = collections.Counter()
    stacks = checked.profile.get("memory_stacks", [])
    for frames, mb in stacks:
        place = owner_of(frames)
        checked.expect(all(frame["kind"] == "py" for frame in frames), "memory_stacks: %s", frames)
        found[place] += mb
    if has_marks(checked):
        return
    for name, line in checked.lines():
        mb = found[name, line["lineno"]]
        tolerance = 1e-6 * (1 + len(stacks))  # each is rounded to a millionth
        checked.at_most(mb, line["n_malloc_mb"], tolerance, "memory_stacks: %s:%d" % (name, line["lineno"]))
        if stacks and sum(len(frames) for frames, _ in stacks) < 10000:  # all of them
            checked.equal(mb, line["n_malloc_mb"], tolerance, "memory_stacks: %s:%d" % (name, line["lineno"]))


def memory_of_calls(checked):
    """The tree of calls has the bytes of stacks with a line in scope, and others; not more than were allocated."""
    if not checked.own.get("call_tree"):
        return
    nodes = checked.own["call_tree"]
    all_mb = sum(node[3] for node in nodes)
    rounding = 1e-6 * (len(nodes) + len(checked.profile.get("memory_stacks", [])) + 1)
    checked.at_most(len(nodes), 20000, 0, "call_tree: nodes")
    checked.at_most(all_mb, checked.own["allocated_mb"], rounding, "call_tree: MB")
    for key, whole_mb in (("call_at_peak_mb", checked.profile["max_footprint_mb"]), ("call_at_exit_mb", checked.own["live_at_exit_mb"])):
        volumes = checked.own.get(key, [])
        checked.equal(len(volumes), len(nodes) if volumes else 0, 0, key + ": nodes")
        checked.at_most(sum(volumes), whole_mb, rounding, key)
        for node, mb in zip(nodes, volumes):
            checked.expect(mb >= 0, "%s: %s MB", key, mb)
    if len(nodes) < 19000:  # else a stack may have found no room
        checked.at_most(sum(mb for _, mb in checked.profile["memory_stacks"]), all_mb, rounding, "memory_stacks beside call_tree")


# ---- the rest ---------------------------------------------------------------------------------------------------


def awaits_are_shares(checked):
    lines_percent = sum(line["n_async_await_percent"] for _, line in checked.lines())
    checked.at_most(lines_percent, 100, EXACT, "await time of lines")
    if not checked.own.get("await_s"):
        checked.at_most(lines_percent, 0, EXACT, "await time of lines without await_s")
    for where, record in checked.records():
        checked.at_most(record["n_async_concurrency_mean"], record["n_async_concurrency_peak"], EXACT, "%s: tasks" % where)
        checked.expect(record["async_task_names"] == sorted(record["async_task_names"]), "%s: names of tasks", where)


def lanes_are_awaits(checked):
    """Lanes of tasks have runs in order of time, at places that there are. Runs may be longer than the waits that were made one of them."""
    places, lanes = checked.own.get("task_places", []), checked.own.get("task_lanes", [])
    checked.at_most(len(lanes), 200, 0, "task_lanes")
    for path, lineno, _ in places:
        checked.expect(path in checked.files and lineno >= 1, "task_places: %s:%s", path, lineno)
    for lane in lanes:
        end_s = 0
        for begin_s, waited_s, place in lane["runs"]:
            checked.expect(begin_s >= end_s - 3e-6 and waited_s >= 0, "task_lanes: %s s in the lane of %s", begin_s, lane["name"])
            checked.expect(0 <= place <= len(places), "task_lanes: place %s", place)
            end_s = begin_s + waited_s
        checked.expect(lane["runs"], "task_lanes: %s has no run", lane["name"])


def processes_are_the_run(checked):
    """The time on a CPU is the kernel's, which processes have together."""
    own = checked.own
    processes = own.get("processes", [])
    if not processes or len(processes) == 1000:  # the list ends there
        return
    on_cpu_s = sum(own["time_s"].get(kind, 0) for kind in ("python", "native", "kernel", "parallel_native"))
    cpu_s = sum(process["cpu_s"] for process in processes)
    interval_s = own["interval_s"]
    # what a process has used is read up to an interval later or earlier than what its threads have
    checked.at_most(own["target_cpu_s"], cpu_s, interval_s * len(processes) + EXACT, "target_cpu_s beside processes")
    checked.at_most(on_cpu_s, cpu_s, interval_s * len(processes) + EXACT, "time on a CPU beside processes")


# Findings on statements: what can be saved is part of their time.
SAVINGS = (
    "list_membership", "linear_search", "manual_count", "string_growth", "array_growth", "list_front", "deepcopy", "repeated_parse", "scalar_numpy", "regex_in_loop",
    "blocking_in_coroutine", "iterrows", "query_per_row", "repeated_open", "exceptions_as_flow", "logging_format", "churn", "copies",
)  # fmt: skip


def findings_stand_in_the_lines(checked):
    """A finding's percentage is that of its place, and its sentence says it."""
    for finding in checked.own.get("findings", []):
        percent, text, file = finding["percent"], finding["text"], checked.files.get(finding["file"])
        checked.expect(finding["file"] is None or file is not None, "finding of a file that is not shown: %s", text)
        lines = file["lines"][finding["lineno"] - 1 : finding["end_lineno"]] if file and finding["lineno"] else []
        checked.expect(not file or lines, "finding at lines %s to %s of %s", finding["lineno"], finding["end_lineno"], finding["file"])
        says = {
            "python_loop": lambda: sum(map(share_of, lines)),
            "native_line": lambda: lines[0]["n_cpu_percent_c"],
            "python_function": lambda: max((share_of(one) for one in file["functions"] if one["lineno"] == finding["lineno"]), default=-1),
            "garbage_collection": lambda: percent if file else checked.percent_of(checked.own["gc_s"]),
            "imports": lambda: checked.percent_of(checked.own["importing_s"]),
        }.get(finding["id"])
        if says:
            checked.equal(percent, says(), EXACT, "finding: %s" % text)
        if finding["id"] in SAVINGS and file:
            checked.at_most(percent, sum(map(share_of, file["lines"])), EXACT, "what can be saved beside its file: %s" % text)
        if finding["id"] in ("python_loop", "native_line", "python_function", "garbage_collection", "waiting", "imports"):
            checked.expect(re.search(r"\b%.0f( ± \d+)?%%" % percent, text), "finding of %s %%: %s", percent, text)


RULES = (
    numbers_are_numbers, lines_are_in_order, kinds_make_the_share, whole_of_files, whole_of_functions, sums_of_the_run,
    units_are_of_the_run, units_of_calls, moments_are_in_the_run, stacks_are_lines, combined_stacks_are_lines, calls_are_lines, runs_are_calls,
    callers_hold_callees, timeline_is_stacks, memory_of_records, memory_of_the_run, memory_stacks_are_lines, waiting_of_calls,
    memory_of_calls, moments_of_calls, awaits_are_shares, lanes_are_awaits, processes_are_the_run, findings_stand_in_the_lines,
)


def violations(profile):
    """Sentences that say which numbers of a profile of ours do not agree, each once."""
    checked = Checked(profile)
    if "scalene_c" in profile and "files" in profile:
        for rule in RULES:
            rule(checked)
    return ["%s" % text for text in checked.wrong]


class Violated(Exception):
    """A profile contradicts itself, which no chance excuses."""


def check(profile, name="profile"):
    found = violations(profile)
    if found:
        raise Violated("%s: %d numbers do not agree:\n%s" % (name, len(found), "\n".join(found[:30])))


if __name__ == "__main__":
    import sys

    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as text_of_json:
            for violation in violations(json.load(text_of_json)):
                print("%s: %s" % (path, violation))
