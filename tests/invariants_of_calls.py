# tests/invariants_of_calls.py - what is true of the waiting of the tree of calls, and of its memory at some moments.
#
# SPDX-License-Identifier: Apache-2.0
"""moments_of_calls(checked), waiting_of_calls(checked): rules of invariants.py."""

import collections

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
