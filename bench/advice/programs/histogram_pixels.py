# bench/advice/programs/histogram_pixels.py - brightness of the pixels of a picture, in loops over all of them.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function | scalar_numpy
# needs: numpy
import numpy as np

HEIGHT = 11_000
WIDTH = 1000


def histogram(picture):
    counts = [0] * 256
    for y in range(HEIGHT):
        for x in range(WIDTH):
            level = picture[y, x]  # <- here
            counts[level] += 1  # <- here
    return counts


picture = np.random.default_rng(4).integers(0, 256, (HEIGHT, WIDTH))
print(sum(histogram(picture)))
