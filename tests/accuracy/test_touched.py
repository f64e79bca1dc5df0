# tests/accuracy/test_touched.py - what of large blocks is used, against what is known to be true.
#
# Truth: the pages that the program touches, which it knows.
#
# Error: blocks are looked at every 10 to 20 ms. The programs give the looks time where the truth is exact. One that comes and
# goes between two looks is taken to be touched as fast as memory allows: where the program loses its CPU just then, that is too much.
#
# SPDX-License-Identifier: Apache-2.0
"""What of large blocks is used."""

import textwrap

import pytest

from test_mappings import CALLS
from test_memory import MEMORY, held_at_end, held_at_most, near

pytestmark = pytest.mark.statistical

CALMLY = """
import time
NOHUGEPAGE = 15
def pause():
    time.sleep(0.12)
"""

# name: (program; what its marked line has: alive at most and at the end, and the same with what was never touched, in MB)
CASES = {
    "touched in part": (
        """
        libc.calloc.restype = P
        block = libc.calloc(256, MB)  #: line
        touch(block + 32 * MB, 64 * MB)
        pause()
        """,
        (64, 64, 256, 256),
    ),
    "touched bit by bit, then freed": (
        """
        at = mmap(128 * MB)  #: line
        for i in range(4):
            touch(at + i * 16 * MB, 16 * MB)
            pause()
        munmap(at, 128 * MB)
        """,
        (64, 0, 128, 0),
    ),
    "only read": (
        """
        at = mmap(64 * MB)  #: line
        check(libc.madvise(at, 64 * MB, NOHUGEPAGE))
        view = (ctypes.c_char * (64 * MB)).from_address(at)
        assert not any(view[i] != b"\\0" for i in range(0, 64 * MB, 4096))
        pause()
        """,
        (0, 0, 64, 64),
    ),
    "reserved without memory": (
        """
        at = mmap(1024 * MB, USE, PRIVATE | NORESERVE)  #: line
        touch(at, 4 * MB)
        pause()
        """,
        (4, 4, 1024, 1024),
    ),
    "aligned, as large allocators do": (
        """
        at = mmap(512 * MB)  #: line
        munmap(at, 100 * MB)
        munmap(at + 356 * MB, 156 * MB)
        touch(at + 100 * MB, 8 * MB)
        pause()
        """,
        (8, 8, 512, 256),
    ),
    "emptied by madvise": (
        """
        at = mmap(64 * MB)  #: line
        touch(at, 64 * MB)
        pause()
        check(libc.madvise(at, 48 * MB, DONTNEED))
        time.sleep(1.3)
        """,
        (64, 16, 64, 64),
    ),
    "made larger": (
        """
        at = mmap(64 * MB)
        touch(at, 32 * MB)
        at = mremap(at, 64 * MB, 256 * MB)  #: line
        pause()
        """,
        (32, 32, 256, 256),
    ),
    "written by a child, which copies it": (
        """
        import os
        at = mmap(64 * MB)  #: line
        touch(at, 16 * MB)
        child = os.fork()
        if child == 0:
            touch(at, 64 * MB)
            time.sleep(0.2)
            os._exit(0)
        os.waitpid(child, 0)
        pause()
        """,
        (16, 16, 64, 64),
    ),
    "shared with a child that fills it": (
        """
        import os
        at = mmap(64 * MB, USE, SHARED)  #: line
        child = os.fork()
        if child == 0:
            touch(at, 64 * MB)
            os._exit(0)
        os.waitpid(child, 0)
        pause()
        """,
        (64, 64, 64, 64),
    ),
}


@pytest.mark.few_pythons
@pytest.mark.statistical
@pytest.mark.parametrize("name", CASES)
def test_what_is_touched_counts(profile, python, name):
    text, (peak, at_end, allocated, allocated_at_end) = CASES[name]
    found = profile(CALLS + CALMLY + textwrap.dedent(text), python, options=MEMORY).expect(0).profile
    line = found.record("line")
    # pages at the ends, and what of large pages is never touched
    assert near(line["n_peak_mb"], peak, 0.02, 2.1), line
    assert near(line.get("n_live_at_exit_mb", 0), at_end, 0.02, 2.1), line
    assert near(held_at_most(line), allocated, 0.02, 0.2), line
    assert near(held_at_end(line), allocated_at_end, 0.02, 0.2), line


IMPORTS = """
import numpy
kept = numpy.ones(1 << 20)  #: ones
"""


def test_threads_of_blas_take_nothing(profile, python):
    """numpy from PyPI brings an OpenBLAS that maps 32 MB for each of its threads, and touches none of them."""
    if not python.has_numpy:
        pytest.skip("no numpy for this interpreter")
    found = profile(IMPORTS, python, options=MEMORY).expect(0).profile
    assert near(found.record("ones")["n_peak_mb"], 8, 0.02, 0.2)
    assert found.data["max_footprint_mb"] <= 30, found.own["max_footprint_allocated_mb"]
