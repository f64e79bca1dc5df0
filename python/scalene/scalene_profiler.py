# python/scalene/scalene_profiler.py - start and stop profiling from within the program.
#
#     from scalene import scalene_profiler
#     scalene_profiler.start()
#
# Under `scalene run` (with --off, say) this switches the profiling of the whole tree of processes;
# in a program that is not profiled it does nothing.
#
# SPDX-License-Identifier: Apache-2.0
"""Starts and stops profiling from within the program."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from scalene.profile import order

__all__ = ["enable_profiling", "start", "stop"]


def start() -> None:
    """Profiling is on from here."""
    order("on", os.getpid())


def stop() -> None:
    """Profiling is off from here. The profile is written when the program ends."""
    order("off", os.getpid())


@contextlib.contextmanager
def enable_profiling() -> Iterator[None]:
    """Profiling is on in the body of the with statement, and off after it, however it ends."""
    start()
    try:
        yield
    finally:
        stop()
