#!/usr/bin/env python3
# tools/check_cupti.py FOLDER... - the agent's declarations of CUPTI's binary interface agree with these headers.
#
# By hand, when a new CUPTI comes out. Each FOLDER holds the headers of one version: cupti.h, and
# cuda.h with what it includes, or folders with them anywhere below (the wheels nvidia-cuda-cupti and
# nvidia-cuda-runtime, unpacked into one folder). crt/host_defines.h, which only the compiler's wheel
# has, is not needed.
#
# SPDX-License-Identifier: Apache-2.0
"""Compares src/agent/cuda/cupti_abi.h and cuda_functions.h with headers of CUPTI."""

import pathlib
import re
import subprocess
import sys
import tempfile

AGENT = pathlib.Path(__file__).resolve().parent.parent / "src" / "agent"

# Our structures: their names in the headers (#: the highest number), and which of their members is which.
STRUCTURES = (
    ("sc_cupti_kernel", "CUpti_ActivityKernel#", "kind start end deviceId=device contextId=context streamId=stream correlationId=correlation"),
    (
        "sc_cupti_copy",
        "CUpti_ActivityMemcpy#",
        "kind copyKind=copy_kind bytes start end deviceId=device contextId=context streamId=stream correlationId=correlation",
    ),
    ("sc_cupti_copy", "CUpti_ActivityMemset#", "kind bytes start end deviceId=device contextId=context streamId=stream correlationId=correlation"),
    ("sc_cupti_peer_copy", "CUpti_ActivityMemcpyPtoP#", "kind copyKind=copy_kind bytes start end deviceId=device correlationId=correlation"),
    (
        "sc_cupti_call",
        "CUpti_CallbackData",
        "callbackSite=site functionName=function functionParams=parameters functionReturnValue=result"
        " symbolName=symbol context contextUid=context_number correlationData=shared correlationId=correlation",
    ),
    ("sc_cupti_resource", "CUpti_ResourceData", "context"),
    ("sc_cupti_allocate", "cuMemAlloc_v2_params", "dptr=address bytesize=size_bytes"),
    ("sc_cupti_allocate", "cuMemAllocManaged_params", "dptr=address bytesize=size_bytes"),
    ("sc_cupti_allocate", "cuMemAllocAsync_params", "dptr=address bytesize=size_bytes"),
    ("sc_cupti_allocate", "cuMemAllocFromPoolAsync_params", "dptr=address bytesize=size_bytes"),
    ("sc_cupti_allocate", "cuMemCreate_params", "handle=address size=size_bytes"),
    ("sc_cupti_allocate_pitch", "cuMemAllocPitch_v2_params", "dptr=address pPitch=pitch_bytes WidthInBytes=width_bytes Height=height"),
    ("sc_cupti_free", "cuMemFree_v2_params", "dptr=address"),
    ("sc_cupti_free", "cuMemFreeAsync_params", "dptr=address"),
    ("sc_cupti_free", "cuMemRelease_params", "handle=address"),
    ("sc_cupti_allocate", "cudaMalloc_v3020_params", "devPtr=address size=size_bytes"),
    ("sc_cupti_allocate", "cudaMallocManaged_v6000_params", "devPtr=address size=size_bytes"),
    ("sc_cupti_allocate", "cudaMallocAsync_v11020_params", "devPtr=address size=size_bytes"),
    ("sc_cupti_allocate", "cudaMallocFromPoolAsync_v11020_params", "ptr=address size=size_bytes"),
    ("sc_cupti_allocate_pitch", "cudaMallocPitch_v3020_params", "devPtr=address pitch=pitch_bytes width=width_bytes height"),
    ("sc_cupti_free", "cudaFree_v3020_params", "devPtr=address"),
    ("sc_cupti_free", "cudaFreeAsync_v11020_params", "devPtr=address"),
)
NUMBERS = {
    "SC_CUPTI_SUCCESS": "CUPTI_SUCCESS",
    "SC_CUPTI_NOT_INITIALIZED": "CUPTI_ERROR_NOT_INITIALIZED",
    "SC_CUPTI_HAS_SUBSCRIBER": "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
    "SC_CUPTI_MEMCPY": "CUPTI_ACTIVITY_KIND_MEMCPY",
    "SC_CUPTI_MEMSET": "CUPTI_ACTIVITY_KIND_MEMSET",
    "SC_CUPTI_KERNEL": "CUPTI_ACTIVITY_KIND_KERNEL",
    "SC_CUPTI_CONCURRENT_KERNEL": "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
    "SC_CUPTI_MEMCPY2": "CUPTI_ACTIVITY_KIND_MEMCPY2",
    "SC_CUPTI_COPY_HTOD": "CUPTI_ACTIVITY_MEMCPY_KIND_HTOD",
    "SC_CUPTI_COPY_DTOH": "CUPTI_ACTIVITY_MEMCPY_KIND_DTOH",
    "SC_CUPTI_COPY_HTOA": "CUPTI_ACTIVITY_MEMCPY_KIND_HTOA",
    "SC_CUPTI_COPY_ATOH": "CUPTI_ACTIVITY_MEMCPY_KIND_ATOH",
    "SC_CUPTI_FLUSH_FORCED": "CUPTI_ACTIVITY_FLAG_FLUSH_FORCED",
    "SC_CUPTI_DOMAIN_DRIVER_API": "CUPTI_CB_DOMAIN_DRIVER_API",
    "SC_CUPTI_DOMAIN_RUNTIME_API": "CUPTI_CB_DOMAIN_RUNTIME_API",
    "SC_CUPTI_DOMAIN_RESOURCE": "CUPTI_CB_DOMAIN_RESOURCE",
    "SC_CUPTI_CONTEXT_ENDS": "CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING",
    "SC_CUPTI_CUDA_MALLOC": "CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020",
    "SC_CUPTI_CUDA_MALLOC_PITCH": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocPitch_v3020",
    "SC_CUPTI_CUDA_FREE": "CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020",
    "SC_CUPTI_CUDA_MALLOC_MANAGED": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000",
    "SC_CUPTI_CUDA_MALLOC_ASYNC": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_v11020",
    "SC_CUPTI_CUDA_MALLOC_ASYNC_PTSZ": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocAsync_ptsz_v11020",
    "SC_CUPTI_CUDA_FREE_ASYNC": "CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020",
    "SC_CUPTI_CUDA_FREE_ASYNC_PTSZ": "CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_ptsz_v11020",
    "SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocFromPoolAsync_v11020",
    "SC_CUPTI_CUDA_MALLOC_FROM_POOL_ASYNC_PTSZ": "CUPTI_RUNTIME_TRACE_CBID_cudaMallocFromPoolAsync_ptsz_v11020",
    "SC_CUPTI_SITE_ENTER": "CUPTI_API_ENTER",
    "SC_CUPTI_MEM_ALLOC": "CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2",
    "SC_CUPTI_MEM_ALLOC_PITCH": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2",
    "SC_CUPTI_MEM_FREE": "CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2",
    "SC_CUPTI_MEM_ALLOC_MANAGED": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged",
    "SC_CUPTI_MEM_CREATE": "CUPTI_DRIVER_TRACE_CBID_cuMemCreate",
    "SC_CUPTI_MEM_RELEASE": "CUPTI_DRIVER_TRACE_CBID_cuMemRelease",
    "SC_CUPTI_MEM_ALLOC_ASYNC": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync",
    "SC_CUPTI_MEM_ALLOC_ASYNC_PTSZ": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz",
    "SC_CUPTI_MEM_FREE_ASYNC": "CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync",
    "SC_CUPTI_MEM_FREE_ASYNC_PTSZ": "CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz",
    "SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync",
    "SC_CUPTI_MEM_ALLOC_FROM_POOL_ASYNC_PTSZ": "CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz",
}
# Names of functions that make a device work, by the table that has their numbers.
LAUNCHES = {
    "sc_cuda_launches": (
        "cupti_driver_cbid.h",
        r"cu(Launch(?!HostFunc)\w*|GraphLaunch(_ptsz)?|Mem(cpy|set)[A-Z0-9]\w*|Memcpy(Async)?(_pt[ds][sz])?)",
    ),
    "sc_cudart_launches": (
        "cupti_runtime_cbid.h",
        r"_*cuda(Launch(?!HostFunc)\w*|GraphLaunch\w*|Mem(cpy|set)[A-Z0-9_]\w*)",
    ),
}
OLD = 115  # numbers below are of CUDA 3, with addresses of 32 bits: nothing calls them
HOST_DEFINES = """#define __host__
#define __device__
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define __location__(a)
#define __specialization_static static
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDA_CB
"""


def folder_of(root, name):
    found = sorted(root.rglob(name))
    if not found:
        sys.exit(f"{root} has no {name}")
    return found[0].parent


def newest(text, name):
    """CUpti_ActivityKernel# -> the one with the highest number."""
    numbers = [int(number or 1) for number in re.findall(r"\} " + name.replace("#", r"(\d*);"), text)]
    return name.replace("#", str(max(numbers)) if max(numbers) > 1 else "")


def ranges(table):
    """The numbers of functions that the agent takes for launches."""
    text = (AGENT / "cuda/functions.h").read_text()
    begin = text.index(table + "[][2]")
    pairs = re.findall(r"\{(\d+), (\d+)\}", text[begin : text.index("};", begin)])
    return {number for low, high in pairs for number in range(int(low), int(high) + 1)}


def check_launches(include):
    """What is wrong with the tables of launches."""
    for table, (header, pattern) in LAUNCHES.items():
        followed = ranges(table)
        for name, digits in re.findall(r"CUPTI_\w+?_TRACE_CBID_(\w+)\s*=\s*(\d+)", (include / header).read_text()):
            number, wanted = int(digits), bool(re.fullmatch(pattern, name))
            if number in followed and not wanted and not re.match(r"cu64|cuda\d", name):
                yield f"{name} ({number}) is followed, and launches nothing"
            if wanted and number not in followed and (table != "sc_cuda_launches" or number >= OLD):
                yield f"{name} ({number}) launches something, and is not followed"


def checks(cupti):
    """C assertions, one for each size, offset or number that we declare."""
    text = (cupti / "cupti_activity.h").read_text()
    for ours, theirs, members in STRUCTURES:
        theirs = newest(text, theirs) if "#" in theirs else theirs
        for member in members.split():
            their_member, _, our_member = member.partition("=")
            a = f"struct {ours}, {our_member or their_member}"
            b = f"{theirs}, {their_member}"
            yield f'_Static_assert(offsetof({a}) == offsetof({b}), "{b}");'
            yield f'_Static_assert(SIZE({a}) == SIZE({b}), "size of {b}");'
    for ours, theirs in NUMBERS.items():
        yield f'_Static_assert({ours} == {theirs}, "{theirs}");'


def check(root):
    root = pathlib.Path(root)
    cupti, cuda = folder_of(root, "cupti.h"), folder_of(root, "cuda_runtime_api.h")
    bad = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "crt").mkdir()
        (folder / "crt" / "host_defines.h").write_text(HOST_DEFINES)
        lines = ["#include <stddef.h>", '#include "agent/cuda/cupti_abi.h"', "#include <cuda.h>", "#include <cupti.h>"]
        lines += ["#define SIZE(type, member) sizeof(((type *)0)->member)", *checks(cupti)]
        (folder / "check.c").write_text("\n".join(lines) + "\n")
        command = ["cc", "-std=gnu17", "-w", "-fsyntax-only", f"-I{cupti}", f"-I{cuda}", f"-I{AGENT.parent}", f"-I{folder}"]
        done = subprocess.run([*command, str(folder / "check.c")], text=True, capture_output=True, check=False)
        bad += re.findall(r"error: (.*)", done.stderr)
    bad += check_launches(cupti)
    print(f"{root}: " + ("\n  ".join(["differs:", *bad]) if bad else f"as believed ({len(lines)} lines)"))
    return not bad


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("which folders of headers?")
    sys.exit(0 if all([check(root) for root in sys.argv[1:]]) else 1)
