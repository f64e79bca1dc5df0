# tests/cli/test_top_level.py - `scalene` itself: help, version, words that are no command.
#
# SPDX-License-Identifier: Apache-2.0
"""The top level of the command line."""

import re
import subprocess

import pytest

import command_line
from command_line import on_terminal, one_line
from conftest import clean_environment

line = command_line.line

COMMANDS = ("run", "view", "export", "import", "diff", "history", "merge", "live", "optimize", "profile", "attach", "dump", "top", "compare", "mcp", "doctor", "selftest", "set-nvidia-gpu-modes", "completion", "help")


def test_no_arguments_show_the_whole_help_and_fail(line):
    ended = line().expect(1)
    assert ended.stderr == ""
    for name in COMMANDS:
        assert re.search(r"^  %s " % name, ended.stdout, re.MULTILINE)


@pytest.mark.parametrize("word", ["-h", "--help", "help"])
def test_help_is_no_failure(line, word):
    assert line(word).expect(0).stdout == line().stdout


def test_version_has_number_and_date(line):
    ended = line("--version").expect(0)
    assert re.fullmatch(r"Scalene version \d+\.\d+\.\d+ \(\d{4}\.\d{2}\.\d{2}\)\n", ended.stdout)


@pytest.mark.parametrize("word", ["walk", "it's", "--vers", "--hel", "--version=1", "-x", ""])
def test_other_words_are_refused(line, word):
    ended = line(word).expect(2)
    assert one_line(ended)
    assert ended.stdout == ""


@pytest.mark.parametrize("name", COMMANDS[:-1])
def test_each_command_has_its_help(line, name):
    by_option = line(name, "--help").expect(0)
    assert by_option.stdout == line("help", name).expect(0).stdout
    assert by_option.stdout.startswith("Usage: scalene %s" % name)
    assert line(name, "-h").expect(0).stdout == by_option.stdout


def test_help_of_no_command_is_refused(line):
    assert "walk" in one_line(line("help", "walk").expect(2))


def test_run_help_lists_only_its_group(line):
    basic = line("run", "--help").expect(0).stdout
    advanced = line("run", "--help-advanced").expect(0).stdout
    for name in ("--outfile", "--cpu-only", "--config", "--help-advanced"):
        assert "  %s" % name in basic or ", %s" % name in basic
    for name in ("--profile-all", "--cpu-sampling-rate", "--python", "--no-stacks", "--off"):
        assert name in advanced
        assert not re.search(r"^  %s" % name, basic, re.MULTILINE)
    assert "--outfile" not in advanced
    for hidden in ("--ipython", "--reduced-profile", "--pid"):
        assert hidden not in basic + advanced


def test_help_is_coloured_on_a_terminal_only(line, scalene):
    environment = clean_environment()
    status, text = on_terminal([scalene, "--help"], environment)  # NO_COLOR=1
    assert status == 0 and "\033[" not in text
    del environment["NO_COLOR"]
    status, text = on_terminal([scalene, "--help"], environment)
    assert status == 0 and "\033[" in text
    assert "\033[" not in line("--help", env={"NO_COLOR": ""}).stdout


def test_output_that_cannot_be_written_is_reported(scalene, tmp_path):
    with open("/dev/full", "w") as full:
        ended = subprocess.run([scalene, "--help"], stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 1
    assert b"No space left" in ended.stderr
