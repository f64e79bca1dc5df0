# tests/profile/test_marked.py - @profile: a builtin while profiling; only marked functions keep values.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions marked with @profile."""

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
        for i in range(1500000):
            i ^ 5  #: method

    @profile
    @classmethod
    def other(cls):
        return cls.__name__

print(shown(0.4), spin(0.4), Thing.method(), Thing.other(), shown.__name__, profile(5))
"""


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


def test_without_marks_everything_is_shown(profile, python):
    ended = profile(MARKED.replace("@profile\n", "\n").replace("profile(5)", "5"), python).expect(0)
    assert ended.profile.inside("spin").total > 10


def test_a_name_of_the_programs_own_stays(profile, bare, python):
    text = "import builtins\nprofile = 7\nprint(profile)\nprint(hasattr(builtins, 'profile'))\n"
    assert bare(text, python).expect(0).stdout == "7\nFalse\n"
    ended = profile(text, python).expect(0)
    assert ended.stdout.startswith("7\n")
