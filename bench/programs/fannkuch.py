# bench/programs/fannkuch.py - flips of permutations: list slices and integers in one function.
#
# SPDX-License-Identifier: Apache-2.0
import sys

SCALE = 4


def fannkuch(n):
    order = list(range(n))
    counts = [0] * n
    most = checksum = 0
    sign = 1
    height = n
    while True:
        while height > 1:
            counts[height - 1] = height
            height -= 1
        flips = 0
        row = order[:]
        first = row[0]
        while first:
            row[: first + 1] = row[first::-1]
            flips += 1
            first = row[0]
        most = max(most, flips)
        checksum += sign * flips
        sign = -sign
        height = 1
        while True:
            if height == n:
                return checksum, most
            order.insert(height, order.pop(0))
            counts[height] -= 1
            if counts[height] > 0:
                break
            height += 1


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE):
    print(*fannkuch(9))
