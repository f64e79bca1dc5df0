# tests/page/test_views.py - functions, memory, processes, search and help.
#
# SPDX-License-Identifier: Apache-2.0
"""The other views, and what surrounds all of them."""

import pytest


def test_functions_of_all_files_and_of_one(show, made_profile):
    shown = show(made_profile, "#/functions")
    names = shown.page.locator(".function-name .link")
    names.first.wait_for()
    assert names.first.inner_text() == "total"
    assert "grow" in names.all_inner_texts() or "copy" in names.all_inner_texts()
    shown.page.get_by_label("Functions of").select_option(label="prices.py")
    shown.page.wait_for_timeout(300)
    assert names.all_inner_texts() == ["total"]


def test_functions_sort_both_ways(show, data):
    shown = show(data / "full.json", "#/functions")
    head = shown.page.get_by_role("button", name="Sort by Time Python")

    def values():
        shown.page.wait_for_timeout(300)
        return [int(text.strip("%") or 0) for text in shown.page.locator(".row .c-python").all_inner_texts()]

    head.click()
    most = values()
    assert most == sorted(most, reverse=True) and len(set(most)) > 1
    head.click()
    assert values() == most[::-1]


def test_function_leads_to_its_lines(show, made_profile):
    shown = show(made_profile, "#/functions")
    shown.page.locator(".function-name .link").first.click()
    shown.page.locator(".row.chosen").wait_for()
    view, words = shown.place()
    assert view == "lines" and words["file"] == "prices.py" and words["fn"] == "total"


def test_function_has_a_box(show, made_profile):
    page = show(made_profile, "#/functions").page
    page.locator(".row .c-python").first.hover()
    page.get_by_role("tooltip").get_by_text("of the run's time").wait_for()


def test_memory_shows_peak_lines_leaks_and_copies(show, made_profile):
    shown = show(made_profile, "#/memory")
    page = shown.page
    assert page.locator(".curve-line.footprint").get_attribute("d").startswith("M")
    assert page.get_by_role("region", name="In all").get_by_text("peak").count() >= 1
    lines = page.get_by_role("region", name="Lines with the highest peaks")
    assert "shop.py" in lines.inner_text() and "MB" in lines.inner_text()
    assert page.get_by_role("region", name="Possible leaks").count() == 1
    assert "copy" in page.get_by_role("region", name="Copies").inner_text()
    lines.locator(".hot").first.click()
    page.locator(".row.chosen").wait_for()


def test_memory_has_no_tab_without_memory(show, data):
    page = show(data / "cpu.json").page
    assert page.get_by_role("tab", name="Memory").count() == 0
    assert page.get_by_role("tab").count() >= 6


def test_processes_and_threads_are_tables(show, data):
    page = show(data / "threads.json", "#/processes").page
    rows = page.get_by_role("region", name="Which threads?").locator("tbody tr")
    assert rows.count() >= 2
    rows.first.locator(".link").click()
    assert "chosen" in rows.first.get_attribute("class")


def test_side_panel_leads_to_files_lines_and_functions(show, made_profile):
    shown = show(made_profile)
    panel = shown.page.get_by_role("navigation", name="Files and hot places")
    panel.get_by_role("button", name="prices.py").first.click()
    view, words = shown.place()
    assert view == "lines" and words["file"] == "prices.py"
    shown.page.locator(".row").first.wait_for()
    assert panel.locator('[aria-current="true"]').first.inner_text().startswith("prices.py")
    panel.get_by_role("button", name="total").last.click()
    assert shown.place()[1]["fn"] == "total"


def test_search_finds_functions_lines_and_files(show, made_profile):
    shown = show(made_profile)
    page = shown.page
    page.get_by_role("combobox").fill("grow")
    places = page.get_by_role("option")
    places.first.wait_for()
    kinds = page.locator(".found-kind").all_inner_texts()
    assert "function" in kinds and "line" in kinds
    page.keyboard.press("ArrowDown")
    assert places.nth(1).get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.locator(".row.chosen").wait_for()
    assert shown.place()[0] == "lines"
    page.get_by_role("combobox").fill("nothing holds this")
    page.get_by_text("No file, function or line").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("combobox").input_value() == ""


def test_address_is_the_place(show, made_profile):
    shown = show(made_profile, "#/functions?sort=python")
    assert shown.page.get_by_role("tab", name="Functions").get_attribute("aria-selected") == "true"
    assert shown.page.locator(".head.c-python").get_attribute("aria-sort") == "descending"
    shown.page.get_by_role("tab", name="Processes").click()
    shown.page.go_back()
    assert shown.place()[0] == "functions"


def test_place_that_makes_no_sense_shows_the_overview(show, made_profile):
    shown = show(made_profile, "#/nowhere?file=none.py&line=x&from=9&to=2")
    assert shown.page.get_by_role("tab", name="Overview").get_attribute("aria-selected") == "true"


# What a hand or another program may have put into an address.
ODD_WORDS = [
    "file=none.py&line=3",
    "file=prices.py&line=1e300&end=1e301",
    "file=prices.py&line=0",
    "from=0&to=1e300",
    "from=1e-300&to=2e-300",
    "from=%00&to=%ff",
    "thread=none",
    "thread=1:2:3&process=1e300",
    "process=4294967295",
    "fn=none%00%ff",
    "sort=none&mode=none",
    "sort=-",
]


@pytest.mark.parametrize("view", ["overview", "lines", "functions", "flame", "timeline", "memory", "processes", "ai"])
def test_odd_words_of_an_address_do_no_harm(show, made_profile, view):
    """No view asks the server for what makes no sense, which the console would show."""
    shown = show(made_profile, "#/" + view)
    for words in ODD_WORDS:
        shown.goto("#/%s?%s" % (view, words))
        shown.page.wait_for_timeout(150)
        assert shown.wrong == [], words
        assert shown.page.locator(".view").is_visible()


def test_what_an_address_names_and_is_not_there_is_reported(show, made_profile):
    shown = show(made_profile, "#/lines?file=none.py&line=3")
    note = shown.page.get_by_text("of which this profile has no line")
    assert "none.py" in note.inner_text()
    shown.page.get_by_role("button", name="Close", exact=True).click()
    note.wait_for(state="detached")
    assert shown.place() == ("lines", {})
    name = "prices.py"
    shown.goto("#/lines?file=%s&line=99999999" % name)
    shown.page.get_by_text("has no line 99999999").wait_for()
    shown.goto("#/lines?file=%s&line=1" % name)
    shown.page.get_by_text("has no line 99999999").wait_for(state="detached")
