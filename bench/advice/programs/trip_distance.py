# bench/advice/programs/trip_distance.py - how far each of many trips went, through the tuples of a frame.
#
# SPDX-License-Identifier: Apache-2.0
# advice: iterrows
# needs: pandas
import math

import pandas

TRIPS = 1_100_000


class Trips:
    def __init__(self, frame):
        self.frame = frame

    def distances(self):
        found = []
        for trip in self.frame.itertuples():  # <- here
            dx = trip.x1 - trip.x0
            dy = trip.y1 - trip.y0
            found.append(math.sqrt(dx * dx + dy * dy))  # <- here
        return found


numbers = pandas.RangeIndex(TRIPS)
frame = pandas.DataFrame({"x0": numbers % 97, "y0": numbers % 89, "x1": numbers % 83, "y1": numbers % 79})
print(round(sum(Trips(frame).distances())))
