# tests/page/test_side.py - the side bar: hidden and shown, wider and narrower, and remembered.
#
# SPDX-License-Identifier: Apache-2.0
"""The side bar."""


def parts(shown):
    page = shown.page
    return (
        page.get_by_role("navigation", name="Files and hot places"),
        page.get_by_role("button", name="Files and hot places"),
        page.get_by_role("separator", name="Width of the side bar"),
    )


def test_the_side_bar_is_hidden_by_its_button_and_by_a_key(show, made_profile):
    shown = show(made_profile, "#/lines")
    bar, button, edge = parts(shown)
    room = shown.page.locator(".scroller").bounding_box()["width"]
    button.click()
    bar.wait_for(state="hidden")
    assert button.get_attribute("aria-expanded") == "false" and edge.count() == 0
    assert shown.page.locator(".scroller").bounding_box()["width"] > room + 200
    shown.page.reload()
    shown.page.locator(".row").first.wait_for()
    assert not bar.is_visible()
    shown.page.keyboard.press("b")
    bar.wait_for()
    assert button.get_attribute("aria-expanded") == "true"


def test_its_edge_is_dragged_and_that_is_remembered(show, made_profile):
    shown = show(made_profile, "#/lines")
    bar, _, edge = parts(shown)
    before = bar.bounding_box()["width"]
    at = edge.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + 200
    mouse = shown.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 40, y)
    mouse.move(x + 90, y)
    assert abs(bar.bounding_box()["width"] - before - 90) < 2
    mouse.up()
    mouse.move(x + 200, y)
    assert abs(bar.bounding_box()["width"] - before - 90) < 2
    shown.page.reload()
    shown.page.locator(".row").first.wait_for()
    assert abs(bar.bounding_box()["width"] - before - 90) < 2
    edge.dblclick()
    assert bar.bounding_box()["width"] == before


def test_its_edge_is_moved_by_keys_within_limits(show, made_profile):
    shown = show(made_profile, "#/lines")
    bar, button, edge = parts(shown)
    before = int(edge.get_attribute("aria-valuenow"))
    edge.focus()
    shown.page.keyboard.press("ArrowRight")
    assert int(edge.get_attribute("aria-valuenow")) == before + 16
    for key, limit in (("Home", "aria-valuemin"), ("ArrowLeft", "aria-valuemin"), ("End", "aria-valuemax")):
        shown.page.keyboard.press(key)
        assert edge.get_attribute("aria-valuenow") == edge.get_attribute(limit)
        assert abs(bar.bounding_box()["width"] - int(edge.get_attribute(limit))) < 2
    shown.page.keyboard.press("Enter")
    bar.wait_for(state="hidden")
    assert button.evaluate("one => one === document.activeElement")


def test_a_narrow_window_begins_without_it(show, made_profile):
    shown = show(made_profile, width=700)
    bar, _, edge = parts(shown)
    assert not bar.is_visible() and edge.count() == 0
    shown.page.keyboard.press("b")
    bar.wait_for()
    shown.page.keyboard.press("b")
    bar.wait_for(state="hidden")
