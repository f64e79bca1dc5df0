# tests/invariants_of_parts.py - what is true of the tree of calls, its waiting and its memory at some moments, and of units of work.
#
# SPDX-License-Identifier: Apache-2.0
"""Rules of invariants.py."""

import collections

ROUNDING_S = 1e-6
WAITING = ("io", "sleep", "other_wait")


def moments_of_calls(checked):
    """Moments are in order, and no more was in use at one than at the peak."""
    nodes, moments = checked.own.get("call_tree", []), checked.own.get("call_moments_s", [])
    sums = collections.Counter()
    checked.expect(moments == sorted(moments), "call_moments_s: not in order")
    for moment, call, mb in checked.own.get("call_moments", []):
        sums[moment] += mb
        checked.expect(moment < len(moments) and 0 < call <= len(nodes) and mb >= 0, "call_moments: %s MB at %s, node %s", mb, moment, call)
    for moment, mb in sums.items():
        checked.at_most(mb, checked.profile["max_footprint_mb"], 1e-6 * (len(nodes) + 1), "call_moments: moment %d" % moment)


def waiting_of_calls(checked):
    """No node of the tree of calls waits longer than its time, and all together no longer than the run."""
    if not checked.own.get("call_waiting_s"):
        return
    nodes, waiting = checked.own["call_tree"], checked.own["call_waiting_s"]
    times = checked.own["time_s"]
    whole_s = sum(times.get(kind, 0) for kind in WAITING)
    checked.equal(len(waiting), len(nodes), 0, "call_waiting_s: nodes")
    checked.at_most(sum(waiting), whole_s, 1e-6 * (len(nodes) + 1), "call_waiting_s")
    for node, waiting_s in zip(nodes, waiting):
        checked.expect(0 <= waiting_s <= node[2] + 1e-9, "call_waiting_s: %s s of %s s", waiting_s, node[2])


def units_of_calls(checked):
    """No unit of work spends more at the nodes of the tree of calls than it spends, on a CPU and blocked."""
    nodes, units = checked.own.get("call_tree", []), checked.own.get("units", [])
    for key, whole in (("call_units", "time_s"), ("call_unit_waits", "wait_s")):
        sums = collections.Counter()
        for unit, call, time_s in checked.own.get(key, []):
            checked.expect(unit < len(units) and 0 < call <= len(nodes) and time_s >= 0, "%s: %s s of %s, node %s", key, time_s, unit, call)
            sums[unit] += time_s
        for unit, time_s in sums.items():
            if unit < len(units):
                checked.at_most(time_s, sum(units[unit].get(whole, {}).values()), ROUNDING_S * (len(nodes) + 1), "%s: %s" % (key, units[unit]["name"]))


def units_are_of_the_run(checked):
    """The durations of a unit of work are between its shortest and its longest."""
    for unit in checked.own.get("units", []):
        name, count = unit["name"], unit["count"]
        checked.at_most(unit["min_s"], unit["p50_s"], ROUNDING_S, "%s: the shortest" % name)
        checked.at_most(unit["p50_s"], unit["p99_s"], ROUNDING_S, "%s: the median" % name)
        checked.at_most(unit["p99_s"], unit["max_s"], ROUNDING_S, "%s: the 99th percentile" % name)
        checked.at_most(count * unit["min_s"], unit["total_s"], ROUNDING_S, "%s: all shortest" % name)
        checked.at_most(unit["total_s"], count * unit["max_s"], ROUNDING_S, "%s: the total" % name)
        checked.expect(count > 0 or unit.get("running", 0) > 0, "%s was never entered", name)
        checked.expect(len(unit["lines"]) <= 10, "%s has %d lines", name, len(unit["lines"]))
