# bench/gpu_programs/copies.py - copies of known size, from known lines.
#
# SPDX-License-Identifier: Apache-2.0
"""Copies between host and device: pageable and pinned, waiting and not."""

import os
import sys
from ctypes import addressof, c_char

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver
from gpu_driver import MIB

SIZE = 32 * MIB + 12345
PINNED = 256 * MIB
LEAD_MS = 50


def main(cuda):
    device, other, large = cuda.allocate(SIZE), cuda.allocate(SIZE), cuda.allocate(PINNED)
    memory = (c_char * SIZE)()
    pageable = addressof(memory)
    pinned = cuda.pinned(PINNED)
    stream = cuda.stream()
    there, back = cuda.timer(stream), cuda.timer(stream)
    for _ in range(5):
        cuda.call("cuMemcpyHtoD_v2", device, pageable, SIZE)  # line: pageable to
    for _ in range(3):
        cuda.call("cuMemcpyDtoH_v2", pageable, device, SIZE)  # line: pageable from
    cuda.sleep(LEAD_MS, stream)  # meanwhile the host enqueues what follows
    for _ in range(8):
        there.begin()
        cuda.call("cuMemcpyHtoDAsync_v2", large, pinned, PINNED, stream)  # line: pinned to
        there.end()
    cuda.sleep(LEAD_MS, stream)
    for _ in range(6):
        back.begin()
        cuda.call("cuMemcpyDtoHAsync_v2", pinned, large, PINNED, stream)  # line: pinned from
        back.end()
    for _ in range(4):
        cuda.call("cuMemcpyDtoD_v2", other, device, SIZE)  # line: within
    return {
        "pageable to": {"to_device_mb": 5 * SIZE / MIB, "from_device_mb": 0, "launches": 0},
        "pageable from": {"to_device_mb": 0, "from_device_mb": 3 * SIZE / MIB},
        "pinned to": {"to_device_mb": 8 * PINNED / MIB, "from_device_mb": 0, "gpu_s": there.seconds()},
        "pinned from": {"to_device_mb": 0, "from_device_mb": 6 * PINNED / MIB, "gpu_s": back.seconds()},
        "within": {"to_device_mb": 0, "from_device_mb": 0},
    }


gpu_driver.run(main)
