# bench/gpu_programs/idle.py - the device idles while Python computes, in a known proportion.
#
# SPDX-License-Identifier: Apache-2.0
"""A loop of device work that is waited for, and of Python that keeps the device waiting."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gpu_driver

ROUNDS = 30
BUSY_MS = 25


def main(cuda):
    python_s = 0
    for _ in range(ROUNDS):
        cuda.sleep(BUSY_MS)
        cuda.synchronize()  # line: wait
        python_s += gpu_driver.compute(0.075)  # line: python
    return {
        "python": {"idle_s": python_s},
        "wait": {"little_idle_s": python_s},
        "": {"busy_s": ROUNDS * BUSY_MS / 1000},
    }


gpu_driver.run(main)
