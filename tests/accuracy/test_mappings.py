# tests/accuracy/test_mappings.py - memory that comes from the kernel past malloc, however it is taken and given back.
#
# Truth: the bytes that can be used, which the program knows, and which /proc/self/smaps shows where all of them are touched.
#
# SPDX-License-Identifier: Apache-2.0
"""Mappings."""

import textwrap

import pytest

from test_memory import MEMORY, held_at_end, held_at_most, near

# Calls of libc by ctypes, so that the interpreter's own front of them plays no part. In a file that is not in scope, so that what
# they allocate is their caller's.
CALLS = """
CALLS = '''
import ctypes, json
NONE, READ, USE = 0, 1, 3
PRIVATE, SHARED, FIXED, ANONYMOUS, NORESERVE = 2, 1, 16, 32, 0x4000
MAYMOVE, REMAP_FIXED, DONTUNMAP, DONTNEED = 1, 2, 4, 4
MB = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)
P, N, I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
libc.mmap.restype = libc.mremap.restype = P
libc.mmap.argtypes = [P, N, I, I, I, ctypes.c_long]
libc.mremap.argtypes = [P, N, N, I, P]
libc.munmap.argtypes = [P, N]
libc.mprotect.argtypes = libc.madvise.argtypes = [P, N, I]
libc.pkey_mprotect.argtypes = [P, N, I, I]
def check(code):
    assert code not in (-1, (1 << 64) - 1), ctypes.get_errno()
    return code
def mmap(size, use=USE, flags=PRIVATE, at=None):
    return check(libc.mmap(at, size, use, flags | ANONYMOUS | (FIXED if at else 0), -1, 0))
def munmap(at, size):
    check(libc.munmap(at, size))
def mprotect(at, size, use):
    check(libc.mprotect(at, size, use))
def pkey_mprotect(at, size, use):
    check(libc.pkey_mprotect(at, size, use, -1))  # no key: processors without them take that, too
def mremap(at, old, new, flags=MAYMOVE, to=None):
    return check(libc.mremap(at, old, new, flags, to))
def touch(at, size):
    ctypes.memset(at, 1, size)
'''
exec(compile(CALLS, "<calls>", "exec"))
"""

# name: (program, what its marked line has allocated, what of it is alive at most and at the end), in MB
CASES = {
    "committed and decommitted at one address": (
        """
        at = mmap(16 * MB, NONE)
        for _ in range(16):
            mmap(16 * MB, USE, at=at)  #: line
            mmap(16 * MB, NONE, at=at)
        """,
        (256, 16, 0),
    ),
    "the same by mprotect": (
        """
        at = mmap(64 * MB, NONE, PRIVATE | NORESERVE)
        for i in range(16):
            mprotect(at + i * MB, 16 * MB, USE)  #: line
            mprotect(at + i * MB, 16 * MB, NONE)
        """,
        (256, 16, 0),
    ),
    "the same by pkey_mprotect": (
        """
        at = mmap(64 * MB, NONE, PRIVATE | NORESERVE)
        for i in range(16):
            pkey_mprotect(at + i * MB, 16 * MB, USE)  #: line
            pkey_mprotect(at + i * MB, 16 * MB, NONE)
        """,
        (256, 16, 0),
    ),
    "mapped over and over": (
        """
        at = mmap(16 * MB)
        for _ in range(64):
            mmap(16 * MB, at=at)  #: line
        """,
        (1024, 16, 16),
    ),
    "an arena that grows page by page": (
        """
        at = mmap(1024 * MB, NONE, PRIVATE | NORESERVE)
        for i in range(0, 64 * MB, 4096):
            mprotect(at + i, 4096, USE)  #: line
        mprotect(at + 48 * MB, 16 * MB, NONE)
        """,
        (64, 64, 48),
    ),
    "aligned by giving both ends back": (
        """
        for _ in range(8):
            at = mmap(12 * MB)  #: line
            aligned = (at + 4 * MB - 1) // (4 * MB) * (4 * MB)
            if aligned > at:
                munmap(at, aligned - at)
            munmap(aligned + 4 * MB, at + 12 * MB - aligned - 4 * MB)
        """,
        (96, 40, 32),
    ),
    "a hole in the middle": (
        """
        at = mmap(64 * MB)  #: line
        munmap(at + 16 * MB, 32 * MB)
        munmap(at + 48 * MB, 16 * MB)
        """,
        (64, 64, 16),
    ),
    "unmapped across several": (
        """
        at = mmap(64 * MB, NONE)
        for i in range(0, 64, 16):
            mmap(16 * MB, at=at + i * MB)  #: line
        munmap(at + 8 * MB, 48 * MB)
        """,
        (64, 64, 16),
    ),
    "moved, grown and shrunk": (
        """
        at = mmap(16 * MB)
        at = mremap(at, 16 * MB, 64 * MB)  #: line
        mremap(at, 64 * MB, 8 * MB)
        """,
        (48, 64, 0),
    ),
    "moved onto another": (
        """
        one, two = mmap(16 * MB), mmap(32 * MB)
        mremap(one, 16 * MB, 16 * MB, MAYMOVE | REMAP_FIXED, two + 8 * MB)  #: line
        """,
        (0, 16, 16),
    ),
    "emptied by madvise": (
        """
        at = mmap(32 * MB)  #: line
        touch(at, 32 * MB)
        check(libc.madvise(at, 32 * MB, DONTNEED))
        touch(at, 8 * MB)
        """,
        (32, 32, 32),
    ),
    "shared": (
        """
        at = mmap(32 * MB, USE, SHARED)  #: line
        munmap(at, 8 * MB)
        """,
        (32, 32, 24),
    ),
    "protected in turn": (
        """
        at = mmap(32 * MB)  #: line
        for _ in range(50):
            mprotect(at, 16 * MB, READ)
            mprotect(at, 16 * MB, USE)
        """,
        (32, 32, 32),
    ),
    "calls that fail": (
        """
        at = mmap(32 * MB)  #: line
        assert libc.munmap(at + 1, MB) == -1
        assert libc.mremap(at, 32 * MB, 1 << 60, 0, None) == (1 << 64) - 1
        assert libc.mprotect(at + 1, MB, NONE) == -1
        assert libc.mmap(at, MB, USE, PRIVATE | FIXED, 999, 0) == (1 << 64) - 1
        """,
        (32, 32, 32),
    ),
}


@pytest.mark.few_pythons
@pytest.mark.statistical
@pytest.mark.parametrize("name", CASES)
def test_what_can_be_used_counts(profile, python, name):
    text, (allocated, peak, at_end) = CASES[name]
    found = profile(CALLS + textwrap.dedent(text), python, options=MEMORY).expect(0).profile
    line = found.record("line")
    # thousands of pieces: some are looked at, and the numbers that name them are objects, too
    share = 0.15 if "page by page" in name else 0.01
    assert near(line["n_malloc_mb"], allocated, share, 0.1), line
    assert near(held_at_most(line), peak, share, 0.1), line
    assert near(held_at_end(line), at_end, share, 0.1), line
