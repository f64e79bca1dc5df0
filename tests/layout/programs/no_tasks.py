# tests/layout/programs/no_tasks.py - a program without asyncio.
#
# SPDX-License-Identifier: Apache-2.0
"""Parks without asyncio, then with asyncio imported and not used."""

import sys

from parking import park

assert "asyncio" not in sys.modules
park("without")

import asyncio  # noqa: E402

park("imported %s" % asyncio.__name__)
