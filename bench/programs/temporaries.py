# bench/programs/temporaries.py - numpy with many temporaries, small and large ones.
#
# SPDX-License-Identifier: Apache-2.0
import sys

import numpy

SCALE = 1200
NEEDS = ("numpy",)


def main(count):
    generator = numpy.random.RandomState(3)
    large = generator.rand(100000)
    small = generator.rand(300)
    total = 0.0
    for i in range(count):
        total += float(((large * 2 + i) / (large + 1) - large * large).sum())
        for k in range(150):
            total += float((small * k + small - 1)[k % 300])
            total += len(numpy.concatenate((small, small[:k])))
    print(round(total, 3))


main(int(sys.argv[1]) if len(sys.argv) > 1 else SCALE)
