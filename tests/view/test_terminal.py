# tests/view/test_terminal.py - `scalene view --cli` in a terminal: its width, its colours, the pager.
#
# SPDX-License-Identifier: Apache-2.0
"""The terminal view on pseudo terminals and in a terminal emulator."""

import json
import os
import shutil

import pytest
from viewing import SGR, data, screen_of, view, view_in_terminal


@pytest.mark.parametrize("columns", (80, 132, 200))
@pytest.mark.parametrize("subject", ("cpu", "full", "threads", "hostile", "gpu"))
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_terminal_shows_every_line_as_it_was_written(scalene, tmp_path, subject, columns):
    """A line that is too wide, or whose characters are of other widths, would be moved or broken."""
    command = [scalene, "view", "--cli", data(subject)]
    screen = screen_of(command, columns, 400, tmp_path, PAGER="")
    written = view(scalene, "--cli", data(subject), columns=columns).stdout
    assert screen == written.rstrip("\n").split("\n")


def test_a_terminal_gets_its_width_and_colours(scalene):
    status, shown = view_in_terminal([scalene, "view", "--cli", data("cpu")], columns=111, rows=400, COLUMNS="50")
    assert status == 0
    assert SGR.search(shown)
    assert SGR.sub("", shown) == view(scalene, "--cli", data("cpu"), columns=111).stdout


@pytest.mark.parametrize("variables", ({"NO_COLOR": "1"}, {"TERM": "dumb"}))
def test_a_terminal_without_colours(scalene, variables):
    _, shown = view_in_terminal([scalene, "view", "--cli", data("cpu")], rows=400, **variables)
    assert "\x1b" not in shown


PREFIX = "sed s/^/paged:/"


@pytest.mark.parametrize("variables", ({"PAGER": PREFIX}, {"SCALENE_PAGER": PREFIX, "PAGER": "false"}, {"SCALENE_PAGER": PREFIX}))
def test_a_long_text_goes_through_the_pager(scalene, variables):
    status, shown = view_in_terminal([scalene, "view", "--cli", data("cpu")], **variables)
    assert status == 0
    assert all(line.startswith("paged:") for line in shown.splitlines())


@pytest.mark.parametrize(
    "rows, variables", ((400, {"PAGER": PREFIX}), (24, {"PAGER": ""}), (24, {"PAGER": "cat"}), (24, {"PAGER": PREFIX, "SCALENE_PAGER": ""}))
)
def test_a_short_text_or_no_pager(scalene, rows, variables):
    status, shown = view_in_terminal([scalene, "view", "--cli", data("cpu")], rows=rows, **variables)
    assert status == 0
    assert "paged:" not in shown
    assert SGR.sub("", shown).startswith("scalene  count.py")


def test_a_pager_that_is_not_there_loses_nothing(scalene):
    command = [scalene, "view", "--cli", data("cpu")]
    status, shown = view_in_terminal(command, PAGER="no-such-pager-anywhere")
    assert status == 0
    assert "Where does the time go?" in shown


def test_a_pager_that_stops_early_is_no_failure(scalene):
    status, _ = view_in_terminal([scalene, "view", "--cli", data("cpu")], PAGER="head -n 3")
    assert status == 0


@pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")
def test_less_keeps_colours_and_the_screen(scalene):
    status, shown = view_in_terminal([scalene, "view", "--cli", data("cpu")], keys=b"q")
    assert status == 0
    assert "\x1b[1;31m" in shown  # passed on, not shown as text
    assert "ESC[" not in shown
    assert "\x1b[?1049h" not in shown  # the text stays on the screen afterwards


@pytest.mark.parametrize("term", ("dumb", "", None))
def test_less_is_not_started_where_it_could_not_work(scalene, tmp_path, term):
    less = tmp_path / "less"
    less.write_text("#!/bin/sh\nexec %s\n" % PREFIX)
    less.chmod(0o755)
    command = ["env", *([] if term is not None else ["-u", "TERM"]), scalene, "view", "--cli", data("cpu")]
    variables = {"PATH": "%s:%s" % (tmp_path, os.environ["PATH"]), "TERM": term}
    status, shown = view_in_terminal(command, **variables)
    assert status == 0
    assert shown == view(scalene, "--cli", data("cpu"), columns=100).stdout
    _, paged = view_in_terminal(command, PAGER=PREFIX, **variables)  # one that was asked for is
    assert paged.startswith("paged:")


def test_of_many_files_and_functions_the_first_are_shown(scalene, tmp_path):
    def costs(percent, lineno, text):
        return {"lineno": lineno, "line": text, "n_cpu_percent_python": percent, "n_cpu_percent_c": 0, "n_sys_percent": 0}

    functions = [costs(1.5, number, "f%02d" % number) for number in range(1, 13)]
    files = {
        "/project/%02d.py" % number: {
            "percent_cpu_time": 3, "lines": [costs(3, 1, "x = 1\n")], "functions": functions if number == 0 else [], "imports": []}
        for number in range(14)
    }
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"files": files, "elapsed_time_sec": 10}))
    shown = view(scalene, "--cli", str(path)).stdout
    assert shown.count("of time (") == 10
    assert "and 4 more files with 12% of the time: -a shows all" in shown
    assert "│ f10" in shown and "│ f11" not in shown and "│ and 2 more\n" in shown
    whole = view(scalene, "--cli", "-a", str(path)).stdout
    assert whole.count("of time (") == 14 and "│ f12" in whole and "more files" not in whole
