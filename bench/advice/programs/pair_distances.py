# bench/advice/programs/pair_distances.py - distances between all pairs of points at once.
#
# SPDX-License-Identifier: Apache-2.0
# advice: peak_allocation
# also: churn
# needs: numpy
import numpy as np

POINTS = 3600


def closest(points):
    differences = points[:, None, :] - points[None, :, :]  # <- here
    distances = np.sqrt((differences**2).sum(axis=2))
    np.fill_diagonal(distances, np.inf)
    return distances.min(axis=1)


def main():
    rng = np.random.default_rng(2)
    print(bool((closest(rng.random((POINTS, 3))) > 0).all()))


main()
