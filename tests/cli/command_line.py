# tests/cli/command_line.py - runs `scalene` lines for the tests of the command line.
#
# SPDX-License-Identifier: Apache-2.0
"""Running command lines, and programs that print what they were given."""

import json
import os
import pty
import select
import subprocess

import pytest

from conftest import execute


# Prints as JSON what a program can see of how it was started.
REPORT = """
import json, os, sys
print(json.dumps({
    "argv": sys.argv,
    "flags": [sys.flags.dont_write_bytecode, sys.flags.optimize, sys.flags.isolated, sys.flags.utf8_mode],
    "unbuffered": getattr(sys.stdout, "write_through", None),
    "executable": sys.executable,
    "name": __name__,
    "cwd": os.getcwd(),
    "path0": sys.path[0],
    "jit": [os.environ.get("JAX_DISABLE_JIT"), os.environ.get("PYTORCH_JIT")],
    "leaked": sorted(key for key in os.environ if key.startswith(("SCALENE", "LD_PRELOAD"))),
}))
"""


def report_program(directory, name="t.py"):
    path = os.path.join(str(directory), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(REPORT)
    return path


class Line:
    """`scalene` in a directory of its own: line("run", "t.py") -> Ended."""

    def __init__(self, scalene, directory):
        self.scalene = scalene
        self.directory = directory

    def __call__(self, *words, env=None, cwd=None, **how):
        return execute([self.scalene, *words], cwd=cwd or self.directory, env=env, **how)

    def reported_by(self, *words, env=None, **how):
        """What the program that this line runs reports of itself."""
        return json.loads(self("run", *words, env=env, **how).expect(0).stdout.splitlines()[-1])

    def write(self, name, text):
        path = os.path.join(str(self.directory), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def exists(self, name):
        return os.path.exists(os.path.join(str(self.directory), name))


def written_to(terminal):
    """All that is written to this end of a terminal until the other one is closed."""
    text = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 300)
        assert ready, "nothing more is written and the command does not end"
        try:
            some = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            some = b""
        if not some:
            os.close(terminal)
            return text.decode().replace("\r\n", "\n")
        text += some


def on_terminal(command, environment, directory=None):
    """Exit status and what the command writes to a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=directory, env=environment)
    os.close(theirs)
    text = written_to(ours)
    return process.wait(), text


def one_line(ended):
    """The single line on stderr, which begins with the program's name."""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("scalene: "), lines[0]
    return lines[0]


def first_lines(ended):
    """The lines of the profiler on stderr that come before the program ends."""
    return [text for text in ended.stderr.splitlines() if text.startswith("scalene: run: ")]


@pytest.fixture
def line(scalene, tmp_path):
    """Lines are run in an empty directory that holds only t.py, which reports what it was given."""
    report_program(tmp_path)
    return Line(scalene, tmp_path)
