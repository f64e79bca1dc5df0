# tests/page/test_shown_frames.py - the switch of charts: my code, + libraries, + native, + plumbing.
#
# SPDX-License-Identifier: Apache-2.0
"""Charts show as many kinds of frames as are asked for, and lose no time."""

import json
import re

import pytest
import showing


def frame(name, kind, path, role=None):
    is_native = kind == "native"
    made = {"display_name": name, "filename_or_module": path, "kind": kind, "line": None if is_native else 7, "ip": 4 if is_native else None, "offset": 0 if is_native else None}
    return {**made, "role": role} if role else made


@pytest.fixture
def four_kinds(tmp_path):
    """main (1 s) calls the library's strptime (2 s) by way of the interpreter, and that calls match (5 s)."""
    path = tmp_path / "four.json"
    profile = {
        "elapsed_time_sec": 8.0,
        "files": {"/p/a.py": {"percent_cpu_time": 100, "lines": [], "functions": [], "source": "", "imports": [], "leaks": {}}},
        "memory": True,
        "scalene_c": {
            "format_version": 1,
            "interval_s": 0.01,
            "call_frames": [
                frame("main", "py", "/p/a.py"),
                frame("object_vacall", "native", "/bin/python3", "plumbing"),
                frame("strptime", "py", "/lib/_strptime.py", "library"),
                frame("match", "native", "/lib/_sre.so"),
            ],
            "call_tree": [[0, 0, 1.0, 0.5], [1, 1, 0.0, 0.0], [2, 2, 2.0, 1.5], [3, 3, 5.0, 2.0]],
            "call_timeline": [[0.0, 1.0, 1, 70], [1.0, 2.0, 3, 70], [3.0, 5.0, 4, 70]],
            "call_tree_percent": 100.0,
            "threads": [{"tid": 70, "pid": 70, "name": "MainThread", "is_main": True}],
        },
    }
    path.write_text(json.dumps(profile))
    return path


def label(shown):
    chart = shown.page.get_by_role("application")
    chart.locator("canvas[data-drawn]").wait_for(state="attached")
    return chart.get_attribute("aria-label")


def choose(shown, name):
    shown.page.get_by_role("button", name=name, exact=True).click()
    showing.settle(shown.page)


def test_each_choice_has_its_frames_and_all_the_time(show, four_kinds):
    shown = show(four_kinds, "#/flame")
    found = {}
    for name in ("My code", "+ libraries", "+ native", "+ plumbing"):
        choose(shown, name)
        frames, seconds = re.search(r": (\d+) frames?, (\S+ \w+) in all", label(shown)).groups()
        found[name] = int(frames)
        assert seconds == "8.00 s", label(shown)
    assert found == {"My code": 1, "+ libraries": 2, "+ native": 3, "+ plumbing": 4}


def test_plumbing_is_hidden_at_first_and_the_choice_is_kept(show, four_kinds):
    shown = show(four_kinds, "#/flame")
    assert ": 3 frames" in label(shown)
    choose(shown, "My code")
    shown.page.keyboard.press("6")
    pressed = shown.page.get_by_role("group", name="Shown").get_by_role("button", pressed=True)
    pressed.wait_for()
    assert pressed.inner_text() == "My code"


def test_what_a_library_costs_is_said_with_its_kind(show, four_kinds):
    shown = show(four_kinds, "#/flame")
    label(shown)
    shown.page.get_by_role("searchbox", name="Find frames by name or file").fill("strptime")
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_function("() => document.querySelector('.frame-name strong')?.textContent === 'strptime'")
    assert "total 88%, 7.00 s · self 25%, 2.00 s" in shown.page.locator(".frame-numbers").inner_text()
    assert shown.page.locator(".frame-sign.library").count() == 2  # in the bar and in the legend
    assert shown.page.get_by_role("button", name=re.compile("Go to line")).count() == 0  # its source is not on the page


def test_memory_has_the_same_frames(show, four_kinds):
    shown = show(four_kinds, "#/flame")
    label(shown)
    shown.page.get_by_role("button", name="Allocated", exact=True).click()
    shown.page.get_by_role("application", name=re.compile(r"allocated memory: 3 frames, 4(\.0+)? MB")).wait_for()
