# bench/advice/programs/inventory_counts.py - counts articles by name, and asks forgiveness for each new one.
#
# SPDX-License-Identifier: Apache-2.0
# advice: exceptions_as_flow
import random


ITEMS = 1_400_000


class Inventory:
    def __init__(self):
        self.counts = {}
        self.names = set()

    def add(self, name):
        try:
            self.counts[name] += 1  # <- here
        except KeyError as error:  # <- here
            self.names.add(str(error))
            self.counts[name] = 1


def main():
    rng = random.Random(3)
    inventory = Inventory()
    for _ in range(ITEMS):
        inventory.add(rng.getrandbits(44))
    print(len(inventory.counts))


main()
