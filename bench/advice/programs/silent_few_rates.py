# bench/advice/programs/silent_few_rates.py - a search among four entries, which a dict would not make faster.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
import json
import random

SALES = 2_500_000
RATES = json.loads('[["food", 7], ["books", 5], ["tools", 20], ["wine", 25]]')


def rate_of(kind):
    for name, percent in RATES:
        if name == kind:
            return percent
    return 0


def main():
    rng = random.Random(3)
    kinds = rng.choices(["food", "books", "tools", "wine"], [70, 20, 5, 5], k=SALES)
    print(sum(rate_of(kind) for kind in kinds))


main()
