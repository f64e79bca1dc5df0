# bench/advice/programs/frame_filters.py - each filter of a film works on its own copy of the picture.
#
# SPDX-License-Identifier: Apache-2.0
# advice: copies | churn
# needs: numpy
import numpy as np

FRAMES = 520
SHAPE = (1080, 1920)


class Filter:
    def __init__(self, amount):
        self.amount = amount

    def apply(self, frame):
        result = frame.copy()  # <- here
        result[:8] += self.amount
        return result


filters = [Filter(i) for i in range(5)]
frame = np.zeros(SHAPE, dtype=np.float32)
for _ in range(FRAMES):
    for each in filters:
        frame = each.apply(frame)  # <- here
print(float(frame[0, 0]))
