# tests/cli/test_completion.py - the completion scripts in real shells, where these are installed.
#
# SPDX-License-Identifier: Apache-2.0
"""Shell completion and manual pages."""

import os
import re
import shutil
import subprocess

import pytest

import command_line
from command_line import one_line
from conftest import BUILD

line = command_line.line


def complete_in_bash(script, words, directory):
    """What bash offers for the last of the words."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    program = script + (
        '\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scalene; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ended = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", *words], cwd=str(directory), stdout=subprocess.PIPE, universal_newlines=True, check=True,
    )
    return ended.stdout.split()


@pytest.mark.parametrize(
    "words, offered",
    [
        (["scalene", ""], ["run", "view", "export", "import", "diff", "history", "merge", "live", "optimize", "profile", "attach", "dump", "top", "compare", "mcp", "doctor", "selftest", "set-nvidia-gpu-modes", "completion", "help"]),
        (["scalene", "r"], ["run"]), (["scalene", "--v"], ["--version"]), (["scalene", "run", "--profile-e"], ["--profile-exclude"]),
        (["scalene", "run", "--no-st"], ["--no-stacks"]), (["scalene", "view", "--c"], ["--cli"]), (["scalene", "run", "t"], ["t.py"]),
        (["scalene", "run", "-o", "t"], ["t.py"]), (["scalene", "run", "--cpu-sampling-rate", ""], []),
        (["scalene", "profile", "--o"], ["--on", "--off"]), (["scalene", "profile", "x"], []), (["scalene", "completion", "z"], ["zsh"]),
        (["scalene", "help", "v"], ["view"]),
    ],
)
def test_bash(line, words, offered):
    script = line("completion", "bash").expect(0).stdout
    assert complete_in_bash(script, words, line.directory) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_accepts_its_script(line, shell):
    script = line("completion", shell).expect(0).stdout
    if shutil.which(shell) is None:
        pytest.skip("no %s" % shell)
    subprocess.run([shell, "-n"], input=script.encode(), check=True)


def test_fish_offers_options_and_verbs(line):
    if shutil.which("fish") is None:
        pytest.skip("no fish")
    script = line("completion", "fish").expect(0).stdout
    for begun, words, offered in (("--cpu-s", "scalene run --cpu-s", "--cpu-sampling-rate"), ("prof", "scalene prof", "profile")):
        ended = subprocess.run(
            ["fish", "-c", "source; complete -C '%s'" % words], input=script.encode(), stdout=subprocess.PIPE, check=True
        )
        found = [text.split("\t")[0] for text in ended.stdout.decode().splitlines()]
        # fish 4 also offers what has these letters anywhere, in this order
        assert [text for text in found if text.startswith(begun)] == [offered]


def test_one_known_shell_must_be_named(line):
    for words in ([], ["tcsh"], ["bash", "zsh"]):
        assert "bash, zsh or fish" in one_line(line("completion", *words).expect(2))


PAGES = ["scalene", "scalene-run", "scalene-view", "scalene-diff", "scalene-merge", "scalene-optimize", "scalene-profile", "scalene-doctor", "scalene-selftest", "scalene-set-nvidia-gpu-modes", "scalene-completion", "scalene-help"]


def test_scripts_and_manual_pages_have_what_help_shows(line):
    scripts = {shell: line("completion", shell).expect(0).stdout for shell in ("bash", "zsh", "fish")}
    for title in PAGES:
        verb = title.partition("-")[2]
        shown = line("help", verb).stdout if verb else line("help").stdout
        shown += line("run", "--help-advanced").stdout if verb == "run" else ""
        with open(os.path.join(BUILD, "docs", "man", title + ".1"), encoding="ascii") as page:
            manual = page.read()
        assert manual.startswith('.TH "%s" "1"' % title)
        at_bash = re.search(r"^    %s\) options='(.*)' operands" % re.escape("*:" + verb if verb else "1:*"), scripts["bash"], re.M).group(1)
        at_fish = "seen_subcommand_from %s'" % verb if verb else "use_subcommand'"
        for heading in re.findall(r"^  (-.*?)(?:  |$)", shown, re.M):
            flags = heading.partition("=")[0].split(", ")
            assert "\\fB%s\\fR\n" % heading.replace("-", "\\-") in manual
            assert not set(flags) - set(at_bash.split())
            for flag in flags:
                assert re.search(r"^        '%s=?\[" % flag, scripts["zsh"], re.M)
                way = "-l " + flag[2:] if flag.startswith("--") else "-s " + flag[1:]
                assert re.search(r"%s .*%s " % (at_fish, way), scripts["fish"])
        assert not any("ipython" in text for text in (manual, *scripts.values()))


@pytest.mark.parametrize("page", PAGES)
def test_manual_pages_are_well_formed(page):
    path = os.path.join(BUILD, "docs", "man", page + ".1")
    if shutil.which("groff") is None:
        pytest.skip("no groff")
    ended = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", path], stderr=subprocess.PIPE, universal_newlines=True
    )
    assert ended.returncode == 0 and ended.stderr == ""
