# bench/advice/programs/silent_sorting.py - sorts large lists, and merges what comes out.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import heapq
import random

NUMBERS = 1_100_000
LISTS = 3


def main():
    rng = random.Random(12)
    numbers = [rng.random() for _ in range(NUMBERS)]
    parts = [sorted(numbers[i::LISTS]) for i in range(LISTS)]
    merged = sorted(numbers, key=abs)
    print(heapq.nsmallest(3, merged) == merged[:3], sum(map(len, parts)))


main()
