# tests/cli/test_exit_status.py - `scalene run` ends as the program ends (docs/exit-status.md).
#
# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of the program."""

import os
import signal

import pytest

import command_line

line = command_line.line


@pytest.mark.parametrize(
    "code, status",
    [
        ("pass", 0),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(None)", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit(300)", 300 % 256),
        ("import os; os._exit(5)", 5),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("import os; os.abort()", -signal.SIGABRT),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV),
    ],
)
def test_status_and_signal_are_the_programs(line, code, status):
    line.write("ends.py", code + "\n")
    line("run", "ends.py").expect(status)
    assert line.exists("scalene-profile.json")


def test_a_shell_sees_the_signal(line, scalene):
    line.write("ends.py", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)\n")
    line.scalene = "/bin/sh"
    ended = line("-c", '"$0" run ends.py; echo $?', scalene).expect(0)
    assert ended.stdout.splitlines()[-1] == str(128 + signal.SIGTERM)


def test_no_second_core_file_is_written(line):
    line.write("ends.py", "import os, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.abort()\n")
    line("run", "ends.py")
    assert [name for name in os.listdir(str(line.directory)) if name.startswith("core")] == []


def test_a_module_that_exits_without_a_value(line):
    line("run", "-m", "timeit", "-n", "1", "-r", "1", "pass").expect(0)
