# bench/advice/programs/silent_broadcast.py - the nearest of some centres for many points, in blocks that fit the caches.
#
# SPDX-License-Identifier: Apache-2.0
# advice: none
# needs: numpy
import numpy as np

POINTS = 4_300_000
BLOCK = 4096


def nearest(points, centres):
    labels = np.empty(len(points), dtype=np.int64)
    norms = (centres**2).sum(axis=1)
    for begin in range(0, len(points), BLOCK):
        part = points[begin : begin + BLOCK]
        labels[begin : begin + BLOCK] = np.argmin(norms - 2 * part @ centres.T, axis=1)
    return labels


def main():
    rng = np.random.default_rng(10)
    labels = nearest(rng.random((POINTS, 8)), rng.random((24, 8)))
    print(np.bincount(labels, minlength=24).min() > 0)


main()
