# tests/view/test_view.py - `scalene view --cli` shows what tests/view/golden says, and what it may not show.
#
#     pytest tests/view --update     writes the pictures anew; read the difference before you commit it
#
# SPDX-License-Identifier: Apache-2.0
"""The terminal view: pictures, widths, colours, hostile input, errors."""

import difflib
import gzip
import json
import os
import re
import subprocess
import unicodedata

import pytest
from viewing import DATA, SGR, data, environment, view, width_of

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")

# subject (of make_data.py), columns, variant: each shows something that no other does. That all numbers are there at every width, that
# lines fit and that colours change nothing else is tested below, of profiles that have no picture of their own at that width.
PICTURES = [
    *(("full", columns, "") for columns in (50, 80, 132, 200)), ("full", 132, "reduced"), ("gpu", 50, ""), ("gpu", 132, "reduced"),
    ("cpu", 80, "reduced"), ("cpu", 100, "color"), ("threads", 132, ""), ("hostile", 80, ""), ("hostile", 80, "ascii"),
    *((subject, 80, "") for subject in ("original", "old", "neuron", "thin", "empty")),
]


def show(scalene, subject, columns, variant):
    words = [] if variant == "reduced" else ["--all-lines"]
    variables = {"color": {"FORCE_COLOR": "1"}, "ascii": {"LC_ALL": "C"}}.get(variant, {})
    shown = view(scalene, "--cli", *words, os.path.join("data", subject + ".json"), cwd=os.path.dirname(DATA), columns=columns, **variables)
    assert shown.stderr == ""
    assert shown.returncode == 0
    return shown.stdout


@pytest.mark.parametrize("subject, columns, variant", PICTURES)
def test_a_profile_looks_like_its_picture(scalene, pytestconfig, subject, columns, variant):
    shown = show(scalene, subject, columns, variant)
    name = ".".join(filter(None, (subject, str(columns), variant, "txt")))
    path = os.path.join(GOLDEN, name)
    if pytestconfig.getoption("--update", default=False):
        os.makedirs(GOLDEN, exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(shown)
    with open(path, encoding="utf-8") as expected:
        wanted = expected.read()
    difference = "".join(difflib.unified_diff(wanted.splitlines(True), shown.splitlines(True), name, "shown"))
    assert not difference, difference


def test_every_picture_is_compared():
    named = {".".join(filter(None, (s, str(c), v, "txt"))) for s, c, v in PICTURES}
    assert set(os.listdir(GOLDEN)) == named


@pytest.mark.parametrize("columns", (40, 60, 79, 80, 81, 100, 131, 132, 150, 200, 400))
@pytest.mark.parametrize("subject", ("cpu", "full", "threads", "hostile", "gpu"))
def test_no_line_is_wider_than_the_terminal(scalene, subject, columns):
    # the joiners are left out, so what remains has the widths of its characters
    for line in show(scalene, subject, columns, "").splitlines():
        assert width_of(line) <= columns, line


@pytest.mark.parametrize("columns", (80, 132, 200))
@pytest.mark.parametrize("subject, path", [("full", "/srv/rows.py:"), ("gpu", "/home/ada/net/train.py:")])
def test_every_number_of_the_table_is_there_at_every_width(scalene, subject, path, columns):
    """The same cells, whatever the width: none is cut, none is lost."""

    def cells(shown):
        table = shown[shown.index(path) :]
        found = {}
        for row in table.splitlines():
            number = re.match(r".\s*(\d+) ?│", row)
            if number:
                left = row.rsplit("│", 1)[0]
                found.setdefault(number.group(1), []).extend(re.findall(r"[\d.]+[%MG]?", left))
        return found

    assert cells(show(scalene, subject, columns, "")) == cells(show(scalene, subject, 300, ""))


@pytest.mark.parametrize("subject", ("hostile", "full", "cpu", "threads"))
@pytest.mark.parametrize("variant", ("", "color", "ascii"))
def test_nothing_of_a_profile_controls_the_terminal(scalene, subject, variant):
    shown = show(scalene, subject, 132, variant)
    if variant == "color":
        assert SGR.search(shown)
        shown = SGR.sub("", shown)
    for character in shown:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"), hex(ord(character))
    if variant == "ascii":
        assert shown.isascii()


@pytest.mark.parametrize("subject", ("full", "hostile", "gpu"))
def test_colours_change_nothing_but_colour(scalene, subject):
    assert SGR.sub("", show(scalene, subject, 100, "color")) == show(scalene, subject, 100, "")


def test_every_coloured_line_ends_plain(scalene):
    for line in show(scalene, "full", 132, "color").splitlines():
        codes = SGR.findall(line)
        assert not codes or codes[-1] == "\x1b[0m", line


@pytest.mark.parametrize(
    "variables, colored",
    [
        ({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "0"}, False), ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False), ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_a_pipe_is_coloured_only_when_asked(scalene, variables, colored):
    shown = view(scalene, "--cli", data("cpu"), **variables)
    assert ("\x1b[" in shown.stdout) == colored


@pytest.mark.parametrize("columns", ("", "0", "-5", "wide", "99999999999", None))
def test_a_bad_width_means_80(scalene, columns):
    usual = view(scalene, "--cli", data("cpu"), columns=80).stdout
    shown = subprocess.run(
        [scalene, "view", "--cli", data("cpu")], env=environment(COLUMNS=columns), stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    assert shown.stdout == usual


def test_without_a_locale_text_is_utf8(scalene):
    shown = subprocess.run([scalene, "view", "--cli", data("cpu")], env={"COLUMNS": "80"}, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert shown.stdout == view(scalene, "--cli", data("cpu")).stdout


def test_the_default_profile_is_in_the_current_directory(scalene, tmp_path):
    with open(data("cpu"), encoding="utf-8") as profile:
        (tmp_path / "scalene-profile.json").write_text(profile.read(), encoding="utf-8")
    assert view(scalene, "--cli", cwd=tmp_path).stdout == view(scalene, "--cli", data("cpu")).stdout


def test_a_profile_may_come_from_a_pipe(scalene):
    with open(data("cpu"), "rb") as profile:
        shown = subprocess.run(
            [scalene, "view", "--cli", "/dev/stdin"], env=environment(COLUMNS="80"), input=profile.read(), stdout=subprocess.PIPE, check=True
        )
    assert shown.stdout.decode() == view(scalene, "--cli", data("cpu")).stdout


def test_a_profile_may_be_compressed(scalene, tmp_path):
    with open(data("cpu"), "rb") as stream:
        whole = gzip.compress(stream.read())
    (tmp_path / "p.json.gz").write_bytes(whole)
    (tmp_path / "cut.json.gz").write_bytes(whole[:-9])
    shown = view(scalene, "--json", "p.json.gz", cwd=tmp_path)
    assert (shown.stdout, shown.stderr) == (view(scalene, "--json", data("cpu")).stdout, "")
    assert "'cut.json.gz' is not a profile: it is compressed by gzip, and damaged or cut off" in view(scalene, "cut.json.gz", cwd=tmp_path).stderr
    subprocess.run([scalene, "export", "-f", "csv", "p.json.gz"], cwd=tmp_path, check=True)
    assert (tmp_path / "p.csv").exists()


def one_line(text):
    assert text.startswith("scalene: ")
    assert text.endswith("\n")
    assert text.count("\n") == 1, text
    return text


def test_a_missing_file_is_one_line(scalene, tmp_path):
    shown = view(scalene, "--cli", cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (1, "")
    message = one_line(shown.stderr)
    assert "'scalene-profile.json': No such file or directory" in message
    assert "scalene run" in message


@pytest.mark.parametrize(
    "text",
    [
        b"not json", b'{"files": ', b"[]", b"7", b"null", b'{"name": "package", "version": "1.0"}', b'{"files": 3}',
        b'{"files": {"a.py": {"lines": [{"lineno": -1}]}}}', b"\x00\xff\xfe\x80", b"[" * 100000,
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_is_no_profile_is_refused_in_one_line(scalene, tmp_path, text):
    (tmp_path / "scalene-profile.json").write_bytes(text)
    shown = view(scalene, "--cli", cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "'scalene-profile.json' is not a profile: " in one_line(shown.stderr)


def test_a_directory_is_one_line(scalene, tmp_path):
    shown = view(scalene, "--cli", str(tmp_path))
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "Is a directory" in one_line(shown.stderr)


@pytest.mark.parametrize("word", ("--html", "--standalone"))
def test_the_terminal_and_a_file_exclude_each_other(scalene, tmp_path, word):
    shown = view(scalene, "--cli", word, data("cpu"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert f"--cli does not go with {word}" in one_line(shown.stderr)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["--cli"], ["--tree", "--all-lines"], ["--json"]])
def test_a_file_takes_the_text(scalene, tmp_path, words):
    wanted = view(scalene, *words, data("cpu")).stdout
    shown = view(scalene, *words, "-o", "text", data("cpu"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")
    assert (tmp_path / "text").read_text(encoding="utf-8") == wanted
    assert [file.name for file in tmp_path.iterdir()] == ["text"]


@pytest.mark.parametrize("words", [[], ["--html"], ["--standalone"]])
def test_a_file_takes_the_page(scalene, tmp_path, words):
    shown = view(scalene, *words, "--outfile", "page.html", data("cpu"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "Profile saved to: page.html\n", "")
    assert (tmp_path / "page.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("words", [["--cli"], ["--html"]])
def test_a_file_that_cannot_be_written_is_one_line(scalene, tmp_path, words):
    shown = view(scalene, *words, "-o", "no/file", data("cpu"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "cannot write 'no/file'" in one_line(shown.stderr)


@pytest.mark.parametrize("words", [["--cli"], ["--json"], ["--html"]])
def test_the_profile_is_not_written_over(scalene, tmp_path, words):
    (tmp_path / "p.json").write_text("{}")
    (tmp_path / "link").symlink_to("p.json")
    shown = view(scalene, *words, "-o", "link", "p.json", cwd=tmp_path)
    assert shown.returncode == 1 and one_line(shown.stderr) == "scalene: view: 'link' is the profile itself\n"
    assert (tmp_path / "p.json").read_text() == "{}"


def test_a_reader_that_stops_is_no_failure(scalene):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        shown = subprocess.run([scalene, "view", "--cli", data("cpu")], env=environment(), stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (shown.returncode, shown.stderr) == (0, b"")


def test_a_full_disk_is_reported(scalene):
    with open("/dev/full", "wb") as full:
        shown = subprocess.run([scalene, "view", "--cli", data("cpu")], env=environment(), stdout=full, stderr=subprocess.PIPE)
    assert shown.returncode == 1
    assert b"No space left on device" in shown.stderr


@pytest.mark.parametrize("version, is_said", [("0.0.9", False), ("0.1.0", False), ("0.1.1", True), ("99.0", True), ("?", False)])
def test_a_newer_profile_is_shown_with_a_note(scalene, tmp_path, version, is_said):
    with open(data("cpu"), encoding="utf-8") as file:
        profile = json.load(file)
    profile["scalene_c"]["version"] = version
    path = tmp_path / "p.json"
    path.write_text(json.dumps(profile))
    shown = view(scalene, "--cli", str(path))
    assert (shown.returncode, "was written by version %s" % version in shown.stderr) == (0, is_said), shown.stderr
    assert "elapsed" in shown.stdout


def test_a_newer_version_is_said_safely(scalene, tmp_path):
    path = tmp_path / "p\x1b[31m.json"
    path.write_text(json.dumps({"scalene_c": {"version": "99.0\x1b[31m\u202e"}}))
    shown = view(scalene, "--cli", str(path))
    assert "p<U+001B>[31m.json' was written by version 99.0<U+001B>[31m<U+202E>;" in shown.stderr and "\x1b" not in shown.stderr


def test_a_pipe_that_nobody_writes_to_is_named(scalene, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    shown = subprocess.Popen([scalene, "view", "--cli", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "'%s' is a pipe" % path in shown.stderr.readline()
    with open(data("cpu"), "rb") as kept, open(path, "wb") as pipe:
        pipe.write(kept.read())
    text, errors = shown.communicate()
    assert (shown.returncode, errors) == (0, "") and "elapsed" in text
