# bench/advice/programs/nearest_centre.py - assigns points to the nearest of a few cluster centres.
#
# SPDX-License-Identifier: Apache-2.0
# advice: scalar_numpy
# needs: numpy
import numpy as np

POINTS = 75_000


class KMeans:
    def __init__(self, centres):
        self.centres = centres

    def nearest(self, point):
        distances = [np.sqrt(np.sum((point - centre) ** 2)) for centre in self.centres]  # <- here
        return int(np.argmin(distances))  # <- here

    def assign(self, points):
        labels = []
        for point in points:
            labels.append(self.nearest(point))
        return labels


def main():
    rng = np.random.default_rng(9)
    labels = KMeans(rng.random((6, 2))).assign(rng.random((POINTS, 2)))
    print([labels.count(i) for i in range(6)])


main()
