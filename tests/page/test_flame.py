# tests/page/test_flame.py - the flame chart: numbers of the profile, by pointer, by keys, for a span, as text.
#
# SPDX-License-Identifier: Apache-2.0
"""The view of stacks. What is drawn is checked by what is said of it: the box, the bar, the text for readers."""

import json
import re
import time

import calls
import pytest
import showing


ZOOMED = "() => !document.querySelector('.chart-tools > button').disabled"
OTHER_LABEL = "old => document.querySelector('[role=application]').ariaLabel !== old"
WHOLE = "() => document.querySelector('.chart-tools > button').disabled"


def total_of(profile, name):
    """Seconds of stacks with the function anywhere, and of all of them."""
    stacks = calls.stacks(json.loads(profile.read_text()))
    has = [seconds for frames, seconds in stacks if any(frame["display_name"] == name for frame in frames)]
    return sum(has), sum(seconds for _, seconds in stacks)


def chart(shown):
    found = shown.page.get_by_role("application")
    found.locator("canvas[data-drawn]").wait_for(state="attached")
    return found


def heard(shown):
    return shown.page.locator(".chart-heard").inner_text()


def wait_heard(shown, word):
    shown.page.wait_for_function("word => document.querySelector('.chart-heard')?.textContent.includes(word)", arg=word)
    return heard(shown)


def seconds(text):
    number, unit = re.match(r"([\d.]+) (ms|s)$", text).groups()
    return float(number) / (1000 if unit == "ms" else 1)


def pixels(shown):
    """A digest of what the canvas shows."""
    showing.settle(shown.page)
    return shown.page.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")


def other_pixels(shown, before):
    """The next digest that is another: a change is drawn when the answer has come and the browser has time."""
    end = time.monotonic() + showing.TIMEOUT_S
    now = pixels(shown)
    while now == before and time.monotonic() < end:
        now = pixels(shown)
    assert now != before
    return now


def chart_has_the_frames_of_the_profile(shown, made_profile):
    label = chart(shown).get_attribute("aria-label")
    _, whole = total_of(made_profile, "main")
    assert "Flame chart of time" in label
    assert seconds(re.search(r"frames, (\S+ m?s) in all", label).group(1)) == pytest.approx(whole, rel=0.02)
    assert int(shown.page.locator("canvas").get_attribute("data-drawn")) > 5


def keys_go_from_frame_to_frame(shown, made_profile):
    chart(shown).focus()
    shown.page.keyboard.press("ArrowDown")
    assert wait_heard(shown, "row 1").startswith("all:")
    shown.page.keyboard.press("ArrowDown")
    assert wait_heard(shown, "row 2").startswith("<module>, Python")
    shown.page.keyboard.press("ArrowDown")
    text = wait_heard(shown, "row 3")
    assert text.startswith("main, Python")
    mine, whole = total_of(made_profile, "main")
    share, amount = re.search(r"total (\d+)%, (\S+ m?s); self", text).groups()
    assert seconds(amount) == pytest.approx(mine, rel=0.02)
    assert int(share) == pytest.approx(100 * mine / whole, abs=1)
    shown.page.keyboard.press("ArrowUp")
    wait_heard(shown, "<module>")
    box = shown.page.locator(".chart-box")
    assert "<module>" in box.inner_text() and "total" in box.inner_text()


def enter_zooms_and_escape_shows_all(shown, _):
    chart(shown).focus()
    before = pixels(shown)
    reset = shown.page.get_by_role("button", name="Reset zoom")
    assert reset.is_disabled()
    for _ in range(3):
        shown.page.keyboard.press("ArrowDown")
    shown.page.keyboard.press("ArrowRight")
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_function(ZOOMED)
    near = other_pixels(shown, before)
    shown.page.keyboard.press("Escape")
    shown.page.wait_for_function(WHOLE)
    shown.page.keyboard.press("Escape")
    shown.page.wait_for_function("() => !location.hash.includes('fn=')")
    assert heard(shown) == ""
    assert other_pixels(shown, near) == before


def pointer_shows_the_box_and_a_click_zooms(shown, _):
    box = chart(shown).bounding_box()
    shown.page.mouse.move(box["x"] + 60, box["y"] + 50)
    tip = shown.page.locator(".chart-box")
    tip.wait_for()
    name = tip.locator("strong").inner_text()
    assert "self" in tip.inner_text() and tip.locator(".chart-path").count() == 1
    shown.page.mouse.click(box["x"] + 60, box["y"] + 50)
    assert shown.page.locator(".frame-bar strong").inner_text() == name
    assert wait_heard(shown, name).startswith(name)


def test_wheel_zooms_at_the_pointer(show, made_profile):
    shown = show(made_profile, "#/flame")
    box = chart(shown).bounding_box()
    before = pixels(shown)
    shown.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    shown.page.keyboard.down("Control")
    shown.page.mouse.wheel(0, -100)  # little: frames that begin or end are still in sight
    shown.page.keyboard.up("Control")
    shown.page.wait_for_function(ZOOMED)
    near = other_pixels(shown, before)
    shown.page.mouse.down()
    shown.page.mouse.move(box["x"] + 10, box["y"] + 30, steps=4)
    shown.page.mouse.up()
    other_pixels(shown, near)
    assert shown.page.locator(".frame-bar strong").count() == 0  # moving is no click
    shown.page.get_by_role("button", name="Reset zoom").click()
    shown.page.wait_for_function(WHOLE)


def test_bottom_up_shows_self_times_with_callers(show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    before = pixels(shown)
    shown.page.get_by_role("button", name="Bottom up").click()
    shown.page.get_by_role("application", name=re.compile("Bottom-up flame chart of time")).wait_for()
    other_pixels(shown, before)
    assert shown.page.get_by_role("button", name="By time").count() == 0
    chart(shown).focus()
    for _ in range(3):
        shown.page.keyboard.press("ArrowDown")
    assert re.match(r"main, .*: self of \S+, called from here \d+%", wait_heard(shown, "row 3"))
    shown.page.keyboard.press("ArrowUp")
    said = wait_heard(shown, "row 2")
    stacks = calls.stacks(json.loads(made_profile.read_text()))
    own = sum(seconds for frames, seconds in stacks if frames and frames[-1]["display_name"] == "total")
    assert said.startswith("total, Python")
    assert float(re.search(r"self (\d+)%", said).group(1)) == pytest.approx(100 * own / sum(one for _, one in stacks), abs=1)
    shown.page.reload()  # the choice is kept
    shown.page.get_by_role("application", name=re.compile("Bottom-up flame chart of time")).wait_for()


def search_shows_how_much_it_found(shown, made_profile):
    chart(shown)
    field = shown.page.get_by_label("Find frames by name or file")
    field.fill("total")
    mine, whole = total_of(made_profile, "total")
    said = shown.page.locator(".chart-found")
    said.get_by_text("%").wait_for()
    assert float(re.search(r"([\d.]+)%", said.inner_text()).group(1)) == pytest.approx(100 * mine / whole, abs=1)
    field.press("Enter")
    assert wait_heard(shown, "total").startswith("total, Python")
    field.fill("no such frame")
    said.get_by_text("no match").wait_for()
    field.press("Escape")
    assert field.input_value() == ""


def callers_and_callees(shown, made_profile):
    chart(shown)
    field = shown.page.get_by_label("Find frames by name or file")
    field.fill("total")
    field.press("Enter")
    shown.page.get_by_role("button", name="Callers and callees").click()
    region = shown.page.get_by_role("region", name="Callers and callees of total")
    mine, _ = total_of(made_profile, "total")
    head = region.locator(".around-head").inner_text()
    assert seconds(re.search(r"total \d+%, (\S+ m?s)", head).group(1)) == pytest.approx(mine, rel=0.02)
    callers = region.get_by_role("application").first
    callers.focus()
    for _ in range(3):
        shown.page.keyboard.press("ArrowDown")
    said = region.locator(".chart-heard").first
    said.get_by_text("row 3").wait_for()
    assert said.inner_text().startswith("<module>")  # above main, which is above it
    region.get_by_role("button", name="Back to the chart").click()
    assert region.count() == 0


def a_frame_leads_to_its_line(shown, _):
    chart(shown)
    field = shown.page.get_by_label("Find frames by name or file")
    field.fill("total")
    field.press("Enter")
    button = shown.page.get_by_role("button", name=re.compile("Go to line"))
    line = button.inner_text().split()[-1]
    button.click()
    shown.page.locator(".row.chosen").wait_for()
    view, words = shown.place()
    assert view == "lines" and words["file"] == "prices.py" and words["line"] == line


def test_memory_has_its_own_chart(show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    shown.page.get_by_role("button", name="Allocated", exact=True).click()
    shown.page.get_by_role("application", name=re.compile("allocated memory")).wait_for()
    data = json.loads(made_profile.read_text())
    whole = sum(mb for _, _, mb in calls.nodes(data))
    label = chart(shown).get_attribute("aria-label")
    number, unit = re.search(r"frames, ([\d.]+) (MB|GB)", label).groups()
    assert float(number) * {"MB": 1, "GB": 1024}[unit] == pytest.approx(whole, rel=0.01)
    assert shown.page.get_by_role("button", name="By time").count() == 0


def test_memory_at_the_peak_and_at_the_end_have_charts(show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    for title, key, name in (("At the peak", "call_at_peak_mb", "peak"), ("At the end", "call_at_exit_mb", "end")):
        chart_is_of(shown, made_profile, title, key, name)


def test_memory_at_a_moment_has_a_chart(show, made_profile, tmp_path):
    """What is shown is the last moment that is known before the chosen one."""
    profile = json.loads(made_profile.read_text())
    calls_of = len(profile["scalene_c"]["call_tree"])
    profile["scalene_c"].update(call_moments_s=[0.1, 0.5, 0.9], call_moments=[[0, 1, 2.0], [1, calls_of, 40.0], [2, 1, 8.0]])
    path = tmp_path / "moments.json"
    path.write_text(json.dumps(profile))
    shown = show(path, "#/memory?at=0.7")
    shown.page.get_by_role("button", name="by stack").click()
    shown.page.get_by_role("button", name="At 500 ms", exact=True).wait_for()
    assert "frames, 40.0 MB" in chart(shown).get_attribute("aria-label").replace("frame,", "frames,")
    assert "last such moment" in shown.page.locator(".flame-view").inner_text()
    assert show(path, "#/flame").page.get_by_role("button", name="At 500 ms").count() == 0


def chart_is_of(shown, made_profile, title, key, name):
    whole = sum(json.loads(made_profile.read_text())["scalene_c"][key])
    shown.page.get_by_role("button", name=title, exact=True).click()
    shown.page.get_by_role("application", name=re.compile("memory in use at the " + name)).wait_for()
    number, unit = re.search(r"frames?, ([\d.]+) (KB|MB|GB)", chart(shown).get_attribute("aria-label")).groups()
    assert float(number) * {"KB": 1 / 1024, "MB": 1, "GB": 1024}[unit] == pytest.approx(whole, rel=0.02)


def test_waiting_and_time_on_a_cpu_have_charts(show, data, tmp_path):
    """One function waits and another computes: each is in one of the two charts."""
    profile = json.loads((data / "threads.json").read_text())
    py = {"kind": "py", "code_line": None, "ip_offset": None, "filename_or_module": "/p/prog.py"}
    frames = [{**py, "display_name": name, "line": line} for name, line in (("main", 9), ("waits", 2), ("computes", 5))]
    profile["scalene_c"].update(
        call_frames=frames,
        call_tree=[[0, 0, 0.0, 0.0], [1, 1, 3.0, 0.0], [1, 2, 1.0, 0.0]],
        call_waiting_s=[0.0, 2.5, 0.0],
        call_timeline=[[0.0, 3.0, 2, 7]],
    )
    file = tmp_path / "waits.json"
    file.write_text(json.dumps(profile))
    shown = show(file, "#/flame")
    chart(shown)
    for title, words, total in (("CPU", "time on a CPU or ready for one", "1.50 s"), ("Waiting", "chart of waiting", "2.50 s")):
        shown.page.get_by_role("radio", name=title, exact=True).click()
        shown.page.get_by_role("application", name=re.compile(words)).wait_for()
        assert total + " in all" in chart(shown).get_attribute("aria-label")
    assert shown.place()[1]["time"] == "waiting"
    assert shown.page.get_by_role("button", name="By time").count() == 0
    shown.page.get_by_role("tab", name="Sandwich").click()
    shown.page.get_by_role("radio", name="Waiting", exact=True, checked=True).wait_for()
    assert shown.page.get_by_text("computes").count() == 0 and shown.page.get_by_text("waits").count() > 0


def test_a_chart_is_named_after_what_it_shows(show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    held = []
    shown.page.route(re.compile(r"api/stacks\?kind=memory"), lambda route: held.append(route))
    shown.page.get_by_role("button", name="Allocated", exact=True).click()
    shown.page.wait_for_function("() => document.querySelector('.flame-view').getAttribute('aria-busy') === 'true'")
    assert re.match(r"Flame chart of time: \d+ frames, [\d.]+ m?s in all", chart(shown).get_attribute("aria-label"))
    for _ in range(12000):  # the question is on its way
        if held:
            break
        shown.page.wait_for_timeout(25)
    held.pop().continue_()
    shown.page.get_by_role("application", name=re.compile("allocated memory: .* [KMG]B in all")).wait_for()


def test_lines_can_be_distinguished_and_order_be_of_time(show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    before = pixels(shown)
    shown.page.get_by_role("button", name="Lines", exact=True).click()
    lines = other_pixels(shown, before)
    shown.page.get_by_role("button", name="By time").click()
    assert other_pixels(shown, lines) != before


def apart(made, tmp_path):
    """The profile with each run moved behind its thread's last: how runs that overlap are distinguished is not tested here."""
    data = json.loads(made.read_text())
    ends = {}
    for run in data["scalene_c"]["call_timeline"]:
        start, weight, _, tid = run
        run[0] = max(start, ends.get(tid, 0))
        ends[tid] = run[0] + weight
    path = tmp_path / "apart.json"
    path.write_text(json.dumps(data))
    return path


def within(profile, first, last):
    """Seconds of the timeline's runs in a span."""
    runs = json.loads(profile.read_text())["scalene_c"]["call_timeline"]
    return sum(max(0, min(start + weight, last) - max(start, first)) for start, weight, _, _ in runs)


def test_a_span_chooses_the_stacks(show, made_profile, tmp_path):
    profile = apart(made_profile, tmp_path)
    elapsed = json.loads(profile.read_text())["elapsed_time_sec"]
    expected = within(profile, 0.2 * elapsed, 0.7 * elapsed)
    assert expected > 0.1 * elapsed
    shown = show(profile, "#/flame?from=%f&to=%f" % (0.2 * elapsed, 0.7 * elapsed))
    label = chart(shown).get_attribute("aria-label")
    whole = seconds(re.search(r"frames, (\S+ m?s) in all", label).group(1))
    assert whole == pytest.approx(expected, rel=0.01)
    shown.page.get_by_role("button", name="Whole run").click()
    shown.page.wait_for_function(OTHER_LABEL, arg=label)


def test_address_says_how_the_chart_is_drawn(show, made_profile):
    """A link opens the picture that was linked, whatever its reader has chosen before."""
    shown = show(made_profile, "#/flame")
    chart(shown)
    assert "chart" not in shown.place()[1]
    shown.page.get_by_role("button", name="Bottom up").click()
    shown.page.get_by_role("button", name="My code").click()
    assert shown.place()[1]["chart"] == "up.mine"
    address = shown.page.evaluate("location.hash")
    shown.page.get_by_role("tab", name="Lines").click()
    assert "chart" not in shown.place()[1]
    shown.page.get_by_role("tab", name="Flame").click()
    shown.page.wait_for_function("() => location.hash.includes('chart=up.mine')")
    other = show(made_profile, "#/flame")
    chart(other)
    other.goto(address)
    pressed = other.page.locator(".chart-choices button[aria-pressed=true]")
    other.page.wait_for_function("() => document.querySelector('[role=application]')?.ariaLabel.startsWith('Bottom-up')")
    assert "Bottom up" in pressed.all_inner_texts() and "My code" in pressed.all_inner_texts()
    other.goto("#/flame?chart=usual")
    other.page.wait_for_function("() => !document.querySelector('[role=application]')?.ariaLabel.startsWith('Bottom-up')")


def test_copies_folded_stacks(show, made_profile):
    shown = show(made_profile, "#/flame")
    shown.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chart(shown)
    shown.page.get_by_role("button", name="Copy as text").click()
    shown.page.get_by_text("Copied").wait_for()
    text = shown.page.evaluate("navigator.clipboard.readText()")
    found = [re.match(r"(\S.*) (\d+)$", line).groups() for line in text.splitlines()]
    _, whole = total_of(made_profile, "main")
    assert sum(int(weight) for _, weight in found) / 1e6 == pytest.approx(whole, rel=0.02)
    assert any(stack.startswith("<module>;main;total") for stack, _ in found)


def test_a_profile_without_stacks_says_so(show, data):
    page = show(data / "cpu.json", "#/flame").page
    page.get_by_text("no call stacks").wait_for()


def test_stacks_of_the_original_are_samples(show, data):
    shown = show(data / "original.json", "#/flame")
    label = chart(shown).get_attribute("aria-label")
    assert "12 samples in all" in label
    shown.page.get_by_text("This profile counts samples").wait_for()


def test_resolution_of_the_screen_is_used(browser, show, made_profile):
    shown = show(made_profile, "#/flame")
    chart(shown)
    width = shown.page.locator("canvas").evaluate("canvas => [canvas.width, canvas.clientWidth]")
    assert width[0] == width[1]
    shown.page.set_viewport_size({"width": 700, "height": 600})
    shown.page.wait_for_function("() => document.querySelector('canvas').clientWidth < 700")
    shown.page.wait_for_function(
        "() => (canvas => canvas.width === Math.round(canvas.clientWidth * devicePixelRatio))(document.querySelector('canvas'))"
    )


LEAVE = """() => {
    const wait = ms => { for (const from = performance.now(); performance.now() - from < ms; ); };
    wait(%d);
    location.hash = "#/processes";
    wait(%d);
}"""


def a_choice_stays_in_its_view(shown, _):
    """It goes into the address a moment later, when the address may be that of another view already."""
    for before_ms, after_ms in ((400, 0), (0, 400)):
        shown.goto("#/flame")
        chart(shown).focus()
        for row in (1, 2, 3):
            shown.page.keyboard.press("ArrowDown")
            wait_heard(shown, "row %d" % row)
        shown.page.evaluate(LEAVE % (before_ms, after_ms))
        shown.page.wait_for_timeout(100)
        assert shown.place() == ("processes", {})


LOOKS = (
    (a_choice_stays_in_its_view, "#/flame"), (chart_has_the_frames_of_the_profile, "#/flame"), (keys_go_from_frame_to_frame, "#/flame"),
    (search_shows_how_much_it_found, "#/flame"), (callers_and_callees, "#/flame"), (a_frame_leads_to_its_line, "#/flame"),
    (enter_zooms_and_escape_shows_all, "#/flame"), (pointer_shows_the_box_and_a_click_zooms, "#/flame"),
)


def test_what_is_shown_of_frames(show, made_profile):
    """On one page, as they leave nothing behind."""
    shown = show(made_profile)
    for look, place in LOOKS:
        shown.goto("#/processes")  # what a view keeps for itself goes with it
        shown.goto(place)
        look(shown, made_profile)
