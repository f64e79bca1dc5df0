# tests/soak/arrays.py - numpy: products, sorts, copies, memory that comes and goes.
#
# SPDX-License-Identifier: Apache-2.0
# needs: numpy
"""A program of tools/soak; its argument is a seed."""

import sys

import numpy

random = numpy.random.RandomState(int(sys.argv[1]))
for _ in range(20):
    a = random.rand(300, 300)
    b = numpy.sort(a, axis=0)
    print(round(float((a @ b).sum()), 3), round(float(numpy.linalg.det(a[:20, :20])), 6))
    c = [numpy.ones(1 << 18) for _ in range(20)]
    print(float(sum(x.sum() for x in c)))
