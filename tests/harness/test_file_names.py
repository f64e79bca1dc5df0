# tests/harness/test_file_names.py - each file of tests has a name of its own.
#
# SPDX-License-Identifier: Apache-2.0
"""pytest imports files of tests by their last name: of two with the same name it runs one."""

import collections
import glob
import os

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_no_two_files_of_tests_have_the_same_name():
    names = [os.path.basename(path) for path in glob.glob(os.path.join(TESTS, "*", "test_*.py"))]
    assert len(names) > 50
    assert [name for name, count in collections.Counter(names).items() if count > 1] == []
