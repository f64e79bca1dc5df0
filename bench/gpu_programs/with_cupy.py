# bench/gpu_programs/with_cupy.py - cupy: a product of matrices, an operator, copies, memory.
#
# SPDX-License-Identifier: Apache-2.0
"""What cupy launches, copies and takes, from known lines."""

import json
import sys

import cupy
import numpy

NO_GPU = 77
MIB = 1 << 20
SIZE = 32 * MIB
ROUNDS = 30


class Timer:
    def __init__(self):
        self.pairs = []

    def __enter__(self):
        self.pairs.append([cupy.cuda.Event() for _ in range(2)])
        self.pairs[-1][0].record()

    def __exit__(self, *_):
        self.pairs[-1][1].record()

    def seconds(self):
        cupy.cuda.Device().synchronize()
        return sum(cupy.cuda.get_elapsed_time(begin, end) for begin, end in self.pairs) / 1000


def lines():
    a = cupy.random.standard_normal((4096, 4096)).astype(cupy.float32)
    b = cupy.random.standard_normal((4096, 4096)).astype(cupy.float32)
    host = numpy.zeros(SIZE, numpy.uint8)
    wide = cupy.ones((16384, 16384), cupy.float32)  # a millisecond of work, to which an event's own time adds almost nothing
    _ = a @ b, cupy.sqrt(wide)
    cupy.cuda.Device().synchronize()
    product, root = Timer(), Timer()
    for _ in range(ROUNDS):
        with product:
            _ = a @ b  # line: cupy product
        with root:
            _ = cupy.sqrt(wide)  # line: cupy sqrt
    for _ in range(5):
        there = cupy.asarray(host)  # line: cupy to
    for _ in range(3):
        there.get()  # line: cupy from
    cupy.get_default_memory_pool().free_all_blocks()  # otherwise the block could be put into memory that cupy has kept
    block = cupy.empty(512 * MIB, cupy.uint8)  # line: cupy block
    del block
    return {
        "cupy product": {"gpu_s": product.seconds()},
        "cupy sqrt": {"gpu_s": root.seconds()},
        "cupy to": {"to_device_mb": 5 * SIZE / MIB, "from_device_mb": 0},
        "cupy from": {"to_device_mb": 0, "from_device_mb": 3 * SIZE / MIB},
        "cupy block": {"malloc_mb": 512, "live_mb": 512},
    }


try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError as error:
    print("cupy finds no CUDA device: %s" % error, file=sys.stderr)
    sys.exit(NO_GPU)
print(json.dumps(lines()))
