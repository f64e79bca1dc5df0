# bench/advice/programs/temporaries.py - a formula over large arrays that makes an array for each operation.
#
# SPDX-License-Identifier: Apache-2.0
# advice: churn | copies
# needs: numpy
import numpy as np

CELLS = 6_000_000
STEPS = 12


def step(field, source):
    return field * 0.99 + source * 0.01 - (field - source) * 0.001 + field * source * 1e-6  # <- here


def main():
    field = np.ones(CELLS)
    source = np.full(CELLS, 2.0)
    for _ in range(STEPS):
        field = step(field, source)
    print(field.shape)


main()
