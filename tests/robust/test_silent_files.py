# tests/robust/test_silent_files.py - sources and interpreters in a file system that stops answering delay nobody.
#
# SPDX-License-Identifier: Apache-2.0
"""Files that the program names, where who asks for them may wait for ever."""

import dataclasses
import os
import shutil

import pytest
from silent_folder import silent_folder

MODULE = """
def run(seconds, time):
    end = time.process_time() + seconds
    kept = []
    while time.process_time() < end:
        kept.append(bytearray(1000))
    return kept
"""

PROGRAM = """
import asyncio, os, sys, time
own = []
for name in ("work.py", "other.py"):
    path = os.path.join(sys.argv[1], name)
    with open(path) as stream:
        names = {}
        exec(compile(stream.read(), path, "exec"), names)
    own.append(names["run"])


async def waits():
    await asyncio.sleep(0.1)  #: await


open(sys.argv[2], "w").close()
time.sleep(0.1)
asyncio.run(waits())
own[0](0.3, time)
own[1](0.2, time)
end = time.process_time() + 0.3
while time.process_time() < end:
    sum(range(1000))  #: busy
sys.stdout.write("done\\n")
sys.stdout.flush()
os._exit(5)
"""


def expect_silence_is_said(ended, folder):
    assert ended.profile.exact.own["losses"]["silent_file"] > 0
    assert any(str(folder) in note and "did not answer" in note for note in ended.profile.own["notes"]), ended.profile.own["notes"]


@pytest.mark.one_python
@pytest.mark.parametrize("options", [(), ("--gpu", "--memory", "--async", "--profile-interval", "0.3")], ids=["time", "everything"])
def test_sources_in_a_folder_that_stops_answering(profile, python, tmp_path, options):
    """Files that can be read are shown; reading the others never ends, and Scalene does not wait for that."""
    folder, quiet = tmp_path / "silent", tmp_path / "quiet"
    for name in ("work.py", "other.py"):
        (tmp_path / name).write_text(MODULE)
    with silent_folder(folder, quiet, tmp_path / "work.py", tmp_path / "other.py", taken=1):
        options = [*options, "--program-path", str(tmp_path)]
        ended = profile(PROGRAM, python, [str(folder), str(quiet)], options, env={"PYTHONDONTWRITEBYTECODE": "1"}).expect(5)
    assert ended.stdout == "done\n"
    hidden = {os.path.basename(file["name"]): file["reason"] for file in ended.profile.own["hidden_files"]}
    assert hidden.get("work.py") == "no answer", hidden
    expect_silence_is_said(ended, folder)


@pytest.mark.one_python
@pytest.mark.parametrize("closed", ["0<&-", "0<&- 1>&-", "0<&- 1>&- 2>&-", "1>&- 2>&-"])
def test_who_is_started_without_open_files_is_answered(profile, python, closed):
    """The numbers of closed files are given to what is opened next."""
    text = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    sum(range(1000))  #: busy\n"
    found = profile(text, python, before=("sh", "-c", 'exec "$@" ' + closed, "sh")).expect(0).profile
    assert found.exact.own["losses"]["silent_file"] == 0, found.own["notes"]
    assert found.exact.cpu_marked("busy") > 0


FORKS = """
import ctypes, os, sys, time

ctypes.CDLL(None).mlockall(1)  # what of the interpreter is in no memory yet would never come
open(sys.argv[1], "w").close()
time.sleep(0.1)
if os.fork() == 0:
    end = time.process_time() + 0.4
    while time.process_time() < end:
        sum(range(1000))  #: busy
    os._exit(0)
os.wait()
sys.stdout.write("done\\n")
sys.stdout.flush()
os._exit(5)
"""


@pytest.mark.one_python
def test_an_interpreter_in_a_folder_that_stops_answering(profile, python, tmp_path):
    """It is looked at again for each process."""
    folder, quiet = tmp_path / "silent", tmp_path / "quiet"
    program = os.path.realpath(python.path)
    own = tmp_path / os.path.basename(program)
    shutil.copy(program, own)
    prefix = os.path.dirname(os.path.dirname(program))
    with silent_folder(folder, quiet, own):
        there = dataclasses.replace(python, path=str(folder / own.name))
        ended = profile(FORKS, there, [str(quiet)], env={"PYTHONHOME": prefix}).expect(5)
    assert ended.stdout == "done\n"
    expect_silence_is_said(ended, folder)
