# tests/robust/test_cpython.py - CPython's own tests have the same results under `scalene run` as without it.
#
# A choice that takes about a minute; tools/compare_cpython_tests.py runs them all.
#
# SPDX-License-Identifier: Apache-2.0
"""CPython's regression tests, with and without the profiler."""

import importlib.util
import os
import signal
import socket
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


def test_same_results():
    python = newest_with_tests()
    if python is None:
        pytest.skip("no interpreter here has CPython's regression tests")
    command = [sys.executable, TOOL, "--fast", "--jobs", "2", "--python", python.path]
    done = subprocess.run(
        command, env=clean_environment({"SC_BUILD": BUILD}), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_leftovers_that_cannot_be_copied_are_passed_over(tmp_path):
    spec = importlib.util.spec_from_file_location("compare_cpython_tests", TOOL)
    tool = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = tool  # its dataclasses look for their module there
    spec.loader.exec_module(tool)
    left = tmp_path / "run"
    (left / "tmp").mkdir(parents=True)
    (left / "log").write_text("killed")
    os.mkfifo(left / "tmp" / "pipe")
    os.symlink("nowhere", left / "tmp" / "link")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(left / "tmp" / "socket"))
        for _ in range(2):  # the second time onto the first
            tool.keep(left, tmp_path / "kept")
            os.unlink(tmp_path / "kept" / "tmp" / "link")
    assert (tmp_path / "kept" / "log").read_text() == "killed"
    assert os.listdir(tmp_path / "kept" / "tmp") == []


def test_signals_are_not_ignored_when_it_runs_in_the_background(tmp_path):
    for name in ("tmp", "work"):
        (tmp_path / name).mkdir()
    program = "import signal; print([signal.getsignal(n).name for n in (signal.SIGHUP, signal.SIGQUIT)], signal.getsignal(signal.SIGINT).__name__)"

    def ignore():
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)

    between = [sys.executable, TOOL, "--between", str(tmp_path), "60", "--", sys.executable, "-c", program]
    subprocess.run(between, preexec_fn=ignore, check=True, timeout=LIMIT_S)
    assert (tmp_path / "log").read_text().strip() == "['SIG_DFL', 'SIG_DFL'] default_int_handler"
