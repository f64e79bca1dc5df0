# tests/page/test_calls.py - callers and callees of a line, below the lines.
#
# SPDX-License-Identifier: Apache-2.0
"""Callers and callees."""

import json
import re
import subprocess

import showing


def panel_of(page):
    return page.get_by_role("region", name="Callers and callees", exact=True)


def call_line(profile):
    """The line of shop.py that calls prices.total, and its share of the run with that."""
    files = json.loads(profile.read_text())["files"]
    lines = next(file for name, file in files.items() if name.endswith("shop.py"))["lines"]
    line = next(one for one in lines if "prices.total(" in one["line"])
    return line["lineno"], line["n_cumulative_percent"]


def test_a_line_shows_its_callers_and_callees(show, made_profile):
    lineno, percent = call_line(made_profile)
    shown = show(made_profile, "#/lines?file=shop.py&line=%d" % lineno)
    panel = panel_of(shown.page)
    calls = panel.get_by_role("region", name="Calls", exact=True).locator(".call").first
    calls.wait_for()
    assert "total" in calls.inner_text() and "prices.py:" in calls.inner_text()
    assert abs(float(re.search(r"([\d.]+)%", calls.inner_text()).group(1)) - percent) < 3
    assert "<module>" in panel.get_by_role("region", name="Called from").inner_text()
    calls.click()
    shown.page.locator(".row.chosen").wait_for()
    assert shown.place()[1]["file"] == "prices.py"
    callers = panel.get_by_role("region", name="Called from")
    callers.get_by_role("button", name="shop.py:%d" % lineno).click()
    shown.page.wait_for_function("line => document.querySelector('.row.chosen')?.dataset.line === line", arg=str(lineno))
    assert shown.place()[1]["file"] == "shop.py"


def test_the_chosen_line_stays_in_sight(show, made_profile):
    shown = show(made_profile, "#/lines?mode=all", width=400, height=700)
    shown.page.get_by_role("button", name="Show all").click()
    row = shown.page.locator('.row[data-file="1"][data-line="12"]')
    row.scroll_into_view_if_needed()
    row.locator(".lineno").click()
    shown.page.locator(".row.chosen").wait_for()
    panel_of(shown.page).locator(".calls-body p, .call").first.wait_for()
    showing.settle(shown.page)
    assert shown.page.locator(".row.chosen").bounding_box()["y"] + 22 <= panel_of(shown.page).bounding_box()["y"] + 1


def test_the_panel_is_folded_and_that_is_remembered(show, made_profile):
    lineno, _ = call_line(made_profile)
    shown = show(made_profile, "#/lines?file=shop.py&line=%d" % lineno)
    head = panel_of(shown.page).get_by_role("button", name="Callers and callees of shop.py:%d" % lineno)
    head.click()
    assert head.get_attribute("aria-expanded") == "false"
    shown.page.reload()
    head.wait_for()
    assert head.get_attribute("aria-expanded") == "false" and panel_of(shown.page).locator(".call").count() == 0


def test_c_goes_to_the_panel_and_escape_back(show, made_profile):
    shown = show(made_profile, "#/lines")
    page = shown.page
    page.locator(".row").first.wait_for()
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    page.wait_for_function("() => document.activeElement.closest('.calls-panel')")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.getAttribute('role') === 'grid'")


def test_a_file_has_them_too(show, made_profile, tmp_path):
    lineno, _ = call_line(made_profile)
    command = [showing.SCALENE, "view", "--standalone", str(made_profile)]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=showing.TIMEOUT_S, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    file = tmp_path / "scalene-profile.html"
    page = show(None, "#/lines?file=shop.py&line=%d" % lineno, file=file).page
    panel_of(page).locator(".call", has_text="total").first.wait_for()
    page.locator(".row.chosen .c-total").hover()
    page.get_by_role("tooltip").get_by_text("with all it calls").wait_for()


def test_a_line_on_no_stack_says_so(show, made_profile):
    page = show(made_profile, "#/lines?file=shop.py&line=2").page
    panel_of(page).get_by_text("No stack of the profile goes through this line.").wait_for()
