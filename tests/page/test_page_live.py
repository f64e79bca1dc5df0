# tests/page/test_page_live.py - a page whose profile is replaced: the place is kept, it can be paused, and troubles are said.
#
# SPDX-License-Identifier: Apache-2.0
"""The page of `scalene view --follow`."""

import copy
import json
import os
import time
import urllib.request

import pytest
import showing
from test_flame import ZOOMED, chart, heard, wait_heard

TOP_LINE = """() => {
  const edge = document.querySelector(".lines .scroller").getBoundingClientRect().top + 40;
  const row = [...document.querySelectorAll(".row[data-line]")].find((one) => one.getBoundingClientRect().top >= edge);
  const name = row.closest(".section").ariaLabel;
  return [name, row.dataset.line, Math.round(row.getBoundingClientRect().top - edge)];
}"""
FOCUS = "() => document.activeElement.getAttribute('role') ?? document.activeElement.tagName"


AHEAD_S = 1000.0


class Growing:
    """A profile that is written anew: each time it is longer, and from the second on it has another first file and a stack before all others."""

    def __init__(self, path, profile):
        self.path = path
        self.profile = json.loads(profile.read_text())
        self.number = 0
        self.write()

    def write(self):
        self.number += 1
        profile = copy.deepcopy(self.profile)
        profile["elapsed_time_sec"] = 10.0 + self.number
        if self.number > 1:
            name, file = next((name, file) for name, file in profile["files"].items() if name.endswith("prices.py"))
            first = copy.deepcopy(file)
            first["percent_cpu_time"] *= 3
            for line in first["lines"]:
                line["n_cpu_percent_python"] *= 3
            for function in first["functions"]:
                function["n_peak_mb"] = 1000.0
            one, other = file["lines"][:2]
            for key in ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent"):
                one[key], other[key] = other[key], one[key]
            profile["files"][name.replace("prices.py", "before.py")] = first
            own = profile["scalene_c"]
            own["call_frames"].append({**own["call_frames"][0], "display_name": "ahead"})
            own["call_tree"].append([0, len(own["call_frames"]) - 1, AHEAD_S, 0.0])
            for key in ("call_at_peak_mb", "call_at_exit_mb", "call_waiting_s"):
                own[key].append(0.0)
        self.replace(json.dumps(profile))

    def replace(self, text):
        beside = self.path.with_suffix(".new")
        beside.write_text(text)
        os.replace(beside, self.path)


def sign(shown):
    return shown.page.locator(".live-sign").inner_text().split("\n")[0].strip()


def wait_sign(shown, growing):
    shown.page.wait_for_function(
        "number => document.querySelector('.live-sign').innerText.includes(number)", arg=", %d s" % (10 + growing.number)
    )
    showing.settle(shown.page, rest_ms=50)


@pytest.fixture
def growing(tmp_path, made_profile):
    return Growing(tmp_path / "growing.json", made_profile)


@pytest.fixture
def follow(show, growing):
    def open_page(place="", **options):
        shown = show(growing.path, place, words=("--follow",), **options)
        shown.page.locator(".live-sign").wait_for()
        return shown

    return open_page


def renew(shown, growing):
    growing.write()
    wait_sign(shown, growing)
    assert "before.py" in shown.page.locator("#side").inner_text()


def test_a_newer_profile_is_shown_by_itself(follow, growing):
    shown = follow()
    wait_sign(shown, growing)
    assert sign(shown) == "live, 11 s"
    assert "before.py" not in shown.page.locator("#side").inner_text()
    renew(shown, growing)
    renew(shown, growing)
    assert sign(shown) == "live, 13 s"


def test_a_page_that_is_not_followed_has_no_sign(show, made_profile):
    shown = show(made_profile)
    assert shown.page.locator(".live-sign").count() == 0


def test_lines_in_sight_stay_with_their_cursor_and_focus(follow, growing):
    shown = follow("#/lines?file=shop.py&line=20&mode=all", height=420)
    grid = shown.page.get_by_role("grid")
    shown.page.locator('.row.chosen[data-line="20"]').wait_for()
    grid.focus()
    for _ in range(3):
        shown.page.keyboard.press("ArrowDown")
    grid.evaluate("one => { one.scrollTop += 7; }")
    showing.settle(shown.page)
    place = shown.place()
    before = shown.page.evaluate(TOP_LINE)
    assert before[0] == "shop.py"
    assert shown.page.locator(".row.cursor").get_attribute("data-line") == "23"
    tops = grid.evaluate("one => one.scrollTop")
    renew(shown, growing)
    assert shown.page.evaluate(TOP_LINE) == before
    assert grid.evaluate("one => one.scrollTop") > tops  # another file stands above now
    assert shown.place() == place
    assert shown.page.locator(".row.cursor").get_attribute("data-line") == "23"
    assert shown.page.locator(".row.chosen").get_attribute("data-line") == "20"
    assert shown.page.evaluate(FOCUS) == "grid"
    shown.page.keyboard.press("ArrowDown")
    shown.page.locator('.row.cursor[data-line="24"]').wait_for()


def test_files_that_are_open_stay_open(follow, growing):
    shown = follow("#/lines?file=shop.py")
    opened = "() => [...document.querySelectorAll('.section')].filter(one => one.querySelector('.row[data-line]')).map(one => one.ariaLabel)"
    shown.page.get_by_role("button", name="shop.py").first.wait_for()
    showing.settle(shown.page)
    assert shown.page.evaluate(opened) == ["shop.py"]
    renew(shown, growing)
    assert shown.page.evaluate(opened) == ["shop.py"]


def test_the_box_of_a_number_stays_with_its_line(follow, growing):
    shown = follow("#/lines?file=prices.py&line=10")
    shown.page.locator('.row.chosen[data-line="10"]').wait_for()
    shown.page.get_by_role("grid").focus()
    shown.page.keyboard.press("Enter")
    box = shown.page.locator("#cost-box h3")
    box.wait_for()
    assert box.inner_text() == "prices.py:10"
    renew(shown, growing)
    assert box.inner_text() == "prices.py:10"


def test_the_order_and_the_cursor_of_functions_stay(follow, growing):
    shown = follow("#/functions?sort=memory_peak")
    grid = shown.page.get_by_role("grid")
    grid.focus()
    shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("ArrowDown")
    row = shown.page.locator(".cursor")
    before = row.inner_text().split("\n")[-2:]
    place = shown.place()
    renew(shown, growing)
    assert row.inner_text().split("\n")[-2:] == before
    assert shown.place() == place
    assert shown.page.evaluate(FOCUS) == "grid"


def test_the_frame_and_the_zoom_of_a_flame_chart_stay(follow, growing):
    shown = follow("#/flame")
    chart(shown).focus()
    for row in (1, 2, 3):
        shown.page.keyboard.press("ArrowDown")
        wait_heard(shown, "row %d" % row)
    shown.page.keyboard.press("ArrowDown")
    frame = wait_heard(shown, "row 4").split(",")[0]
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_function(ZOOMED)
    showing.settle(shown.page)
    seen = shown.page.locator("canvas").get_attribute("data-range")
    renew(shown, growing)
    assert heard(shown).split(",")[0] == frame
    now = shown.page.locator("canvas").get_attribute("data-range")
    assert [float(edge) for edge in now.split()] == [pytest.approx(float(edge) + AHEAD_S, abs=1e-5) for edge in seen.split()]
    assert shown.page.evaluate(FOCUS) == "application"
    shown.page.keyboard.press("ArrowUp")
    wait_heard(shown, "row 3")


def test_a_span_and_a_zoom_of_the_timeline_stay(follow, growing):
    shown = follow("#/timeline?from=0.2&to=0.5")
    chart(shown).focus()
    shown.page.keyboard.press("Enter")
    zoomed = "() => document.querySelector('canvas').dataset.range.startsWith('0.2')"
    shown.page.wait_for_function(zoomed)
    showing.settle(shown.page)
    seen = shown.page.locator("canvas").get_attribute("data-range")
    place = shown.place()
    renew(shown, growing)
    assert "Timeline of 12" in chart(shown).get_attribute("aria-label")
    assert shown.page.locator("canvas").get_attribute("data-range") == seen
    assert shown.place() == place
    assert shown.page.evaluate(FOCUS) == "application"
    shown.page.keyboard.press("Escape")
    shown.page.wait_for_function("() => document.querySelector('canvas').dataset.range === '0.000000 12.000000'")
    renew(shown, growing)
    shown.page.wait_for_function("() => document.querySelector('canvas').dataset.range === '0.000000 13.000000'")


def test_the_side_bar_over_a_narrow_view_stays_open(follow, growing):
    shown = follow("#/lines", width=700)
    shown.page.keyboard.press("b")
    bar = shown.page.get_by_role("navigation", name="Files and hot places")
    bar.wait_for()
    renew(shown, growing)
    assert bar.is_visible()
    bar.get_by_role("button", name="prices.py").first.click()
    bar.wait_for(state="hidden")


@pytest.mark.parametrize("index", (0, 1))
def test_focus_in_a_list_stays_when_its_order_changes(follow, growing, index):
    shown = follow()
    shown.page.evaluate("delete Element.prototype.moveBefore")  # as in browsers in which an element that is moved loses the focus
    button = shown.page.locator(".hot").nth(index)
    text = button.locator(".hot-place").inner_text()
    assert text.startswith("prices.py")
    button.focus()
    renew(shown, growing)
    assert shown.page.evaluate("document.activeElement.querySelector('.hot-place')?.innerText") == text


def test_a_paused_page_stays_and_can_be_used(follow, growing):
    shown = follow("#/lines?file=prices.py")
    shown.page.get_by_role("button", name="Pause").click()
    shown.page.get_by_role("button", name="Resume").wait_for()
    assert sign(shown) == "paused, 11 s"
    growing.write()
    shown.goto("#/functions")
    shown.page.get_by_role("grid").wait_for()
    shown.goto("#/flame")
    chart(shown)
    assert sign(shown) == "paused, 11 s"
    assert "before.py" not in shown.page.locator("#side").inner_text()
    shown.page.get_by_role("button", name="Resume").click()
    wait_sign(shown, growing)
    assert sign(shown) == "live, 12 s"


def test_a_page_behind_a_slow_connection_follows(follow, growing):
    """Its answers take longer than the program needs for the next profile."""
    shown = follow("#/functions")
    wait_sign(shown, growing)
    slow = []

    def version():
        with urllib.request.urlopen(shown.address + "api/alive", b"another page", timeout=showing.TIMEOUT_S) as answer:
            return json.load(answer)["version"]

    def answer_late(route):
        before = version()
        slow.append(before)
        growing.write()
        deadline = time.monotonic() + 2
        while version() == before and len(slow) < 6 and time.monotonic() < deadline:
            time.sleep(0.05)
        route.continue_()

    shown.page.route("**/api/functions*", answer_late)
    growing.write()
    shown.page.wait_for_function("() => !document.querySelector('.live-sign').innerText.includes(', 11 s')")
    assert len(slow) < 6
    shown.page.unroute("**/api/functions*")
    growing.write()
    wait_sign(shown, growing)


def test_a_broken_profile_is_said_and_the_last_one_stays(follow, growing):
    shown = follow()
    growing.replace('{"files": ')
    alert = shown.page.get_by_role("alert")
    alert.wait_for()
    assert "What is on the page stays" in alert.inner_text()
    assert sign(shown) == "live, 11 s"
    shown.goto("#/lines")
    shown.page.locator(".row .source").first.wait_for()
    growing.write()
    wait_sign(shown, growing)
    alert.wait_for(state="detached")


@pytest.mark.parametrize("question", ("overview", "functions"))
def test_a_question_that_was_cut_off_is_asked_again(follow, growing, question):
    shown = follow("#/lines", allowed=("ERR_FAILED", "Failed to load resource"))
    shown.page.route("**/api/%s*" % question, lambda route: route.abort())
    shown.page.evaluate("location.hash = '#/functions'")
    shown.page.reload()
    message = shown.page.get_by_text("The profiler does not answer")
    message.wait_for()
    shown.page.unroute("**/api/%s*" % question)
    message.wait_for(state="detached")
    shown.page.get_by_role("grid").wait_for()


def test_another_page_shows_the_profile_that_one_has_opened(show, made_profile, data):
    shown = show(made_profile)
    other = shown.context.new_page()
    other.goto(shown.address)
    other.get_by_label("Profile to open").set_input_files(data / "full.json")
    other.wait_for_function("() => document.querySelector('.program').innerText.includes('rows.py')")
    shown.goto("#/functions")
    shown.page.wait_for_function("() => document.querySelector('.program').innerText.includes('rows.py')")
    other.close()


def test_the_sign_says_how_the_program_ended(show, made_profile):
    shown = show(made_profile)
    live = {"is_growing": False, "is_paused": False, "ending": "ended with status 3", "trouble": None}
    shown.page.route("**/api/alive", lambda route: route.fulfill(json={"version": 1, "live": live}))
    shown.page.reload()
    shown.page.locator(".live-sign").wait_for()
    assert sign(shown) == "ended with status 3"
    assert shown.page.locator(".live-sign button").count() == 0


def test_what_is_known_stays_when_the_server_has_ended(show, made_profile):
    shown = show(made_profile, allowed=("ERR_FAILED", "Failed to load resource"))
    live = {"is_growing": True, "is_paused": False, "ending": "ended with status 3", "trouble": None}
    answers = iter([lambda route: route.fulfill(json={"version": 1, "live": live})])
    shown.page.route("**/api/alive", lambda route: next(answers, lambda one: one.abort())(route))
    shown.page.reload()
    told = shown.page.get_by_role("alert").get_by_text("scalene live has ended")
    told.wait_for()
    assert "The program: ended with status 3. scalene live has ended, too: what is on the page stays" in told.inner_text()
    assert sign(shown) == "ended with status 3"
    assert shown.page.locator(".live-sign button").count() == 0
    assert shown.page.get_by_role("heading", name="Where does the time go?").is_visible()
