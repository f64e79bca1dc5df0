# tests/page/test_names.py - what a screen reader gets: every view by the rules of axe-core, and the tables' parts.
#
# SPDX-License-Identifier: Apache-2.0
"""Names and roles."""

import pytest

import showing

AXE = showing.ROOT / "gui" / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = ("overview", "lines", "functions", "flame", "sandwich", "timeline", "memory", "processes", "ai")

BREACHES = """async (rules) => (await axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) })).violations
  .flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)}`))"""

# What a theme can break; the other rules are about the same elements in both.
OF_COLOURS = ["color-contrast", "link-in-text-block"]


def breaches(shown, rules=None):
    """The rules that the view breaks, with where. The page's policy lets no script in but by the tools of the browser."""
    if not shown.page.evaluate("'axe' in window"):
        shown.context.new_cdp_session(shown.page).send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    return shown.page.evaluate(BREACHES, rules)


@pytest.mark.parametrize("name", ["full.json", "gpu.json"])
def test_no_rule_is_broken(show, data, name):
    shown = show(data / name, width=1920)
    for view in VIEWS:
        shown.goto("#/" + view)
        showing.settle(shown.page)
        assert breaches(shown) == [], view
        shown.wear("dark")
        assert breaches(shown, OF_COLOURS) == [], view
        shown.wear("light")


def test_no_rule_is_broken_in_a_narrow_window(show, data):
    shown = show(data / "full.json", width=360, height=740)
    for view in VIEWS:
        shown.goto("#/" + view)
        showing.settle(shown.page)
        assert breaches(shown) == [], view
    shown.page.keyboard.press("?")
    shown.page.get_by_role("dialog").wait_for()
    assert breaches(shown) == []


def test_a_chosen_line_breaks_no_rule(show, made_profile):
    shown = show(made_profile, "#/lines?file=shop.py&line=32")
    shown.page.locator(".call").first.wait_for()
    assert breaches(shown) == []
    shown.wear("dark")
    assert breaches(shown, OF_COLOURS) == []


@pytest.mark.parametrize("part", ["from=0.2&to=0.8", "time=waiting"])
def test_what_is_dimmed_beside_a_part_can_be_read(show, made_profile, part):
    shown = show(made_profile)
    for view in VIEWS:
        shown.goto("#/%s?%s" % (view, part))
        showing.settle(shown.page)
        for theme in ("dark", "light"):
            shown.wear(theme)
            assert breaches(shown, OF_COLOURS) == [], (view, theme)


@pytest.mark.parametrize("place", ["#/lines", "#/functions"])
def test_a_row_has_a_cell_for_every_heading(show, data, place):
    page = show(data / "full.json", place, width=1920).page
    page.locator(".row.heat-hot").first.wait_for()
    headings = page.get_by_role("columnheader").count()
    row = page.locator(".row.heat-hot").first
    assert row.locator('[role="gridcell"], [role="rowheader"]').count() == headings > 8


def test_the_box_of_a_row_is_its_description(show, data):
    page = show(data / "full.json", "#/lines").page
    page.locator(".row").first.wait_for()
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("tooltip").wait_for()
    row = page.get_by_role("grid").get_attribute("aria-activedescendant")
    assert page.locator("#" + row).get_attribute("aria-describedby") == page.get_by_role("tooltip").get_attribute("id")
