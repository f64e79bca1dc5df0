# tests/profile/test_marked.py - @profile: a builtin while profiling; only marked functions keep values.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions marked with @profile."""

import pytest

from conftest import ON_CPU, marked_lines, share_of

MARKED = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5

@profile
def shown(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        for i in range(1000):
            i ^ 5  #: shown

class Thing:
    @staticmethod
    @profile
    def method():
        for i in range(3000000):
            i ^ 5  #: method

    @profile
    @classmethod
    def other(cls):
        return cls.__name__

print(shown(0.4), spin(0.4), Thing.method(), Thing.other(), shown.__name__, profile(5))
"""


@pytest.mark.statistical
def test_only_marked_functions_keep_values(profile, python):
    ended = profile(MARKED, python).expect(0)
    assert ended.stdout.split() == ["None", "None", "None", "Thing", "shown", "5"]
    found = ended.profile
    assert found.inside("spin").total == 0
    assert found.inside("shown").total > 25
    assert found.inside("Thing").total > 1
    # shares are those of all that was sampled, so they do not add up to 100
    assert found.everything().total < 80, found.hottest()
    assert [one["line"] for one in found.file()["functions"]] == ["shown", "Thing.method"]
    # the file's share is that of its lines, and the rest is named
    assert abs(found.file()["percent_cpu_time"] - found.everything().total) < 0.1, found.hottest()
    unmarked = [one["percent"] for one in found.own["hidden_files"] if one["reason"] == "unmarked"]
    assert len(unmarked) == 1 and 100 - found.everything().total - 5 < unmarked[0] <= 100 - found.everything().total + 0.1, unmarked


@pytest.mark.statistical
def test_without_marks_everything_is_shown(profile, python):
    ended = profile(MARKED.replace("@profile\n", "\n").replace("profile(5)", "5"), python).expect(0)
    assert ended.profile.inside("spin").total > 10


def test_a_name_of_the_programs_own_stays(profile, bare, python):
    text = "import builtins\nprofile = 7\nprint(profile)\nprint(hasattr(builtins, 'profile'))\n"
    assert bare(text, python).expect(0).stdout == "7\nFalse\n"
    ended = profile(text, python).expect(0)
    assert ended.stdout.startswith("7\n")


CALLER = """
import time

def helper(n):
    kept = bytearray(9 << 20)
    t = 0
    for i in range(n):
        t += i % 7
    return kept

def between(n):
    return helper(n)

@profile
def outer():
    for one in range(3):
        inner()                                    #: other

@profile
def inner():
    kept = [
        between(n)                                 #: helped
        for n in [700000] * 6
    ]

    def nested():
        return [bytearray(7 << 20) for i in range(3)]  #: nested
    kept.append(nested())
    time.sleep(0.1)                                #: slept

def unmarked():
    helper(3000000)

outer()
unmarked()
"""


@pytest.mark.statistical
def test_the_nearest_marked_caller_has_what_its_helpers_cost(profile, python):
    ended = profile(CALLER, python, options=("--memory",)).expect(0)
    got = ended.profile
    lines = got.file()["lines"]
    shown = {one["lineno"] for one in lines if one["n_malloc_mb"] or share_of(one).total}
    first, last = CALLER.strip("\n").splitlines().index("@profile") + 1, CALLER.strip("\n").splitlines().index("def unmarked():")
    assert shown and all(first <= line <= last for line in shown), shown
    helped, = marked_lines(got.text, "helped")
    assert lines[helped - 1]["n_malloc_mb"] > 18 * 9 - 5 and lines[helped - 1]["n_peak_mb"] > 50, lines[helped - 1]
    nested, = marked_lines(got.text, "nested")
    assert 60 < lines[nested - 1]["n_malloc_mb"] < 70
    assert got.cpu_marked("helped") > 0.5 * sum(got.own["time_s"].get(kind, 0) for kind in ON_CPU)
    assert {one["line"] for one in got.file()["functions"]} == {"outer", "inner"}
    assert got.function("inner").total >= got.marked("helped").total
