# tests/view/conftest.py - the option that writes the pictures anew.
#
# SPDX-License-Identifier: Apache-2.0
"""Adds --update: pytest tests/view --update."""


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write tests/view/golden anew")
