# tests/run/case.py - what a comparison of a bare and a profiled run consists of.
#
# SPDX-License-Identifier: Apache-2.0
"""One small program and how it is run."""

import dataclasses
import functools
import os
import re
import shutil
import subprocess
import tempfile
import typing

from conftest import until


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
    # Libraries beside the program, by the names of their files: C sources.
    libraries: typing.Mapping = dataclasses.field(default_factory=dict)
    stdin: str = None
    # {dir} in a value is the program's directory.
    env: typing.Mapping = None
    prepare: typing.Callable = None
    # Called with the running process, the directory and the terminal (or None), to send signals.
    # The process is the program itself when bare, and `scalene run` when profiled.
    act: typing.Callable = None
    terminal: bool = False
    # Gives the reason why an interpreter cannot run the case, or None.
    unless: typing.Callable = None
    # Its output depends on what comes first, within milliseconds; the gate leaves it out.
    is_timed: bool = False
    # What the bare run must end with. The profiled run must end with what the bare run did.
    status: int = 0

    def words(self, directory):
        program = os.path.join(directory, self.file)
        return [word.format(program=program, dir=directory) for word in self.what]

    def environment(self, directory):
        return {name: value.replace("{dir}", directory) for name, value in (self.env or {}).items()}

    def reason_to_skip(self, python):
        """Why it cannot be run, or None."""
        if self.libraries and not shutil.which("cc"):
            return "no C compiler"
        return self.unless and self.unless(python)

    def make_files(self, directory):
        """Everything beside the program."""
        contents = {name: content if isinstance(content, bytes) else content.encode() for name, content in self.files.items()}
        contents.update((name, compiled(source)) for name, source in self.libraries.items())
        for name, content in contents.items():
            path = os.path.join(directory, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(content)


@functools.lru_cache(maxsize=None)
def compiled(source):
    """The bytes of a shared library. The compiler may not expand functions of libc in place."""
    with tempfile.TemporaryDirectory() as folder:
        text, library = os.path.join(folder, "source.c"), os.path.join(folder, "library.so")
        with open(text, "w", encoding="utf-8") as out:
            out.write(source)
        command = ["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-pthread", text, "-o", library, "-ldl"]
        subprocess.run(command, check=True)
        with open(library, "rb") as made:
            return made.read()


def since(major, minor):
    """For `unless`: the case needs this version."""

    def reason(python):
        if python.minor < (major, minor):
            return "needs Python %d.%d" % (major, minor)
        return None

    return reason


def is_asleep(pid):
    with open("/proc/%s/stat" % pid, encoding="utf-8") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "S"


def when_ready(action, name="ready"):
    """For `act`: waits until the program has made the file, then action(process, terminal). A link has the number of a process that goes to sleep then."""

    def act(process, directory, terminal):
        path = os.path.join(directory, name)
        until(lambda: os.path.lexists(path) or process.poll() is not None)
        assert process.poll() is None, "the program ended before it was ready"
        if os.path.islink(path):
            until(lambda: is_asleep(os.readlink(path)))
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
