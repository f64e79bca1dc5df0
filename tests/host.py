# tests/host.py - what the host of a virtual machine gives to other machines.
#
# SPDX-License-Identifier: Apache-2.0
"""Stolen time."""

# Ticks of all processors, see proc(5) on /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
STEAL_FIELD = 8


def ticks():
    """(stolen, all), since the machine has started."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(field) for field in stat.readline().split()[1 : STEAL_FIELD + 1]]
    return fields[-1], sum(fields)
