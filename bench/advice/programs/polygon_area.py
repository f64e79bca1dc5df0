# bench/advice/programs/polygon_area.py - areas of polygons by the shoelace formula, in plain Python.
#
# SPDX-License-Identifier: Apache-2.0
# advice: python_loop | python_function
import math

CORNERS = 6000
POLYGONS = 4_500


def area(xs, ys):
    total = 0.0
    n = len(xs)
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        total += xs[i] * ys[j] - xs[j] * ys[i]  # <- here
    return abs(total) / 2


def main():
    angles = [2 * math.pi * i / CORNERS for i in range(CORNERS)]
    xs, ys = [math.cos(a) for a in angles], [math.sin(a) for a in angles]
    print(sum(area(xs, ys) for _ in range(POLYGONS)))


main()
