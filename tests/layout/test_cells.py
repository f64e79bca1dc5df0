# tests/layout/test_cells.py - the cells of a notebook, read from outside, against the process's own.
#
# SPDX-License-Identifier: Apache-2.0
"""The reader of cells against a process that keeps them as IPython does."""

import os
import subprocess

import pytest

import pythons
from conftest import BUILD
from test_frames import TIMEOUT_S
from test_tasks import read_at_parks, start

pytestmark = pytest.mark.every_python

CELLS_OF = os.path.join(BUILD, "tests", "layout", "cells_of")
KERNEL = "/tmp/ipykernel_17/%d.py"
MARIMO = "/tmp/marimo_17/__marimo__cell_%s_.py"
ABSENT = [KERNEL % number for number in (20, 21, 22, 23, 24, 25, 26, 27)] + [MARIMO % "absent", MARIMO % "a.b", MARIMO % "", "/tmp/17/1.py", "<stdin>"]
FOUND = {
    KERNEL % 1: (1, "x = 1\n"), KERNEL % 2: (2, "def f(a):\n    return a\n\n\nf(2)\n"), KERNEL % 3: (3, "s = 'é'\n# Grüße\n"),
    KERNEL % 4: (4, "s = '漢字'\n# and ASCII\n"), KERNEL % 5: (5, "s = '🐍'\n# and é\n"), "<ipython-input-6-0a1b2c3d>": (6, "y = 6\ny\n"),
    KERNEL % 7: (9, "again()\n"), KERNEL % 8: (8, "between()\n"), KERNEL % 100: (10, "z = 0\n"), KERNEL % 1099: (1009, "z = 999\n"),
    MARIMO % "Hbol": (0, "x = 1\n"), MARIMO % "MJUe2": (0, "not in In\n"),
}


LONG = KERNEL % 9
LONGEST_LINES = 60000  # little below what the reader takes, and seconds of its time


def read_cells(facts, names):
    """A pair of number and text for each name, None for a cell that is not found."""
    command = [CELLS_OF, facts["pid"], facts["version"], int(facts["free_threaded"]), *names]
    answer = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    assert answer.returncode == 0, answer.stderr.decode()
    cells = []
    rest = answer.stdout
    while rest:
        head, _, rest = rest.partition(b"\n")
        if head == b"none":
            cells.append(None)
            continue
        number, length = map(int, head.split(b"\t"))
        cells.append((number, rest[:length].decode()))
        rest = rest[length + 1:]
    return cells


def test_cells(python):
    lines = LONGEST_LINES if python == pythons.find()[-1] else 600
    process = start(python, "cells.py", "then", "none", str(lines))
    found = {**FOUND, LONG: (1010, "".join("line_%d = 1\n" % i for i in range(lines)))}
    answers = read_at_parks(process, lambda facts: read_cells(facts, [*found, *ABSENT]))
    assert len(answers) == 2
    assert answers[0][:len(found)] == list(found.values())
    assert answers[0][len(found):] == [None] * len(ABSENT)
    assert answers[1] == [None] * (len(found) + len(ABSENT))
