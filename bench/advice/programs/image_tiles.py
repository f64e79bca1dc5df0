# bench/advice/programs/image_tiles.py - stacks strips of an image as they arrive from a scanner.
#
# SPDX-License-Identifier: Apache-2.0
# advice: array_growth
# also: copies churn
# needs: numpy
import numpy

STRIPS = 1900
WIDTH = 640


class Scanner:
    def __init__(self):
        self.image = numpy.zeros((0, WIDTH), dtype=numpy.uint16)

    def strip(self, i):
        return numpy.full((2, WIDTH), i % 4096, dtype=numpy.uint16)

    def scan(self):
        for i in range(STRIPS):
            self.image = numpy.vstack([self.image, self.strip(i)])  # <- here
        return self.image


image = Scanner().scan()
print(image.shape, int(image.sum()))
