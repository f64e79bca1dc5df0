# tests/page/test_overview.py - the first screen answers its three questions, and each answer leads to its place.
#
# SPDX-License-Identifier: Apache-2.0
"""The overview."""

import json


def test_three_questions_stand_on_the_first_screen(show, made_profile):
    shown = show(made_profile)
    for title in ("Where does the time go?", "What kind of time is it?", "What should I do?"):
        box = shown.page.get_by_role("heading", name=title).bounding_box()
        assert 0 < box["y"] and box["y"] + box["height"] < 800, title


def test_hottest_line_is_that_of_the_profile(show, made_profile):
    profile = json.loads(made_profile.read_text())
    lines = [
        (line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"], name, line["lineno"])
        for name, file in profile["files"].items()
        for line in file["lines"]
    ]
    _, name, lineno = max(lines)
    place = show(made_profile).page.locator(".where .hot-place").first.inner_text()
    assert place == "%s:%d" % (name.rsplit("/", 1)[-1], lineno)


def test_hot_line_leads_to_its_source(show, made_profile):
    shown = show(made_profile)
    place = shown.page.locator(".where .hot-place").first.inner_text()
    shown.page.locator(".where .hot").first.click()
    chosen = shown.page.locator(".row.chosen")
    chosen.wait_for()
    view, words = shown.place()
    assert view == "lines" and "%s:%s" % (words["file"], words["line"]) == place
    assert chosen.get_attribute("data-line") == words["line"]


def test_header_shows_time_memory_cost_and_losses(show, made_profile):
    text = show(made_profile).page.get_by_role("list", name="The run").inner_text()
    for word in (" s", "CPU", "peak", "cost", "lost"):
        assert word in text


def test_kinds_are_named_and_add_up(show, made_profile):
    page = show(made_profile).page
    numbers = [int(text.strip("<%")) for text in page.locator(".kind-number").all_inner_texts()]
    assert page.locator(".kind-row dt:first-child").all_inner_texts() == ["P\nPython", "N\nnative", "S\nsystem"]
    assert 97 <= sum(numbers) <= 103


def test_finding_leads_to_its_place_and_asks(show, made_profile):
    shown = show(made_profile)
    findings = shown.page.locator(".findings li")
    assert findings.count() >= 1
    findings.first.locator(".link").first.click()
    shown.page.locator(".row.chosen").first.wait_for()
    shown.goto("#/overview")
    shown.page.get_by_role("button", name="Ask").first.click()
    view, words = shown.place()
    assert view == "ai" and "line" in words


def test_footprint_is_read_by_pointer_and_keys(show, made_profile):
    page = show(made_profile).page
    chart = page.locator(".footprint .chart")
    chart.hover()
    assert "MB" in page.locator(".reading-text").inner_text()
    chart.focus()
    page.keyboard.press("ArrowRight")
    first = page.locator(".reading-text").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".reading-text").inner_text() != first


def test_span_is_selected_by_dragging_and_let_go(show, made_profile):
    shown = show(made_profile)
    box = shown.page.locator(".footprint .chart").bounding_box()
    shown.page.mouse.move(box["x"] + 90, box["y"] + 40)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 220, box["y"] + 40)
    shown.page.mouse.up()
    words = shown.place()[1]
    assert 0 <= float(words["from"]) < float(words["to"])
    note = shown.page.locator(".span-note")
    assert "of the run" in note.inner_text()
    note.get_by_role("button", name="Whole run").click()
    assert "from" not in shown.place()[1] and note.count() == 0


def test_threads_and_reasons_are_shown(show, made_profile):
    page = show(made_profile).page
    threads = page.get_by_role("region", name="Which threads?").inner_text()
    assert "grower" in threads and "sleep" in threads
    grounds = page.get_by_role("region", name="What do the numbers rest on?").inner_text()
    assert "samples" in grounds and "lost" in grounds and "cost beside it" in grounds


def test_profile_without_data_says_so(show, data):
    page = show(data / "empty.json").page
    assert page.get_by_role("heading", name="The profile has no data").is_visible()
