# bench/gpu_programs/kernels.py - kernels of known length, each launched from a known line.
#
# SPDX-License-Identifier: Apache-2.0
"""Kernels: some of a set length, some that compute, one launched by a function for two callers."""

import os
import sys
from ctypes import c_uint

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver

SIZE = 1024
ROUNDS = 40
LEAD_MS = 50


def launch_for(cuda, length_ms):
    cuda.sleep(length_ms)  # line: shared


def main(cuda):
    timers = {name: cuda.timer() for name in ("short", "long", "matmul", "shared")}
    a, b, c = (cuda.allocate(SIZE * SIZE * 4) for _ in range(3))
    for matrix, bits in ((a, 0x3F800000), (b, 0x40000000)):  # 1.0 and 2.0
        cuda.call("cuMemsetD32_v2", matrix, bits, SIZE * SIZE)
    cuda.sleep(LEAD_MS)  # meanwhile the host enqueues what follows
    for _ in range(ROUNDS):
        timers["short"].begin()
        cuda.sleep(2)  # line: short
        timers["short"].end()
        timers["long"].begin()
        cuda.sleep(7)  # line: long
        timers["long"].end()
        timers["matmul"].begin()
        cuda.launch("matmul", (SIZE // 16, SIZE // 16), (16, 16), [a, b, c, c_uint(SIZE)])  # line: matmul
        timers["matmul"].end()
        timers["shared"].begin()
        launch_for(cuda, 1)
        launch_for(cuda, 2)
        timers["shared"].end()
    one = (c_uint * 1)()
    cuda.call("cuMemcpyDtoH_v2", one, c, 4)
    assert one[0] == 0x45000000, "the product of ones and twos is not 2048 but %x" % one[0]
    counts = {"shared": 2 * ROUNDS}
    return {
        name: {"gpu_s": timer.seconds(), "launches": counts.get(name, ROUNDS)} for name, timer in timers.items()
    }


gpu_driver.run(main)
