# tests/notebook/test_kernels.py - notebooks whose kernel is a process of the run: `scalene run -- jupyter execute ...`.
#
# SPDX-License-Identifier: Apache-2.0
"""Cells without a magic."""

import json
import subprocess

import pytest

import executing
from conftest import Profile, clean_environment

CELL = """import time
def spin(seconds):
    'a caf\u00e9, \u4e2d'
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(1000): i ^ 5
"""

# What IPython does with a cell, as far as it can be seen from outside: the text in linecache, under the name
# that the code has, and in the list In.
SHELL = r"""
import linecache, os
In = [""]
def run(text, name):
    In.append(text.rstrip("\n"))
    linecache.cache[name] = (len(text), None, [line + "\n" for line in text.splitlines()], name)
    exec(compile(text, name, "exec"), globals())
for number in range(1, 301):
    run("x = %%d" %% number, "/tmp/ipykernel_7/1%%d.py" %% number)
run(%r, "%s")
if os.fork() == 0:
    run("# of the child\nfor i in range(5000000): i ^ 5", "/tmp/ipykernel_8/1.py")
    os._exit(0)
os.wait()
run("spin(0.3)\nfor i in range(5000000): i ^ 5", "<ipython-input-302-0123456789ab>")
exec(compile("spin(0.2)", "/tmp/ipykernel_9/unknown.py", "exec"), globals())
"""


@pytest.mark.parametrize("folder", ["/tmp", "/tmp/" + "deep/" * 40], ids=["short", "long"])
@pytest.mark.statistical
def test_cells_are_read_from_the_program(profile, python, folder):
    found = profile(SHELL % (CELL, folder + "/ipykernel_7/7.py"), python).expect(0).profile
    cells = {name: data for name, data in found.files.items() if name.startswith("[")}
    assert len(cells) == 3 and {"[301]", "[302]"} < set(cells), sorted(found.files)
    assert [name for name in cells if name.startswith("[302@")], sorted(found.files)
    assert "".join(line["line"] for line in cells["[301]"]["lines"]).replace("\\u003c", "<") == CELL
    assert abs(found.cpu_s(range(2, 7), "[301]") - 0.5) <= 0.1, found.hottest()


@pytest.mark.parametrize("python_path", executing.interpreters() or [None], ids=lambda path: path or "none")
@pytest.mark.statistical
def test_a_real_kernel(python_path, scalene, tmp_path):
    if python_path is None:
        pytest.skip("no interpreter has ipykernel, nbclient and nbformat")
    cells = [CELL, "spin(0.5)", "spin(0.1)\nfor i in range(5000000): i ^ 5"]
    ended = subprocess.run(
        [scalene, "run", "-o", "out.json", "--", python_path, "-c", executing.EXECUTE],
        input=json.dumps(cells), cwd=str(tmp_path), env=clean_environment({"HOME": str(tmp_path)}),
        capture_output=True, text=True, timeout=600,
    )
    assert "RESULT" in ended.stdout, ended.stderr[-3000:]
    found = Profile.read(tmp_path / "out.json")
    assert {"[1]", "[3]"} <= set(found.files), (sorted(found.files), ended.stderr)
    assert abs(found.cpu_s(range(2, 7), "[1]") - 0.6) <= 0.1, found.hottest()
    assert found.file("[3]")["lines"][1]["n_cpu_percent_python"] > 0, found.hottest()
