# tests/page/programs/shop/shop.py - a program with something for every part of the page.
#
# SPDX-License-Identifier: Apache-2.0
"""Two files, two threads, memory that grows, copies, and waiting."""

import threading
import time

import prices

KEPT = []


def grow():
    for _ in range(20):
        KEPT.append(bytearray(3_000_000))
        time.sleep(0.01)


def copy(block):
    return [bytes(block) for _ in range(8)]


def main():
    worker = threading.Thread(target=grow, name="grower")
    worker.start()
    until = time.process_time() + 1.2
    total = 0
    while time.process_time() < until:
        total += prices.total(20_000)
    for _ in range(10):
        copy(bytearray(4_000_000))
    worker.join()
    time.sleep(0.2)
    print(total > 0)


main()
