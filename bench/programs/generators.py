# bench/programs/generators.py - pipelines of generators, and comprehensions over them.
#
# SPDX-License-Identifier: Apache-2.0
import sys

SCALE = 3000000


def numbers(count):
    state = 12345
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield state


def pairs(source):
    for first in source:
        yield first, next(source, 0)


def flatten(tree):
    for item in tree:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def main(count):
    total = sum(a ^ b for a, b in pairs(numbers(count)) if a % 3)
    tree = [[[i, [i + 1, [i + 2, [i + 3]]]], i] for i in range(200)]
    for _ in range(count // 1500):
        total += sum(x for x in flatten(tree) if x & 1)
    squares = {x % 1009: [y * y for y in range(x % 7)] for x in numbers(count // 2)}
    print(total, sum(map(len, squares.values())))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
