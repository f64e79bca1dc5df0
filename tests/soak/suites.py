# tests/soak/suites.py - test suites of packages, as their authors run them.
#
# SPDX-License-Identifier: Apache-2.0
# needs: pytest toolz
"""A program of tools/soak; its argument is a seed."""

import sys

import pytest

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--pyargs", "toolz"]))
