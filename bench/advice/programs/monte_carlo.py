# bench/advice/programs/monte_carlo.py - the price of an option from random walks, step by step.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
import math
import random

PATHS = 69_000
STEPS = 60


def path(rng, drift, sigma):
    value = 100.0
    for _ in range(STEPS):
        value *= math.exp(drift + sigma * rng.gauss(0.0, 1.0))  # <- here
    return value


def main():
    rng = random.Random(42)
    payoffs = 0.0
    for _ in range(PATHS):
        payoffs += max(0.0, path(rng, 0.0001, 0.01) - 100.0)
    print(round(payoffs / PATHS, 1))


if __name__ == "__main__":
    main()
