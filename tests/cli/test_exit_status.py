# tests/cli/test_exit_status.py - `scalene run` ends as the program ends (docs/exit-status.md).
#
# SPDX-License-Identifier: Apache-2.0
"""Exit statuses of the program."""

import fcntl
import json
import os
import select
import signal
import subprocess

import command_line
from conftest import TIMEOUT_S, until

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


def test_a_signal_while_the_profile_is_written(line, scalene, tmp_path):
    """The pipe has no room for a whole one, so that waits for its reader."""
    os.mkfifo(tmp_path / "pipe")
    line.write("ends.py", "pass\n")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
    labels = ["--label=l%d=%s" % (i, "x" * 200) for i in range(30)]
    with subprocess.Popen([scalene, "run", *labels, "-o", "pipe", "ends.py"], cwd=line.directory, stderr=subprocess.DEVNULL) as running:
        try:
            assert select.select([pipe], [], [], TIMEOUT_S)[0]
            running.terminate()
            os.set_blocking(pipe, True)
            with open(pipe, encoding="utf-8") as text:
                assert json.load(text)["scalene_c"]["exit_kind"] == "exit"
            assert running.wait(TIMEOUT_S) == 0
        finally:
            running.kill()


def test_no_second_core_file_is_written(line):
    line.write("ends.py", "import os, resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); os.abort()\n")
    line("run", "ends.py")
    assert [name for name in os.listdir(str(line.directory)) if name.startswith("core")] == []
