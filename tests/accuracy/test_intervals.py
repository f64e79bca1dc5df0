# tests/accuracy/test_intervals.py - the errors that a profile states hold the truth as often as they say.
#
# Some programs of 10 lines each, of which every line is a try: what it really took is known, and the
# profile says how far off its number may be with 95 % confidence. How fast the lines take turns is
# drawn anew for each program, from much faster than samples come to many times slower.
#
# Truth: CPU clocks around each turn; bytes that the program asks for, with the head of an object.
#
# Error: the intervals are to hold the truth in 93 to 97 % of all tries (docs/internals/sampling.md). So
# how many of n tries hold it lies between what a binomial distribution with 0.93 falls short of once in
# 2,000 times and what one with 0.97 exceeds once in 2,000 times: a right product fails less than once in
# 1,000 times. Tries of one program depend on each other a little: shares of time sum to one, which makes
# their number more even and not less. tests/unit/intervals_test.c does the same for 2,500 made-up
# programs, where 93 and 97 % themselves are asked for.
#
# SPDX-License-Identifier: Apache-2.0
"""Stated intervals."""

import math
import random

import pytest

from conftest import ON_CPU, PREEMPTED

pytestmark = [pytest.mark.statistical, pytest.mark.one_python]

LINES = 10
PROGRAMS = 30
CHANCE = 1 / 2000
MEMORY = ("--memory", "--malloc-threshold", "0", "--cpu-percent-threshold", "0")


def at_most(held, tries, share):
    """The chance that so many tries or fewer hold the truth, when each does with that chance."""
    logs = (
        math.lgamma(tries + 1) - math.lgamma(k + 1) - math.lgamma(tries - k + 1)
        + k * math.log(share) + (tries - k) * math.log(1 - share)
        for k in range(held + 1)
    )
    return math.fsum(math.exp(log) for log in logs)


def judge(tries):
    """tries: numbers as found, the truth, the half width that is stated."""
    held = sum(abs(found - truth) <= half for found, truth, half in tries)
    count = len(tries)
    text = "%d of %d intervals (%.1f %%) hold the truth" % (held, count, 100 * held / count)
    print(text)
    assert count >= 200, "too few tries to judge: %d" % count
    assert at_most(held, count, 0.93) > CHANCE, text
    assert 1 - at_most(held - 1, count, 0.97) > CHANCE, text


def turns(choice, sizes):
    """Whose turn it is, and for how much, until each line has had its size."""
    scale = math.exp(choice.uniform(math.log(1), math.log(5000)))
    in_order = choice.random() < 0.5
    left = list(sizes)
    while any(left):
        order = [i for i in range(LINES) if left[i] > 0]
        if not in_order:
            choice.shuffle(order)
        for i in order:
            part = max(1, round(sizes[i] / sum(sizes) * LINES * scale * choice.uniform(0.5, 1.5)))
            yield i, min(part, left[i])
            left[i] -= min(part, left[i])


def program_of(text, work):
    """The program with a function for each line, of which only the number differs."""
    names = ", ".join("work%d" % i for i in range(LINES))
    return text.format(functions="".join(work.format(i) for i in range(LINES)), names=names)


# A turn is so many rounds of 20 us or so.
WORK_FOR_TIME = """
def work{0}(n):
    return sum(range(n * 5000))  #: line{0}
"""

TIME = """
import json
import sys
from time import thread_time

plan = json.load(open(sys.argv[1]))
{functions}
works = [{names}]
times = [0.0] * len(works)
for number, rounds in plan:
    work = works[number]
    begun = thread_time()
    work(rounds)
    times[number] += thread_time() - begun
print(json.dumps(times))
"""


def test_shares_of_time(profile, python, tmp_path):
    tries = []
    for seed in range(PROGRAMS):
        choice = random.Random(seed)
        weights = [choice.uniform(0.2, 1) for _ in range(LINES)]
        sizes = [round(60000 * weight / sum(weights)) for weight in weights]
        plan = tmp_path / "plan.json"
        plan.write_text(str([list(turn) for turn in turns(choice, sizes)]))
        ended = profile(program_of(TIME, WORK_FOR_TIME), python, [str(plan)]).expect(0)
        found = ended.profile
        cpu_s = sum(found.own["time_s"].get(kind, 0) for kind in ON_CPU)
        sampled_s = cpu_s + sum(found.own["time_s"].get(kind, 0) for kind in PREEMPTED)
        for i, truth_s in enumerate(ended.facts):
            record = found.record("line%d" % i)
            if not 0.02 <= truth_s / cpu_s <= 0.98:
                continue
            # of the time on a CPU: what it lacked one for is no truth that a program could know
            half = record.get("n_error_percent", 0) / 100 * found.total_s / sampled_s
            tries.append((found.cpu_marked("line%d" % i) / cpu_s, truth_s / cpu_s, half))
    judge(tries)


WORK_FOR_BYTES = """
def work{0}(i, end, x, size):
    while i < end:
        kept[i] = x * size  #: line{0}
        i += 1
"""

BYTES = """
import json
import sys

plan, sizes = json.load(open(sys.argv[1]))
kept = [None] * sum(count for _, count in plan)
at = 0
{functions}
works = [{names}]
for number, count in plan:
    works[number](at, at + count, b"x", sizes[number])
    at += count
"""

HEAD = 33  # of a bytes object, on any 64-bit CPython


def test_volumes_of_bytes(profile, python, tmp_path):
    tries = []
    for seed in range(PROGRAMS):
        choice = random.Random(seed)
        lengths = [round(math.exp(choice.uniform(math.log(2), math.log(2000)))) for _ in range(LINES)]
        counts = [round(choice.uniform(60000, 600000) / (length + HEAD)) for length in lengths]
        plan = tmp_path / "plan.json"
        plan.write_text(str([[list(turn) for turn in turns(choice, counts)], lengths]))
        found = profile(program_of(BYTES, WORK_FOR_BYTES), python, [str(plan)], MEMORY).expect(0).profile
        for i in range(LINES):
            record = found.record("line%d" % i)
            truth_mb = counts[i] * (lengths[i] + HEAD) / (1 << 20)
            tries.append((record["n_malloc_mb"], truth_mb, record.get("n_malloc_error_mb", 0)))
    judge(tries)


WORK_FOR_COPIES = """
def work{0}(source, count):
    for _ in range(count):
        bytearray(source)  #: line{0}
"""

COPIES = """
import json
import sys

plan, sizes = json.load(open(sys.argv[1]))
sources = [bytes(size) for size in sizes]
{functions}
works = [{names}]
for number, count in plan:
    works[number](sources[number], count)
"""


def test_copies(profile, python, tmp_path):
    tries = []
    for seed in range(PROGRAMS):
        choice = random.Random(seed)
        sizes = [round(math.exp(choice.uniform(math.log(5000), math.log(200000)))) for _ in range(LINES)]
        counts = [round(choice.uniform(4 << 20, 30 << 20) / size) for size in sizes]
        plan = tmp_path / "plan.json"
        plan.write_text(str([[list(turn) for turn in turns(choice, counts)], sizes]))
        found = profile(program_of(COPIES, WORK_FOR_COPIES), python, [str(plan)], MEMORY).expect(0).profile
        elapsed_s = found.data["elapsed_time_sec"]
        for i in range(LINES):
            record = found.record("line%d" % i)
            found_mb = record["n_copy_mb_s"] * elapsed_s
            half_mb = record.get("n_copy_error_mb_s", 0) * elapsed_s
            tries.append((found_mb, counts[i] * sizes[i] / (1 << 20), half_mb))
    judge(tries)


WORK_FOR_PEAKS = """
def work{0}(i, end, x, size):
    while i < end:
        kept[i] = x * size  #: line{0}
        kept[dropped[i]] = None
        i += 1
"""


def peaks_of(plan, sizes, dropped):
    """The most that each line has alive at once, in bytes."""
    kept = {}
    alive, peaks = [0] * LINES, [0] * LINES
    at = 0
    for number, count in plan:
        for i in range(at, at + count):
            kept[i] = number
            alive[number] += sizes[number]
            peaks[number] = max(peaks[number], alive[number])
            owner = kept.pop(dropped[i], None)
            if owner is not None:
                alive[owner] -= sizes[owner]
        at += count
    return peaks


def test_peaks(profile, python, tmp_path):
    """After each block another is freed, or none: the last slot of the list belongs to nobody."""
    tries = []
    for seed in range(PROGRAMS):
        choice = random.Random(seed)
        lengths = [round(math.exp(choice.uniform(math.log(2), math.log(2000)))) for _ in range(LINES)]
        counts = [round(choice.uniform(60000, 600000) / (length + HEAD)) for length in lengths]
        plan = [list(turn) for turn in turns(choice, counts)]
        frees = choice.uniform(0, 0.8)
        nobody = sum(counts)
        dropped = [choice.randrange(i) if i > 0 and choice.random() < frees else nobody for i in range(nobody)]
        file = tmp_path / "plan.json"
        file.write_text(str([plan, lengths, dropped]))
        text = BYTES.replace("plan, sizes =", "plan, sizes, dropped =").replace("sum(count for _, count in plan)", "(len(dropped) + 1)")
        found = profile(program_of(text, WORK_FOR_PEAKS), python, [str(file)], MEMORY).expect(0).profile
        peaks = peaks_of(plan, [length + HEAD for length in lengths], dropped)
        for i in range(LINES):
            record = found.record("line%d" % i)
            tries.append((record["n_peak_mb"], peaks[i] / (1 << 20), record.get("n_peak_error_mb", 0)))
    judge(tries)
