"""examples/report/pricing.py - prices of options: the loop that takes the time.

SPDX-License-Identifier: Apache-2.0
"""

import math
import random


def simulate(paths, steps, spot=100.0, rate=0.02, sigma=0.25):
    """The mean pay-off over random paths, each step of them interpreted."""
    step = 1.0 / steps
    total = 0.0
    for _ in range(paths):
        value = spot
        for _ in range(steps):
            shock = random.gauss(0.0, 1.0)
            value *= 1.0 + rate * step + sigma * math.sqrt(step) * shock
        total += max(value - 105.0, 0.0)
    return total / paths


def normal(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def exact(spot=100.0, strike=105.0, rate=0.02, sigma=0.25, years=1.0):
    """The same price by a formula."""
    d1 = (math.log(spot / strike) + (rate + sigma * sigma / 2) * years) / (sigma * math.sqrt(years))
    d2 = d1 - sigma * math.sqrt(years)
    return spot * normal(d1) - strike * math.exp(-rate * years) * normal(d2)
