# bench/programs/churn.py - allocation churn: lists, dictionaries, objects and blocks that live for moments.
#
# SPDX-License-Identifier: Apache-2.0
import sys

SCALE = 1000


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def rounds(count):
    kept = []
    total = 0
    for i in range(count):
        points = [Point(k, [k, str(k)]) for k in range(2000)]
        table = {point.x: (point.y, float(point.x)) for point in points}
        blocks = [bytearray(300 + 17 * k) for k in range(400)]
        total += len(table) + sum(map(len, blocks))
        kept.append(points[:200])
        if len(kept) > 20:
            del kept[:10]
    return total


print(rounds(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE))
