# tests/harness/test_tree_checks.py - the checks of documents, of files and of commit messages see what is wrong.
#
# SPDX-License-Identifier: Apache-2.0
"""tools/check_links.py, tools/check_circles.py, tools/check_commits and tools/check_musl.py, and whether saboteurs fit."""

import os
import pathlib
import subprocess
import sys
import tomllib
import zipfile

import pytest

from conftest import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))
import check_circles  # noqa: E402
import check_links  # noqa: E402


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """tree({name: text, ...}) makes the files, checks their links and returns (status, what was printed)."""
    monkeypatch.setattr(check_links, "ROOT", tmp_path)
    monkeypatch.setattr(check_links, "PAGES_OF_SITE", tmp_path / "docs")

    def check(files, capsys):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        status = check_links.main()
        return status, capsys.readouterr().out

    return check


PAGE = "docs/%s.md"
THERE = {"README.md": "# Top\n", PAGE % "b": "# B\n\n## What `this` is, and why\n\n```\n# no heading\n```\n"}


@pytest.mark.parametrize(
    "link",
    ["b.md", "b.md#what-this-is-and-why", "#a", "https://example.org/nowhere.md", "b.md) and ![a picture](b.md"],
)
def test_a_good_link_is_let_through(tree, capsys, link):
    status, printed = tree({**THERE, PAGE % "a": "# A\n\n[x](%s) [y](b.md)\n" % link}, capsys)
    assert status == 0, printed


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("c.md", "does not exist"), ("b.md#why", "names no heading"), ("b.md#no-heading", "names no heading"), ("#b", "names no heading"),
        ("../README.md", "leads out of docs/"), ("b.md) and [y](c.md", "does not exist"),
    ],
)
def test_a_dead_link_is_named(tree, capsys, link, said):
    status, printed = tree({**THERE, PAGE % "a": "# A\n\n[x](%s)\n" % link}, capsys)
    assert status == 1 and "a.md:3: " in printed and said in printed


def test_a_page_that_the_menu_forgets_is_named(tree, capsys):
    menu = {"mkdocs.yml": "nav:\n  - Start: index.md\n"}
    assert tree({**THERE, **menu, PAGE % "index": "# A\n\n[x](b.md)\n"}, capsys) == (
        1,
        PAGE % "b" + ": the menu in mkdocs.yml has not this page\n",
    )


def test_code_is_not_read(tree, capsys):
    text = "# A\n\n[x](b.md) `[x](c.md)`\n\n    [x](c.md)\n\n```\n[x](c.md)\n```\n"
    status, printed = tree({**THERE, PAGE % "a": text}, capsys)
    assert (status, printed) == (0, "1 links are right\n")


@pytest.fixture
def said_of(tmp_path):
    """said_of(message, lines) -> (status, what the check prints) of a commit with that message which adds so many lines."""

    def git(*words):
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e", *words], check=True, stdout=subprocess.PIPE)

    def commit(message, lines=9):
        (tmp_path / "tools").mkdir()
        script = tmp_path / "tools" / "check_commits"
        with open(os.path.join(ROOT, "tools", "check_commits")) as ours:
            script.write_text(ours.read())
        git("init", "-q")
        (tmp_path / "file").write_text("line\n" * lines)
        git("add", "file")
        git("commit", "-q", "-m", message)
        done = subprocess.run(["bash", str(script)], cwd=tmp_path, stdout=subprocess.PIPE, universal_newlines=True, check=False)
        return done.returncode, done.stdout

    return commit


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ("page: draw the curve\n\nIt was not drawn.", 9),
        ("page: draw the curve", 2),
        ("src/page: %s\n\nWhy." % ("d" * 62), 9),
        ("Merge branch 'a'", 9),
    ],
)
def test_a_good_message_is_let_through(said_of, message, lines):
    assert said_of(message, lines) == (0, "the messages are right\n")


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("draw the curve\n\nWhy.", "is not 'area: imperative subject'"), ("page: drew the curve", "no body"),
        ("page: draws\n\n# nothing but a comment", "no body"), ("page: fixed the curve\n\nWhy.", "'fixed' is not imperative"),
        ("page: draw it.\n\nWhy.", "full stop"), ("page: %s\n\nWhy." % ("d" * 67), "has 73 characters"),
        ("page: draw\nat once", "second line is not blank"),
    ],
)
def test_a_bad_message_is_refused(said_of, message, said):
    status, printed = said_of(message)
    assert status == 1 and said in printed, printed


def circles_of(tmp_path, files):
    for name, used in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join('#include "%s"\n' % header for header in used))
    return check_circles.find_circles(check_circles.read_uses(tmp_path))


def test_files_one_above_the_other_are_no_circle(tmp_path):
    """A source may use the header of a file that uses its own header's neighbour: only the files count, not the folder."""
    files = {"a/x.h": [], "a/x.c": ["a/x.h", "a/y.h", "b/z.h"], "a/y.h": ["a/w.h"], "a/y.c": ["a/y.h"], "a/w.h": [], "b/z.h": ["a/w.h"]}
    assert circles_of(tmp_path, files) == []


def test_a_circle_is_found_whatever_its_length(tmp_path):
    """Also where a source closes it, and no two headers include one another."""
    files = {"a/x.h": [], "a/x.c": ["a/x.h", "a/y.h"], "a/y.h": ["b/z.h"], "a/y.c": ["a/y.h"], "b/z.h": ["a/x.h"], "a/w.c": ["a/x.h"]}
    assert circles_of(tmp_path, files) == [["a/x", "a/y", "b/z"]]
    assert circles_of(tmp_path, {"a/v.h": ["a/u.h"], "a/u.c": ["a/v.h"], "a/u.h": []})[0] == ["a/u", "a/v"]


def test_a_circle_of_calls_is_found_whose_headers_are_none(tmp_path):
    """What two files call of one another may be declared in a header of another name. libc's names do not count."""
    texts = {
        "x": "int sc_y(void); int sc_x(void); int sc_x(void) { return sc_y(); }",
        "y": "int sc_z(void); int sc_y(void); int sc_y(void) { return sc_z(); }",
        "z/w": "int sc_x(void); int sc_z(void); int sc_z(void) { return sc_x(); }",
        "v": "int sc_x(void); char *getenv(const char *name); char *getenv(const char *name) { return sc_x() ? 0 : (char *)name; }",
        "u": "char *getenv(const char *name); int sc_u(void); int sc_u(void) { return getenv(\"a\") != 0; }",
    }
    objects = tmp_path / "build" / "src" / "a" / "liba.a.p"
    objects.mkdir(parents=True)
    for name, text in texts.items():
        source = tmp_path / "src" / "a" / (name + ".c")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["cc", "-c", source, "-o", objects / (name.replace("/", "_") + ".c.o")], check=True)
    uses = check_circles.read_links(tmp_path / "src", tmp_path / "build")
    assert check_circles.find_circles(uses) == [["a/x", "a/y", "a/z/w"]]
    assert uses["a/u"] == set() and uses["a/v"] == {"a/x"}


@pytest.mark.parametrize("saboteur", sorted(pathlib.Path(ROOT, "tests", "saboteurs").glob("*.toml")), ids=lambda path: path.stem)
def test_a_saboteurs_edits_fit(saboteur):
    """tools/check_tests says so, too, but after minutes."""
    for edit in tomllib.loads(saboteur.read_text())["edit"]:
        assert pathlib.Path(ROOT, edit["file"]).read_text().count(edit["old"]) == 1, edit


@pytest.mark.parametrize(
    "calls, options, wrong",
    [("malloc", ["-nostdlib"], ""), ("gettid", ["-nostdlib"], "needs gettid, which musl has from 1.2.2 on"), ("malloc", [], "needs the library libc.so.6")],
)
def test_a_wheel_for_musl_needs_musl_alone_and_no_later_function(tmp_path, calls, options, wrong):
    (tmp_path / "t.c").write_text("void %s(void); void t(void) { %s(); }" % (calls, calls))
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-o", "t.so", *options, "t.c"], cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "t.whl", "w") as wheel:
        for name in ("bin/scalene", "lib/scalene/libscalene.so", "lib/scalene/libscalene-memory.so"):
            wheel.write(tmp_path / "t.so", "scalene/_native/" + name)
    ended = subprocess.run([sys.executable, "tools/check_musl.py", str(tmp_path / "t.whl")], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.stdout == "".join("%s: %s\n" % (name, wrong or "right") for name in ("scalene", "libscalene-memory.so", "libscalene.so"))
    assert ended.returncode == (1 if wrong else 0)
