# bench/advice/programs/silent_set_lookup.py - filters visits by a set of blocked addresses.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import random

VISITS = 200_000
ROUNDS = 45


def allowed(visits, blocked):
    return [visit for visit in visits if visit not in blocked]


def main():
    rng = random.Random(5)
    blocked = {rng.randrange(1 << 32) for _ in range(50_000)}
    visits = [rng.randrange(1 << 32) for _ in range(VISITS)]
    kept = 0
    for _ in range(ROUNDS):
        kept += len(allowed(visits, blocked))
    print(kept)


main()
