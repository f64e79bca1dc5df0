# tests/robust/test_cpython.py - CPython's own tests have the same results under `scalene run` as without it.
#
# A choice that takes about a minute; tools/compare_cpython_tests.py runs them all.
#
# SPDX-License-Identifier: Apache-2.0
"""CPython's regression tests, with and without the profiler."""

import os
import subprocess
import sys

import pytest
import pythons
from conftest import BUILD, ROOT, clean_environment

TOOL = os.path.join(ROOT, "tools", "compare_cpython_tests.py")
LIMIT_S = 600


def newest_with_tests():
    """The newest interpreter with CPython's regression tests: Debian's have none."""
    code = "import os, sys, test; sys.exit(not os.path.exists(os.path.join(os.path.dirname(test.__file__), 'test_threadsignals.py')))"
    for python in reversed(pythons.find()):
        if not python.free_threaded and subprocess.run([python.path, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


def test_same_results(without_profiler):
    python = newest_with_tests()
    if without_profiler or python is None:
        pytest.skip("no profiler" if without_profiler else "no interpreter here has CPython's regression tests")
    command = [sys.executable, TOOL, "--fast", "--jobs", "2", "--python", python.path]
    done = subprocess.run(
        command, env=clean_environment({"SC_BUILD": BUILD}), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
