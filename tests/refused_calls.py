# tests/refused_calls.py - system calls that the kernel refuses, as in containers.
#
# SPDX-License-Identifier: Apache-2.0
"""For `prepare`: what runs in a child before it executes the command."""

import ctypes
import errno
import os
import struct

NUMBERS = {
    "memfd_create": {"x86_64": 319, "aarch64": 279}, "perf_event_open": {"x86_64": 298, "aarch64": 241},
    "preadv": {"x86_64": 295, "aarch64": 69}, "process_vm_readv": {"x86_64": 310, "aarch64": 270},
    "ptrace": {"x86_64": 101, "aarch64": 117}, "socketpair": {"x86_64": 53, "aarch64": 199},
    "timer_create": {"x86_64": 222, "aarch64": 107},
}

# What Docker's own filter refuses without CAP_SYS_PTRACE and CAP_PERFMON on older kernels, of what a profiler calls.
OF_DOCKER = ("perf_event_open", "process_vm_readv", "ptrace")

# All ways of reading another process' memory; nothing else here calls preadv.
READS_OF_MEMORY = ("process_vm_readv", "preadv")


def refuse(*names, code=errno.EPERM):
    """A function that has these calls fail for this process, and for what it executes and starts."""
    instructions = [(0x20, 0, 0, 0)]  # the number of the call
    for name in names:
        instructions += [(0x15, 0, 1, NUMBERS[name][os.uname().machine]), (0x06, 0, 0, 0x00050000 | code)]
    instructions.append((0x06, 0, 0, 0x7FFF0000))
    program = b"".join(struct.pack("HBBI", *one) for one in instructions)
    text = ctypes.create_string_buffer(program)
    libc = ctypes.CDLL(None, use_errno=True)

    def install():
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        head = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(text))
        assert libc.prctl(22, 2, head, 0, 0) == 0, ctypes.get_errno()  # PR_SET_SECCOMP

    return install
