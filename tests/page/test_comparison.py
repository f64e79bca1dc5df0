# tests/page/test_comparison.py - the page of `scalene diff`: what has changed, the flame chart, the sources side by side.
#
# The profiles are made, so each number is known. Those of the page must be those of `scalene diff --json`.
#
# SPDX-License-Identifier: Apache-2.0
"""A comparison in the browser."""

import json
import subprocess
import sys

import pytest
import showing
from conftest import SCALENE
from test_names import breaches

sys.path.insert(0, str(showing.ROOT / "tests" / "diff"))
from made import file, profile, written  # noqa: E402

BEFORE = '''
import sys


class Basket:
    def total(self):
        result = 0.0
        for price in self.prices:
            result += price * 1.2
        return result


def fill(basket):
    for number in range(1000):
        basket.prices.append(number ** 0.5)


def report(basket):
    print(basket.total(), "</script><b>")


def check(basket):
    assert basket.prices
    assert len(basket.prices) == 1000


def main():
    basket = Basket()
    fill(basket)
    report(basket)
'''
AFTER = (
    BEFORE.replace("        return result\n", "        return result\n\n    def best(self):\n        return max(self.prices)\n")
    .replace("number ** 0.5", "math.sqrt(number)")
    .replace(BEFORE[BEFORE.index("def check") : BEFORE.index("def main")], "")
    .replace("    report(basket)\n", "    report(basket)\n    print(basket.best())\n")
)
CHECKS = '''
import sys


def check(basket):
    assert basket.prices
    assert len(basket.prices) == 1000
'''
COSTS = [
    {"result +=": 2.0, "append(": 4.0, "print(basket.total": 0.5, "assert len": {"s": 1.0, "wait_s": 1.0}},
    {"result +=": 5.0, "append(": 1.5, "print(basket.total": 0.51, "return max": 2.0},
]
STACKS = [
    [(("main", "fill"), 4.0), (("main", "report", "Basket.total"), 2.0), (("main", "report"), 0.5), (("main", "check"), 1.0), (("main",), 2.5)],
    [(("main", "fill"), 1.5), (("main", "report", "Basket.total"), 5.0), (("main", "report"), 0.51), (("main", "Basket.best"), 2.0), (("main",), 2.5)],
]
FILES = {
    "/home/ada/shop/shop.py": file(AFTER, COSTS[1], 12.5),
    "/home/ada/shop/checks.py": file(CHECKS, {"assert len": {"s": 1.0, "wait_s": 3.0}}, 12.5),
}


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("comparison")
    before = profile(BEFORE, COSTS[0], stacks=STACKS[0])
    after = profile(AFTER, COSTS[1], 12.5, stacks=STACKS[1], files=FILES)
    return [written(folder, name, made) for name, made in (("before.json", before), ("after.json", after))]


def diff(*words):
    return subprocess.run([SCALENE, "diff", *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=showing.TIMEOUT_S, encoding="utf-8", check=True).stdout


@pytest.fixture(scope="module")
def truth(profiles):
    return json.loads(diff("--json", "--all", *profiles))


@pytest.fixture
def page(show, profiles, tmp_path):
    """page(place, ...): the file that `scalene diff --html` writes, open."""

    def open_page(place="", **options):
        diff("--html", "-o", str(tmp_path / "page.html"), *profiles)
        return show(None, place, file=tmp_path / "page.html", **options)

    return open_page


def duration(seconds):
    seconds = abs(seconds)
    return "%.2f s" % seconds if seconds >= 0.9995 else "%.0f ms" % (1000 * seconds) if seconds >= 0.00995 else "0 s" if seconds == 0 else "%.1f ms" % (1000 * seconds)


def change(one):
    return ("−" if one["change"] < 0 else "+") + duration(one["change"])


def expected(truth, table, key, verdicts=("certain",)):
    """(change, error, before, after, certainty, place) of each row as the page writes it, what changed most first."""
    rows = [(row, row["numbers"][key]) for row in truth[table] if row["numbers"][key]["verdict"] in verdicts]
    rows.sort(key=lambda row: -abs(row[1]["change"]))
    found = []
    for row, one in rows:
        spot = row.get("after") or row.get("before")
        place = "%s:%d" % (spot["file"], spot["line"]) if spot else row["stack"][-1][0]
        found.append((change(one), "± " + duration(one["error"]), duration(one["before"]), duration(one["after"]), one["verdict"], place))
    return found


ROWS = """rows => rows.map((row) => {
  const [change, , before, after, verdict, where] = [...row.querySelectorAll("td")].map((cell) => cell.textContent.trim());
  const [number, error] = [...row.querySelectorAll(".diff-change span")].map((one) => one.textContent);
  return [number, error, before, after, verdict, row.querySelector(".link").textContent];
})"""


def rows(shown):
    shown.page.locator(".diff-list tbody tr").first.wait_for()
    return [tuple(row) for row in shown.page.locator(".diff-list tbody tr").evaluate_all(ROWS)]


@pytest.mark.parametrize("title, table, key", [("Lines", "lines", "time_s"), ("Functions", "functions", "time_s"), ("Calls", "stacks", "total_s")])
def test_the_list_has_the_numbers_of_the_json(page, truth, title, table, key):
    shown = page()
    shown.page.get_by_role("radio", name=title).click()
    assert rows(shown) == expected(truth, table, key)
    shown.page.get_by_role("radio", name="All that was compared").click()
    all_rows = expected(truth, table, key, ("certain", "not certain", "not enough data"))
    assert len(all_rows) > len(expected(truth, table, key)) or table == "stacks"
    assert rows(shown) == all_rows


def test_lines_are_those_that_were_made(page):
    made = [(row[0], row[2], row[3], row[5]) for row in rows(page())]
    assert made == [
        ("+3.00 s", "2.00 s", "5.00 s", "shop.py:8"),
        ("−2.50 s", "4.00 s", "1.50 s", "shop.py:17"),
        ("+2.00 s", "0 s", "2.00 s", "shop.py:12"),
    ]


def test_the_whole_program_stands_above(page, truth):
    shown = page()
    (time,) = [row for row in shown.page.locator(".diff-whole tbody tr").all() if row.locator("th").inner_text() == "Time"]
    one = truth["numbers"]["time_s"]
    assert time.locator("td").all_inner_texts() == ["+2.50 s ± " + duration(one["error"]), "10.00 s", "12.50 s", "certain"]
    assert shown.page.title() == shown.page.locator("h1").get_attribute("title")


def test_other_numbers_can_be_chosen(page, truth):
    shown = page()
    shown.page.get_by_label("Number", exact=True).select_option(label="Waiting")
    ((number, _, before, after, verdict, place),) = rows(shown)
    assert (number, before, after, verdict, place) == ("+2.00 s", "1.00 s", "3.00 s", "certain", "checks.py:6")
    assert expected(truth, "lines", "wait_s") == rows(shown)


def test_headings_sort(page):
    shown = page()
    shown.page.get_by_role("button", name="after").click()
    assert [row[3] for row in rows(shown)] == ["5.00 s", "2.00 s", "1.50 s"]
    shown.page.get_by_role("button", name="after").click()
    assert [row[3] for row in rows(shown)] == ["1.50 s", "2.00 s", "5.00 s"]
    shown.page.get_by_role("button", name="place").click()
    assert [row[5] for row in rows(shown)] == ["shop.py:8", "shop.py:12", "shop.py:17"]


def chart(shown):
    found = shown.page.get_by_role("application")
    found.locator("canvas[data-drawn]").wait_for(state="attached")
    return found


# The colour of a frame: a pixel of its box, behind no text.
PIXEL = """(canvas, [x, y]) => {
  const ratio = devicePixelRatio;
  return [...canvas.getContext("2d").getImageData(x * ratio, y * ratio, 1, 1).data].slice(0, 3);
}"""
NAMED = """name => {
  const text = getComputedStyle(document.documentElement).getPropertyValue("--change-" + name).trim().slice(1);
  return [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16));
}"""


def test_frames_are_as_wide_and_as_coloured_as_they_have_changed(page):
    shown = page("#/calls", allowed=("willReadFrequently",))
    canvas = chart(shown).locator("canvas")

    def colours(width_s, *places):
        """Of frames by row and the second in which they are, a little before its end."""
        width = canvas.evaluate("canvas => canvas.clientWidth")
        return [canvas.evaluate(PIXEL, [(second - 0.1) / width_s * width, 20 * row + 4]) for row, second in places]

    for theme in ("light", "dark"):
        shown.wear(theme)
        named = {name: shown.page.evaluate(NAMED, name) for name in ("much-less", "less", "even", "more", "much-more")}
        # main; report 5.51 s, best 2 s, fill 1.5 s; in report total 5 s
        assert canvas.get_attribute("data-range") == "0.000000 11.510000"
        found = colours(11.51, (1, 11.5), (2, 5.5), (2, 7.5), (2, 9.0), (3, 5.0))
        assert found == [named["more"], named["much-more"], named["much-more"], named["much-less"], named["much-more"]]
    shown.page.get_by_role("button", name="As before").click()
    showing.settle(shown.page)
    assert canvas.get_attribute("data-range") == "0.000000 10.000000"
    assert colours(10.0, (2, 4.0), (2, 6.5), (2, 7.5)) == [named["much-less"], named["much-more"], named["much-less"]]
    assert shown.place() == ("calls", {"width": "before"})
    assert "1 call has no width, as only the version after has it" in shown.page.locator(".flame-notes").inner_text()


def test_a_frame_says_its_numbers_and_leads_to_its_sources(page, truth):
    shown = page("#/calls")
    chart(shown).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        shown.page.keyboard.press(key)
    heard = shown.page.locator(".chart-heard")
    shown.page.wait_for_function("() => document.querySelector('.chart-heard').textContent.startsWith('report')")
    (one,) = [row["numbers"]["total_s"] for row in truth["stacks"] if [name for _, name in row["stack"]] == ["main", "report"]]
    said = "before 2.50 s; after 5.51 s; change +3.01 s ± %s; certainty certain" % duration(one["error"])
    assert said in heard.inner_text()
    assert said.replace(";", " ·") in shown.page.locator(".frame-bar").inner_text()
    shown.page.keyboard.press("g")
    shown.page.locator('.sides tr[aria-current="true"]').wait_for()
    assert shown.page.locator('.sides tr[aria-current="true"]').get_attribute("data-after") == "20"


def test_a_call_of_the_list_is_chosen_in_the_chart(page):
    shown = page("#/changes?of=stacks")
    shown.page.locator(".diff-list tr", has_text="Basket.total").locator(".link").click()
    shown.page.locator(".frame-bar strong").wait_for()
    assert shown.page.locator(".frame-bar strong").inner_text() == "Basket.total"


PAIRS = """rows => rows.map((row) => [row.dataset.before, row.dataset.after].map((text) => (text === undefined ? null : Number(text))))"""


def pairs_of(shown):
    shown.page.locator(".sides-row").first.wait_for()
    return [tuple(pair) for pair in shown.page.locator(".sides-row").evaluate_all(PAIRS)]


def lines(source):
    return [""] + source.strip("\n").split("\n")


def test_sources_stand_side_by_side_as_they_were_matched(page):
    shown = page("#/sources")
    shown.page.get_by_role("button", name="4 equal lines").click()
    found = pairs_of(shown)
    before, after = lines(BEFORE), lines(AFTER)
    # all of both are there, in their order
    assert [one for one, _ in found if one] == list(range(1, len(before))) and [other for _, other in found if other] == list(range(1, len(after)))
    both = {(before[one], after[other]) for one, other in found if one and other}
    changed = ("        basket.prices.append(number ** 0.5)", "        basket.prices.append(math.sqrt(number))")
    assert {pair for pair in both if pair[0] != pair[1]} == {changed}
    alone = [before[one].strip() for one, other in found if one and not other and before[one]]
    assert alone == [line.strip() for line in lines(CHECKS)[4:]]
    assert [after[other].strip() for one, other in found if other and not one and after[other]] == ["def best(self):", "return max(self.prices)", "print(basket.best())"]
    row = shown.page.locator('.sides-row[data-after="8"]')
    assert row.locator("td").all_inner_texts()[:7:1] == ["8", "2.00 s", "            result += price * 1.2", "+3.00 s", "8", "5.00 s", "            result += price * 1.2"]
    assert shown.page.get_by_text('"</script><b>"').count() == 2
    assert "now checks.py:5" in shown.page.locator('.sides-row[data-before="22"]').inner_text()


def test_a_function_that_was_moved_stands_beside_what_it_was(page):
    shown = page("#/changes?metric=wait_s")
    shown.page.locator(".diff-list .link").click()
    shown.page.locator(".sides-row").first.wait_for()
    assert shown.page.get_by_label("File", exact=True).evaluate("one => one.selectedOptions[0].textContent") == "checks.py (new)"
    shown.page.get_by_label("Function", exact=True).select_option(label="check")
    shown.page.wait_for_function("() => document.querySelector('.sides-row')?.dataset.before !== undefined")
    assert pairs_of(shown) == [(21, 4), (22, 5), (23, 6)]
    assert "before: shop.py" in shown.page.locator(".sides thead").inner_text()
    assert shown.page.locator(".sides-row").last.locator(".sides-change").inner_text() == "+2.00 s"


def test_j_and_k_walk_what_has_changed(page):
    shown = page("#/sources")
    at = shown.page.locator(".sides-row.at")
    shown.page.locator(".sides-row").first.wait_for()
    seen = []
    for key in "jjk":
        shown.page.keyboard.press(key)
        seen.append(at.get_attribute("data-after"))
    assert seen == ["8", seen[1], "8"] and seen[1] not in ("8", None)


def test_narrow_windows_have_one_version_below_the_other(page):
    shown = page("#/sources?fn=fill", width=400, height=800)
    assert pairs_of(shown) == [(12, 15), (13, 16), (14, 17), (14, 17)]
    texts = [text.replace("\n", "") for text in shown.page.locator(".sides-code").all_inner_texts()]
    assert texts[2:] == ["changed:−        basket.prices.append(number ** 0.5)", "changed:+        basket.prices.append(math.sqrt(number))"]
    assert shown.page.locator(".sides-change").all_inner_texts() == ["", "", "", "−2.50 s"]


def test_the_server_shows_the_same(show, profiles, truth):
    shown = show(profiles[1], verb=("diff", "--view"), words=(profiles[0],))
    assert rows(shown) == expected(truth, "lines", "time_s")
    shown.page.keyboard.press("3")
    assert len(pairs_of(shown)) > 20
    shown.page.keyboard.press("2")
    chart(shown)


def test_numbers_open_views_and_the_help_says_so(page):
    shown = page()
    tabs = shown.page.get_by_role("tab").all_inner_texts()
    assert tabs == ["Changes", "Flame", "Sources"]
    for key in "321":
        shown.page.keyboard.press(key)
        assert shown.page.locator('[role="tab"][aria-selected="true"]').inner_text() == tabs[int(key) - 1]
    shown.page.keyboard.press("?")
    assert "next and previous line that has changed" in shown.page.get_by_role("dialog").inner_text()


PLACES = ("changes", "changes?of=stacks&all=1", "calls", "sources", "sources?fn=fill")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_leaves_the_window_and_no_rule_is_broken(page, theme):
    shown = page(theme=theme)
    for place in PLACES:
        shown.goto("#/" + place)
        for width in (400, 1280, 1920):
            shown.resize(width, 900)
            assert shown.overflow() == [], (place, width)
            if width < 1920:
                assert breaches(shown) == [], (place, width)
