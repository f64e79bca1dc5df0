# tests/view/test_tree.py - `scalene view --tree`: the calls of a program, folded.
#
# SPDX-License-Identifier: Apache-2.0
"""The tree of calls: what has a row, what is folded into its caller, and that every row fits."""

import json
import re

import pytest
from viewing import SGR, data, view, view_in_terminal, width_of

LIB = "/usr/lib/python3.11/"

# name, file, line, kind, role
FRAMES = {
    "start": ("_run_module_as_main", "<frozen runpy>", 198, "py", "library"), "module": ("<module>", "/w/prog.py", 40, "py", None),
    "main": ("main", "/w/prog.py", 30, "py", None), "parse": ("parse", "/w/prog.py", 12, "py", None),
    "key": ("key", "/w/prog.py", 20, "py", None), "loads": ("loads", LIB + "json/__init__.py", 346, "py", "library"),
    "decode": ("JSONDecoder.decode", LIB + "json/decoder.py", 355, "py", "library"),
    "match": ("match", LIB + "re/__init__.py", 166, "py", "library"), "scan": ("scan_once", "/usr/lib/_json.so", None, "native", None),
    "sorted": ("builtin_sorted", "/usr/bin/python3.11", None, "native", "plumbing"),
    "import": ("_find_and_load", "<frozen importlib._bootstrap>", 1027, "py", "library"),
    "numpy": ("<module>", "/venv/lib/python3.11/site-packages/numpy/__init__.py", 5, "py", "library"),
    "core": ("<module>", "/venv/lib/python3.11/site-packages/numpy/core.py", 5, "py", "library"),
    "small": ("small", "/w/prog.py", 70, "py", None), "tiny": ("tiny", "/w/prog.py", 80, "py", None),
    "blas": ("dgemm", "/usr/lib/libblas.so", None, "native", None),
}

# stacks, outermost first, with their seconds
STACKS = [
    ("start module main", 0.2), ("start module main parse", 0.3), ("start module main parse loads decode scan", 3.0),
    ("start module main parse loads decode match", 0.5), ("start module main sorted key", 2.0), ("start module main loads decode key", 1.0),
    ("start module import numpy import core", 1.5), ("start module main main main", 0.4), ("start module main small", 0.09),
    ("start module main tiny", 0.09), ("blas", 0.92),
]


def write(path, stacks=STACKS, frames=FRAMES):
    """The profile `cpu` with a tree of calls."""
    with open(data("cpu"), encoding="utf-8") as text:
        profile = json.load(text)
    numbers = {}
    nodes = []

    def number(names):
        if not names:
            return 0
        if names not in numbers:
            parent = number(names[:-1])
            nodes.append([parent, list(frames).index(names[-1]), 0, 0])
            numbers[names] = len(nodes)
        return numbers[names]

    for stack, seconds in stacks:
        nodes[number(tuple(stack.split())) - 1][2] += seconds
    own = profile["scalene_c"]
    own["call_frames"] = []
    for name, file, line, kind, role in frames.values():
        frame = {"display_name": name, "filename_or_module": file, "line": line, "kind": kind}
        frame.update({"ip": None, "offset": None} if kind == "py" else {"ip": 1, "offset": 2})
        own["call_frames"].append({**frame, "role": role} if role else frame)
    own["call_tree"] = nodes
    profile.update(program="/w/prog.py", entrypoint_dir="/w", filename="/w")
    path.write_text(json.dumps(profile), encoding="utf-8")
    return str(path)


def tree(scalene, path, *words, columns=120, **variables):
    shown = view(scalene, "--tree", *words, path, columns=columns, **variables)
    assert (shown.returncode, shown.stderr) == (0, "")
    return shown.stdout


def rows(shown):
    """The table alone, without its heading."""
    lines = shown.splitlines()
    first = next(i for i, line in enumerate(lines) if line.split() == ["total", "self", "function"])
    table = lines[first + 1 :]
    return table[: table.index("")] if "" in table else table


FOLDED = """\
   91%     9.08 s                    <module>  prog.py:40
▏  76%     7.58 s     6%     600 ms  ├─ main  prog.py:30
▏  38%     3.80 s     3%     300 ms  │  ├─ parse  prog.py:12
█  35%     3.50 s    35%     3.50 s  │  │  └─ loads  json/__init__.py:346  [2 hidden: json, re]
▌  20%     2.00 s    20%     2.00 s  │  ├─ key  prog.py:20
   10%     1.00 s                    │  ├─ loads  json/__init__.py:346  [1 hidden: json]
▌  10%     1.00 s    10%     1.00 s  │  │  └─ key  prog.py:20
    2%     180 ms                    │  └─ 2 more, each below 1%
▌  15%     1.50 s    15%     1.50 s  └─ <module>  numpy/__init__.py:5  [1 hidden: numpy]
▏   9%     920 ms     9%     920 ms  native code without Python frames
"""


def test_the_first_screen_names_native_functions(scalene, tmp_path):
    shown = view(scalene, "--cli", write(tmp_path / "p.json"))
    assert "\nWhich native functions?\n   24%  scan_once  _json.so\n    7%  dgemm  libblas.so\n" in shown.stdout


def test_libraries_imports_and_native_code_are_folded(scalene, tmp_path):
    shown = tree(scalene, write(tmp_path / "p.json"))
    assert "\n".join(rows(shown)) + "\n" == FOLDED


UNIT = """\
  100%     1.50 s                    <module>  prog.py:40
  100%     1.50 s                    └─ main  prog.py:30
█  67%     1.00 s    67%     1.00 s     ├─ key  prog.py:20
█  33%     500 ms    33%     500 ms     └─ parse  prog.py:12
"""


def test_a_unit_of_work_alone(scalene, tmp_path):
    """Half a second in parse, which it was blocked in, and a second of the two of key."""
    path = tmp_path / "p.json"
    profile = json.loads(open(write(path), encoding="utf-8").read())
    own = profile["scalene_c"]
    functions = [list(FRAMES)[node[1]] for node in own["call_tree"]]
    own.update(units=[{"name": "GET /a", "count": 1}], call_units=[[0, functions.index("key") + 1, 1.0]],
               call_unit_waits=[[0, functions.index("parse") + 1, 0.5]])
    path.write_text(json.dumps(profile), encoding="utf-8")
    shown = tree(scalene, str(path), "--unit", "GET /a")
    assert "Only the unit of work GET /a: " in shown and "\n".join(rows(shown)) + "\n" == UNIT
    refused = view(scalene, "--tree", "--unit", "GET", str(path))
    assert (refused.returncode, refused.stdout) == (1, "") and "has no unit of work 'GET'" in refused.stderr


def test_all_shows_every_frame(scalene, tmp_path):
    path = write(tmp_path / "p.json")
    shown = "\n".join(rows(tree(scalene, path, "--all", columns=200)))
    for name, _file, _line, _kind, _role in FRAMES.values():
        assert name in shown
    assert "hidden" not in shown
    assert "more" not in shown
    assert len(re.findall("─ main ", shown)) == 3  # it calls itself twice
    assert "hidden" in "\n".join(rows(tree(scalene, path, "--all", "--reduced")))


def test_the_two_spellings_are_one(scalene, tmp_path):
    path = write(tmp_path / "p.json")
    assert tree(scalene, path, "--cli") == tree(scalene, path)


@pytest.mark.parametrize("columns", (40, 60, 80, 99, 100, 132, 200))
@pytest.mark.parametrize("words", ((), ("--all",)))
def test_no_row_is_wider_than_the_terminal_and_no_cut_is_silent(scalene, tmp_path, columns, words):
    path = write(tmp_path / "p.json")
    whole = rows(tree(scalene, path, *words, columns=400))
    shown = rows(tree(scalene, path, *words, columns=columns))
    assert len(shown) == len(whole)
    for line, full in zip(shown, whole):
        assert width_of(line) <= columns, line
        name = re.search(r"(?:─ |s  +)([a-zA-Z_<]\S*|\d+ more)", full).group(1)
        assert name in line or "…" in line, (line, full)


@pytest.mark.parametrize("words", ((), ("--all",)))
def test_a_deep_tree_stays_within_the_terminal(scalene, tmp_path, words):
    frames = {f"f{i}": (f"f{i}", "/w/prog.py", i + 1, "py", None) for i in range(400)}
    path = write(tmp_path / "p.json", [(" ".join(frames), 5.0)], frames)
    shown = tree(scalene, path, *words, columns=80)
    assert "f30 " in shown
    assert "are cut" in shown
    for line in rows(shown):
        assert width_of(line) <= 80
    assert rows(shown)[-1].split()[:2] == ["█", "100%"]


def test_names_cannot_control_the_terminal(scalene, tmp_path):
    frames = {"f": ("\x1b[31mred\u202e", "/w/\x07prog.py", 3, "py", None)}
    path = write(tmp_path / "p.json", [("f", 5.0)], frames)
    plain = SGR.sub("", tree(scalene, path, FORCE_COLOR="1"))
    assert "␛" in plain
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", plain)
    assert tree(scalene, path, LC_ALL="C").isascii()


@pytest.mark.parametrize("subject", ("thin", "empty"))
def test_a_profile_without_stacks_says_so(scalene, subject):
    shown = tree(scalene, data(subject))
    assert "no call stacks" in shown or "no profile data" in shown


def test_a_profile_of_the_original_has_a_tree(scalene):
    assert rows(tree(scalene, data("original"))) == ["█ 100%   100%  <module>  t.py:3"]


def test_colours_change_nothing_but_colour(scalene, tmp_path):
    path = write(tmp_path / "p.json")
    coloured = tree(scalene, path, FORCE_COLOR="1")
    assert SGR.search(coloured)
    assert SGR.sub("", coloured) == tree(scalene, path)
    status, shown = view_in_terminal([scalene, "view", "--tree", path], columns=120, rows=100)
    assert status == 0
    assert SGR.sub("", shown) == tree(scalene, path)


@pytest.mark.parametrize("word", ("--json", "--html", "--standalone", "--notebook"))
def test_it_goes_with_no_other_form(scalene, tmp_path, word):
    shown = view(scalene, "--tree", word, write(tmp_path / "p.json"), cwd=tmp_path)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "--tree" in shown.stderr
    assert word in shown.stderr
