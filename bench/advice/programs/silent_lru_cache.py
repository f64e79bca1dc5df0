# bench/advice/programs/silent_lru_cache.py - number of ways to climb stairs, with a cache of bounded size.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
from functools import lru_cache

STAIRS = 6500


@lru_cache(maxsize=10_000)
def ways(height, largest):
    if height == 0:
        return 1
    if height < 0 or largest == 0:
        return 0
    return ways(height - largest, largest) + ways(height, largest - 1)


def main():
    total = 0
    for height in range(1, STAIRS):
        ways.cache_clear()
        total += ways(height % 150, 8) % 1009
    print(total)


main()
