# tests/robust/test_long_function.py - a function whose table of lines is too long for a record.
#
# Truth: by construction, all time is spent in the one function, evenly over its lines.
#
# SPDX-License-Identifier: Apache-2.0
"""A function of very many statements."""

import pytest

STATEMENTS = 24000

PROGRAM = """
import time


def many(x, y):
%s
    return x


end = time.thread_time() + 1.0
while time.thread_time() < end:
    many(5, 3)
""" % "\n".join("    x = (x * 3 + y - x // 7) %% 1001  #: part%d" % (4 * i // STATEMENTS) for i in range(STATEMENTS))


@pytest.mark.statistical
def test_its_lines_have_its_time(profile, python):
    found = profile(PROGRAM, python).expect(0).profile
    shares = [found.cpu_marked("part%d" % part) for part in range(4)]
    assert min(shares) >= 0.1, shares
    assert sum(shares) >= 0.7, shares
    assert found.own["losses"]["unknown_code"] == 0
