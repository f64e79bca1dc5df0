"""examples/tour.py - a little of everything a profile tells apart: Python, native code, waiting, and threads.

Takes two to three seconds. Try:

    scalene run examples/tour.py
    scalene view --cli

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import os
import threading
import time


def collatz_longest(limit):
    """Pure Python: every instruction here is interpreted."""
    longest, best = 0, 1
    for start in range(1, limit):
        number, steps = start, 0
        while number != 1:
            number = number // 2 if number % 2 == 0 else 3 * number + 1
            steps += 1
        if steps > longest:
            longest, best = steps, start
    return best, longest


def fingerprint(blocks):
    """Native: the interpreter only hands each block to C, which computes without the GIL."""
    digest = hashlib.sha256()
    block = bytes(range(256)) * 4096
    for _ in range(blocks):
        digest.update(block)
    return digest.hexdigest()


def sort_words(count):
    """Native, too, but holding the GIL."""
    words = [str(number * 7919 % 1_000_003) for number in range(count)]
    return sorted(words, reverse=True)[0]


def wait_for_data(seconds):
    """Waiting: a read from a pipe that is filled late, then a sleep."""
    reading, writing = os.pipe()
    late = threading.Timer(seconds, os.write, (writing, b"data"))
    late.start()
    data = os.read(reading, 16)
    late.join()
    os.close(reading)
    os.close(writing)
    time.sleep(seconds)
    return data


def main():
    worker = threading.Thread(target=fingerprint, args=(400,), name="fingerprint")
    worker.start()
    best, steps = collatz_longest(80_000)
    worker.join()
    print(f"the longest Collatz sequence below 80000 starts at {best} and has {steps} steps")
    print(f"the last word is {sort_words(200_000)}, the pipe gave {wait_for_data(0.2).decode()}")


if __name__ == "__main__":
    main()
