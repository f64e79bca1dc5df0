# bench/advice/programs/depot_prices.py - values shipments by a list of prices.
#
# SPDX-License-Identifier: Apache-2.0
# advice: linear_search
# also: repeated_parse
import collections
import csv
import io
import random
from datetime import datetime

SHIPMENTS = 110_000


class Prices:
    def __init__(self, entries):
        self.entries = entries

    def price_of(self, sku):
        for entry in self.entries:
            if entry["sku"] == sku:  # <- here
                return entry["price"]
        raise KeyError(sku)


def shipments(rng):
    text = io.StringIO()
    writer = csv.writer(text)
    for number in range(SHIPMENTS):
        writer.writerow(["%02d/01/2024" % (number % 28 + 1), "SKU%04d" % rng.randrange(700), rng.randrange(1, 9)])
    text.seek(0)
    return text


def values(prices, stream):
    for day, sku, count in csv.reader(stream):
        yield datetime.strptime(day, "%d/%m/%Y"), prices.price_of(sku) * int(count)


def main():
    rng = random.Random(4)
    prices = Prices([{"sku": "SKU%04d" % number, "price": rng.randrange(100, 9999)} for number in range(700)])
    by_day = collections.Counter()
    for day, value in values(prices, shipments(rng)):
        by_day[day] += value
    print(len(by_day), max(by_day.values()))


main()
