# python/scalene/__init__.py - the scalene package.
#
# The profiler is a native program that lies inside the package; the package only starts it. Importing it
# changes nothing in the process.
#
# SPDX-License-Identifier: Apache-2.0
"""Scalene, a profiler for Python programs. Run `python -m scalene --help`."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing typing takes longer than all the rest
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load_ipython_extension", "native_program", "unload_ipython_extension"]


def native_program() -> str:
    """The path of the native `scalene` program of this package; it may be missing."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_native", "bin", "scalene")


def load_ipython_extension(shell: object) -> None:
    """For `%load_ext scalene`: adds the magics %scrun and %%scalene."""
    from scalene._notebook import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """For `%unload_ext scalene`: takes them away again."""
    from scalene._notebook import unload

    unload(shell)


def __getattr__(name: str) -> Any:
    # looked up only when asked for: importlib.metadata takes longer to import than all the rest
    if name in ("profile", "scalene_arguments", "scalene_config", "scalene_profiler"):
        from importlib import import_module

        return import_module("scalene." + name)
    if name == "__version__":
        from importlib.metadata import version

        return version("scalene")
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
