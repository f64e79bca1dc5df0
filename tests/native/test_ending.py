# tests/native/test_ending.py - the time in which the interpreter ends, when no Python frame is left.
#
# SPDX-License-Identifier: Apache-2.0
"""The end of the interpreter."""

import pytest

from conftest import execute

# So many objects that collecting and releasing them takes many samples on any machine.
PROGRAM = """
kept = [[i] for i in range(700000)]


def work():
    total = 0
    for i in range(1000000):
        total += i


work()
"""

ENDING = "ending the interpreter"


def test_it_is_a_root_of_the_stacks(profile, python):
    """Also where the interpreter is stripped: no name of a function is needed for it."""
    ended = profile(PROGRAM, python).expect(0)
    roots = {stack[0]["display_name"] for stack, _ in ended.profile.data["combined_stacks"]}
    assert "[%s]" % ENDING in roots, roots


@pytest.mark.few_pythons
def test_views_name_it(profile, python, scalene, tmp_path):
    """Without stacks, too."""
    profile(PROGRAM, python, options=["--no-stacks", "-o", "here.json"], expects_profile=False).expect(0)
    shown = execute([scalene, "view", "--cli", "here.json"], cwd=tmp_path).expect(0).stdout
    assert ENDING in shown, shown


@pytest.mark.few_pythons
def test_a_program_may_leave_without_it(profile, python, scalene, tmp_path):
    """What leaves the interpreter by os._exit does not end it."""
    profile(PROGRAM + "import os\nos._exit(0)\n", python, options=["-o", "here.json"], expects_profile=False).expect(0)
    shown = execute([scalene, "view", "--cli", "here.json"], cwd=tmp_path).expect(0).stdout
    assert ENDING not in shown, shown
