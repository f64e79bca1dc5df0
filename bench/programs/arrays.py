# bench/programs/arrays.py - numpy: operators, sorting and linear algebra beside Python loops.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import numpy

SCALE = 85
NEEDS = ("numpy",)


def main(rounds):
    generator = numpy.random.RandomState(7)
    values = generator.rand(400000)
    matrix = generator.rand(160, 160)
    total = 0.0
    for i in range(rounds):
        total += float(numpy.sort(values)[::1000].sum())
        total += float(numpy.sqrt(values * values + i).mean())
        total += float((matrix @ matrix).trace())
        for k in range(3000):
            total += float(values[k]) * k
    print(round(total, 3))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
