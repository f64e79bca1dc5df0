# bench/advice/programs/row_means.py - mean and spread of each row of a large measurement.
#
# SPDX-License-Identifier: Apache-2.0
# advice: scalar_numpy
# needs: numpy
import numpy as np

ROWS = 380_000


def describe(table):
    means, spreads = [], []
    for row in table:
        means.append(np.mean(row))  # <- here
        spreads.append(row.max() - row.min())
    return np.array(means), np.array(spreads)


table = np.random.default_rng(5).random((ROWS, 12))
means, spreads = describe(table)
print(round(float(means.mean()), 2), spreads.shape)
