# bench/advice/programs/option_prices.py - prices of options by the Black-Scholes formula, one after the other.
#
# SPDX-License-Identifier: Apache-2.0
# advice: scalar_numpy
# needs: numpy
import math

import numpy as np

OPTIONS = 800_000


def normal(x):
    return 0.5 * (1 + math.erf(x / 1.4142135623730951))


def price(spot, strike, rate, sigma, years):
    d1 = (np.log(spot / strike) + (rate + sigma * sigma / 2) * years) / (sigma * np.sqrt(years))  # <- here
    d2 = d1 - sigma * np.sqrt(years)  # <- here
    return spot * normal(d1) - strike * np.exp(-rate * years) * normal(d2)  # <- here


def main():
    total = 0.0
    for i in range(OPTIONS):
        total += price(100.0, 80.0 + i % 40, 0.02, 0.2, 0.5 + i % 4)
    print(round(total, 3))


if __name__ == "__main__":
    main()
