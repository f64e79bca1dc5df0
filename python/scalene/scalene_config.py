# python/scalene/scalene_config.py - the version, where programs for the original look for it.
#
# SPDX-License-Identifier: Apache-2.0
"""The version of Scalene, its date, and the port of its page."""

from __future__ import annotations

from importlib.metadata import version

__all__ = ["SCALENE_PORT", "scalene_date", "scalene_version"]

scalene_version = version("scalene")
scalene_date = "2026.11.20"  # version_date of meson.build

SCALENE_PORT = 11235  # where `scalene view` serves the page, if it is free
