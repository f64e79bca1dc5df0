# tests/profile/test_marked.py - @profile: a builtin while profiling; only marked functions keep values.
#
# Large blocks are counted one by one, so what each line has is the same in every run. How time goes to marked functions is in
# tests/forged.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions marked with @profile."""


MEMORY = ("--memory", "--malloc-threshold", "0", "--cpu-percent-threshold", "0")

MARKED = """
kept = []

def unmarked():
    kept.append(bytearray(8 << 20))  #: unmarked

@profile
def shown():
    kept.append(bytearray(8 << 20))  #: shown
    kept.extend([unmarked() for _ in range(2)])  #: helped

    def nested():
        kept.append(bytearray(8 << 20))  #: nested
    nested()

class Thing:
    @staticmethod
    @profile
    def method():
        inner()  #: other

    @profile
    @classmethod
    def other(cls):
        return cls.__name__

@profile
def inner():
    kept.append(bytearray(8 << 20))  #: inner

aside = profile(
    lambda: unmarked()  #: aside
    or kept.append(bytearray(8 << 20))  #: last
)

print(aside(), unmarked(), shown(), Thing.method(), Thing.other(), shown.__name__, profile(5))
"""


def allocated_mb(found):
    return {mark: round(found.exact.record(mark)["n_malloc_mb"]) for mark in ("unmarked", "shown", "helped", "nested", "other", "inner", "aside", "last")}


def test_only_marked_functions_keep_values(profile, python):
    """The nearest marked caller has what its helpers cost."""
    ended = profile(MARKED, python, options=MEMORY).expect(0)
    assert ended.stdout.split() == ["None", "None", "None", "None", "Thing", "shown", "5"]
    assert allocated_mb(ended.profile) == {"unmarked": 0, "shown": 8, "helped": 16, "nested": 8, "other": 0, "inner": 8, "aside": 8, "last": 8}


def test_without_marks_everything_is_shown(profile, python):
    ended = profile(MARKED.replace("@profile\n", "\n").replace("profile(", "("), python, options=MEMORY).expect(0)
    assert allocated_mb(ended.profile) == {"unmarked": 32, "shown": 8, "helped": 0, "nested": 8, "other": 0, "inner": 8, "aside": 0, "last": 8}


def test_a_name_of_the_programs_own_stays(profile, bare, python):
    text = "import builtins\nprofile = 7\nprint(profile)\nprint(hasattr(builtins, 'profile'))\n"
    assert bare(text, python).expect(0).stdout == "7\nFalse\n"
    ended = profile(text, python).expect(0)
    assert ended.stdout.startswith("7\n")
