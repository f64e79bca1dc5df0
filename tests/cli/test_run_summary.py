# tests/cli/test_run_summary.py - the lines at the end of a run that say what it has shown.
#
# SPDX-License-Identifier: Apache-2.0
"""Who watches a run sees the hottest lines at its end; a file or a pipe does not get them."""

import os
import re
import shlex
import subprocess

import pytest

import command_line
from conftest import TIMEOUT_S, clean_environment
from sampled import claimed

line = command_line.line

CALLS = "scalene view --tree"

HOT = """
import time

def crunch():
    end = time.perf_counter() + 1.5
    total = 0
    while time.perf_counter() < end:
        for i in range(3000):
            total += i * i - i * 3 + i // 7  # \x1b[31m

crunch()
"""


def on_terminal(command, directory):
    return command_line.on_terminal(command, clean_environment({"COLUMNS": "80"}), str(directory))


@pytest.fixture
def program(line):
    line.write("hot.py", HOT)
    return line


@pytest.mark.statistical
def test_a_terminal_gets_the_hottest_lines_behind_the_message(scalene, program):
    status, text = on_terminal([scalene, "run", "--cpu-only", "hot.py"], program.directory)
    assert status == 0
    message, rows = text.split("  To view in terminal: scalene view --cli\n")
    assert "Scalene: profile saved to scalene-profile.json" in message
    rows = rows.splitlines()
    assert claimed(re.fullmatch(r" +\d+%  hot\.py:9  +total \+= i .*  # ␛\[31m", rows[0]))
    assert rows[-1] == "  To view the calls:   " + CALLS
    assert claimed(re.search(r"hot\.py:\d.* (takes|spends) \d+% of (the|its) time", " ".join(" ".join(rows[1:-1]).split())))
    assert all(len(row) <= 80 for row in rows)
    assert "\x1b" not in text


def test_the_command_names_a_profile_with_another_name(scalene, program):
    command = [scalene, "run", "--cpu-only", "-o", "other.json", "hot.py"]
    _, text = on_terminal(command, program.directory)
    assert text.splitlines()[-1] == "  To view the calls:   %s other.json" % CALLS


@pytest.mark.parametrize("typed, shown", [("", "scalene-profile.json"), ("./a b.html", "a b.json"), ("../x.json", "../x.json"), ("{tmp}/x.json", "{tmp}/x.json")])
def test_a_pipe_gets_the_name_as_it_was_typed_and_no_lines(line, typed, shown):
    line.write("sub/holds.py", "kept = bytearray(b'x') * (64 << 20)\n")
    typed, shown = (name.replace("{tmp}", str(line.directory)) for name in (typed, shown))
    ended = line("run", "--memory", *(["-o", typed] if typed else []), "holds.py", cwd=os.path.join(str(line.directory), "sub")).expect(0)
    assert "Scalene: profile saved to %s\n" % shown in ended.stderr
    assert "scalene view%s\n" % (" " + shlex.quote(shown) if typed else "") in ended.stderr
    assert CALLS not in ended.stderr


def test_quiet_is_quiet(scalene, program):
    status, text = on_terminal([scalene, "run", "--quiet", "--cpu-only", "hot.py"], program.directory)
    assert (status, text) == (0, "")


def test_a_program_that_fails_late_has_them(scalene, program):
    program.write("late.py", HOT + "\nraise SystemExit(3)\n")
    status, text = on_terminal([scalene, "run", "--cpu-only", "late.py"], program.directory)
    assert status == 3
    assert CALLS in text


@pytest.mark.statistical  # needs that nothing was sampled
def test_the_error_of_a_program_that_fails_at_once_is_not_pushed_away(scalene, program):
    program.write("broken.py", "import no_such_module\n")
    status, text = on_terminal([scalene, "run", "--cpu-only", "broken.py"], program.directory)
    assert status == 1
    assert "no_such_module" in text
    assert claimed(CALLS not in text)


def test_a_reader_that_is_gone_changes_no_status(scalene, line):
    line.write("ends.py", "import sys\nsys.exit(3)\n")
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen([scalene, "run", "-o", "p.json", "ends.py"], cwd=str(line.directory), stdin=subprocess.DEVNULL, stderr=writer, env=clean_environment()) as run:
        os.close(writer)
        assert run.wait(TIMEOUT_S) == 3
    assert os.path.exists(str(line.directory / "p.json"))


def test_profiles_that_cannot_be_written_are_said_once(line):
    """The last of many profiles on the way, and that at the end."""
    line.write("rests.py", "import time\ntime.sleep(1)\n")
    ended = line("run", "--profile-interval=0.1", "-o", "/dev/full", "rests.py")
    assert 1 <= ended.stderr.count("No space left") <= 2
