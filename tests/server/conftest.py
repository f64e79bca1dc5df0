# tests/server/conftest.py - a server for the tests that only ask it.
#
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the page's server."""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving  # noqa: E402


@pytest.fixture
def server(scalene):
    with serving.serve(scalene) as running:
        yield running
