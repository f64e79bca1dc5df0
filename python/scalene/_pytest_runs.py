# python/scalene/_pytest_runs.py - pytest under `scalene run`: starts it, then says what its tests have cost.
#
# SPDX-License-Identifier: Apache-2.0
"""Runs pytest under the profiler, and judges its profile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from scalene import native_program
from scalene._pytest_plugin import unit_of

SHOWN = 10  # tests; half as many fixtures, if they took a millisecond
KINDS = (("Python", "python"), ("native", "native"), ("system", "kernel"))  # on a CPU
LIMITS = {  # marker: what is measured, how that is said
    "limit_time": ("max_s", "took", "s"),
    "limit_memory": ("peak_mb", "raised the footprint by", "MB"),
    "limit_leaks": ("growth_mb", "left behind", "MB"),
}


def _pytest_command() -> list[str]:
    """This interpreter with its options, and how pytest was started."""
    words = [sys.executable, *subprocess._args_from_interpreter_flags()]  # type: ignore[attr-defined]
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    if spec is not None and spec.name in ("pytest", "pytest.__main__"):
        return [*words, "-m", "pytest"]
    if os.path.basename(sys.argv[0]) in ("pytest", "py.test") and os.path.isfile(sys.argv[0]):
        return [*words, os.path.abspath(sys.argv[0])]
    raise pytest.UsageError("--scalene starts pytest anew, so pytest has to be started as a command")


def _number(value: float, unit: str) -> str:
    if unit == "s":
        return "%.2f s" % value if value >= 1 else "%.3g ms" % (1000 * value)
    return "%.1f MB" % value


class Result:
    """The units of a profile, and the tests that have run."""

    def __init__(self, profile: dict[str, Any], lines: list[str]) -> None:
        self.memory = profile.get("memory", True)  # where no time was seen, it does not say
        # longest first
        self.units = {unit["name"]: unit for unit in profile.get("scalene_c", {}).get("units", [])}
        self.limits = {}
        for line in lines:
            test = json.loads(line)
            self.limits[test["test"]] = test["limits"]
        names = {unit_of(name): name for name in self.limits}
        self.tests = [(names[label], unit) for label, unit in self.units.items() if label in names]

    def hottest(self, unit: dict[str, Any], count: int) -> str:
        return ", ".join("%s:%d (%s)" % (os.path.relpath(file), line, _number(seconds, "s")) for file, line, seconds in unit["lines"][:count])

    def judge(self) -> tuple[list[str], list[str]]:
        """Sentences on tests that exceed a limit, and on those of which that is not sure."""
        failures, warnings = [], []
        for name, unit in self.tests:
            for marker, limit in self.limits[name].items():
                key, verb, measure = LIMITS[marker]
                value, error = unit.get(key, 0.0), unit.get(key.replace("_mb", "_error_mb"), 0.0) if measure == "MB" else 0.0
                if measure == "MB" and not self.memory:
                    warnings.append("%s: %s was not judged: the profile has no memory" % (name, marker))
                elif value + error > limit:
                    said = _number(value, measure) + (" ± " + _number(error, measure) if error > 0 else "")
                    sentence = "%s %s %s, %s is %s" % (name, verb, said, marker, _number(limit, measure))
                    hottest = self.hottest(unit, 3)
                    sure = value - error > limit
                    (failures if sure else warnings).append(sentence + ("" if sure else ", within the error") + ("; hottest lines: " + hottest if hottest else ""))
        # what was skipped was set up; names may be too many for the profile, or its Python one that is not known
        is_full = "other labels" in self.units
        missing = [name for name in self.limits if self.limits[name] and unit_of(name) not in self.units and (is_full or unit_of(name) + " (setup)" not in self.units)]
        if missing:
            warnings.append("%s%s: limits were not judged: the profile does not have it" % (missing[0], " and %d more" % (len(missing) - 1) if missing[1:] else ""))
        return failures, warnings

    def rows(self) -> list[list[str]]:
        """A table: a heading, then the slowest tests, collection, and the slowest fixtures."""
        rows = [["", "time", "CPU", *(name for name, _ in KINDS), *(["peak"] if self.memory else []), "hottest line"]]
        collection = [unit for unit in self.units.items() if unit[0] == "collection"]
        fixtures = [unit for unit in self.units.items() if unit[0].startswith("fixture ") and unit[1]["total_s"] >= 0.001]
        for name, unit in [*self.tests[:SHOWN], *collection, *fixtures[: SHOWN // 2]]:
            kinds = [_number(unit["time_s"].get(kind, 0), "s") for _, kind in KINDS]
            peak = [_number(unit.get("peak_mb", 0), "MB")] if self.memory else []
            rows.append([name, _number(unit["total_s"], "s"), _number(unit["cpu_s"], "s"), *kinds, *peak, self.hottest(unit, 1)])
        return rows


def _as_text(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i in (0, len(row) - 1) else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return lines


def _as_markdown(rows: list[list[str]], failures: list[str], warnings: list[str]) -> str:
    def cell(text: str) -> str:
        return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")

    lines = ["## Scalene: what the tests cost", ""]
    lines += ["- **failed:** " + cell(sentence) for sentence in failures] + ["- warning: " + cell(sentence) for sentence in warnings]
    table = [rows[0], ["---"] + ["--:"] * (len(rows[0]) - 2) + ["---"], *rows[1:]]
    return "\n".join([*lines, "", *("| %s |" % " | ".join(map(cell, row)) for row in table), ""])


def _report(result: Result, option: Any) -> bool:
    """Prints what tests cost. Whether all are within their limits."""
    failures, warnings = result.judge()
    rows = result.rows()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # it may know less than UTF-8
    print((" scalene: %d tests " % len(result.tests)).center(80, "="))
    for line in [*_as_text(rows), *("WARNING " + text for text in warnings), *("FAILED " + text for text in failures)]:
        print(line)
    print("profile: scalene view %s" % option.scalene_outfile, flush=True)
    text = _as_markdown(rows, failures, warnings)
    for path, mode in ((option.scalene_markdown, "w"), (option.scalene_markdown and os.environ.get("GITHUB_STEP_SUMMARY"), "a")):
        if path:
            try:
                with open(path, mode, encoding="utf-8", errors="backslashreplace") as stream:
                    stream.write(text)
            except OSError as error:
                print("scalene: cannot write '%s': %s" % (path, error.strerror), file=sys.stderr)
    return not failures


def _wait(command: list[str]) -> int:
    """The command's exit status. What the terminal sends (Ctrl-C) is for it alone; what is sent to us is passed on."""
    with subprocess.Popen(command) as child:
        before = {one: signal.signal(one, lambda number, _: child.send_signal(number)) for one in (signal.SIGTERM, signal.SIGHUP)}
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
        status = child.wait()
        for one, action in before.items():
            signal.signal(one, action)
    return status if status >= 0 else 128 - status


def run_under_scalene(config: Any) -> int:
    option = config.option
    outfile = os.path.realpath(option.scalene_outfile)
    # the profile is read again, and what stands there before is removed
    if not outfile.endswith(".json") or os.path.exists(outfile) and not os.path.isfile(outfile):
        raise pytest.UsageError("--scalene-outfile: '%s': give the name of a file that ends with .json" % option.scalene_outfile)
    if config.invocation_params.plugins:
        raise pytest.UsageError("--scalene starts pytest anew, which has no plugins that are given as objects")
    if option.scalene_markdown and not os.path.isdir(os.path.dirname(os.path.abspath(option.scalene_markdown))):
        raise pytest.UsageError("--scalene-markdown: cannot write '%s': there is no such folder" % option.scalene_markdown)
    if not os.access(native_program(), os.X_OK):
        raise pytest.UsageError("--scalene: there is no '%s'; install the scalene package again" % native_program())
    with tempfile.NamedTemporaryFile(mode="r", prefix="scalene-pytest-", encoding="utf-8") as handover:
        tests = [*_pytest_command(), "--scalene-handover=" + handover.name, *map(str, config.invocation_params.args)]
        options = ["--memory", "--cpu-percent-threshold=0", "--malloc-threshold=0", "--quiet", "--outfile-as-is", "-o", outfile]
        if os.path.exists(outfile):
            os.unlink(outfile)
        status = _wait([native_program(), "run", *options, "--", *tests])
        if not os.path.exists(outfile):
            print("scalene: there is no profile, so limits were not judged", file=sys.stderr)
            is_limited = any(json.loads(line)["limits"] for line in handover)
            return status or (int(pytest.ExitCode.TESTS_FAILED) if is_limited else 0)
        with open(outfile, encoding="utf-8") as stream:
            result = Result(json.load(stream), handover.readlines())
    is_within = _report(result, option)
    return status if is_within or status != 0 else int(pytest.ExitCode.TESTS_FAILED)
