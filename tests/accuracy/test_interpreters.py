# tests/accuracy/test_interpreters.py - code that runs in a second interpreter, in the thread that made it.
#
# SPDX-License-Identifier: Apache-2.0
"""What a second interpreter runs is at its own lines, and so is what the first one does around it."""

import lzma

import pytest

from conftest import write_program

INNER = """
import time

def burn(n):
    t = 0
    for i in range(n):
        t += i % 7

def run():
    burn(4000000)
    kept = bytearray(20 << 20)
    time.sleep(0.4)
"""

# The decoder allocates 64 MB when it reads the size of its window, and has released the interpreter lock then.
UNPACKING = """
import lzma

def run():
    lzma.decompress(%r)
    kept = b"x" * (20 << 20)
""" % lzma.compress(b"x", preset=9)

HEAD = """
import os
import time
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

folder = os.path.dirname(os.path.abspath(__file__))
one = interpreters.create()
INNER = "import sys; sys.path.insert(0, %r); import inner; inner.run()" % folder
"""

PROGRAM = HEAD + """
def outer(n):
    t = 0
    for i in range(n):
        t += i % 7

other = interpreters.create()
interpreters.run_string(one, INNER)  #: inside
outer(4000000)
time.sleep(0.6)  #: slept
interpreters.destroy(one)
interpreters.destroy(other)
"""


@pytest.mark.statistical
@pytest.mark.by_version
def test_each_interpreter_has_its_own(profile, tmp_path, python):
    inner, text = write_program(tmp_path, INNER, "inner.py")
    found = profile(PROGRAM, python, options=("--memory",)).expect(0).profile
    inside = found.file(inner)["lines"]
    number = {line.strip(): at for at, line in enumerate(text.splitlines(), 1)}
    burnt = found.cpu_s(range(number["def burn(n):"], number["def run():"]), inner)
    assert burnt > 3 * found.cpu_marked("inside")
    assert 0.3 * burnt < found.cpu_inside("outer") < 3 * burnt
    assert inside[number["kept = bytearray(20 << 20)"] - 1]["n_malloc_mb"] >= 19
    slept = inside[number["time.sleep(0.4)"] - 1]
    assert 0.3 < slept["time_s"]["sleep"] < 0.5, slept
    assert 0.5 < found.record("slept")["time_s"]["sleep"] < 0.7


@pytest.mark.by_version
def test_bytes_are_where_the_lock_was_released(profile, tmp_path, python):
    inner, text = write_program(tmp_path, UNPACKING, "inner.py")
    found = profile(HEAD + "interpreters.run_string(one, INNER)\n", python, options=("--memory",)).expect(0).profile
    at = text.splitlines().index("def run():") + 1
    # a block of that size is always recorded
    assert found.exact.file(inner)["lines"][at]["n_malloc_mb"] >= 64
