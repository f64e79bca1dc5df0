# tests/export/test_export.py - `scalene export`: where it writes, and what it refuses.
#
# SPDX-License-Identifier: Apache-2.0
"""The command."""

import json
import os
import re
import resource
import subprocess
import sys

import pytest
from exporting import FORMATS, everything, export, huge, write

from conftest import ROOT, clean_environment

sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import command_line  # noqa: E402
from command_line import on_terminal, one_line  # noqa: E402

line = command_line.line

def test_every_format_is_in_the_help_and_the_documents(line):
    listed = line("export", "--help").expect(0).stdout
    with open(os.path.join(ROOT, "docs", "export.md"), encoding="utf-8") as stream:
        rows = re.findall(r"^\| `(\w+)` \| `([^`]+)`", stream.read(), re.M)
    assert dict(rows) == FORMATS and len(FORMATS) >= 2
    for name in FORMATS:
        assert re.search(r"\b%s\b" % name, listed)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_beside_the_profile_is_the_default(line, form):
    os.mkdir(os.path.join(str(line.directory), "sub"))
    write(line.directory, everything(), "sub/p.json")
    ended = line("export", "--format", form, "sub/p.json").expect(0)
    made = os.path.join(str(line.directory), "sub", "p" + FORMATS[form])
    assert ended.stdout.startswith("Exported to: sub/p%s (for " % FORMATS[form]) and ended.stderr == ""
    assert sorted(os.listdir(os.path.dirname(made))) == sorted(["p.json", os.path.basename(made)])
    assert os.stat(made).st_mode & 0o777 == 0o600 and os.path.getsize(made) > 0
    with open(made, "rb") as stream:
        written = stream.read()
    piped = subprocess.run([line.scalene, "export", "-f", form, "-o", "-", "sub/p.json"], cwd=str(line.directory), stdout=subprocess.PIPE, check=True)
    assert piped.stdout == written  # and twice the same
    assert b"hunter2" not in written


def test_the_default_profile_and_the_format_of_the_outputs_name(line):
    write(line.directory, everything(), "scalene-profile.json")
    line("export", "-o", "x.speedscope.json").expect(0)
    with open(os.path.join(str(line.directory), "x.speedscope.json"), encoding="utf-8") as stream:
        assert json.load(stream)["$schema"].startswith("https://www.speedscope.app")


@pytest.mark.parametrize(
    "words, status, said",
    [
        (["-f", "collapsed", "absent.json"], 1, "absent.json"), (["-f", "collapsed", "no.json"], 1, "not a profile"),
        (["-f", "collapsed", "empty.json"], 1, "there is no profile data in 'empty.json'"),
        (["-f", "collapsed", "noted.json"], 1, "nothing was sampled"),
        (["-f", "collapsed", "-o", "no/such/x", "p.json"], 1, "cannot write 'no/such/x'"),
        (["-f", "collapsed", "-o", "p.json", "p.json"], 1, "the profile itself"),
        (["-f", "collapsd", "p.json"], 2, "did you mean collapsed?"), (["-f", "xyzxyzxyz", "p.json"], 2, "the formats are "),
        (["p.json"], 2, "--format says which: "), (["-f", "collapsed", "p.json", "p.json"], 2, "only one profile"),
    ],
)
def test_what_cannot_be_is_said(line, words, status, said):
    for name, made in (("p", everything()), ("no", {"a": 1}), ("empty", {}), ("noted", {"scalene_c": {"notes": ["nothing was sampled"]}})):
        write(line.directory, made, name + ".json")
    before = sorted(os.listdir(str(line.directory)))
    ended = line("export", *words).expect(status)
    assert said in one_line(ended) and ended.stdout == ""
    assert sorted(os.listdir(str(line.directory))) == before


@pytest.mark.parametrize("form, status", (("pprof", 1), ("collapsed", 0)))
def test_a_terminal_gets_text_alone(line, form, status):
    path = write(line.directory, everything())
    ended, text = on_terminal([line.scalene, "export", "-f", form, "-o", "-", path], clean_environment())
    assert ended == status
    assert ("pprof is nothing for a terminal" in text) == bool(status)


@pytest.mark.parametrize("form", FORMATS)
def test_what_cannot_be_written_leaves_no_file(line, form):
    write(line.directory, everything())
    old = os.path.join(str(line.directory), "old")
    with open(old, "w", encoding="utf-8") as stream:
        stream.write("kept")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))

    with open("/dev/full", "w", encoding="utf-8") as full:
        for words, out in ((["-o", "x"], subprocess.PIPE), (["-o", "old"], subprocess.PIPE), (["-o", "-"], full), (["-o", "/dev/full"], subprocess.PIPE)):
            how = {"preexec_fn": limit} if words[1] in ("x", "old") else {}
            ended = subprocess.run([line.scalene, "export", "-f", form, *words, "p.json"], cwd=str(line.directory), stdout=out, stderr=subprocess.PIPE, check=False, **how)
            assert ended.returncode == 1 and ended.stderr.startswith(b"scalene: ") and ended.stderr.count(b"\n") == 1, ended
    assert sorted(os.listdir(str(line.directory))) == ["old", "p.json", "t.py"]
    with open(old, encoding="utf-8") as stream:
        assert stream.read() == "kept"


@pytest.mark.parametrize("form", FORMATS)
def test_huge_numbers_stay_numbers(scalene, tmp_path, form):
    assert export(scalene, form, huge(), tmp_path)
