# tests/layout/test_tasks.py - where tasks of asyncio and trio wait, read from outside, against what they say themselves.
#
# programs/tasks.py and trio_tasks.py say for every task that waits its name and the frames of its coroutines, and
# stop; tasks_of reads the same with the library. They must agree in every task, frame and line.
#
# SPDX-License-Identifier: Apache-2.0
"""The reader of tasks against asyncio and trio."""

import json
import os
import subprocess

import packages
import pytest

from conftest import BUILD, clean_environment, kill_group
from test_frames import HERE, TIMEOUT_S, wait_until_parked

pytestmark = pytest.mark.every_python

TASKS_OF = os.path.join(BUILD, "tests", "layout", "tasks_of")
# SC_TASK_FRAMES_MAX: of a longer chain the outermost frame and the innermost ones are kept.
FRAMES_MAX = 128
# Tasks that wait in every version; newer ones have more ways.
FEWEST = 40
FEWEST_OF_TRIO = 16
# For Python 3.8 and 3.9, and later ones.
TRIO = ("trio==0.27.0", "trio==0.35.0")


def start(python, program, *args, path=""):
    return subprocess.Popen(
        [python.path, os.path.join(HERE, "programs", program), *args],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_environment({"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path}), start_new_session=True)


def tasks_of(facts):
    """The command that reads the tasks of a process."""
    return list(map(str, [TASKS_OF, facts["pid"], facts["version"], int(facts["free_threaded"])]))


def read_tasks(facts):
    """The lines that tasks_of prints, as lists of words."""
    answer = subprocess.run(tasks_of(facts), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    assert answer.returncode == 0, answer.stderr.decode()
    return [line.split("\t") for line in answer.stdout.decode().splitlines()]


def shortened(rows):
    return rows if len(rows) <= FRAMES_MAX else rows[:1] + rows[1 - FRAMES_MAX:]


def tasks_in(rows):
    tasks = []
    for row in rows:
        if row[0] == "task":
            tasks.append([row[1], []])
        else:
            tasks[-1][1].append([row[0], int(row[1]), row[2]])
    return sorted(tasks)


def compare(process):
    """Every task, frame and line of a program that parks once, and how many tasks wait."""
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read().decode()
        facts = json.loads(line)
        wait_until_parked(facts)
        rows = read_tasks(facts)
    finally:
        kill_group(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    *rows, (end, waiting, others, unreadable) = rows
    assert any(len(rows) > FRAMES_MAX for name, rows in facts["waiting"])
    expected = sorted([name, shortened(rows)] for name, rows in facts["waiting"])
    found = tasks_in(rows)
    wrong = [
        "%r\n   but read\n%r" % pair for pair in zip(expected, found) if pair[0] != pair[1]
    ]
    assert [task[0] for task in found] == [task[0] for task in expected]
    assert not wrong, "\n".join(wrong[:5])
    assert end == "end" and int(waiting) == len(expected)
    assert int(unreadable) == 0
    # A task that is over may be gone already, one that runs or is about to is not.
    assert int(others) >= facts["others"] >= 2
    return len(expected)


@pytest.mark.parametrize("words", [[], ["in Python"]], ids=["in_c", "in_python"])
def test_tasks(python, words):
    if words and python.version >= (3, 14):
        pytest.skip("asyncio keeps these where nobody finds them")
    assert compare(start(python, "tasks.py", *words)) >= FEWEST


def test_tasks_of_trio(python):
    folder, why = packages.install(python, TRIO[python.minor >= (3, 10)])
    if folder is None:
        pytest.skip("trio cannot be installed for %s: %s" % (python.id, why))
    assert compare(start(python, "trio_tasks.py", path=folder)) >= FEWEST_OF_TRIO


def read_at_parks(process, read):
    """What read gives for the facts of each park of a program that runs to its end."""
    answers = []
    try:
        for line in process.stdout:
            facts = json.loads(line)
            wait_until_parked(facts)
            answers.append(read(facts))
            process.stdin.write(b"x")
            process.stdin.flush()
        assert process.wait(TIMEOUT_S) == 0, process.stderr.read().decode()
    finally:
        kill_group(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    return answers


def test_a_program_without_asyncio(python):
    answers = read_at_parks(start(python, "no_tasks.py"), read_tasks)
    assert answers == [[["none", "0"]], [["end", "0", "0", "0"]]]


def test_asyncio_imported_anew(python):
    """One reader looks twice; in between the types of tasks have become others (from 3.12 on)."""
    readers = []

    def look(facts):
        if not readers:
            readers.append(subprocess.Popen(tasks_of(facts), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        else:
            readers[0].stdin.write("x")
            readers[0].stdin.flush()
        rows = []
        while not rows or rows[-1][0] not in ("end", "none"):
            line = readers[0].stdout.readline()
            assert line
            rows.append(line.rstrip("\n").split("\t"))
        return tasks_in(rows[:-1]), facts["waiting"]

    answers = read_at_parks(start(python, "tasks_anew.py"), look)
    readers[0].communicate()
    assert readers[0].returncode == 0
    assert len(answers) == 2
    for found, expected in answers:
        assert found == expected
