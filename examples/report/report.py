"""examples/report/report.py - a report of prices: a program with something for every part of a profile's page.

Takes about four seconds. Try:

    cd examples/report
    scalene run report.py
    scalene view

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import threading
import time

import pricing

HISTORY = []


def load(count):
    """Reads records, as from a service that takes its time."""
    time.sleep(0.4)
    return [{"id": i, "strike": 90 + i % 30, "note": "x" * (40 + i % 80)} for i in range(count)]


def remember(records):
    """Keeps a text of all records, again and again."""
    for _ in range(14):
        HISTORY.append(json.dumps(records))
        time.sleep(0.08)


def frames(records, rounds):
    """Copies records into one block of bytes."""
    block = b""
    for _ in range(rounds):
        block = json.dumps(records).encode() * 8
    return block


def digest(block, rounds):
    return [hashlib.sha256(block).hexdigest() for _ in range(rounds)]


def main():
    records = load(30_000)
    worker = threading.Thread(target=remember, args=(records,), name="history")
    worker.start()
    price = pricing.simulate(16_000, 250)
    block = frames(records, 6)
    print("simulated %.2f, exact %.2f" % (price, pricing.exact()))
    print(digest(block, 12)[0])
    worker.join()


if __name__ == "__main__":
    main()
