# bench/timed.py - runs a program on one CPU and writes to FILE how much CPU time it took.
#
#     timed.py CPU FILE PROGRAM [ARG]...
#
# SPDX-License-Identifier: Apache-2.0
"""The wrapper around the programs of side_by_side.py: from the start of the process to the end of the program."""

import ctypes
import os
import platform
import runpy
import sys
import time

SLICE_NS = 20000000
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
SCHED_BATCH = 3


class Attributes(ctypes.Structure):
    """struct sched_attr, its first version (sched_setattr(2))."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    ]


def ask_for_long_slices():
    """Since Linux 6.12 a process may request how long it runs at a time; older kernels ignore or refuse it."""
    attributes = Attributes(policy=SCHED_BATCH, runtime=SLICE_NS)
    attributes.size = ctypes.sizeof(attributes)
    ctypes.CDLL(None).syscall(SCHED_SETATTR[platform.machine()], 0, ctypes.byref(attributes), 0)


def main():
    cpu, answer, program = sys.argv[1:4]
    os.sched_setaffinity(0, {int(cpu)})
    ask_for_long_slices()
    sys.argv = sys.argv[3:]
    runpy.run_path(program, run_name="__main__")
    with open(answer, "w") as stream:
        stream.write(str(time.process_time()))


main()
