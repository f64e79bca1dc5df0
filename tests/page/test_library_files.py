# tests/page/test_library_files.py - a profile with many files of libraries, as --profile-all makes.
#
# SPDX-License-Identifier: Apache-2.0
"""Files of libraries."""

import json

import pytest

LIBRARY = "/usr/lib/python3.11/a_rather_long_package/with_a_long_part/module_%02d.py"
DEEP = "/srv/" + "deep/" * 30 + "own.py"


@pytest.fixture
def many_files(tmp_path):
    names = [DEEP] + [LIBRARY % number for number in range(19)]
    files = {
        name: {
            "percent_cpu_time": 20.0 - at, "functions": [], "imports": [], "leaks": {},
            "lines": [{"lineno": 1, "line": "x = 1\n", "n_cpu_percent_python": 20.0 - at}],
        }
        for at, name in enumerate(names)
    }
    profile = tmp_path / "many.json"
    profile.write_text(json.dumps({"files": files, "elapsed_time_sec": 4}), encoding="utf-8")
    return profile


def test_the_side_bar_names_modules_and_shows_eight(show, many_files):
    shown = show(many_files)
    files = shown.page.get_by_role("navigation", name="Files and hot places").locator(".place-file")
    assert files.count() == 8
    assert files.nth(1).inner_text() == "a_rather_long_package.with_a_long_part.module_00"
    shown.page.get_by_role("button", name="all 20 files").click()
    assert files.count() == 20
    files.last.click()
    shown.page.get_by_role("button", name="first 8 files").click()
    assert files.count() == 9, "the file that is open must stay"
    assert "file=a_rather_long_package.with_a_long_part.module_18" in shown.page.url


def test_the_end_of_a_long_path_can_be_read(show, many_files):
    shown = show(many_files)
    cut = shown.page.locator(".place-file .path-text").first
    # the text is wider than its box, and its right end is in it
    box, text = cut.bounding_box(), cut.locator("bdi").bounding_box()
    assert text["width"] > box["width"] + 100
    assert abs(text["x"] + text["width"] - box["x"] - box["width"]) < 2
    for place in ("#/lines", "#/functions", "#/overview"):
        shown.goto(place)
        assert shown.overflow() == []
