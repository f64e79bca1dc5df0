# tests/page/test_minimap.py - the strip beside the lines: where the hot ones are, and the way there.
#
# SPDX-License-Identifier: Apache-2.0
"""The strip of hot lines."""

import json


def long_profile(data, path, hot):
    """A profile of one file of 3,000 lines, of which some are hot: {line: % of the time}."""
    profile = json.loads((data / "cpu.json").read_text())
    name, file = next(iter(profile["files"].items()))
    blank = {**file["lines"][0], "n_cpu_percent_python": 0, "n_cpu_percent_c": 0, "n_sys_percent": 0}
    file["lines"] = [
        {**blank, "lineno": lineno, "line": "x = %d\n" % lineno, "n_cpu_percent_python": hot.get(lineno, 0)}
        for lineno in range(1, 3001)
    ]
    file["functions"] = []
    profile["files"] = {name: file}
    path.write_text(json.dumps(profile))
    return path


def marks(page):
    """[(height in the strip as a share, class)] of the marks."""
    return page.evaluate(
        """() => { const strip = document.querySelector('.minimap').getBoundingClientRect();
        return [...document.querySelectorAll('.minimap-mark')].map((mark) => {
          const box = mark.getBoundingClientRect();
          return [(box.top + box.height / 2 - strip.top) / strip.height, mark.className]; }); }"""
    )


def test_marks_are_where_the_hot_lines_are(show, data, tmp_path):
    profile = long_profile(data, tmp_path / "long.json", {300: 5, 1500: 60, 2700: 20})
    page = show(profile, "#/lines?mode=all").page
    page.locator(".minimap-mark").nth(2).wait_for(state="attached")
    found = sorted(marks(page))
    assert len(found) == 3
    for (at, look), (line, heat) in zip(found, ((300, "mild"), (1500, "hot"), (2700, "warm")), strict=True):
        assert abs(at - line / 3000) < 0.02 and heat in look.split(), (at, look)


def test_a_click_goes_to_a_mark_or_scrolls(show, data, tmp_path):
    profile = long_profile(data, tmp_path / "long.json", {300: 5, 2700: 60})
    shown = show(profile, "#/lines?mode=all")
    page = shown.page
    strip = page.locator(".minimap")
    page.locator(".minimap-mark").nth(1).wait_for(state="attached")
    box = strip.bounding_box()
    low = max(marks(page))[0]
    page.mouse.click(box["x"] + 6, box["y"] + low * box["height"])
    row = page.locator(".row.chosen")
    row.wait_for()
    assert row.get_attribute("data-line") == "2700" and shown.place()[1]["line"] == "2700"
    box = strip.bounding_box()
    page.mouse.click(box["x"] + 6, box["y"] + box["height"] / 2)
    page.wait_for_function("() => Math.abs(document.querySelector('.scroller').scrollTop / document.querySelector('.scroller').scrollHeight - 0.5) < 0.03")
    assert shown.place()[1]["line"] == "2700"


def test_the_part_in_sight_is_shown(show, data, tmp_path):
    profile = long_profile(data, tmp_path / "long.json", {300: 5})
    page = show(profile, "#/lines?mode=all").page
    view = page.locator(".minimap-view")
    view.wait_for(state="attached")
    before = view.bounding_box()
    page.locator(".scroller").evaluate("one => { one.scrollTop = one.scrollHeight / 2 }")
    page.wait_for_function("y => document.querySelector('.minimap-view').getBoundingClientRect().top > y + 100", arg=before["y"])


def test_a_sorted_table_has_no_marks(show, made_profile):
    page = show(made_profile, "#/lines").page
    page.locator(".minimap-mark").first.wait_for(state="attached")
    page.get_by_role("button", name="Sort by Time self").click()
    page.locator(".minimap-mark").first.wait_for(state="detached")
