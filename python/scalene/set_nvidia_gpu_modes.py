# python/scalene/set_nvidia_gpu_modes.py - `python -m scalene.set_nvidia_gpu_modes`, the original's name.
#
# SPDX-License-Identifier: Apache-2.0
"""Lets NVIDIA's driver report the load of each process: `scalene set-nvidia-gpu-modes`."""

from __future__ import annotations

import sys

from scalene.__main__ import main

if __name__ == "__main__":
    sys.argv[1:1] = ["set-nvidia-gpu-modes", "--yes"]  # the original asks nothing, either
    main()
