# tests/soak/pools.py - pools of threads and of processes, by every way to start them.
#
# SPDX-License-Identifier: Apache-2.0
"""A program of tools/soak; its argument is a seed."""

import concurrent.futures
import hashlib
import multiprocessing
import random
import sys


def digest(number):
    data = bytes([number % 256]) * (10000 + number * 37 % 50000)
    return hashlib.sha256(data).hexdigest()


def main():
    numbers = random.Random(int(sys.argv[1])).choices(range(10000), k=400)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        print(sum(int(text[:8], 16) for text in pool.map(digest, numbers)))
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(3) as pool:
            print(method, sum(int(text[:8], 16) for text in pool.map(digest, numbers)))


if __name__ == "__main__":
    main()
