# tests/harness/test_promises.py - the tests that SECURITY.md names are there.
#
# SPDX-License-Identifier: Apache-2.0
"""A promise whose test is gone is noticed."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def named():
    """(file, test) of each row; a name without a file is of the file before it."""
    path = None
    with open(os.path.join(ROOT, "SECURITY.md"), encoding="utf-8") as file:
        for words in re.findall(r"`((?:tests/[\w/]+\.py::)?test_\w+)`", file.read()):
            head, _, name = words.rpartition("::")
            path = head or path
            yield path, name


def test_each_test_that_keeps_a_promise_is_there():
    rows = list(named())
    assert len(rows) > 30
    for path, name in rows:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            assert "\ndef %s(" % name in file.read(), "%s has no %s" % (path, name)
