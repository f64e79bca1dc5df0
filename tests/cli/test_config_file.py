# tests/cli/test_config_file.py - `scalene run -c FILE`.
#
# SPDX-License-Identifier: Apache-2.0
"""The configuration file."""

import pytest

import command_line
from command_line import first_lines, one_line

line = command_line.line


def test_a_file_sets_and_the_command_line_wins(line):
    line.write("c.yaml", "outfile: from-file\nprofile_all: true\ndisable-jit: true\n")
    assert line.reported_by("-c", "c.yaml", "t.py")["jit"] == ["1", "0"]
    assert line.exists("from-file.json")
    line("run", "--config=c.yaml", "-o", "from-line", "t.py").expect(0)
    assert line.exists("from-line.json")


def test_true_and_false_both_work(line):
    line.write("yes.yaml", "stacks: true\nuse-legacy-tracer: true\n")
    line.write("no.yaml", "stacks: false\ngpu: false\noff: false\ndisable-jit: false\n")
    (printed,) = first_lines(line("run", "-c", "yes.yaml", "t.py").expect(0))
    assert "--use-legacy-tracer" in printed
    assert first_lines(line("run", "-c", "no.yaml", "t.py").expect(0)) == []
    assert line.reported_by("-c", "no.yaml", "t.py")["jit"] == [None, None]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("cpu-only: true\nprofile-al: true\n", "c.yaml:2: "), ("cpu-sampling-rate: fast\n", "c.yaml:1: "), ("\nmemory: 3\n", "c.yaml:2: "),
        ("profile-only: {a: b}\n", "c.yaml:1: "), ("- gpu\n", "c.yaml:1: "), ("profile-only: [\n", "c.yaml:2: "),
        ("gpu: true\ngpu: true\n", "c.yaml:2: "), ("on: true\noff: true\n", "--off"),
    ],
)
def test_a_wrong_file_is_reported_with_its_line(line, text, expected):
    line.write("c.yaml", text)
    ended = line("run", "-c", "c.yaml", "t.py").expect(1)
    assert expected in one_line(ended)
    assert ended.stdout == ""
    assert not line.exists("scalene-profile.json")


def test_what_has_no_key_is_not_proposed(line):
    line.write("c.yaml", "help: true\n")
    printed = one_line(line("run", "-c", "c.yaml", "t.py").expect(1))
    assert "'help'" in printed and "did you mean" not in printed
    line.write("c.yaml", "stakcs: true\n")
    assert "did you mean stacks" in one_line(line("run", "-c", "c.yaml", "t.py").expect(1))


def test_a_missing_file_is_reported(line):
    assert "nope.yaml" in one_line(line("run", "-c", "nope.yaml", "t.py").expect(1))


def test_of_on_and_off_the_command_line_wins(line):
    line.write("c.yaml", "off: true\n")
    assert first_lines(line("run", "-c", "c.yaml", "--on", "t.py").expect(0)) == []


def test_a_file_of_the_programs_own_is_told_from_ours(line):
    """--config behind the program is ours; a program with an option of that name gets it behind ---."""
    line.write("own.py", "workers = 3\n")
    assert "own.py:1: " in one_line(line("run", "-c", "own.py", "t.py").expect(1))
    behind = one_line(line("run", "t.py", "--config", "own.py").expect(1))
    assert behind.endswith("(write --- before options that are the program's own)")
    assert line.reported_by("t.py", "---", "--config", "own.py")["argv"] == ["t.py", "--config", "own.py"]
