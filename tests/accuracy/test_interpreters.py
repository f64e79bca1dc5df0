# tests/accuracy/test_interpreters.py - code that runs in a second interpreter, in the thread that made it.
#
# SPDX-License-Identifier: Apache-2.0
"""What a second interpreter runs is at its own lines, and so is what the first one does around it."""

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

PROGRAM = """
import os
import time
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

def outer(n):
    t = 0
    for i in range(n):
        t += i % 7

one = interpreters.create()
other = interpreters.create()
folder = os.path.dirname(os.path.abspath(__file__))
interpreters.run_string(one, "import sys; sys.path.insert(0, %r); import inner; inner.run()" % folder)  #: inside
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
