# tests/accuracy/test_made.py - code that exec and eval make of a text while the program runs.
#
# SPDX-License-Identifier: Apache-2.0
"""Each line that makes code of a text gives that code a place of its own: <exec@file:line>."""

import pytest

from conftest import ON_CPU, SEEN, UNTIL_SEEN
from sampled import claimed

TEXTS = '''
import dataclasses

FIRST = """
t = 0
for i in range(2000000):
    t += i % 7
kept = bytearray(30 << 20)
"""
SECOND = """
def work(n):
    t = 0
    for i in range(n):
        t += i % 7
    return t

work(2000000)
"""

def run(text):
    exec(text, {})                                           #: run

@dataclasses.dataclass
class Point:
    x: int

run(FIRST)
exec(SECOND, {}); run(FIRST)                                 #: second
value = eval("sum(i % 7 for i in range(2000000))")           #: eval
exec(compile(SECOND, "<string>", "exec"), {})                #: compiled
for i in range(300000):
    Point(i)
later = {}
exec("def call(n):\\n    t = 0\\n    for i in range(n): t += i % 7\\n", later)
later["call"](2000000)                                       #: later
'''


def costs(found, name):
    lines = found.file(name)["lines"]
    return {one["lineno"]: sum(one.get("time_s", {}).get(kind, 0) for kind in ON_CPU) for one in lines}


@pytest.mark.statistical
@pytest.mark.by_version
def test_text_has_a_place_of_its_own(profile, python):
    found = profile(TEXTS, python, options=("--memory",)).expect(0).profile
    numbers = {line.split("#: ")[1]: number for number, line in enumerate(found.text.splitlines(), 1) if "  #: " in line}
    names = {word: "<%s@prog.py:%d>" % ("eval" if word == "eval" else "exec", number) for word, number in numbers.items()}
    assert claimed(set(found.files) == {found.program} | {names[word] for word in ("run", "second", "eval", "compiled")})
    assert set(costs(found, names["run"])) == {1, 2, 3, 4, 5}
    assert found.file(names["run"])["lines"][4]["n_malloc_mb"] >= 60 - 1
    for word in ("second", "compiled"):
        inside = costs(found, names[word])
        assert inside[4] + inside[5] > 0.7 * sum(inside.values()) > 0, inside
        assert [one["line"] for one in found.file(names[word])["functions"]] == ["work"]
    assert sum(costs(found, names["eval"]).values()) > 0
    # A function that is called elsewhere: who made it is not known.
    assert found.cpu_marked("later") > 0
    assert found.cpu_marked("run") < 0.2 * sum(costs(found, names["run"]).values())


SHORT = SEEN + "def f(n):\n    t = 0\n    for i in range(n):\n        t += i % 7\nf(3000000)\nwait_until_seen()\n"


@pytest.mark.by_version
@pytest.mark.parametrize(
    "name, how",
    [
        ("<string>", {"what": ["-c", SHORT]}),
        ("<string>", {"what": ["-c", SHORT], "through": ["env"]}),
        ("<stdin>", {"what": ["-"], "through": ["env"], "stdin": SHORT}),
    ],
)
def test_text_without_a_file_is_a_file(profile, python, name, how):
    found = profile("", python, options=UNTIL_SEEN, **how).expect(0).profile
    assert list(found.files) == [name]
    assert "f" in [one["line"] for one in found.file(name)["functions"]]
    if name == "<string>":  # nothing keeps what came by standard input
        assert "".join(one["line"] for one in found.file(name)["lines"]) == SHORT


def test_text_that_a_program_starts_a_python_with_is_not_shown(profile, python):
    text = "import subprocess, sys\nsubprocess.check_call([sys.executable, '-c', 'sum(range(5000000))'])\n"
    found = profile(text, python).expect(0).profile
    assert list(found.files) == [found.program]
