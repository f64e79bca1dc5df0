# tests/diff/test_action.py - the action for workflows: its script, run as a workflow runs it.
#
# SPDX-License-Identifier: Apache-2.0
"""action.yml at the root, with inputs as users write them."""

import os
import subprocess

import pytest
import yaml
from conftest import ROOT, SCALENE, clean_environment

pytestmark = pytest.mark.one_python

# Of larger blocks only what is seen to be touched would count: the program may be over before anybody looks.
PROGRAM = """
import sys
kept = [bytearray(1 << 16) for _ in range(int(sys.argv[1]) << 4)]
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def step(tmp_path):
    """Runs the action's step with these inputs: its status, what it has printed, the page of the run."""
    (tmp_path / "prog with blanks.py").write_text(PROGRAM)
    with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as text:
        action = yaml.safe_load(text)
    usual = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
    (step,) = action["runs"]["steps"]
    summary = tmp_path / "summary.md"

    def run(**inputs):
        summary.write_text("")
        given = {**usual, **{name.replace("_", "-"): value for name, value in inputs.items()}}
        named = {name: given[value.split("inputs.")[1].split(" ")[0]] for name, value in step["env"].items()}
        path = os.path.dirname(SCALENE) + ":" + os.environ["PATH"]
        environment = clean_environment({**named, "GITHUB_STEP_SUMMARY": str(summary), "PATH": path})
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False)
        return ended.returncode, ended.stdout + ended.stderr, summary.read_text()

    return run


def test_a_change_that_costs_memory(step):
    program = '--quiet "prog with blanks.py" %d 0'
    status, said, page = step(command=program % 20, profiles="old ones", before="none")
    assert status == 0 and "prog with blanks.py" in page and "Changes" not in page, said
    status, said, page = step(command=program % 20, before="old ones", fail_if="peak>50MB")
    assert status == 0 and "### Changes" in page, said
    status, said, page = step(command=program % 120, before="old ones", fail_if="peak>50MB")
    assert status == 3 and "peak>50MB" in page, said


def test_profiles_of_an_earlier_use_are_not_compared(step, tmp_path):
    program = '--quiet "prog with blanks.py" 1 0'
    for runs, names in ("2", ["run1.json", "run2.json"]), ("1", ["run1.json"]):
        status, said, _ = step(command=program, runs=runs)
        assert status == 0 and sorted(os.listdir(tmp_path / "scalene-profiles")) == names, said


def test_a_program_that_fails(step):
    status, said, page = step(command='--quiet "prog with blanks.py" 1 7', runs="1")
    assert status == 7 and page == "", said
