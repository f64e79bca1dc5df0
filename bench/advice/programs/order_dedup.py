# bench/advice/programs/order_dedup.py - drops orders that were delivered twice by the shop's queue.
#
# SPDX-License-Identifier: Apache-2.0
# advice: list_membership
import random

EVENTS = 31_000


def read_events(count):
    rng = random.Random(4)
    for _ in range(count):
        yield "ord-%06d" % rng.randrange(count), rng.randint(1, 900)


def unique_orders(events):
    seen = []
    total = 0
    for order, cents in events:
        if order in seen:  # <- here
            continue
        seen.append(order)
        total += cents
    return len(seen), total


if __name__ == "__main__":
    print(unique_orders(read_events(EVENTS)))
