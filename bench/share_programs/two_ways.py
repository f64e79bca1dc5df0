# bench/share_programs/two_ways.py SHARE SECONDS - the same work by a call per step and without, in turns.
#
# Writes {"calling": s, "inlined": s} to standard output: the CPU time of each, by the thread's clock.
#
# SPDX-License-Identifier: Apache-2.0
import json
import random
import sys
import time

STEPS = 500


def helper(i):
    return (i * 3 + 1) ^ 0x55


def calling():
    total = 0
    for i in range(STEPS):
        total += helper(i)
    return total


def inlined():
    total = 0
    for i in range(STEPS):
        total += (i * 3 + 1) ^ 0x55
    return total


def work_for(work, seconds):
    begin = now = time.thread_time()
    while now < begin + seconds:
        work()
        now = time.thread_time()
    return now - begin


def main(share, seconds):
    choice = random.Random(7)  # no rhythm that could fall in with a sampler's
    times = {"calling": 0.0, "inlined": 0.0}
    while sum(times.values()) < seconds:
        block = choice.uniform(0.005, 0.035)
        times["calling"] += work_for(calling, share * block)
        times["inlined"] += work_for(inlined, (1 - share) * block)
    print(json.dumps(times))


main(float(sys.argv[1]), float(sys.argv[2]))
