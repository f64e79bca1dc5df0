# tests/page/test_overview.py - the first screen answers its three questions, and each answer leads to its place.
#
# SPDX-License-Identifier: Apache-2.0
"""The overview."""

import json
import re


def three_questions_stand_on_the_first_screen(shown, _):
    for title in ("Where does the time go?", "What kind of time is it?", "What should I do?"):
        box = shown.page.get_by_role("heading", name=title).bounding_box()
        assert 0 < box["y"] and box["y"] + box["height"] < 800, title


def hottest_line_is_that_of_the_profile(shown, made_profile):
    profile = json.loads(made_profile.read_text())
    lines = [
        (line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"], name, line["lineno"])
        for name, file in profile["files"].items()
        for line in file["lines"]
    ]
    _, name, lineno = max(lines)
    place = shown.page.locator(".where .hot-place").first.inner_text()
    assert place == "%s:%d" % (name.rsplit("/", 1)[-1], lineno)


def hot_line_leads_to_its_source(shown, _):
    place = shown.page.locator(".where .hot-place").first.inner_text()
    shown.page.locator(".where .hot").first.click()
    chosen = shown.page.locator(".row.chosen")
    chosen.wait_for()
    view, words = shown.place()
    assert view == "lines" and "%s:%s" % (words["file"], words["line"]) == place
    assert chosen.get_attribute("data-line") == words["line"]


def test_an_empty_profile_says_its_reason_once(show, tmp_path):
    profile = tmp_path / "failed.json"
    reason = "the program ended with exit status 1 before its code could be sampled: its own output may say why"
    own = {"notes": [reason], "exit_kind": "exit", "exit_value": 1, "samples_taken": 4, "interval_s": 0.01}
    profile.write_text(json.dumps({"scalene_c": own}), encoding="utf-8")
    page = show(profile).page
    panel = page.get_by_role("region", name="The profile has no data")
    assert panel.locator("p").all_inner_texts() == [reason]
    assert not page.get_by_role("heading", name="Files by time").is_visible()


def test_a_note_stands_once_in_the_grounds(show, made_profile, tmp_path):
    profile = tmp_path / "noted.json"
    content = json.loads(made_profile.read_text(encoding="utf-8"))
    content["scalene_c"]["notes"] = ["a sentence that is nowhere else"]
    profile.write_text(json.dumps(content), encoding="utf-8")
    assert show(profile).page.get_by_text("a sentence that is nowhere else").count() == 1


def test_units_of_work_are_sorted_and_opened(show, made_profile, tmp_path):
    profile = tmp_path / "labelled.json"
    content = json.loads(made_profile.read_text(encoding="utf-8"))
    file = next(name for name, one in content["files"].items() if one["lines"])
    times = {"p50_s": 0.5, "p99_s": 0.5, "min_s": 0.5, "max_s": 0.5, "cpu_s": 0.1}
    content["scalene_c"]["units"] = [
        {"name": "GET <b>", "count": 2, "total_s": 1.0, "lines": [[file, 7, 0.75]], **times},
        {"name": "a job", "count": 1, "total_s": 0.5, "running": 3, "lines": [], **times},
    ]
    profile.write_text(json.dumps(content), encoding="utf-8")
    shown = show(profile)
    table = shown.page.get_by_role("region", name="Units of work").locator("table")
    first = table.locator("tbody tr").first
    assert first.inner_text().split("\t")[:3] == ["GET <b>", "2", "1.00 s"]
    table.get_by_role("button", name="unit").click()
    table.get_by_role("button", name="unit").click()
    assert "a job" in first.inner_text() and "3 running" in first.inner_text()
    table.get_by_role("button", name="GET <b>").click()
    line = table.get_by_role("button", name=file.rsplit("/", 1)[-1] + ":7")
    assert "750 ms" in table.inner_text()
    line.click()
    shown.page.locator(".row.chosen").wait_for()
    view, words = shown.place()
    assert (view, words["line"]) == ("lines", "7")


def the_longest_bar_fills_its_place(shown, _):
    page = shown.page
    filled = page.locator(".where .kind-bar").evaluate_all(
        "bars => bars.map(bar => [...bar.children].reduce((sum, fill) => sum + fill.getBoundingClientRect().width, 0)"
        " / bar.getBoundingClientRect().width)"
    )
    numbers = [float(text.strip("<%")) for text in page.locator(".where .hot-number").all_inner_texts()]
    assert max(filled) > 0.98
    for part, number in zip(filled, numbers):
        assert abs(part - number / max(numbers)) < 0.03


def the_side_bar_does_not_repeat_the_overview(shown, _):
    side = shown.page.get_by_role("navigation", name="Files and hot places")
    assert side.get_by_role("heading").all_inner_texts() == ["Files by time"]
    shown.goto("#/lines")
    side.get_by_role("heading", name="Hot functions").wait_for()


def header_shows_time_memory_and_overhead(shown, _):
    text = shown.page.get_by_role("list", name="The run").inner_text()
    for word in (" s", "CPU", "peak", "overhead"):
        assert word in text
    assert "lost" not in text, "what a loss means is said where the numbers' reliability is"


def kinds_are_named_and_add_up(shown, _):
    page = shown.page
    numbers = [int(text.strip("<%")) for text in page.locator(".kind-number").all_inner_texts()]
    assert page.locator(".kind-row dt:first-child").all_inner_texts() == ["P\nPython", "N\nnative", "S\nsystem"]
    assert 97 <= sum(numbers) <= 103


def finding_leads_to_its_place_and_asks(shown, _):
    findings = shown.page.locator(".findings li")
    assert findings.count() >= 1
    findings.first.locator(".link").first.click()
    shown.page.locator(".row.chosen").first.wait_for()
    shown.goto("#/overview")
    shown.page.get_by_role("button", name="Ask").first.click()
    view, words = shown.place()
    assert view == "ai" and "line" in words


def test_finding_says_what_it_was_concluded_from(show, data):
    findings = show(data / "full.json").page.locator(".findings")
    why = findings.locator("details").first
    assert not why.locator("p").is_visible()
    why.get_by_text("Why this?").click()
    assert why.locator("p").is_visible() and why.locator("p").inner_text()


def the_curves_have_a_legend(shown, _):
    legend = shown.page.get_by_role("list", name="Lines of the chart")
    assert legend.get_by_role("listitem").count() == 2
    assert re.fullmatch(r"allocated and not freed, MB\npeak, [\d.]+ MB", legend.inner_text())
    shown.goto("#/memory?at=1")
    legend.get_by_text("chosen moment").wait_for()
    assert legend.get_by_role("listitem").all_inner_texts()[1] == "resident, as the kernel counts it, MB"


def footprint_is_read_by_pointer_and_keys(shown, _):
    page = shown.page
    chart = page.locator(".footprint .chart")
    chart.hover()
    assert "MB" in page.locator(".reading-text").inner_text()
    chart.focus()
    page.keyboard.press("ArrowRight")
    first = page.locator(".reading-text").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator(".reading-text").inner_text() != first


def span_is_selected_by_dragging_and_let_go(shown, _):
    box = shown.page.locator(".footprint .chart").bounding_box()
    shown.page.mouse.move(box["x"] + 90, box["y"] + 40)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 220, box["y"] + 40)
    shown.page.mouse.up()
    words = shown.place()[1]
    assert 0 <= float(words["from"]) < float(words["to"])
    note = shown.page.locator(".span-note")
    assert " s of " in note.inner_text()
    note.get_by_role("button", name="Whole run").click()
    assert "from" not in shown.place()[1] and note.count() == 0


def threads_and_reasons_are_shown(shown, _):
    page = shown.page
    threads = page.get_by_role("region", name="Which threads?").inner_text()
    assert "grower" in threads and "sleep" in threads
    grounds = page.get_by_role("region", name="How reliable are these numbers?").inner_text()
    assert "samples" in grounds and "overhead beside it" in grounds


def test_profile_without_data_says_so(show, data):
    page = show(data / "empty.json").page
    assert page.get_by_role("heading", name="The profile has no data").is_visible()


LOOKS = (
    (three_questions_stand_on_the_first_screen, "#/overview"), (hottest_line_is_that_of_the_profile, "#/overview"),
    (the_longest_bar_fills_its_place, "#/overview"), (header_shows_time_memory_and_overhead, "#/overview"),
    (kinds_are_named_and_add_up, "#/overview"), (threads_and_reasons_are_shown, "#/overview"),
    (footprint_is_read_by_pointer_and_keys, "#/overview"), (the_side_bar_does_not_repeat_the_overview, "#/overview"),
    (hot_line_leads_to_its_source, "#/overview"), (span_is_selected_by_dragging_and_let_go, "#/overview"),
    (the_curves_have_a_legend, "#/overview"), (finding_leads_to_its_place_and_asks, "#/overview"),
)


def test_each_part_of_the_overview(show, made_profile):
    """On one page, as most only read it."""
    shown = show(made_profile)
    for look, place in LOOKS:
        shown.goto(place)
        look(shown, made_profile)
