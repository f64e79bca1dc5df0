# bench/gpu_programs/training.py - a loop like that of training, timed by itself: what profiling costs.
#
# SPDX-License-Identifier: Apache-2.0
"""Every step launches kernels and copies, computes in Python and waits for the device.

Arguments: kernels per step, and the length of each in milliseconds.
"""

import os
import sys
import time
from ctypes import addressof, c_char

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver
from gpu_driver import MIB

STEPS = 150
KERNELS = int(sys.argv[1]) if len(sys.argv) > 1 else 50
LENGTH_MS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.2


def main(cuda):
    batch = (c_char * MIB)()
    device = cuda.allocate(MIB)
    cuda.sleep(1)
    cuda.synchronize()
    began = time.perf_counter()
    for _ in range(STEPS):
        gpu_driver.compute(0.003)
        cuda.call("cuMemcpyHtoD_v2", device, addressof(batch), MIB)
        for _ in range(KERNELS):
            cuda.sleep(LENGTH_MS)
        cuda.synchronize()
    return {"": {"loop_s": time.perf_counter() - began}}


gpu_driver.run(main)
