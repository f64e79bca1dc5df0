#!/usr/bin/env python3
# tools/check_nvml.py PYNVML [LIBRARY...] - our declarations of NVML's binary interface agree with NVIDIA's own files.
#
# By hand, when a new driver comes out. PYNVML is the file pynvml.py of NVIDIA's package nvidia-ml-py, whose ctypes
# structures are compared with ours; each LIBRARY is a libnvidia-ml.so.1, whose missing functions are listed.
#
# SPDX-License-Identifier: Apache-2.0
"""Compares src/accelerator/nvml.h with NVIDIA's own binding of NVML."""

import ctypes
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
HEADER = SOURCES / "accelerator" / "nvml.h"

# Our structures: their names in the binding, and our members in the order of theirs.
STRUCTURES = {
    "sc_nvml_memory": ("c_nvmlMemory_t", "total free used"),
    "sc_nvml_memory_v2": ("c_nvmlMemory_v2_t", "version total reserved free used"),
    "sc_nvml_rates": ("c_nvmlUtilization_t", "gpu memory"),
    "sc_nvml_process": ("c_nvmlProcessInfo_v3_t", "pid used_bytes gpu_instance compute_instance"),
    "sc_nvml_sample": (
        "c_nvmlProcessUtilizationSample_t",
        "pid time_us sm_percent memory_percent encoder_percent decoder_percent",
    ),
    "sc_nvml_account_v2": (
        "c_nvmlAccountingStats_v2_t",
        "pid is_running gpu_percent memory_percent peak_bytes sample_count sum_gpu sum_memory time_ms start_us",
    ),
}
NUMBERS = {
    "SC_NVML_SUCCESS": "NVML_SUCCESS",
    "SC_NVML_UNINITIALIZED": "NVML_ERROR_UNINITIALIZED",
    "SC_NVML_NOT_SUPPORTED": "NVML_ERROR_NOT_SUPPORTED",
    "SC_NVML_NO_PERMISSION": "NVML_ERROR_NO_PERMISSION",
    "SC_NVML_NOT_FOUND": "NVML_ERROR_NOT_FOUND",
    "SC_NVML_INSUFFICIENT_SIZE": "NVML_ERROR_INSUFFICIENT_SIZE",
    "SC_NVML_DRIVER_NOT_LOADED": "NVML_ERROR_DRIVER_NOT_LOADED",
    "SC_NVML_FUNCTION_NOT_FOUND": "NVML_ERROR_FUNCTION_NOT_FOUND",
    "SC_NVML_GPU_IS_LOST": "NVML_ERROR_GPU_IS_LOST",
    "SC_NVML_RESET_REQUIRED": "NVML_ERROR_RESET_REQUIRED",
    "SC_NVML_VERSION_MISMATCH": "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
    "SC_NVML_GPU_NOT_FOUND": "NVML_ERROR_GPU_NOT_FOUND",
    "SC_NVML_MEMORY_V2": "nvmlMemory_v2",
}


def load(path):
    spec = importlib.util.spec_from_file_location("pynvml", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["pynvml"] = module  # the module looks itself up there
    spec.loader.exec_module(module)
    return module


def checks(binding):
    """C assertions, one for each size, offset or number that we declare."""
    for ours, (name, members) in STRUCTURES.items():
        theirs = getattr(binding, name)
        fields = theirs._fields_
        yield f'_Static_assert(sizeof(struct {ours}) == {ctypes.sizeof(theirs)}, "size of {name}");'
        yield f'_Static_assert({len(members.split())} == {len(fields)}, "members of {name}");'
        for member, field in zip(members.split(), fields):
            offset, size = getattr(theirs, field[0]).offset, getattr(theirs, field[0]).size
            yield f'_Static_assert(offsetof(struct {ours}, {member}) == {offset}, "{name}.{field[0]}");'
            yield f'_Static_assert(sizeof(((struct {ours} *)0)->{member}) == {size}, "size of {name}.{field[0]}");'
    for ours, theirs in NUMBERS.items():
        yield f'_Static_assert({ours} == {getattr(binding, theirs)}, "{theirs}");'


def check(path):
    lines = ["#include <stddef.h>", '#include "accelerator/nvml.h"', *checks(load(path))]
    with tempfile.TemporaryDirectory() as temporary:
        source = pathlib.Path(temporary) / "check.c"
        source.write_text("\n".join(lines) + "\n")
        command = ["cc", "-std=gnu17", "-w", "-fsyntax-only", f"-I{SOURCES}", str(source)]
        done = subprocess.run(command, text=True, capture_output=True, check=False)
    bad = re.findall(r"error: (.*)", done.stderr)
    print(f"{path}: " + ("\n  ".join(["differs:", *bad]) if bad else f"as believed ({len(lines) - 2} facts)"))
    return not bad and done.returncode == 0


def functions():
    """The functions that we look up in a library, and whether we need them."""
    return {name: needed == "true" for needed, name in re.findall(r'X\((true|false), \w+, "(\w+)"', HEADER.read_text())}


def check_library(path):
    done = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True, check=True)
    exported = set(re.findall(r" T (\w+)", done.stdout))
    lacking = [name for name in functions() if name not in exported]
    print(f"{path}: lacks " + (", ".join(lacking) if lacking else "nothing"))
    return not any(functions()[name] for name in lacking)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("which pynvml.py?")
    sys.exit(0 if all([check(sys.argv[1]), *[check_library(path) for path in sys.argv[2:]]]) else 1)
