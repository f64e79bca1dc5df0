# bench/gpu_driver.py - CUDA's driver for the programs of gpu_programs, by ctypes alone.
#
# It lies outside their directory, so the profiler charges what happens here to the programs' own
# lines. Names and numbers are those of cuda.h of CUDA 12; all of them are in drivers from 11.2 on.
#
# SPDX-License-Identifier: Apache-2.0
"""What the programs need of CUDA, and of NVML: contexts, kernels, streams, copies, memory, events."""

import ctypes
import json
import os
import sys
import time
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p

NO_GPU = 77  # the exit status of a program that finds no device
KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_programs", "kernels.ptx")
MIB = 1 << 20

FUNCTIONS = {
    "cuInit": [c_uint],
    "cuDriverGetVersion": [POINTER(c_int)],
    "cuDeviceGetCount": [POINTER(c_int)],
    "cuDeviceGet": [POINTER(c_int), c_int],
    "cuDeviceGetName": [c_char_p, c_int, c_int],
    "cuDevicePrimaryCtxRetain": [POINTER(c_void_p), c_int],
    "cuCtxSetCurrent": [c_void_p],
    "cuCtxSynchronize": [],
    "cuModuleLoadData": [POINTER(c_void_p), c_char_p],
    "cuModuleGetFunction": [POINTER(c_void_p), c_void_p, c_char_p],
    "cuLaunchKernel": [c_void_p] + [c_uint] * 7 + [c_void_p, c_void_p, c_void_p],
    "cuStreamCreate": [POINTER(c_void_p), c_uint],
    "cuStreamWaitEvent": [c_void_p, c_void_p, c_uint],
    "cuEventCreate": [POINTER(c_void_p), c_uint],
    "cuEventRecord": [c_void_p, c_void_p],
    "cuEventElapsedTime": [POINTER(c_float), c_void_p, c_void_p],
    "cuMemAlloc_v2": [POINTER(c_uint64), c_size_t],
    "cuMemFree_v2": [c_uint64],
    "cuMemAllocHost_v2": [POINTER(c_void_p), c_size_t],
    "cuMemcpyHtoD_v2": [c_uint64, c_void_p, c_size_t],
    "cuMemcpyDtoH_v2": [c_void_p, c_uint64, c_size_t],
    "cuMemcpyHtoDAsync_v2": [c_uint64, c_void_p, c_size_t, c_void_p],
    "cuMemcpyDtoHAsync_v2": [c_void_p, c_uint64, c_size_t, c_void_p],
    "cuMemcpyDtoD_v2": [c_uint64, c_uint64, c_size_t],
    "cuMemsetD32_v2": [c_uint64, c_uint, c_size_t],
    "cuMemAllocAsync": [POINTER(c_uint64), c_size_t, c_void_p],
    "cuMemFreeAsync": [c_uint64, c_void_p],
    "cuMemGetAllocationGranularity": [POINTER(c_size_t), c_void_p, c_uint],
    "cuMemCreate": [POINTER(c_uint64), c_size_t, c_void_p, c_uint64],
    "cuMemRelease": [c_uint64],
}


class NoGpu(Exception):
    """There is nothing to measure here; the text says why."""


class PhysicalMemory(ctypes.Structure):
    """CUmemAllocationProp: pinned memory of one device."""

    _fields_ = [
        ("type", c_int),
        ("handle_types", c_int),
        ("location_type", c_int),
        ("location", c_int),
        ("windows", c_void_p),
        ("flags", c_uint64),
    ]


class Cuda:
    """The first device, its primary context and the kernels of kernels.ptx."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpu("there is no NVIDIA driver (%s)" % error) from None
        for name, types in FUNCTIONS.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = types, c_int
        status = self.library.cuInit(0)
        if status != 0:
            raise NoGpu("CUDA's driver cannot be used (cuInit returns %d)" % status)
        if self.new(c_int, "cuDeviceGetCount").value == 0:
            raise NoGpu("CUDA's driver knows no device")
        self.device = self.new(c_int, "cuDeviceGet", 0).value
        self.call("cuCtxSetCurrent", self.new(c_void_p, "cuDevicePrimaryCtxRetain", self.device))
        with open(KERNELS, "rb") as stream:
            module = self.new(c_void_p, "cuModuleLoadData", stream.read())
        self.functions = {
            name: self.new(c_void_p, "cuModuleGetFunction", module, name.encode()) for name in ("sleep_ns", "matmul")
        }

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError("%s returns %d" % (name, status))

    def new(self, kind, name, *arguments):
        """Calls a function that fills in its first argument."""
        value = kind()
        self.call(name, byref(value), *arguments)
        return value

    def describe(self):
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, self.device)
        version = self.new(c_int, "cuDriverGetVersion").value
        return "%s, driver for CUDA %d.%d" % (name.value.decode(), version // 1000, version % 1000 // 10)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def launch(self, name, grid, block, values, stream=None):
        """grid and block are numbers of two dimensions."""
        pointers = (c_void_p * len(values))(*[ctypes.cast(byref(value), c_void_p) for value in values])
        self.call("cuLaunchKernel", self.functions[name], *grid, 1, *block, 1, 0, stream, pointers, None)

    def sleep(self, length_ms, stream=None):
        """Keeps the device busy for so long, with one thread."""
        self.launch("sleep_ns", (1, 1), (1, 1), [c_uint64(int(length_ms * 1e6))], stream)

    def stream(self):
        return self.new(c_void_p, "cuStreamCreate", 1)  # CU_STREAM_NON_BLOCKING: does not wait for the default stream

    def timer(self, stream=None):
        return Timer(self, stream)

    def allocate(self, size):
        return self.new(c_uint64, "cuMemAlloc_v2", size)

    def free(self, block):
        self.call("cuMemFree_v2", block)

    def pinned(self, size):
        return self.new(c_void_p, "cuMemAllocHost_v2", size)

    def create_physical(self, size):
        """Memory without an address; size is rounded up to what the device gives out."""
        kind = PhysicalMemory(type=1, location_type=1, location=self.device)
        grain = self.new(c_size_t, "cuMemGetAllocationGranularity", byref(kind), 0).value
        size = (size + grain - 1) // grain * grain
        return self.new(c_uint64, "cuMemCreate", size, byref(kind), 0), size


class Timer:
    """The device's own clock around pieces of work on one stream, by events."""

    def __init__(self, cuda, stream):
        self.cuda, self.stream, self.pairs, self.began = cuda, stream, [], None

    def mark(self):
        event = self.cuda.new(c_void_p, "cuEventCreate", 0)
        self.cuda.call("cuEventRecord", event, self.stream)
        return event

    def begin(self):
        self.began = self.mark()

    def end(self):
        self.pairs.append((self.began, self.mark()))

    def seconds(self):
        """The time of all pieces together, after the device has done them."""
        self.cuda.synchronize()
        return sum(self.cuda.new(c_float, "cuEventElapsedTime", *pair).value for pair in self.pairs) / 1000


def compute(seconds):
    """Python computes for so long. Returns how long it was."""
    began = now = time.perf_counter()
    total = 0
    while now < began + seconds:
        for i in range(200):
            total += i * i
        now = time.perf_counter()
    return now - began


def memory_in_use():
    """The memory in use on the first device, as NVML reports it, in bytes; None where it cannot."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    device = c_void_p()
    numbers = (ctypes.c_ulonglong * 3)()  # total, free, used
    good = (
        nvml.nvmlInit_v2() == 0
        and nvml.nvmlDeviceGetHandleByIndex_v2(0, byref(device)) == 0
        and nvml.nvmlDeviceGetMemoryInfo(device, byref(numbers)) == 0
    )
    return numbers[2] if good else None


def run(main):
    """Runs a program's main(cuda), which returns the true numbers of its lines, and prints them."""
    try:
        print(json.dumps(main(Cuda())))
    except NoGpu as why:
        print(why, file=sys.stderr)
        sys.exit(NO_GPU)
