# tests/cli/test_status.py - the status of a run, in the terminal's title.
#
# SPDX-License-Identifier: Apache-2.0
"""While a program runs, the terminal's title says so; the program's text is untouched."""

import os
import pty
import re

import pytest

import command_line
from conftest import clean_environment
from sampled import claimed

line = command_line.line

TITLE = re.compile("\x1b\\]2;scalene: (\\d+):(\\d\\d), (\\d+)% CPU(?:, (\\d+) MB)?(?:, (\\d+) processes)?\x07")
KEPT, OLD = "\x1b[22;2t", "\x1b]2;\x07\x1b[23;2t"

# Half a line stands there all the time that a title may come.
PROGRAM = """
import sys, time
%s
sys.stdout.write("half a ")
sys.stdout.flush()
end = time.monotonic() + 4
while time.monotonic() < end:
    %s
print("line")
"""
RESTS = "time.sleep(0.05)"

RAW = "import tty; tty.setraw(sys.stderr.fileno())"
FORK = "import os; child = os.fork()"


def on_its_terminal(command, directory, **variables):
    """What a command writes to the terminal that controls it."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(str(directory))
        environment = clean_environment({"TERM": "xterm-256color", "CI": "", **variables})
        os.execve(command[0], command, environment)
    text = command_line.written_to(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return text


def run(scalene, line, first="", words=(), work=RESTS, **variables):
    line.write("slow.py", PROGRAM % (first, work))
    return on_its_terminal([scalene, "run", *words, "slow.py"], line.directory, **variables)


def test_the_title_says_how_the_run_gets_on(scalene, line):
    text = run(scalene, line, work="pass")
    titles = TITLE.findall(text)
    assert titles
    assert text.index(KEPT) < text.index("\x1b]2;scalene")
    assert text.count(KEPT) == text.count(OLD) == 1
    assert text.index("line") < text.index(OLD) < text.index("profile saved")
    sizes = [int(megabytes) for _, _, _, megabytes, _ in titles if megabytes]  # none where no process is left
    assert sizes and min(sizes) > 0
    assert any(int(percent) > 0 for _, _, percent, _, _ in titles)
    rest = TITLE.sub("", text).replace(KEPT, "").replace(OLD, "")
    assert rest.startswith("half a line\n\nScalene: ")
    assert "\x1b" not in rest


def test_processes_are_counted(scalene, line):
    assert any(count == "2" for _, _, _, _, count in TITLE.findall(run(scalene, line, FORK)))


@pytest.mark.parametrize(
    "words, variables",
    [(("--quiet",), {}), ((), {"TERM": "dumb"}), ((), {"TERM": "linux"}), ((), {"CI": "true"})],
)
def test_there_is_no_title(scalene, line, words, variables):
    text = run(scalene, line, words=words, **variables)
    assert text.startswith("half a line\n")
    assert "\x1b" not in text


@pytest.mark.statistical  # needs that the program begins to read before the first title, 2 s after its start
def test_a_program_that_reads_single_keys_has_the_terminal_for_itself(scalene, line):
    text = run(scalene, line, RAW)
    assert claimed(text.startswith("half a line\n"))
    assert claimed("\x1b" not in text)


def test_a_file_gets_no_title(line):
    line.write("slow.py", PROGRAM % ("", RESTS))
    ended = line("run", "slow.py", env={"TERM": "xterm", "CI": ""}).expect(0)
    assert "\x1b" not in ended.stdout + ended.stderr
