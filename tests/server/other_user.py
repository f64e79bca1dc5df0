# tests/server/other_user.py - another user of the machine, who is up to something.
#
# SPDX-License-Identifier: Apache-2.0
"""Runs small programs as another user; only root can."""

import os
import shutil
import subprocess

import pytest

NOBODY = 65534
PYTHON = "/usr/bin/python3"

needs_root = pytest.mark.skipif(
    os.getuid() != 0 or shutil.which("setpriv") is None or not os.path.exists(PYTHON),
    reason="only root can run a program as another user (with setpriv and /usr/bin/python3)",
)


def start(program, *args):
    """A Python program as the user nobody, with pipes."""
    return subprocess.Popen(
        ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", PYTHON, "-I", "-c", program, *map(str, args)], cwd="/",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )


def run(program, *args):
    """What it prints; it must end well."""
    process = start(program, *args)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out
