# tests/layout/test_stopped.py - stacks of a program that is stopped at any instruction.
#
# A parked program is always in a call. Here a signal stops one wherever it is: while a frame is
# made, while the evaluation loop starts, in a generator that is leaving. What was running then is
# not known, but a stack has to lead to main(), and each line has to belong to its function.
#
# In the few instructions in which 3.11 and 3.12 link a new frame, there can be nothing right to read:
# such looks may fail, and have to say so. Measured: 1 of 1,000 looks at this program failed on 3.12,
# none of 1,000 on each of the others.
#
# SPDX-License-Identifier: Apache-2.0
"""Stopping a busy program again and again."""

import ast
import json
import os
import signal
import subprocess
import time

import pytest

from conftest import clean_environment, kill_group
from sampled import claimed
from test_frames import HERE, TIMEOUT_S, read_frames

PROGRAM = os.path.join(HERE, "programs", "busy.py")
LOOKS = 80
MOST_FAILED = 4


def lines_of_functions():
    """{name: lines} of every function of the program; comprehensions and lambdas count as part."""
    with open(PROGRAM, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {
        node.name: range(
            min([node.lineno] + [one.lineno for one in node.decorator_list]), node.end_lineno + 1
        )
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def wait_for_state(pid, wanted):
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            if file.read().rpartition(")")[2].split()[0] in wanted:
                return
    raise AssertionError("process %d was not stopped" % pid)


def complaints(rows, lines):
    """What cannot be true of a stack."""
    if [row[2] for row in rows[-2:]] != ["main", "<module>"]:
        yield "does not lead to main: %s" % rows
    for path, line, name in rows:
        inside = lines.get(name.rpartition(".")[2])
        if path == PROGRAM and inside is not None and line != 0 and line not in inside:
            yield "line %d is not in %s" % (line, name)


@pytest.mark.statistical
def test_stopped_anywhere(python):
    lines = lines_of_functions()
    wrong = []
    failed = 0
    leaves = set()
    process = subprocess.Popen([python.path, PROGRAM], stdout=subprocess.PIPE,
                               env=clean_environment(), start_new_session=True)
    try:
        facts = json.loads(process.stdout.readline())
        for i in range(LOOKS):
            time.sleep(0.001 + i % 7 * 0.0003)
            process.send_signal(signal.SIGSTOP)
            wait_for_state(process.pid, "T")
            rows, why, _ = read_frames(facts)
            if why == "ROOT":
                wrong += complaints(rows, lines)
                leaves.add(rows[0][2])
            else:
                failed += 1
            process.send_signal(signal.SIGCONT)
    finally:
        kill_group(process)
        process.stdout.close()
    assert not wrong, "\n".join(wrong[:10])
    assert failed <= MOST_FAILED, "%d of %d looks failed" % (failed, LOOKS)
    assert claimed(len(leaves) > 3)
