# tests/harness/test_promises.py - the tests that SECURITY.md names are there.
#
# SPDX-License-Identifier: Apache-2.0
"""A promise whose test is gone is noticed."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


IN_C = r"`(\w+)` in `(tests/unit/\w+\.c)`"


def promises():
    with open(os.path.join(ROOT, "SECURITY.md"), encoding="utf-8") as file:
        return file.read()


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def named():
    """(file, test) of each row; a name without a file is of the file before it."""
    path = None
    for words in re.findall(r"`((?:tests/[\w/]+\.py::)?test_\w+)`", re.sub(IN_C, "", promises())):
        head, _, name = words.rpartition("::")
        path = head or path
        yield path, name


def test_each_test_that_keeps_a_promise_is_there():
    rows = list(named())
    assert len(rows) > 30
    for path, name in rows:
        assert "\ndef %s(" % name in text_of(path), "%s has no %s" % (path, name)


def test_each_unit_test_that_keeps_a_promise_is_there():
    rows = re.findall(IN_C, promises())
    assert len(rows) >= 2
    for name, path in rows:
        assert re.search(r"^(?:static void |TEST(?:_WITHIN)?\()%s\b" % name, text_of(path), re.M), "%s has no %s" % (path, name)
