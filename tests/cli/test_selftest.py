# tests/cli/test_selftest.py - `scalene selftest`.
#
# SPDX-License-Identifier: Apache-2.0
"""What a program says that it has used is compared with its profile."""

import os

import pytest

import command_line
import refused_calls
from sampled import claimed

line = command_line.line

# A Python whose clock of CPU time runs twice as fast: a program there uses half of what it says.
FAST_CLOCK = """
import time
thread_time = time.thread_time
time.thread_time = lambda: 2 * thread_time()
"""


def verdicts(ended):
    rows = [row.split(maxsplit=1) for row in ended.stdout.splitlines() if row.startswith(("ok", "OFF"))]
    return {text.split("  ")[0]: verdict for verdict, text in rows}


@pytest.mark.statistical
@pytest.mark.parametrize("refused", [(), refused_calls.OF_DOCKER], ids=["free", "container"])
def test_all_numbers_are_right(line, python, refused):
    ended = line("selftest", "--python", python.path, prepare=refused_calls.refuse(*refused)).expect(0)
    assert len(verdicts(ended)) == 10 and claimed(set(verdicts(ended).values()) == {"ok"}), ended.stdout


@pytest.mark.one_python
def test_a_wrong_number_is_seen(line, python):
    """And what the system forbids is said with it."""
    with open(os.path.join(line.directory, "sitecustomize.py"), "w", encoding="utf-8") as custom:
        custom.write(FAST_CLOCK)
    environment = dict(os.environ, PYTHONPATH=str(line.directory))
    ended = line("selftest", "--python", python.path, env=environment, prepare=refused_calls.refuse(*refused_calls.READS_OF_MEMORY)).expect(1)
    assert "the system forbids reading the memory of process" in ended.stdout.splitlines()[-1]
    found = verdicts(ended)
    assert {found[text] for text in ("interpreting Python", "in native code", "in another thread", "in a child process")} == {"OFF"}, ended.stdout
    assert {found[text] for text in ("allocated in all", "held at the end")} == {"ok"}, ended.stdout


def test_no_profile_is_no_success(line):
    ended = line("selftest", "--python", "/bin/true").expect(1)
    assert "scalene doctor" in ended.stdout and not verdicts(ended)
    assert len(ended.stdout.splitlines()) == 2, ended.stdout


@pytest.mark.one_python
def test_a_program_that_is_killed(line, python):
    """As for want of memory."""
    with open(os.path.join(line.directory, "sitecustomize.py"), "w", encoding="utf-8") as custom:
        custom.write("import os\nos.kill(os.getpid(), 9)\n")
    ended = line("selftest", "--python", python.path, env=dict(os.environ, PYTHONPATH=str(line.directory))).expect(1)
    assert ended.stdout.startswith("the program was ended by signal 9 (Killed): a limit on memory?\n"), ended.stdout


def test_what_is_no_option(line):
    line("selftest", "--fast").expect(2)
    line("selftest", "t.py").expect(2)
