# tests/cli/test_exit_status.py - `scalene run` ends as the program ends (docs/exit-status.md).
#
# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of the program."""

import os
import signal

import command_line
from conftest import until

line = command_line.line


def test_a_shell_sees_the_signal(line, scalene):
    line.write("ends.py", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)\n")
    line.scalene = "/bin/sh"
    ended = line("-c", '"$0" run ends.py; echo $?', scalene).expect(0)
    assert ended.stdout.splitlines()[-1] == str(128 + signal.SIGTERM)


def test_ctrl_c_ends_a_run_whose_profile_nobody_reads(line):
    os.mkfifo(str(line.directory / "pipe"))
    line.write("ends.py", "open('ended', 'w')\n")

    def interrupt(process):
        until((line.directory / "ended").exists)
        until(lambda: process.poll() is not None or process.send_signal(signal.SIGINT))

    line("run", "-o", "pipe", "ends.py", act=interrupt).expect(-signal.SIGINT)


def test_no_second_core_file_is_written(line):
    line.write("ends.py", "import os, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.abort()\n")
    line("run", "ends.py")
    assert [name for name in os.listdir(str(line.directory)) if name.startswith("core")] == []
