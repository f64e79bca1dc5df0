# tests/run/case.py - what a comparison of a bare and a profiled run consists of.
#
# SPDX-License-Identifier: Apache-2.0
"""One small program and how it is run."""

import dataclasses
import os
import re
import time
import typing


@dataclasses.dataclass
class Case:
    """A program whose output and end must be the same with and without the profiler."""

    name: str
    text: str
    args: tuple = ()
    # Words in front of the program, such as ("-O",), or instead of it with {program} and {dir}.
    what: tuple = ("{program}",)
    file: str = "prog.py"
    files: typing.Mapping = dataclasses.field(default_factory=dict)
    stdin: str = None
    env: typing.Mapping = None
    prepare: typing.Callable = None
    # Called with the running process, the directory and the terminal (or None), to send signals.
    # The process is the program itself when bare, and `scalene run` when profiled.
    act: typing.Callable = None
    terminal: bool = False
    # Gives the reason why an interpreter cannot run the case, or None.
    unless: typing.Callable = None
    # What the bare run must end with. The profiled run must end with what the bare run did.
    status: int = 0

    def words(self, directory):
        program = os.path.join(directory, self.file)
        return [word.format(program=program, dir=directory) for word in self.what]


def since(major, minor):
    """For `unless`: the case needs this version."""

    def reason(python):
        if python.minor < (major, minor):
            return "needs Python %d.%d" % (major, minor)
        return None

    return reason


def when_ready(action, name="ready"):
    """For `act`: waits until the program has made the file, then action(process, terminal)."""

    def act(process, directory, terminal):
        path = os.path.join(directory, name)
        limit = time.monotonic() + 60
        while not os.path.exists(path):
            assert process.poll() is None, "the program ended before it was ready"
            assert time.monotonic() < limit, "the program was never ready"
            time.sleep(0.01)
        # From there to where it waits is one statement more.
        time.sleep(0.1)
        action(process, terminal)

    return act


# Addresses and process numbers differ between any two runs.
VARIABLE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"\(pid=\d+\)"), "(pid=)"),
)


def normal(text):
    for pattern, replacement in VARIABLE:
        text = pattern.sub(replacement, text)
    return text
