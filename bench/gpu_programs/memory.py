# bench/gpu_programs/memory.py - device memory of known size, given out at known lines.
#
# SPDX-License-Identifier: Apache-2.0
"""Device memory: blocks that stay, blocks that go, a pool, and memory without an address."""

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver
from gpu_driver import MIB

HELD = 4096 * MIB
before = gpu_driver.memory_in_use()  # before this program has a context


def main(cuda):
    four = [cuda.allocate(64 * MIB) for _ in range(4)]  # line: four
    for _ in range(10):
        cuda.free(cuda.allocate(32 * MIB))  # line: churn
    for block in four[1:]:
        cuda.free(block)
    truth = {
        "four": {"malloc_mb": 256, "live_mb": 256},
        "churn": {"malloc_mb": 320, "live_mb": 32},
    }
    pooled = cuda.new(gpu_driver.c_uint64, "cuMemAllocAsync", 128 * MIB, None)  # line: pool
    cuda.call("cuMemFreeAsync", pooled, None)
    truth["pool"] = {"malloc_mb": 128, "live_mb": 128}
    physical, size = cuda.create_physical(100 * MIB)  # line: physical
    cuda.call("cuMemRelease", physical)
    truth["physical"] = {"malloc_mb": size / MIB, "live_mb": size / MIB}
    large = cuda.allocate(HELD)  # line: held
    cuda.synchronize()
    time.sleep(2)  # line: asleep
    truth["held"] = {"malloc_mb": HELD / MIB, "live_mb": HELD / MIB}
    after = gpu_driver.memory_in_use()
    if before is not None and after is not None:
        truth["asleep"] = {"peak_mb": (after - before) / MIB}
    cuda.free(large)
    return truth


gpu_driver.run(main)
