# tests/host.py - what others take of the processors: other machines on the host, and other programs on this one.
#
# SPDX-License-Identifier: Apache-2.0
"""Processor time that is not ours."""

import os

# Ticks of all processors, see proc(5) on /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
STEAL_FIELD = 8

# The process whose descendants are ours: what runs the tests.
ROOT_VARIABLE = "SC_TESTS_ROOT"


def _processes():
    """{pid: (parent, ticks of it and of the children that it has waited for)}"""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
        except (OSError, ValueError):
            continue
        if name.isdecimal():
            found[int(name)] = (int(fields[1]), sum(int(field) for field in fields[11:15]))
    return found


def _others_ticks(root):
    """What processes that do not descend from the root have used, with those that they have waited for."""
    processes = _processes()
    own = {root: True, 0: False}

    def is_own(pid):
        if pid not in own:
            own[pid] = is_own(processes[pid][0]) if pid in processes else False
        return own[pid]

    return sum(ticks for pid, (_, ticks) in processes.items() if not is_own(pid))


def ticks():
    """(taken by others, all), since the machine has started."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(field) for field in stat.readline().split()[1 : STEAL_FIELD + 1]]
    root = int(os.environ.get(ROOT_VARIABLE) or os.getppid())
    return fields[-1] + _others_ticks(root), sum(fields)
