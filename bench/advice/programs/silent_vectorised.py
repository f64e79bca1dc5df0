# bench/advice/programs/silent_vectorised.py - prices of options by the Black-Scholes formula, all at once.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

OPTIONS = 500_000
ROUNDS = 75


def normal(x):
    """An approximation that needs no other package."""
    return 1 / (1 + np.exp(-1.5976 * x - 0.07056 * x * x * x))


def prices(spot, strikes, rate, sigma, years):
    root = sigma * np.sqrt(years)
    d1 = (np.log(spot / strikes) + (rate + sigma * sigma / 2) * years) / root
    return spot * normal(d1) - strikes * np.exp(-rate * years) * normal(d1 - root)


def main():
    rng = np.random.default_rng(3)
    strikes = 80 + 40 * rng.random(OPTIONS)
    years = 0.5 + 2 * rng.random(OPTIONS)
    total = 0.0
    for spot in range(ROUNDS):
        total += float(prices(90.0 + spot / 4, strikes, 0.02, 0.2, years).mean())
    print(round(total, 2) > 0)


main()
