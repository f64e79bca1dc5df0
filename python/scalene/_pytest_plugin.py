# python/scalene/_pytest_plugin.py - `pytest --scalene`: hooks of the plugin; nothing else happens without that option.
#
# pytest starts itself anew under `scalene run` and waits for that (_pytest_runs.py). The new pytest, and each worker of
# xdist, gets --scalene-handover and sets labels: one for each test, its set-up and tear-down, each fixture, and collection.
# What a test may cost is known there, and is handed over in a file; what it has cost is in the profile.
#
# SPDX-License-Identifier: Apache-2.0
"""The plugin for pytest."""

from __future__ import annotations

import json
import math
import os
import string
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKERS = {
    "limit_time": 'limit_time(limit): with --scalene, the test fails if it takes longer: seconds, or a text such as "200 ms"',
    "limit_memory": 'limit_memory(limit): with --scalene, the test fails if the footprint rises by more, such as "24 MB"',
    "limit_leaks": 'limit_leaks(limit): with --scalene, the test fails if it leaves more memory behind, such as "1 MB"',
}
UNITS = {"limit_time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0}, "memory": {"B": 2.0**-20, "KB": 2.0**-10, "MB": 1.0, "GB": 1024.0}}

NAME_BYTES = 244  # of an id; a profile keeps 256 bytes of a name (src/channel/format.h), and " (teardown)" is added


def limit_of(marker: str, value: object) -> float:
    """A limit in seconds or MB. Raises ValueError."""
    units = UNITS.get(marker, UNITS["memory"])
    text = value.strip() if isinstance(value, str) else ""
    number = text.rstrip(string.ascii_letters)
    unit = text[len(number) :]
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and marker == "limit_time":
            limit = float(value)
        else:
            limit = float(number) * units[unit]
    except (KeyError, OverflowError, ValueError):
        limit = math.nan
    if not 0 <= limit < math.inf:
        raise ValueError("%s(%r): give a number and one of %s, as in %s" % (marker, value, ", ".join(units), MARKERS[marker].rpartition("such as ")[2]))
    return limit


def unit_of(test: str) -> str:
    """What the unit of a test is called: its id, or what a profile keeps of each (256 bytes) and is of no other test."""
    name = test.encode("utf-8", "backslashreplace")
    if len(name) > NAME_BYTES:
        from binascii import crc32  # only here: most runs have no use for it

        name = name[: NAME_BYTES - 9] + b"~%08x" % crc32(name)
    return name.decode(errors="ignore")


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("scalene", "profiling with Scalene")
    group.addoption("--scalene", action="store_true", help="profile the tests: time, memory and hottest lines of each")
    group.addoption("--scalene-outfile", metavar="FILE", default="scalene-profile.json", help="where the profile goes (default: scalene-profile.json)")
    group.addoption("--scalene-markdown", metavar="FILE", help="also write the summary as Markdown, and append it to $GITHUB_STEP_SUMMARY if that is set")
    group.addoption("--scalene-handover", metavar="FILE", help="used by --scalene itself")


def pytest_configure(config: Any) -> None:
    for marker in MARKERS.values():
        config.addinivalue_line("markers", marker)
    if config.option.scalene_handover:
        config.pluginmanager.register(Labels(config.option.scalene_handover), "scalene-labels")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: Any) -> int | None:
    option = config.option
    if not option.scalene or option.scalene_handover or option.help or getattr(option, "version", 0):
        return None
    from scalene._pytest_runs import run_under_scalene

    return run_under_scalene(config)


def limits_of(item: Any) -> dict[str, float]:
    """What a test may cost, by the names of its marks. Raises ValueError."""
    limits = {}
    for name in MARKERS:
        marker = item.get_closest_marker(name)
        if marker is not None:
            values = [*marker.args, *marker.kwargs.values()]
            limits[name] = limit_of(name, values[0] if len(values) == 1 else None)
    return limits


class Labels:
    """Sets labels, in the process that runs the tests."""

    def __init__(self, handover: str) -> None:
        from scalene._label import label

        self.label = label
        self.handover = handover
        self.open, self.write, self.close = os.open, os.write, os.close  # tests may replace those of the module

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self) -> Iterator[None]:
        with self.label("collection"):
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self) -> Iterator[None]:
        """A wrong limit is an error of the collection, before a test is run; also in workers, where other errors are a crash."""
        outcome: Any = yield
        if outcome.excinfo is not None:  # KeyboardInterrupt, which is not ours to raise
            return
        report = outcome.get_result()
        wrong = []
        for item in report.result or ():
            try:
                _ = isinstance(item, pytest.Item) and limits_of(item)
            except ValueError as error:
                wrong.append("%s: %s" % (item.nodeid, error))
        if wrong:
            report.outcome, report.longrepr, report.result = "failed", "\n".join(wrong), []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> Iterator[None]:
        self.hand_over(item)
        with self.label(unit_of(item.nodeid) + " (setup)"):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        with self.label(unit_of(item.nodeid)):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        with self.label(unit_of(item.nodeid) + " (teardown)"):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        with self.label(unit_of("fixture %s" % fixturedef.argname + (" of " + fixturedef.baseid if fixturedef.baseid else ""))):
            yield

    def hand_over(self, item: Any) -> None:
        """One line for each test, written at once: workers write to the same file."""
        line = json.dumps({"test": item.nodeid, "limits": limits_of(item)}) + "\n"
        file = self.open(self.handover, os.O_WRONLY | os.O_APPEND)
        try:
            self.write(file, line.encode())
        finally:
            self.close(file)
