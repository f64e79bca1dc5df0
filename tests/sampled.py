# tests/sampled.py - the sampled numbers of a profile, which only tests marked `statistical` may look at.
#
# A sampled or timed number is outside of any limit now and then. A test that compares one decides nothing by itself, and is
# marked; so that no test has to remember this, the numbers of a profile refuse to be compared in all others.
#
# SPDX-License-Identifier: Apache-2.0
"""guarded(profile): the profile as an unmarked test reads it."""

# Keys of numbers that are the same in every run of a program, or names of something (docs/json.md). All others are sampled.
EXACT = frozenset(
    """
    lineno end_lineno line holder_lineno max_footprint_lineno
    start_region_line end_region_line start_outermost_loop end_outermost_loop start_function_line end_function_line
    pid parent_pid tid thread_id python_ident main_thread_id exit_value index stack_index ip offset interval_s total_mb child_not_followed
    """.split()
)

# What makes something of a number, or asks for its value.
OPERATIONS = """
    eq ne lt le gt ge bool hash int float index round trunc floor ceil abs neg pos
    add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow
""".split()


class Refused(Exception):
    """A test that is not marked has used a sampled number."""


class Sampled:
    """A number that can be shown, and refuses everything else."""

    def __init__(self, number):
        self._number = number

    def __repr__(self):
        return repr(self._number)

    def __format__(self, form):
        return format(self._number, form)


def refuse(self, *_):
    raise Refused(
        f"{self!r} is sampled: mark the test `statistical`, compare it in another test that is, or read it from `profile.exact`"
        " and say why it is the same in every run"
    )


for operation in OPERATIONS:
    setattr(Sampled, f"__{operation}__", refuse)


def guarded(value):
    """A copy of a part of a profile, in which all numbers but those of EXACT are Sampled."""
    if isinstance(value, dict):
        return {key: one if key in EXACT else guarded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [guarded(one) for one in value]
    return Sampled(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
