# tests/run/test_run.py - a program behaves under `scalene run` as it does without.
#
# Each case is run twice in the same directory: plainly and profiled. Exit status (a death by signal
# included), standard output and standard error must be the same, and a profile must have been
# written however the program ended.
#
# SPDX-License-Identifier: Apache-2.0
"""Bare and profiled runs compared."""

import os

import pytest

import cases_end
import cases_libraries
import cases_memory
import cases_memory_in_c
import cases_processes
import cases_python
import cases_signals
import cases_threads
import cases_urgent
from case import normal
from conftest import Terminal

CASES = (
    cases_python.CASES
    + cases_end.CASES
    + cases_signals.CASES
    + cases_urgent.CASES
    + cases_threads.CASES
    + cases_processes.CASES
    + cases_memory.CASES
    + cases_memory_in_c.CASES
    + cases_libraries.CASES
)


def perform(run, case, python, directory, **more):
    """One run in a fresh state of the directory."""
    if os.path.lexists(os.path.join(directory, "ready")):
        os.unlink(os.path.join(directory, "ready"))
    terminal = Terminal() if case.terminal else None
    act = case.act and (lambda process: case.act(process, directory, terminal))
    try:
        return run_with(run, case, python, directory, act=act, terminal=terminal, **more)
    finally:
        if terminal:
            terminal.close()


def run_with(run, case, python, directory, **more):
    return run(
        case.text, python, case.args, name=case.file, what=case.words(directory), stdin=case.stdin, prepare=case.prepare,
        **{"env": case.environment(directory), **more},
    )


def as_parameter(case):
    return pytest.param(case, id=case.name, marks=[pytest.mark.statistical] if case.is_timed else [])


@pytest.mark.parametrize("case", map(as_parameter, CASES))
def test_same_behaviour(case, python, bare, profile, tmp_path):
    reason = case.reason_to_skip(python)
    if reason:
        pytest.skip(reason)
    directory = str(tmp_path)
    case.make_files(directory)
    # The first run compiles imported modules, which may show (in -v, and in what is on disk).
    plain = perform(bare, case, python, directory)
    assert plain.status == case.status, "the test's own program: %d\n%s\n%s" % (plain.status, plain.stdout, plain.stderr)
    profiled = perform(profile, case, python, directory, options=["--quiet", "--memory"])
    assert normal(profiled.stdout) == normal(plain.stdout)
    assert normal(profiled.stderr) == normal(plain.stderr)
    assert profiled.status == plain.status
