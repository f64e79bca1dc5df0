# tests/invariants_of_units.py - what the numbers of a unit of work have to do with each other (tests/invariants.py).
#
# SPDX-License-Identifier: Apache-2.0
"""A rule for units of work."""

ROUNDING_S = 1e-6


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
