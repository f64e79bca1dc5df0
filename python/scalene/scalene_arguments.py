# python/scalene/scalene_arguments.py - the options of a run as an object, for programs that make one.
#
# SPDX-License-Identifier: Apache-2.0
"""Options of `scalene run` by their names in Python."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["ScaleneArguments"]

_DEFAULTS: dict[str, Any] = {
    "allocation_sampling_window": 1048576,
    "async_profile": True,
    "cli": False,
    "column_width": 132,
    "cpu": True,
    "cpu_percent_threshold": 1,
    "cpu_sampling_rate": 0.01,
    "disable_jit": False,
    "gpu": True,
    "html": False,
    "json": True,
    "malloc_threshold": 100,
    "memory": True,
    "memory_leak_detector": True,
    "no_browser": True,
    "outfile": None,
    "pid": 0,
    "port": 8088,
    "profile_all": False,
    "profile_exclude": "",
    "profile_interval": float("inf"),
    "profile_only": "",
    "profile_system_libraries": False,
    "program_path": "",
    "reduced_profile": False,
    "stacks": True,
    "use_legacy_tracer": False,
    "use_python_callback": False,
    "use_virtual_time": False,
    "web": False,
}


class ScaleneArguments(argparse.Namespace):
    """All options with their defaults, but for those that are given."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**_DEFAULTS, **given})
        if self.cli or self.json:
            self.web = False
            self.no_browser = True
