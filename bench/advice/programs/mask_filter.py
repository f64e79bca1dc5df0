# bench/advice/programs/mask_filter.py - applies a mask from a file to each of many pictures.
#
# SPDX-License-Identifier: Apache-2.0
# advice: repeated_open
# also: churn
# needs: numpy
import os
import tempfile

import numpy as np

PICTURES = 2_500


def masked(picture, folder):
    mask = np.load(os.path.join(folder, "mask.npy"))  # <- here
    return picture * mask


def main():
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "mask.npy"), rng.random((300, 300)))
        picture = rng.random((300, 300))
        light = 0.0
        for _ in range(PICTURES):
            light += float(masked(picture, folder)[::50].sum())
    print(light > 0)


main()
