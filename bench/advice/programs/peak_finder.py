# bench/advice/programs/peak_finder.py - positions of the peaks in a signal, gathered in an array.
#
# SPDX-License-Identifier: Apache-2.0
# advice: array_growth
# also: copies
# needs: numpy
from numpy import concatenate, cos, empty, int64, linspace

POINTS = 200_000


def peaks(signal):
    found = empty(0, dtype=int64)
    below = 0
    for i in range(1, len(signal) - 1):
        if signal[i - 1] < signal[i] > signal[i + 1] or i % 2:
            found = concatenate((found, [i]))  # <- here
        else:
            below += 1
    return found, below


signal = cos(linspace(0, 400, POINTS))
found, below = peaks(signal)
print(len(found), below)
