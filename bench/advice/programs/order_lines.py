# bench/advice/programs/order_lines.py - prints invoices from two lists of rows.
#
# SPDX-License-Identifier: Apache-2.0
# advice: linear_search
import dataclasses
import random

ORDERS = 3500


@dataclasses.dataclass
class Line:
    order: int
    cents: int


def invoices(numbers, lines):
    for number in numbers:
        own = [line for line in lines if line.order == number]  # <- here
        yield number, sum(line.cents for line in own)


def main():
    rng = random.Random(8)
    lines = [Line(rng.randrange(ORDERS), rng.randrange(10_000)) for _ in range(4 * ORDERS)]
    print(max(total for _number, total in invoices(range(ORDERS), lines)))


main()
