# tests/page/test_timeline.py - the timeline: threads over time, a span that all views follow, zoom, keys.
#
# SPDX-License-Identifier: Apache-2.0
"""The view of what ran when."""

import json
import re
import subprocess

import pytest
import showing


def chart(shown):
    found = shown.page.get_by_role("application")
    found.locator("canvas[data-range]").wait_for(state="attached")
    return found


def sight(shown):
    """The seconds that are in sight, when the chart stands still."""
    canvas = shown.page.locator("canvas")
    shown.page.wait_for_timeout(300)
    before, now = None, canvas.get_attribute("data-range")
    while before != now:  # a slow machine still moves it
        shown.page.wait_for_timeout(200)
        shown.page.evaluate(showing.DRAWN)
        before, now = now, canvas.get_attribute("data-range")
    return [float(part) for part in now.split()]


def place_when_still(shown):
    """The words of the address once a span is in it that does not change any more: it follows the keys a little later."""
    shown.page.wait_for_function("() => location.hash.includes('from=')")
    before, now = None, shown.place()[1]
    while before != now:
        shown.page.wait_for_timeout(300)
        before, now = now, shown.place()[1]
    return now


def test_threads_and_run_are_there(show, made_profile):
    shown = show(made_profile, "#/timeline", theme="dark")
    label = chart(shown).get_attribute("aria-label")
    assert "Timeline of" in label and "thread" in label
    names = shown.page.locator(".timeline-threads select").locator("option").all_inner_texts()
    assert "MainThread" in names and "grower" in names
    assert int(shown.page.locator("canvas").get_attribute("data-drawn")) > 10


def test_dragging_selects_a_span_that_views_follow(show, made_profile):
    shown = show(made_profile, "#/timeline")
    box = chart(shown).bounding_box()
    first, last = sight(shown)
    left, right = box["x"] + 400, box["x"] + 700
    shown.page.mouse.move(left, box["y"] + 60)
    shown.page.mouse.down()
    shown.page.mouse.move(right, box["y"] + 60, steps=5)
    shown.page.mouse.up()
    shown.page.wait_for_function("() => location.hash.includes('from=')")
    _, words = shown.place()
    wide = (float(words["to"]) - float(words["from"])) / (last - first)
    assert wide == pytest.approx(300 / (box["width"] - 150), rel=0.02)
    shown.page.get_by_role("button", name="Flame chart of span").click()
    shown.page.wait_for_function("() => location.hash.startsWith('#/flame')")
    shown.page.get_by_role("application", name=re.compile("Flame chart")).wait_for()
    view, again = shown.place()
    assert view == "flame" and again["from"] == words["from"] and again["to"] == words["to"]
    shown.goto("#/timeline?" + "&".join("%s=%s" % word for word in words.items()))
    chart(shown)
    shown.page.get_by_role("button", name="Clear span").click()
    shown.page.wait_for_function("() => !location.hash.includes('from=')")


def test_wheel_zooms_and_escape_shows_all(show, made_profile):
    shown = show(made_profile, "#/timeline")
    box = chart(shown).bounding_box()
    whole = sight(shown)
    x = box["x"] + box["width"] / 2
    shown.page.mouse.move(x, box["y"] + 30)
    for _ in range(6):
        shown.page.mouse.wheel(0, -200)
    near = sight(shown)
    assert near[1] - near[0] < (whole[1] - whole[0]) / 3
    shown.page.keyboard.down("Shift")
    shown.page.mouse.wheel(200, 0)
    shown.page.keyboard.up("Shift")
    moved = sight(shown)
    assert moved[0] > near[0] and moved[1] - moved[0] == pytest.approx(near[1] - near[0], rel=1e-3)
    chart(shown).focus()
    shown.page.keyboard.press("Escape")
    assert sight(shown) == whole


def test_finer_runs_come_when_zoomed(show, made_profile):
    shown = show(made_profile, "#/timeline")
    chart(shown).focus()
    answers = []
    shown.page.on("response", lambda response: "api/timeline?from_s=" in response.url and answers.append(response))
    for _ in range(9):
        shown.page.keyboard.press("+")
    from_s, to_s = sight(shown)
    showing.settle(shown.page)
    near = answers[-1].json()
    assert near["from_s"] <= from_s + 1e-3 and near["to_s"] >= to_s - 1e-3


def test_keys_read_moments_and_select(show, made_profile):
    shown = show(made_profile, "#/timeline")
    chart(shown).focus()
    shown.page.keyboard.press("ArrowLeft")
    said = shown.page.locator(".chart-heard")
    shown.page.wait_for_function("() => document.querySelector('.chart-heard').textContent.includes('footprint')")
    steps = 1
    while "MainThread in" not in said.inner_text():  # nothing was seen just then: further on
        before = said.inner_text()
        steps += 1
        assert steps < 40, before
        shown.page.keyboard.press("ArrowLeft")
        shown.page.wait_for_function("before => document.querySelector('.chart-heard').textContent !== before", arg=before)
    moment = float(re.match(r"([\d.]+) s:", said.inner_text()).group(1))
    first, last = sight(shown)
    assert moment == pytest.approx(first + (0.5 - steps / 100) * (last - first), abs=0.02)
    for _ in range(10):
        shown.page.keyboard.press("Shift+ArrowRight")
    words = place_when_still(shown)
    assert float(words["to"]) - float(words["from"]) == pytest.approx((last - first) / 10, rel=0.05)
    shown.page.keyboard.press("Enter")
    assert sight(shown) == pytest.approx([float(words["from"]), float(words["to"])], abs=1e-3)
    shown.page.keyboard.press("Escape")
    assert sight(shown) == [first, last]
    shown.page.keyboard.press("Escape")
    shown.page.wait_for_function("() => !location.hash.includes('from=')")


def test_one_thread_alone(show, made_profile):
    shown = show(made_profile, "#/timeline")
    chart(shown)
    shown.page.locator(".timeline-threads select").select_option(label="grower")
    shown.page.wait_for_function("() => location.hash.includes('thread=')")
    chart(shown).focus()
    shown.page.keyboard.press("Home")
    shown.page.keyboard.press("ArrowLeft")
    shown.page.wait_for_function("() => document.querySelector('.chart-heard').textContent.includes('footprint')")
    assert "MainThread" not in shown.page.locator(".chart-heard").inner_text()
    shown.goto(shown.page.evaluate("location.hash").replace("timeline", "flame"))
    shown.page.get_by_role("application", name=re.compile("Flame chart")).wait_for()
    shown.page.get_by_role("button", name=re.compile("One thread")).click()
    shown.page.wait_for_function("() => !location.hash.includes('thread=')")


def test_pointer_shows_frame_thread_and_time(show, made_profile):
    shown = show(made_profile, "#/timeline")
    box = chart(shown).bounding_box()
    tip = shown.page.locator(".chart-box")
    shown.page.mouse.move(box["x"] + 500, box["y"] + 40)
    tip.get_by_text("Footprint").wait_for()
    found = ""
    spots = [(x, y) for x in range(300, 700, 15) for y in range(90, int(box["height"]), 10)]
    for x, y in spots:
        shown.page.mouse.move(box["x"] + x, box["y"] + y)
        shown.page.wait_for_timeout(30)
        if tip.count() and re.search("MainThread.*Python", tip.inner_text(), re.DOTALL):
            found = tip.inner_text()
            break
    assert re.search(r"when\s+[\d.]+ s to [\d.]+ s", found), found
    shown.page.mouse.click(box["x"] + x, box["y"] + y)
    shown.page.get_by_role("button", name=re.compile("Go to .*, line")).click()
    shown.page.locator(".row.chosen").wait_for()


def test_a_profile_without_a_timeline_says_so(show, data):
    page = show(data / "cpu.json", "#/timeline").page
    page.get_by_text("no timeline").wait_for()


def test_a_file_without_a_server_has_stacks_and_timeline(show, made_profile, tmp_path):
    subprocess.run(
        [showing.SCALENE, "view", "--standalone", str(made_profile)], cwd=tmp_path, stdin=subprocess.DEVNULL, timeout=showing.TIMEOUT_S, check=True
    )
    shown = show(None, "#/timeline", file=tmp_path / "scalene-profile.html")
    chart(shown).focus()
    begin, end = sight(shown)
    for _ in range(8):
        shown.page.keyboard.press("+")
    first, last = sight(shown)
    assert last - first < (end - begin) / 8
    shown.page.wait_for_timeout(400)  # nothing that the file has not got is asked for: that would be an error
    shown.goto("#/flame?from=0.5&to=0.9")
    shown.page.get_by_role("application", name=re.compile("Flame chart of time")).wait_for()
    shown.page.get_by_text("this file has the numbers of").wait_for()
    for name in ("Lines", "Allocated", "At the peak", "At the end"):
        shown.page.get_by_role("button", name=name, exact=True).click()
        showing.settle(shown.page)
        assert shown.page.get_by_role("alert").count() == 0


def busy_profile(data, folder):
    """A profile of 100 s whose one thread changes its stack every 5 ms."""
    profile = json.loads((data / "full.json").read_text())
    name = next(iter(profile["files"]))

    def frame(title, line):
        return {"kind": "py", "display_name": title, "filename_or_module": name, "line": line, "ip": None, "offset": None}

    profile["elapsed_time_sec"] = 100.0
    profile["combined_stacks"] = [[[frame("main", 18), frame("step%d" % number, 11)], 1] for number in range(7)]
    profile["combined_stacks_timeline"] = [
        {"t_sec": number * 0.005, "stack_index": number * 3 % 7, "count": 1, "thread_id": 0} for number in range(20000)
    ]
    path = folder / "busy.json"
    path.write_text(json.dumps(profile))
    return path


def test_a_file_without_a_server_shows_more_when_one_looks_closer(show, data, tmp_path):
    subprocess.run(
        [showing.SCALENE, "view", "--standalone", str(busy_profile(data, tmp_path))], cwd=tmp_path, stdin=subprocess.DEVNULL,
        timeout=showing.TIMEOUT_S, check=True,
    )
    assert (tmp_path / "scalene-profile.html").stat().st_size < 4_000_000
    shown = show(None, "#/timeline", file=tmp_path / "scalene-profile.html")
    chart(shown).focus()
    first, last = sight(shown)
    while last - first > 1.5:
        shown.page.keyboard.press("+")
        first, last = sight(shown)
    # One box for each run, and one for main that goes on; without finer parts it is one for every 50 ms.
    shown.page.wait_for_function("least => Number(document.querySelector('canvas').dataset.drawn) > least", arg=0.8 * (last - first) / 0.005)
