# tests/page/test_keyboard.py - all of the page without a mouse.
#
# SPDX-License-Identifier: Apache-2.0
"""The keys."""

import pytest
import showing


def test_numbers_open_views(show, made_profile):
    shown = show(made_profile)
    tabs = shown.page.get_by_role("tab").all_inner_texts()
    assert tabs[:3] == ["Overview", "Lines", "Functions"] and len(tabs) == 9
    for key in "987654321":
        shown.page.keyboard.press(key)
        chosen = shown.page.locator('[role="tab"][aria-selected="true"]')
        assert chosen.inner_text() == tabs[int(key) - 1]


def moved_by(shown, key):
    """The file and the line of the address after the key has changed it."""
    before = shown.page.evaluate("location.hash")
    shown.page.keyboard.press(key)
    shown.page.wait_for_function("before => location.hash !== before", arg=before)
    words = shown.place()[1]
    return words["file"], words["line"]


def test_j_and_k_walk_the_hot_lines(show, made_profile):
    shown = show(made_profile)
    seen = [moved_by(shown, "j") for _ in range(2)]
    assert len(set(seen)) == 2
    assert moved_by(shown, "k") == seen[0]
    assert shown.page.locator(".row.chosen").get_attribute("data-line") == seen[0][1]


def test_keys_work_with_the_focus_on_a_tick_box(show, made_profile):
    shown = show(made_profile, "#/functions")
    shown.page.get_by_text("Columns").click()
    shown.page.get_by_role("checkbox").first.click()
    shown.page.keyboard.press("2")
    shown.page.locator(".view-lines").wait_for()


def test_slash_searches_and_keys_type_there(show, made_profile):
    page = show(made_profile).page
    page.keyboard.press("/")
    page.keyboard.type("j1?")
    assert page.get_by_role("combobox").input_value() == "j1?"
    assert page.get_by_role("tab", name="Overview").get_attribute("aria-selected") == "true"


def test_question_mark_shows_the_keys_and_escape_closes_them(show, made_profile):
    page = show(made_profile).page
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    assert "next and previous hot line" in dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.get_by_role("button", name="Keys and help").click()
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="detached")


def test_arrows_move_between_tabs(show, made_profile):
    page = show(made_profile).page
    page.get_by_role("tab", name="Overview").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-lines"
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.id") == "tab-overview"


# What is done with a key is known after all that listens to it.
TAKEN = """() => addEventListener("keydown", (event) => {
  if (event.key !== "Alt") setTimeout(() => { window.taken = event.defaultPrevented; });
}, true)"""


@pytest.mark.parametrize(
    "place, selector",
    (
        ("#/lines", '[role="tab"][aria-selected="true"]'),
        ("#/lines", '[role="radio"][aria-checked="true"]'),
        ("#/lines", ".side-edge"),
        ("#/memory", ".curves .chart"),
    ),
)
def test_arrows_with_alt_are_the_browsers(show, made_profile, place, selector):
    page = show(made_profile, place).page
    page.locator(selector).first.focus()
    focused = page.evaluate_handle("document.activeElement")
    page.evaluate(TAKEN)
    for keys, is_taken in (("Alt+ArrowLeft", False), ("ArrowLeft", True)):
        page.evaluate("() => { window.taken = null; }")
        page.keyboard.press(keys)
        page.wait_for_function("() => window.taken !== null")
        assert page.evaluate("window.taken") == is_taken
        assert is_taken or focused.evaluate("one => one === document.activeElement")


def test_table_is_walked_and_its_numbers_read(show, made_profile):
    page = show(made_profile, "#/lines").page
    page.locator(".row").first.wait_for()
    page.get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    current = page.get_by_role("grid").get_attribute("aria-activedescendant")
    assert page.locator("#" + current).evaluate("one => one.classList.contains('cursor')")
    page.keyboard.press("Enter")
    page.get_by_role("tooltip").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("tooltip").wait_for(state="detached")


@pytest.mark.parametrize("place", ["#/overview", "#/lines", "#/functions", "#/flame", "#/timeline", "#/memory", "#/processes", "#/ai"])
def test_every_control_has_a_name_is_reached_by_tab_and_shows_it(show, made_profile, place):
    shown = show(made_profile, place)
    showing.settle(shown.page)
    nameless = shown.page.evaluate("""() => [...document.querySelectorAll("button, input, select, [role=table], [role=tab], svg:not([aria-hidden])")]
        .filter(one => !(one.ariaLabel || one.innerText || one.labels?.length || one.getAttribute("aria-labelledby")))
        .map(one => one.outerHTML.slice(0, 120))""")
    assert nameless == []
    wanted = shown.page.evaluate("""() => [...document.querySelectorAll("button, input:not([hidden]), select, summary, [tabindex='0']")]
        .filter(one => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length""")
    reached = set()
    for _ in range(wanted + 5):
        shown.page.keyboard.press("Tab")
        found = shown.page.evaluate("""() => { const one = document.activeElement; if (one === document.body) return null;
            one.dataset.reached ??= String(Math.random());
            const style = getComputedStyle(one);
            return [one.dataset.reached, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1]; }""")
        if found:
            assert found[1], "no focus ring: " + shown.page.evaluate("document.activeElement.outerHTML")[:200]
            reached.add(found[0])
    assert len(reached) >= wanted
