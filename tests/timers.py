# tests/timers.py - tells a machine whose own timers are wrong from a wrong profile.
#
# Ticks are the kernel's CPU timers. On some virtual machines, at some times, they come late and
# bunch at system calls, whoever asked for them. So when a test of time fails, the same kind of timer
# is asked for by a bare program that has nothing to do with the profiler: if its ticks are misplaced
# too, the test is skipped with what was measured, and not counted as passed.
#
# SPDX-License-Identifier: Apache-2.0
"""A control for tests of time."""

import subprocess
import sys

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


def misplaced_percent():
    return float(subprocess.run([sys.executable, "-S", "-c", CONTROL], stdout=subprocess.PIPE, check=True).stdout)
