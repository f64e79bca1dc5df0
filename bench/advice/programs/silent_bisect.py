# bench/advice/programs/silent_bisect.py - looks up prices in sorted steps by binary search.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# also: python_loop python_function
import bisect
import random

LOOKUPS = 6_900_000


def main():
    rng = random.Random(4)
    steps = sorted(rng.random() for _ in range(10_000))
    wanted = [rng.random() for _ in range(10_000)]
    find = bisect.bisect_right
    total = 0
    for _ in range(LOOKUPS // 10_000):
        total += sum([find(steps, price) for price in wanted])
    print(total)


main()
