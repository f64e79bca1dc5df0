# tests/page/test_look.py - both themes, and windows from 360 to 3,840 pixels.
#
# SPDX-License-Identifier: Apache-2.0
"""What the page looks like."""

import pytest

VIEWS = ("overview", "lines", "functions", "flame", "sandwich", "timeline", "memory", "processes", "ai")


def test_theme_follows_the_system(show, made_profile):
    shown = show(made_profile)
    for theme in ("light", "dark", "light"):
        shown.wear(theme)
        red = shown.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
        assert (int(red) < 80) == (theme == "dark"), theme


def test_theme_is_chosen_and_remembered(show, made_profile):
    is_dark = "() => document.documentElement.dataset.theme === 'dark'"
    page = show(made_profile, theme="light").page
    # both before the page is drawn again
    page.evaluate("for (let i = 0; i < 2; i++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 't', bubbles: true }))")
    page.wait_for_function(is_dark)
    page.reload()
    page.wait_for_selector(".shell")
    page.wait_for_function(is_dark)
    assert int(page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")) < 80
    page.get_by_role("button", name="Theme: dark").click()
    page.wait_for_function("() => document.documentElement.dataset.theme === undefined")


@pytest.mark.parametrize("name", ["made", "full.json", "hostile.json"])
def test_nothing_leaves_the_window(show, made_profile, data, name):
    shown = show(made_profile if name == "made" else data / name, width=360, height=740)
    for view in VIEWS:
        shown.goto("#/" + view)
        for width in (360, 768, 1280, 3840):
            shown.resize(width)
            assert shown.overflow() == [], (view, width)


def test_numbers_do_not_overlap(show, data):
    shown = show(data / "full.json", "#/lines?mode=all")
    for width in (360, 1280, 3840):
        shown.resize(width)
        shown.page.locator(".row .cell").first.wait_for()
        overlaps = shown.page.evaluate("""() => { let count = 0;
            for (const row of document.querySelectorAll(".row .gutter")) {
              const cells = [...row.querySelectorAll(".cell, .lineno")];
              cells.forEach((cell, i) => { const next = cells[i + 1];
                if (cell.scrollWidth > cell.clientWidth + 1) count++;
                if (next && cell.getBoundingClientRect().right > next.getBoundingClientRect().left + 1) count++; });
            } return count; }""")
        assert overlaps == 0, width


def test_narrow_window_keeps_numbers_and_source(show, made_profile):
    shown = show(made_profile, width=360, height=740)
    shown.page.locator(".where .hot").first.click()
    row = shown.page.locator(".row.chosen")
    row.wait_for()
    assert row.locator(".c-self").inner_text().endswith("%")
    assert row.locator(".source").bounding_box()["x"] < 200
    shown.page.get_by_role("button", name="Files").click()
    panel = shown.page.get_by_role("navigation", name="Files and hot places")
    panel.wait_for()
    shown.page.keyboard.press("Escape")
    panel.wait_for(state="hidden")


def test_kinds_differ_in_lightness(show, made_profile):
    shown = show(made_profile)
    for theme in ("light", "dark"):
        shown.wear(theme)
        lights = shown.page.evaluate("""() => ["python", "native", "system"].map((kind) => {
              const box = document.createElement("i");
              box.style.color = `var(--${kind})`;
              document.body.append(box);
              const [r, g, b] = getComputedStyle(box).color.match(/[\\d.]+/g).map(Number);
              box.remove();
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            }).sort((a, b) => a - b)""")
        assert lights[1] - lights[0] > 15 and lights[2] - lights[1] > 15, (theme, lights)


def test_bars_and_marks_are_seen_in_forced_colours(show, made_profile):
    shown = show(made_profile)
    shown.page.emulate_media(forced_colors="active")
    colour = "e => getComputedStyle(e).backgroundColor"
    ground = shown.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shown.page.locator(".hot .fill.python").first.evaluate(colour) != ground
    mark = "getComputedStyle(document.querySelector('.mark-hot, .mark-warm'), '::before').backgroundColor"
    assert shown.page.evaluate(mark) != ground
    tab = "getComputedStyle(document.querySelector('.tab[aria-selected=true]'), '::after').backgroundColor"
    assert shown.page.evaluate(tab) != ground
    shown.goto("#/lines")
    chosen = shown.page.locator(".choice button[aria-checked=true]").first
    chosen.wait_for()
    assert chosen.evaluate(colour) != ground


def test_a_view_is_printed_to_its_end(show, made_profile):
    shown = show(made_profile, width=700, height=300)
    hidden = "() => { const e = document.getElementById('view'); return e.scrollHeight - e.clientHeight }"
    end = "() => document.getElementById('view').getBoundingClientRect().bottom - document.documentElement.scrollHeight"
    for view in ("overview", "memory", "processes"):
        shown.goto("#/" + view)
        shown.page.locator("#view h2").first.wait_for()
        assert shown.page.evaluate(hidden) > 0, view
        shown.page.emulate_media(media="print")
        assert shown.page.evaluate(hidden) == 0, view
        assert shown.page.evaluate(end) <= 1, view
        assert not shown.page.get_by_role("searchbox").or_(shown.page.get_by_role("combobox")).first.is_visible()
        shown.page.emulate_media(media="screen")


NAMES = """() => Object.fromEntries([...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter((rule) => rule.selectorText === ":root")
  .flatMap((rule) => [...rule.style]).filter((name) => name.startsWith("--"))
  .map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(name).trim()]))"""


def test_a_theme_has_the_same_colours_however_it_came(show, made_profile):
    shown = show(made_profile)
    found = {}
    for system in ("light", "dark"):
        shown.wear(system)
        found[system] = shown.page.evaluate(NAMES)
        for chosen in ("light", "dark"):
            shown.page.evaluate("theme => { document.documentElement.dataset.theme = theme }", chosen)
            found[system, chosen] = shown.page.evaluate(NAMES)
        shown.page.evaluate("delete document.documentElement.dataset.theme")
    assert len(found["light"]) > 50 and "--python" in found["light"]
    assert found["light"] == found["light", "light"] == found["dark", "light"]
    assert found["dark"] == found["dark", "dark"] == found["light", "dark"]
    assert sum(found["dark"][name] != value for name, value in found["light"].items()) > 40
    assert not [value for value in [*found["light"].values(), *found["dark"].values()] if "light-dark" in value]


def test_names_and_numbers_in_tables_are_one_line(show, data):
    shown = show(data / "full.json")
    cells = shown.page.locator(".process-name, .process-ending, .table .link, .table td.number")
    for width in (400, 1280, 1920):
        shown.resize(width, 900)
        shown.goto("#/processes")
        cells.first.wait_for()
        heights = cells.evaluate_all("all => all.map(one => one.getClientRects().length * one.offsetHeight)")
        assert max(heights) < 40, (width, heights)
        shown.goto("#/lines")
        shown.page.locator(".cell .number").first.wait_for()
        rows = shown.page.locator(".row:has(.cell .number)").evaluate_all(
            "rows => rows.map(row => [...row.querySelectorAll('.cell .number')].map("
            "cell => cell.getBoundingClientRect().bottom - row.getBoundingClientRect().bottom))"
        )
        assert rows and all(below < 1 for row in rows for below in row), (width, rows)


def test_a_file_has_its_name_in_a_narrow_window(show, data):
    name = show(data / "full.json", "#/lines", width=400, height=800).page.locator(".file-name .path-text").first
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_a_narrow_window_has_room_for_what_is_shown(show, made_profile):
    shown = show(made_profile, "#/flame", width=400, height=800)
    chart = shown.page.get_by_role("application")
    chart.wait_for()
    assert chart.bounding_box()["height"] > 350
    search, choice = (shown.page.locator(".bar " + one).bounding_box() for one in (".search", ".choice"))
    assert search["x"] + search["width"] < choice["x"] and search["y"] < choice["y"] + choice["height"]
    for view in ("memory", "processes"):
        shown.goto("#/" + view)
        shown.page.locator(".table td").first.wait_for()
        boxes = shown.page.locator(".table-box").evaluate_all("all => all.map(one => [one.scrollWidth - one.clientWidth, one.ariaLabel])")
        assert [box for box in boxes if box[0] > 0] == [], view
