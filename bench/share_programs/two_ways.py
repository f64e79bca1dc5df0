# bench/share_programs/two_ways.py SHARE SECONDS clock|tries - the same work by a call per step and without, in turns.
#
# Writes {"calling": s, "inlined": s} to standard output: the CPU time of each way, read from the thread's clock at the ends
# of all turns ("clock"), or computed from the time of one round, which is measured at the start ("tries"). The clock is
# exact, but must not be read where other processes want the CPU: when a thread reads its own CPU clock, the kernel checks
# whether the thread's slice is over. A program that reads it at each turn is therefore preempted at the ends of turns,
# before the kernel's next tick, and samples do not fall evenly on the turns.
#
# SPDX-License-Identifier: Apache-2.0
import json
import random
import statistics
import sys
import time

STEPS = 500
TRIED_ROUNDS = 400
TRIES = 9


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


def repeat(work, rounds):
    for _ in range(rounds):
        work()


def spent_on(work, rounds):
    begin = time.thread_time()
    repeat(work, rounds)
    return time.thread_time() - begin


def main(share, seconds, by_clock):
    choice = random.Random(7)  # random lengths, so that the turns cannot keep time with a sampler
    works = (calling, inlined)
    tries = [{work: spent_on(work, TRIED_ROUNDS) for work in works} for _ in range(TRIES)]
    times = {work: sum(spent[work] for spent in tries) for work in works}
    costs = {work: statistics.median(spent[work] for spent in tries) / TRIED_ROUNDS for work in works}
    while sum(times.values()) < seconds:
        block = choice.uniform(0.005, 0.035)
        for work, part in ((calling, share), (inlined, 1 - share)):
            rounds = max(1, round(part * block / costs[work]))
            if by_clock:
                times[work] += spent_on(work, rounds)
            else:
                repeat(work, rounds)
                times[work] += rounds * costs[work]
    print(json.dumps({work.__name__: spent for work, spent in times.items()}))


main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "clock")
