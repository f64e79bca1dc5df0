# tests/timers.py - distinguishes a machine whose own timers are wrong, or that has no time, from a wrong profile.
#
# Ticks are the kernel's CPU timers. On some virtual machines, at some times, they come late and
# bunch at system calls, whoever asked for them. So when a test of time fails, the same kind of timer
# is asked for by a bare program that has nothing to do with the profiler: if its ticks are misplaced
# too, the test is skipped with what was measured, and not counted as passed. That excuses a few
# tests; where more fail, they fail.
#
# SPDX-License-Identifier: Apache-2.0
"""A control for tests of time."""

import subprocess
import sys
import time

# One line in about a thousandth of the CPU time makes a system call; its number is printed with the ticks.
CONTROL = """
import signal, time
lines = {}
def tick(number, frame):
    lines[frame.f_lineno] = lines.get(frame.f_lineno, 0) + 1
def work():
    total = 0
    for i in range(3000):
        total += (i * 3 + 1) ^ 5
    return total
def main():
    end = time.thread_time() + 4
    while time.thread_time() < end:
        work()
signal.signal(signal.SIGPROF, tick)
signal.setitimer(signal.ITIMER_PROF, 0.004, 0.004)
main()
signal.setitimer(signal.ITIMER_PROF, 0, 0)
print(100 * lines.get(13, 0) / sum(lines.values()))
"""

# A healthy machine gives 0.2 % of 1,000 ticks; 7 or more of them come by chance once in 200 times.
LIMIT_PERCENT = 0.7

# A machine that is that wrong that often measures nothing. Asking takes seconds, so it is bounded as well.
MOST_EXCUSED = 3
MOST_ASKED = 10
_counts = {"excused": 0, "asked": 0}


def may_be_asked():
    """Whether another failure may still be the machine's fault."""
    return _counts["excused"] < MOST_EXCUSED and _counts["asked"] < MOST_ASKED


def has_excused():
    _counts["excused"] += 1


def misplaced_percent():
    _counts["asked"] += 1
    return float(subprocess.run([sys.executable, "-S", "-c", CONTROL], stdout=subprocess.PIPE, check=True).stdout)


# What a hypervisor gives to other machines: ticks of all processors, see proc(5) on /proc/stat.
STEAL_FIELD = 8
QUIET_SHARE = 0.05
QUIET_LIMIT_S = 30


def _ticks():
    with open("/proc/stat", encoding="ascii") as stat:
        fields = stat.readline().split()
    return int(fields[STEAL_FIELD]), sum(int(field) for field in fields[1:9])


def wait_for_host():
    """Waits until little is taken from this virtual machine for a second, half a minute at most."""
    end = time.monotonic() + QUIET_LIMIT_S
    while time.monotonic() < end:
        stolen, total = _ticks()
        time.sleep(1)
        stolen_later, total_later = _ticks()
        if stolen_later - stolen <= QUIET_SHARE * (total_later - total):
            return
