# tests/page/test_page_lines.py - the source with its numbers: modes, columns, order, files, and the box beside a number.
#
# SPDX-License-Identifier: Apache-2.0
"""The lines."""

import json
import re

import pytest
import showing


def numbers(shown):
    return [int(text) for text in shown.page.locator(".row .lineno").all_inner_texts()]


def choose(page, *columns):
    """Shows columns that are hidden until they are chosen."""
    menu = page.get_by_role("group", name="Columns to show")
    page.get_by_text("Columns").click()
    for column in columns:
        menu.get_by_role("checkbox", name=column, exact=True).check()
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    showing.settle(page)  # rows that are drawn again close a box that is open


def lines_of(data, name):
    """(name of the file, its lines) of the most expensive file of a profile."""
    files = json.loads((data / name).read_text())["files"]
    return max(files.items(), key=lambda item: item[1]["percent_cpu_time"])


def test_numbers_stand_beside_their_lines(show, data):
    name, file = lines_of(data, "full.json")
    page = show(data / "full.json", "#/lines?mode=all").page
    choose(page, "Time native")
    for line in file["lines"]:
        if line["n_cpu_percent_c"] < 1:
            continue
        row = page.locator('.row[data-line="%d"]' % line["lineno"]).first
        assert row.locator(".c-native").inner_text() == "%.0f%%" % line["n_cpu_percent_c"]
        assert row.locator(".source").inner_text().strip().startswith(line["line"].strip()[:20])


def test_modes_show_more_and_more_lines(show, made_profile):
    shown = show(made_profile, "#/lines")
    count = {}
    for mode in ("Hot lines", "Functions", "All lines"):
        shown.page.get_by_role("radio", name=mode).click()
        showing.settle(shown.page)
        assert shown.page.get_by_role("radio", name=mode).get_attribute("aria-checked") == "true"
        count[mode] = len(numbers(shown))
    assert 0 < count["Hot lines"] < count["Functions"] < count["All lines"]


def test_mode_is_remembered(show, made_profile):
    shown = show(made_profile, "#/lines")
    shown.page.get_by_role("radio", name="All lines").click()
    shown.page.reload()
    shown.page.locator(".row").first.wait_for()
    assert shown.page.get_by_role("radio", name="All lines").get_attribute("aria-checked") == "true"


def test_column_is_hidden_and_that_is_remembered(show, data):
    shown = show(data / "full.json", "#/lines", width=1920)
    page = shown.page
    assert page.locator(".head.c-copy").count() == 1
    page.get_by_text("Columns").click()
    page.get_by_role("checkbox", name="Memory copied/s").uncheck()
    assert page.locator(".head.c-copy").count() == 0
    page.reload()
    page.locator(".row").first.wait_for()
    assert page.locator(".head.c-copy").count() == 0
    page.get_by_text("Columns").click()
    page.get_by_text("Memory copied/s", exact=True).click()  # its words, not the box
    assert page.locator(".head.c-copy").count() == 1
    assert page.get_by_role("checkbox", name="Memory copied/s").is_checked()  # the menu is still open


def test_columns_without_data_are_not_shown(show, data):
    page = show(data / "cpu.json", "#/lines", width=1920).page
    page.locator(".row").first.wait_for()
    assert page.locator(".head.c-self").count() == 1
    assert page.locator(".head.c-python").count() == 0
    assert page.locator(".head.c-memory_peak, .head.c-copy, .head.c-gpu").count() == 0


def test_all_columns_of_a_full_profile_are_there(show, data):
    page = show(data / "full.json", "#/lines", width=1920).page
    page.locator(".row").first.wait_for()
    shown = ("self", "gpu", "await", "memory_peak", "memory_average", "copy")
    chosen = {"python": "Time Python", "native": "Time native", "system": "Time system"}
    chosen.update({"memory_python": "Memory Python", "memory_usage": "Memory %"})
    for column in chosen:
        assert page.locator(".head.c-" + column).count() == 0, column
    choose(page, *chosen.values())
    for column in (*shown, *chosen):
        unit = "" if column in ("memory_peak", "memory_average", "copy") else "%"
        assert page.locator(".row .c-" + column).filter(has_text=unit).count(), column
    assert page.locator(".row .sparkline").count() >= 1


@pytest.mark.parametrize("name", ["made", "full.json", "cpu.json"])
def test_source_has_most_of_the_window_beside_the_side_bar(show, made_profile, data, name):
    shown = show(made_profile if name == "made" else data / name, "#/lines")
    page = shown.page
    page.locator(".row .source").first.wait_for()
    assert page.locator(".side").bounding_box()["width"] > 200
    source = page.locator(".row .source").first.bounding_box()["x"]
    table = page.locator(".scroller").evaluate("one => one.getBoundingClientRect().left + one.clientWidth")
    assert table - source >= 0.6 * 1280
    heads = {head.split("c-")[1].split()[0] for head in page.locator(".head[class*=c-]").evaluate_all("all => all.map(one => one.className)")}
    assert heads >= ({"self", "memory_peak"} if name != "cpu.json" else {"self"})
    assert "total" in heads or name != "made"
    shown.resize(1920)  # where there are more numbers
    assert page.locator(".row .gutter").first.bounding_box()["width"] <= 0.4 * page.locator(".scroller").bounding_box()["width"]


def test_what_a_row_can_ask_for_is_in_sight_however_long_its_line_is(show, made_profile):
    for width, is_at_end in ((1280, True), (1920, False)):
        page = show(made_profile, "#/lines", width=width).page
        act = page.locator(".row .act[data-act=line]").first
        act.wait_for()
        box = act.bounding_box()
        end = page.locator(".scroller").evaluate("one => one.getBoundingClientRect().left + one.clientWidth")
        assert (end - 30 < box["x"] + box["width"] <= end) == is_at_end
        page.locator(".list").evaluate("one => { one.style.setProperty('--list', '4000px') }")
        assert act.bounding_box()["x"] == pytest.approx(box["x"], abs=1)


def test_sorting_orders_lines_and_comes_back(show, data):
    shown = show(data / "full.json", "#/lines")
    choose(shown.page, "Time native")
    head = shown.page.get_by_role("button", name="Sort by Time native")
    head.click()
    showing.settle(shown.page)

    def values():
        return [int(text.strip("%") or 0) for text in shown.page.locator(".row .c-native").all_inner_texts()]

    assert values() == sorted(values(), reverse=True) and max(values()) > 0
    assert shown.page.get_by_role("columnheader", name="Time native").get_attribute("aria-sort") == "descending"
    head.click()
    showing.settle(shown.page)
    assert values() == sorted(values())
    shown.page.get_by_role("button", name="source", exact=True).click()
    showing.settle(shown.page)
    assert numbers(shown) == sorted(numbers(shown))


def test_files_fold_one_by_one_and_all(show, made_profile):
    page = show(made_profile, "#/lines").page
    page.locator(".row").first.wait_for()
    heads = page.locator(".file-name")
    assert heads.evaluate_all("all => all.map(one => one.ariaExpanded)") == ["true", "false"]
    heads.nth(0).click()
    assert page.locator(".row").count() == 0
    page.get_by_role("button", name="Show all").click()
    page.locator(".row").first.wait_for()
    assert heads.evaluate_all("all => all.map(one => one.ariaExpanded)") == ["true", "true"]
    page.get_by_role("button", name="Hide all").click()
    assert page.locator(".row").count() == 0


def box_shows_value_error_samples_and_how(shown, _):
    shown.page.locator(".where .hot").first.click()
    shown.page.locator(".row.chosen .c-self").hover()
    box = shown.page.get_by_role("tooltip")
    box.get_by_text("Time").first.wait_for()
    text = box.inner_text()
    assert "of the run's time" in text and "±" in text and "samples" in text and "Python" in text
    shown.page.locator(".head-groups").hover()
    box.wait_for(state="detached")


# Where the colours of a bar end, in % of its length.
ENDS = """bar => Object.fromEntries(["python", "native", "system", "time"].map((name) =>
  [name, parseFloat(bar.style.getPropertyValue(`--${name}-end`))]))"""


def test_one_bar_has_all_kinds_of_time(show, made_profile):
    files = json.loads(made_profile.read_text())["files"]
    page = show(made_profile, "#/lines?mode=all").page
    page.get_by_role("button", name="Show all").click()
    seen = set()
    for index, file in enumerate(sorted(files.values(), key=lambda one: -one["percent_cpu_time"])):
        for line in file["lines"]:
            kinds = {"python": line["n_cpu_percent_python"], "native": line["n_cpu_percent_c"], "system": line["n_sys_percent"]}
            if max(kinds.values()) < 2:
                continue
            row = page.locator('.row[data-file="%d"][data-line="%d"]' % (index, line["lineno"]))
            row.scroll_into_view_if_needed()
            ends = row.locator(".time-bar").evaluate(ENDS)
            assert abs(ends["python"] - kinds["python"]) < 1.01
            assert abs(ends["native"] - ends["python"] - kinds["native"]) < 1.01
            assert abs(ends["time"] - sum(kinds.values())) < 0.1
            own = int(row.locator(".c-self").inner_text().strip("%"))
            total = int(row.locator(".c-total").inner_text().strip("%"))
            assert abs(own - sum(kinds.values())) <= 0.51 and total >= own
            assert abs(total - max(line["n_cumulative_percent"], own)) <= 0.51
            slept = "time.sleep" in line["line"]
            assert (ends["time"] - ends["system"] > 1) == slept, line["line"]
            seen.update(kind for kind, percent in kinds.items() if percent >= 2)
    assert seen == {"python", "native", "system"}


def test_a_line_that_calls_has_its_total(show, made_profile):
    files = json.loads(made_profile.read_text())["files"]
    file = next(file for name, file in files.items() if name.endswith("shop.py"))
    calls = [one for one in file["lines"] if one.get("n_cumulative_percent", 0) > 5 and one["n_cpu_percent_python"] < 1]
    line = min(calls, key=lambda one: one["n_cpu_percent_c"] + one["n_sys_percent"])
    page = show(made_profile, "#/lines?file=shop.py&line=%d" % line["lineno"]).page
    total = page.locator(".row.chosen .c-total")
    total.wait_for()
    assert total.inner_text() == "%.0f%%" % line["n_cumulative_percent"]
    assert page.locator(".row.chosen .c-self").inner_text() == ""
    total.hover()
    box = page.get_by_role("tooltip")
    box.get_by_text("with all it calls").wait_for()
    assert "%.2f %%" % line["n_cumulative_percent"] in box.inner_text()


def few_samples_are_grey(shown, _):
    shown.page.locator(".row").first.wait_for()
    thin = shown.page.locator(".cell.thin")
    sure = shown.page.locator(".heat-hot .c-self").first
    assert sure.evaluate("one => !one.classList.contains('thin')")
    if thin.count():
        assert thin.first.evaluate("one => getComputedStyle(one).color") != sure.evaluate("one => getComputedStyle(one).color")


def lightning_and_explosion_ask_about_their_place(shown, _):
    shown.page.locator(".row").first.wait_for()
    line = shown.page.get_by_role("button", name=re.compile("version of line \\d")).first
    lineno = line.locator("xpath=ancestor::*[@data-line]").get_attribute("data-line")
    line.click()
    view, words = shown.place()
    assert view == "ai" and words["line"] == lineno and "end" not in words
    shown.goto("#/lines")
    shown.page.get_by_role("button", name=re.compile("version of lines \\d")).first.click()
    view, words = shown.place()
    assert view == "ai" and int(words["end"]) > int(words["line"])


def heat_is_shown_by_more_than_colour(shown, _):
    shown.page.locator(".where .hot").first.click()
    shown.page.locator(".row.chosen").wait_for()
    assert shown.page.locator(".row.heat-hot .mark").first.get_attribute("aria-label") == "hot"
    widths = [shown.page.locator(".mark-" + heat).first for heat in ("hot",)]
    assert widths[0].evaluate("one => getComputedStyle(one, '::before').width") == "8px"


@pytest.mark.parametrize("name", ["original.json", "old.json", "cpu.json", "threads.json"])
def test_other_profiles_show_their_lines(show, data, name):
    shown = show(data / name, "#/lines?mode=all")
    shown.page.locator(".row .source").first.wait_for()
    path, file = lines_of(data, name)
    assert shown.page.locator(".file-name").first.inner_text() in path
    assert len(numbers(shown)) >= min(len(file["lines"]), 20)


def link_to_a_line_opens_it_wherever_it_is(shown, _):
    row = shown.page.locator(".row.chosen")
    row.wait_for()
    assert row.get_attribute("data-line") == "3"
    box = row.bounding_box()
    assert 80 < box["y"] < 800


def test_changed_source_is_flagged(show, made_profile, tmp_path):
    profile = json.loads(made_profile.read_text())
    for file in profile["files"].values():
        file["source_changed"] = True
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(profile))
    page = show(path, "#/lines").page
    page.locator(".row").first.wait_for()
    assert page.locator(".file-head .chip", has_text="changed").count() == 2
    assert "changed after the program started" in page.locator(".file-note").first.inner_text()
    assert "result" in page.locator(".list").inner_text()


def test_a_file_that_has_changed_since_the_run_is_marked(show, made_profile, tmp_path):
    found = json.loads(made_profile.read_text())
    name = max(found["files"], key=lambda one: found["files"][one]["percent_cpu_time"])
    moved = tmp_path / "moved.py"
    moved.write_text("nothing = 'of what ran'\n")
    found["files"][str(moved)] = found["files"].pop(name)
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps(found))
    shown = show(profile, "#/lines")
    head = shown.page.locator(".file-head", has_text="moved.py")
    head.locator(".chip", has_text="stale").wait_for()
    assert shown.page.locator(".file-head .chip", has_text="stale").count() == 1
    assert shown.page.locator(".side .chip", has_text="stale").count() == 1
    shown.page.get_by_text("has changed since the run").first.wait_for()
    assert "of what ran" not in shown.page.locator(".list").inner_text()


STOP = re.compile(r"([\d.]+)%")


def test_shares_have_pies(show, data):
    _, file = lines_of(data, "full.json")
    page = show(data / "full.json", "#/lines?mode=all", width=1920).page
    choose(page, "Memory %")
    page.locator(".row .c-memory_usage .pie").first.wait_for()
    seen = 0
    for line in file["lines"]:
        row = page.locator('.row[data-line="%d"]' % line["lineno"]).first
        for column, percent in (
            ("await", line["n_async_await_percent"]),
            ("gpu", line["n_gpu_percent"]),
            ("memory_usage", 100 * line["n_usage_fraction"]),
        ):
            pie = row.locator(".c-%s .pie" % column)
            assert pie.count() == (percent >= 1), (line["lineno"], column)
            if percent < 3:
                continue  # a smaller share has a wedge that can be seen
            image = pie.evaluate("one => getComputedStyle(one).backgroundImage")
            assert image.startswith("conic-gradient(") and pie.get_attribute("aria-hidden") == "true"
            assert abs(float(STOP.findall(image)[-1]) - percent) < 3.1, (line["lineno"], column, image)
            seen += 1
    assert seen >= 4


def test_the_box_of_a_number_shows_shares_as_pies(show, data):
    page = show(data / "full.json", "#/lines", width=1920).page
    choose(page, "Memory %")
    page.locator(".row .c-memory_usage[data-column]").first.hover()
    box = page.get_by_role("tooltip")
    box.wait_for()
    box.get_by_text("of all that was allocated").wait_for()
    box.locator("dd .pie").nth(1).wait_for()


LOOKS = (
    (few_samples_are_grey, "#/lines"),
    (lightning_and_explosion_ask_about_their_place, "#/lines"),
    (heat_is_shown_by_more_than_colour, "#/overview"),
    (link_to_a_line_opens_it_wherever_it_is, "#/lines?file=shop.py&line=3"),
    (box_shows_value_error_samples_and_how, "#/overview"),
)


def test_what_is_shown_of_lines(show, made_profile):
    """On one page, as they leave nothing behind."""
    shown = show(made_profile)
    for look, place in LOOKS:
        shown.goto("#/processes")  # what a view keeps for itself goes with it
        shown.goto(place)
        look(shown, made_profile)
