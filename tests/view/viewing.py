# tests/view/viewing.py - running `scalene view`: plainly, in a pseudo terminal, in a terminal emulator.
#
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of `scalene view`."""

import fcntl
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import termios
import time
import unicodedata

from conftest import BUILD

TIMEOUT_S = 300
DATA = os.path.join(BUILD, "tests", "view", "data")

SGR = re.compile("\x1b\\[[0-9;]*m")


def data(subject):
    """A profile of make_data.py."""
    return os.path.join(DATA, subject + ".json")


def environment(**more):
    """Nothing of the caller's that changes what is shown; a None takes a variable away."""
    made = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("LC_", "LESS", "SCALENE")) and key not in ("LANG", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PAGER")
    }
    made["LC_ALL"] = "C.UTF-8"
    made["TERM"] = "xterm-256color"
    made.update({key: value for key, value in more.items() if value is not None})
    return made


def view(scalene, *words, cwd=None, columns=80, **variables):
    """Runs `scalene view WORDS` with its output in a pipe."""
    return subprocess.run(
        [scalene, "view", *words], cwd=cwd, env=environment(COLUMNS=str(columns), **variables), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, encoding="utf-8", errors="surrogateescape",
    )


def view_in_terminal(command, columns=100, rows=24, keys=b"", **variables):
    """Runs a command with a pseudo terminal of that size; (status, what it wrote)."""
    child, terminal = pty.fork()
    if child == 0:
        # here, not by the parent: the command may ask for it before that has had its turn
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execvpe(command[0], command, environment(**variables))
    written = b""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        if not ready:
            if keys:
                os.write(terminal, keys)
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        written += chunk
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    text = written.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return os.waitstatus_to_exitcode(status), text


def screen_of(command, columns, rows, directory, **variables):
    """What a terminal emulator (tmux) of that size shows after the command."""
    done = os.path.join(str(directory), "done")
    tmux = ["tmux", "-S", "tmux", "-u", "-f", "/dev/null"]  # a socket's name has room for 108 bytes: named from its folder
    shell = "%s; touch %s; exec cat" % (shlex.join(command), shlex.quote(done))
    subprocess.run([*tmux, "new-session", "-d", "-c", os.getcwd(), "-x", str(columns), "-y", str(rows), shell], cwd=directory, env=environment(**variables), check=True)
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not os.path.exists(done) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert os.path.exists(done), "the command did not end"
        # what was written before `done` may still be on its way through the terminal
        shown = None
        while time.monotonic() < deadline:
            captured = subprocess.run([*tmux, "capture-pane", "-p"], cwd=directory, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
            if captured == shown:
                break
            shown = captured
            time.sleep(0.1)
        return [line.rstrip() for line in shown.rstrip("\n").split("\n")]
    finally:
        subprocess.run([*tmux, "kill-server"], cwd=directory, check=False)


def width_of(text):
    """Terminal columns of a text."""
    width = 0
    for character in text:
        if not unicodedata.combining(character):
            width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
