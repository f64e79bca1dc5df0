# tests/moved.py - reads and judges the list of tests that the gate leaves out for now (tests/moved.toml).
#
# SPDX-License-Identifier: Apache-2.0
"""entries(), and faults() of them."""

import os
import tomllib

TESTS = os.path.dirname(os.path.abspath(__file__))
MOST = 10
MOST_DAYS = 14


def entries(path=os.path.join(TESTS, "moved.toml")):
    with open(path, "rb") as file:
        return tomllib.load(file).get("moved", [])


def faults(found, today, root=os.path.dirname(TESTS)):
    """What is wrong with the entries on that day: one sentence each."""
    if len(found) > MOST:
        yield f"there are {len(found)} entries, and at most {MOST} may be"
    for entry in found:
        if set(entry) != {"test", "date", "reason"} or not entry["reason"]:
            yield f"an entry has test, date and reason: {entry}"
            continue
        path, _, function = entry["test"].partition("::")
        if (today - entry["date"]).days > MOST_DAYS:
            yield f"{entry['test']} was to be mended within {MOST_DAYS} days of {entry['date']}"
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                is_there = f"def {function}(" in file.read()
        except OSError:
            is_there = False
        if not is_there:
            yield f"there is no test {entry['test']}"
