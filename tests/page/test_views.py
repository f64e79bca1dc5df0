# tests/page/test_views.py - functions, memory, processes, search and help.
#
# SPDX-License-Identifier: Apache-2.0
"""The other views, and what surrounds all of them."""

import json
import re
import subprocess

import pytest
import showing


def functions_of_all_files_and_of_one(shown, _):
    names = shown.page.locator(".function-name .link")
    names.first.wait_for()
    assert names.first.inner_text() == "total"
    assert "grow" in names.all_inner_texts() or "copy" in names.all_inner_texts()
    shown.page.get_by_label("Functions of").select_option(label="prices.py")
    showing.settle(shown.page)
    assert names.all_inner_texts() == ["total"]


def test_functions_are_of_any_of_many_files(show, data, tmp_path):
    profile = json.loads((data / "full.json").read_text(encoding="utf-8"))
    file = next(iter(profile["files"].values()))
    for number in range(600):
        profile["files"]["/many/%d.py" % number] = {**file, "percent_cpu_time": 0, "lines": file["lines"][:2], "functions": []}
    path = tmp_path / "many.json"
    path.write_text(json.dumps(profile), encoding="utf-8")
    shown = show(path, "#/functions?file=/many/599.py")
    pick = shown.page.get_by_role("combobox", name="Functions of")
    assert pick.locator("option").count() == 1 + len(profile["files"])
    assert pick.locator("option:checked").inner_text() == "/many/599.py"


def functions_have_self_and_total(shown, made_profile):
    whole = {}
    for file in json.loads(made_profile.read_text())["files"].values():
        for function in file["functions"]:
            own = sum(function[key] for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent"))
            whole[function["line"]] = (own, function.get("n_cumulative_percent", 0))

    def rows():
        showing.settle(shown.page)
        number = "one => Number((%s)?.innerText.replace('%%', '') || 0)"
        texts = shown.page.locator(".row .function-name .link").all_inner_texts()
        cells = ["all => all.map(%s)" % (number % ("one.querySelector('.c-%s')" % name)) for name in ("self", "total")]
        return list(zip(texts, *(shown.page.locator(".row").evaluate_all(cell) for cell in cells)))

    found = rows()
    assert found[0][0] == "total"
    for name, own, total in found:
        assert own == pytest.approx(whole[name][0], abs=1.1) and total == pytest.approx(max(whole[name]), abs=1.1)
    shown.page.get_by_role("button", name="Sort by Time total").click()
    totals = [total for _, _, total in rows()]
    assert rows()[0][0] == "main" and totals == sorted(totals, reverse=True)
    shown.page.get_by_role("button", name="Sort by Time total").click()
    assert [total for _, _, total in rows()] == totals[::-1]


def function_leads_to_its_lines(shown, _):
    shown.page.locator(".function-name .link").first.click()
    shown.page.locator(".row.chosen").wait_for()
    view, words = shown.place()
    assert view == "lines" and words["file"] == "prices.py" and words["fn"] == "total"


def function_has_a_box(shown, _):
    page = shown.page
    page.locator(".row .c-self").first.hover()
    page.get_by_role("tooltip").get_by_text("of the run's time").wait_for()


def memory_shows_peak_lines_leaks_and_copies(shown, _):
    page = shown.page
    assert page.locator("path.curve-line.footprint").get_attribute("d").startswith("M")
    assert page.get_by_role("region", name="In all").get_by_text("peak").count() >= 1
    lines = page.get_by_role("region", name="What was in memory")
    lines.locator("tbody tr").first.wait_for()
    assert "shop.py" in lines.inner_text() and "MB" in lines.inner_text()
    assert page.get_by_role("region", name="Possible leaks").count() == 1
    assert "copy" in page.get_by_role("region", name="Copies").inner_text()
    lines.locator("td .link").first.click()
    page.locator(".row.chosen").wait_for()


def memory_at_a_moment_is_what_the_lines_held_then(shown, _):
    page = shown.page
    panel = page.get_by_role("region", name="What was in memory")
    answer = page.evaluate("fetch('api/memory').then((answer) => answer.json())")
    most = max(row["at_peak_mb"] for row in answer["rows"])
    panel.locator("tbody tr").first.wait_for()
    assert f"{most:.1f} MB" in panel.locator("tbody tr").first.inner_text()
    chart = page.get_by_role("group", name="Memory over the run")
    chart.focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    chosen = panel.get_by_role("radio", checked=True)
    assert chosen.inner_text().startswith("At ") and "at=" in page.evaluate("location.hash")
    panel.get_by_role("radio", name="At the end").click()
    assert "at=" not in page.evaluate("location.hash")
    held = [row for row in answer["rows"] if row["at_exit_mb"] >= 0.001]
    assert panel.locator("tbody tr").count() == min(len(held), 12)


def a_span_of_the_memory_curve_lists_what_grew(shown, _):
    page = shown.page
    box = page.get_by_role("group", name="Memory over the run").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 80, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 40, y, steps=4)
    page.mouse.up()
    panel = page.get_by_role("region", name="What was in memory")
    assert " to " in panel.get_by_role("radio", checked=True).inner_text()
    assert "growth" in panel.locator("thead").inner_text()
    page.mouse.click(box["x"] + 200, y)
    assert panel.get_by_role("radio", checked=True).inner_text().startswith("At ")


def test_memory_has_no_tab_without_memory(show, data):
    page = show(data / "cpu.json").page
    assert page.get_by_role("tab", name="Memory").count() == 0
    assert page.get_by_role("tab").count() >= 6


def test_shares_of_several_name_their_base(show, data):
    shown = show(data / "full.json", "#/processes")
    shown.page.get_by_text(re.compile(r"^Shares are of the CPU time of all 4 processes, [\d.]+ s\.$")).wait_for()
    shown.page.get_by_text(re.compile(r"^Shares are of the CPU time of all 4 threads of all 4 processes, ")).wait_for()
    shown.goto("#/overview")
    shown.page.get_by_text(re.compile(r"^100% is 6\.00 s: the time of all 4 processes together, ")).wait_for()
    shown.goto("#/lines")
    shown.page.get_by_text("of 6.00 s of all 4 processes").first.wait_for()


def test_processes_and_threads_are_tables(show, data):
    page = show(data / "threads.json", "#/processes").page
    rows = page.get_by_role("region", name="Which threads?").locator("tbody tr")
    assert rows.count() >= 2
    rows.first.locator(".link").click()
    assert "chosen" in rows.first.get_attribute("class")


def side_panel_leads_to_files_lines_and_functions(shown, _):
    panel = shown.page.get_by_role("navigation", name="Files and hot places")
    panel.get_by_role("button", name="prices.py").first.click()
    view, words = shown.place()
    assert view == "lines" and words["file"] == "prices.py"
    shown.page.locator(".row").first.wait_for()
    assert panel.locator('[aria-current="true"]').first.inner_text().startswith("prices.py")
    panel.get_by_role("button", name="total").last.click()
    assert shown.place()[1]["fn"] == "total"


def search_finds_functions_lines_and_files(shown, _):
    page = shown.page
    page.get_by_role("combobox").fill("grow")
    places = page.get_by_role("option")
    places.first.wait_for()
    kinds = page.locator(".found-kind").all_inner_texts()
    assert "line" in kinds and kinds == sorted(kinds, key=["function", "file", "line"].index) and kinds[0] == "function"
    page.keyboard.press("ArrowDown")
    assert places.nth(1).get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    page.locator(".row.chosen").wait_for()
    assert shown.place()[0] == "lines"
    page.get_by_role("combobox").fill("total")
    page.locator(".found-share", has_text="%").first.wait_for()
    page.get_by_role("combobox").fill("shop.py")
    file = page.locator(".found-place").filter(has=page.get_by_text("file", exact=True))
    assert file.locator(".found-text").inner_text() == "shop.py"
    assert file.locator(".soft").inner_text().endswith("/shop.py")
    page.get_by_role("combobox").fill("nothing holds this")
    page.get_by_text("No file, function or line").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("combobox").input_value() == ""


def test_address_is_the_place(show, made_profile):
    shown = show(made_profile, "#/functions?sort=total")
    assert shown.page.get_by_role("tab", name="Functions").get_attribute("aria-selected") == "true"
    assert shown.page.locator(".head.c-total").get_attribute("aria-sort") == "descending"
    shown.page.get_by_role("tab", name="Processes").click()
    shown.page.go_back()
    assert shown.place()[0] == "functions"


def test_place_that_makes_no_sense_shows_the_overview(show, made_profile):
    shown = show(made_profile, "#/nowhere?file=none.py&line=x&from=9&to=2")
    assert shown.page.get_by_role("tab", name="Overview").get_attribute("aria-selected") == "true"


# What a hand or another program may have put into an address.
ODD_WORDS = [
    "file=none.py&line=3", "file=prices.py&line=1e300&end=1e301", "file=prices.py&line=0", "from=0&to=1e300", "from=1e-300&to=2e-300",
    "from=%00&to=%ff", "thread=none", "thread=1:2:3&process=1e300", "process=4294967295", "fn=none%00%ff", "sort=none&mode=none", "sort=-",
]


@pytest.mark.parametrize("views", [("overview", "lines", "functions"), ("flame", "sandwich", "timeline"), ("memory", "processes", "ai")], ids=" ".join)
def test_odd_words_of_an_address_do_no_harm(show, made_profile, views):
    """No view asks the server for what makes no sense, which the console would show."""
    shown = show(made_profile)
    for place in ["#/%s?%s" % (view, words) for view in views for words in ODD_WORDS]:
        shown.goto(place)
        showing.settle(shown.page)
        assert shown.wrong == [], place
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


LOOKS = (
    (functions_of_all_files_and_of_one, "#/functions"), (functions_have_self_and_total, "#/functions"),
    (function_leads_to_its_lines, "#/functions"), (function_has_a_box, "#/functions"),
    (memory_shows_peak_lines_leaks_and_copies, "#/memory"), (memory_at_a_moment_is_what_the_lines_held_then, "#/memory"),
    (a_span_of_the_memory_curve_lists_what_grew, "#/memory"), (side_panel_leads_to_files_lines_and_functions, "#/overview"),
    (search_finds_functions_lines_and_files, "#/overview"),
)


def test_each_view(show, made_profile):
    """On one page, as they leave nothing behind."""
    shown = show(made_profile)
    for look, place in LOOKS:
        shown.goto("#/processes")  # what a view keeps for itself goes with it
        shown.goto(place)
        look(shown, made_profile)


def test_enter_opens_only_what_the_text_has_found(show, made_profile):
    shown = show(made_profile)
    page, box = shown.page, shown.page.get_by_role("combobox")
    box.fill("grow")
    page.get_by_role("option").first.wait_for()
    box.press("Escape")
    for text in ("", "nowhere-to-be-found"):  # the second is asked for a moment later
        box.fill(text)
        box.press("Enter")
        assert shown.place()[0] in ("", "overview")
    # nor what Enter takes over from an input method, as for Chinese and Japanese
    box.fill("grow")
    page.get_by_role("option").first.wait_for()
    box.evaluate("one => one.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))")
    assert box.evaluate("one => document.activeElement === one") and shown.place()[0] in ("", "overview")


def test_the_chosen_place_of_a_search_is_in_sight(show, made_profile):
    page = show(made_profile, height=300).page
    box = page.get_by_role("combobox")
    box.fill("e")
    options = page.get_by_role("option")
    options.first.wait_for()
    count = options.count()
    assert count > 20
    for _ in range(count - 1):
        box.press("ArrowDown")
    inside = "(one) => { const a = one.getBoundingClientRect(), b = one.parentElement.getBoundingClientRect(); return a.top >= b.top - 1 && a.bottom <= b.bottom + 1; }"
    last = options.nth(count - 1)
    assert last.get_attribute("aria-selected") == "true" and last.evaluate(inside)


def test_a_link_to_where_one_is_leads_back_to_it(show, made_profile):
    page = show(made_profile, "#/lines?mode=all", height=300).page
    link = page.locator("#side .place:has(.place-text)").first
    top = "() => document.querySelector('.scroller').scrollTop"
    link.click()
    page.locator(".row.chosen").wait_for()
    showing.settle(page)
    here = page.evaluate(top)
    away = page.evaluate("(here) => { const one = document.querySelector('.scroller'); return (one.scrollTop = here > 200 ? 0 : one.scrollHeight), one.scrollTop; }", here)
    assert abs(here - away) > 100
    showing.settle(page)
    link.click()
    page.wait_for_function("(away) => Math.abs(document.querySelector('.scroller').scrollTop - away) > 100", arg=away, timeout=5000)


def test_a_piece_of_functions_that_cannot_be_had_is_asked_for_once(show, made_profile, tmp_path):
    made = json.loads(made_profile.read_text(encoding="utf-8"))
    (file,) = [file for name, file in made["files"].items() if name.endswith("shop.py")]
    file["functions"] = [dict(file["functions"][0], line="f%d" % i) for i in range(700)]
    profile = tmp_path / "many.json"
    profile.write_text(json.dumps(made), encoding="utf-8")
    shown = show(profile, "#/functions", allowed=("Failed to load resource",))
    page = shown.page
    page.locator(".row").first.wait_for()
    asked = []
    page.route(re.compile("first=500"), lambda route: (asked.append(route.request.url), route.fulfill(status=500, body="{}")))
    page.locator(".scroller").evaluate("(one) => (one.scrollTop = one.scrollHeight)")
    page.get_by_role("alert").wait_for()
    showing.settle(page)
    assert len(asked) == 1


@pytest.mark.parametrize("is_served", (True, False))
def test_functions_of_one_name_have_boxes_of_their_own(show, made_profile, tmp_path, is_served):
    """A getter and its setter, with a server and in a file of its own."""
    made = json.loads(made_profile.read_text(encoding="utf-8"))
    (file,) = [file for name, file in made["files"].items() if name.endswith("shop.py")]
    (other,) = [file for name, file in made["files"].items() if name.endswith("prices.py")]
    other["functions"] = []
    first = max(file["functions"], key=lambda one: one["n_cpu_percent_python"])
    name = "Cart.total (a 'property')"
    file["functions"] = [dict(first, line=name, n_cpu_percent_python=20.0, n_cpu_percent_c=0.0), dict(first, line=name, lineno=first["lineno"] + 1, n_cpu_percent_python=12.0, n_cpu_percent_c=0.0)]
    profile = tmp_path / "same.json"
    profile.write_text(json.dumps(made), encoding="utf-8")
    page_file = tmp_path / "same.html"
    if not is_served:
        subprocess.run([showing.SCALENE, "view", "--html", "-o", str(page_file), str(profile)], check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=showing.TIMEOUT_S)
    page = show(profile, "#/functions", file=None if is_served else page_file).page
    seen = []
    for index in range(2):
        page.locator(f"#function-{index} [data-column]").first.click()
        box = page.locator("#cost-box")
        box.locator(".how").wait_for()
        seen.append((int(box.locator("h3").inner_text().rsplit(":", 1)[1]), re.search(r"([\d.]+) ±", box.inner_text()).group(1)))
        page.keyboard.press("Escape")
    assert seen == [(first["lineno"], "20.00"), (first["lineno"] + 1, "12.00")]
