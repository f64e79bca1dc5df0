# tests/layout/test_frames.py - every frame and line of parked programs, read from outside.
#
# The programs in programs/ say what the interpreter knows about their stacks and stop; frames_of
# reads the same stacks with the library, and the two must agree in every frame, line and name.
#
# SPDX-License-Identifier: Apache-2.0
"""The reader of CPython's memory against CPython itself."""

import json
import os
import subprocess
import time

import pytest

from conftest import BUILD, clean_environment, kill_group

pytestmark = pytest.mark.every_python

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES_OF = os.path.join(BUILD, "tests", "layout", "frames_of")
PROGRAMS = ["functions", "callbacks", "generators", "lines", "threads"]
# Parks that each program makes at least, so that one which ends early does not pass.
FEWEST = {"functions": 22, "callbacks": 20, "generators": 32, "lines": 75, "threads": 15}
TIMEOUT_S = 300
READ_NUMBER = {"x86_64": "0", "aarch64": "63"}


def wait_until_parked(facts):
    """Returns when the program's next look into the kernel is a read of standard input."""
    path = "/proc/%d/task/%d/syscall" % (facts["pid"], facts["native_id"])
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        with open(path, encoding="ascii") as file:
            fields = file.read().split()
        if fields[:2] == [READ_NUMBER[os.uname().machine], "0x0"]:
            return
        time.sleep(0.0005)
    pytest.fail("%s did not come to its park" % facts["label"])


def read_frames(facts):
    """(rows as the program gives them, why the walk ended, kind of the innermost opcode)"""
    if not os.access(FRAMES_OF, os.X_OK):
        pytest.fail("%s does not exist: build first, or set SC_BUILD" % FRAMES_OF)
    command = [FRAMES_OF, facts["pid"], facts["native_id"], facts["ident"], facts["version"],
               int(facts["free_threaded"])]
    answer = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    lines = answer.stdout.decode("utf-8", "surrogateescape").split("\n")
    assert answer.returncode == 0, answer.stderr.decode()
    end, why, kind = lines[-2].split("\t")
    assert end == "end"
    rows = [line.split("\t") for line in lines[:-2]]
    return [[name, int(line), function] for name, line, function in rows], why, kind


def differences(expected, found):
    return "\n".join(
        "%d: %r, but read %r" % (i, *pair)
        for i, pair in enumerate(zip(expected, found))
        if pair[0] != pair[1]
    ) or "%d frames, but read %d" % (len(expected), len(found))


@pytest.mark.parametrize("program", PROGRAMS)
def test_frames(python, program):
    process = subprocess.Popen(
        [python.path, os.path.join(HERE, "programs", program + ".py")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_environment({"PYTHONDONTWRITEBYTECODE": "1"}), start_new_session=True)
    wrong = []
    parks = frames = 0
    try:
        for line in process.stdout:
            facts = json.loads(line)
            label = facts["label"]
            if facts["reads"]:
                wait_until_parked(facts)
            rows, why, kind = read_frames(facts)
            parks += 1
            frames += len(rows)
            if rows != facts["frames"]:
                wrong.append(label + ":\n" + differences(facts["frames"], rows))
            if why != "ROOT":
                wrong.append("%s: the walk ended by %s" % (label, why))
            if kind not in ("CALL", "CALL_NATIVE"):
                wrong.append("%s: innermost opcode %s, but it is a call of C" % (label, kind))
            process.stdin.write(b"x")
            process.stdin.flush()
        errors = process.stderr.read().decode()
        assert process.wait(TIMEOUT_S) == 0, errors
    finally:
        kill_group(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    assert not wrong, "%d wrong of %d parks, %d frames\n%s" % (
        len(wrong), parks, frames, "\n".join(wrong[:20]))
    assert parks >= FEWEST[program], (parks, frames)
