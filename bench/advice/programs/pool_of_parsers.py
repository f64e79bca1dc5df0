# bench/advice/programs/pool_of_parsers.py - a thread pool parses lines, in the hope of using all CPUs.
#
# SPDX-License-Identifier: Apache-2.0
# advice: gil
# also: python_loop python_function
from concurrent.futures import ThreadPoolExecutor

BATCHES = 200
LINES = 9_000


def parse(batch):
    total = 0
    for i in range(LINES):
        fields = ("%d;%d;%d" % (batch, i, i * 3 % 7)).split(";")
        value = 0
        for field in fields:
            for character in field:
                value = value * 10 + ord(character) - 48
        total += value % 1009
    return total


if __name__ == "__main__":
    with ThreadPoolExecutor(max_workers=4) as pool:
        print(sum(pool.map(parse, range(BATCHES))))
