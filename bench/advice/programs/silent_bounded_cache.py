# bench/advice/programs/silent_bounded_cache.py - keeps the last answers of a lookup; old ones make room.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
from collections import OrderedDict

LOOKUPS = 3_500_000


class Recent:
    def __init__(self, size):
        self.size = size
        self.entries = OrderedDict()

    def get(self, key, make):
        if key in self.entries:
            self.entries.move_to_end(key)
            return self.entries[key]
        value = self.entries[key] = make(key)
        if len(self.entries) > self.size:
            self.entries.popitem(last=False)
        return value


def square(key):
    return key * key


def main():
    recent = Recent(1000)
    total = 0
    for i in range(LOOKUPS):
        total += recent.get(i * 7919 % 3001, square)
    print(total)


if __name__ == "__main__":
    main()
