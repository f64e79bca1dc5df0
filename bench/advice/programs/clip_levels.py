# bench/advice/programs/clip_levels.py - limits and rounds the samples of a sound, one at a time.
#
# SPDX-License-Identifier: Apache-2.0
# advice: scalar_numpy
# needs: numpy
import numpy as np

SAMPLES = 180_000


def limited(samples, low, high):
    i = 0
    out = np.zeros(len(samples))
    while i < len(samples):
        out[i] = np.round(np.clip(samples[i], low, high), 3)  # <- here
        i += 1
    return out


wave = np.sin(np.arange(SAMPLES) / 30.0) * 1.4
print(float(limited(wave, -1.0, 1.0).sum()))
