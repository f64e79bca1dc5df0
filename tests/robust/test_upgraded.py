# tests/robust/test_upgraded.py - the interpreter's file is renamed, replaced or deleted while the program runs, as by an upgrade.
#
# SPDX-License-Identifier: Apache-2.0
"""The interpreter's file is changed."""

import dataclasses
import os
import shutil
import subprocess

import pytest
from conftest import BUSY, write_program

WORK = BUSY + "import json, os, shutil, sys\n"

CHANGED = WORK + """
def replace():
    shutil.copy(sys.executable, sys.executable + ".new")
    os.rename(sys.executable + ".new", sys.executable)

def rename():
    os.rename(sys.executable, sys.executable + ".old")

def delete():
    os.unlink(sys.executable)

def twice():
    rename()
    replace_by = sys.executable + ".old"
    shutil.copy(replace_by, sys.executable)
    os.unlink(replace_by)

def before():
    busy(0.3)

def after():
    busy(1.2)

def child():
    busy(0.3)

before()
globals()[sys.argv[1]]()
after()
if os.fork() == 0:
    child()
    os._exit(3)
os.wait()
print(json.dumps({"used_s": time.process_time()}))
"""


@pytest.fixture
def copied(python, tmp_path):
    """The same interpreter in a file of its own, and the environment in which that finds its library."""
    asked = "import os, sys; print(os.path.realpath(sys.executable)); print(sys.base_prefix)"
    file, prefix = subprocess.check_output([python.path, "-c", asked], text=True).splitlines()
    folder = tmp_path / "bin"
    folder.mkdir()
    path = str(folder / os.path.basename(file))
    shutil.copy(file, path)
    return dataclasses.replace(python, path=path), {"PYTHONHOME": prefix}


@pytest.mark.parametrize("how", ["replace", "rename", "delete", "twice"])
@pytest.mark.statistical
def test_profiling_goes_on(profile, copied, how):
    python, env = copied
    ended = profile(CHANGED, python, args=[how], env=env).expect(0)
    found = ended.profile
    assert abs(found.cpu_inside("busy") - 1.8) <= 0.14, (found.cpu_inside("busy"), found.hottest())
    assert len(found.own["processes"]) == 2 and found.own["processes"][1]["exit_value"] == 3, found.own["processes"]
    assert not found.own.get("notes"), found.own["notes"]


BECOMES_A_SHELL = WORK + """
busy(0.3)
os.execvp("sh", ["sh", "-c", '"$0" inner.py; exit 4', sys.executable])
"""


@pytest.mark.few_pythons
@pytest.mark.statistical
def test_a_shell_that_was_a_python_is_no_parent(profile, python, tmp_path):
    """What is below it has no Python above that waits for it, so its waiting is the program's."""
    path, _ = write_program(tmp_path, "import time\ntime.sleep(1)\n", "inner.py")
    found = profile(BECOMES_A_SHELL, python).expect(4).profile
    assert len(found.own["processes"]) == 2, found.own["processes"]
    assert found.own["time_s"].get("sleep", 0) >= 0.9, found.own["time_s"]
    assert found.file(path)["lines"][1]["wait_s"]["sleep"] >= 0.9
