# tests/page/test_times.py - all time, or that on a CPU, or waiting, in every view that has it.
#
# SPDX-License-Identifier: Apache-2.0
"""The choice between all time, CPU and waiting."""

import json
import subprocess

import pytest

import showing

PY = {"kind": "py", "code_line": None, "ip_offset": None}
SOURCE = ["import time", "", "def waits():", "    time.sleep(5)", "", "def computes():", "    return sum(range(10 ** 9))", "", "waits()", "computes()"]
NAMES = ["<module>", "waits", "computes"]
LINES = [9, 4, 7]


@pytest.fixture
def profile(data, tmp_path):
    """waits() has 3 s, of which it waits for 2.5; computes() has 1 s on a CPU."""
    known = json.loads((data / "threads.json").read_text())
    name, file = next(iter(known["files"].items()))
    line = {**file["lines"][0], "start_function_line": 0, "end_function_line": 0}
    for key in [key for key, value in line.items() if isinstance(value, float)]:
        line[key] = 0.0
    file["lines"] = [{**line, "lineno": number, "line": text + "\n"} for number, text in enumerate(SOURCE, 1)]
    file["lines"][3].update(n_sys_percent=62.5, n_cpu_percent_python=12.5)
    file["lines"][6].update(n_cpu_percent_python=25.0)
    function = {**line, "n_cpu_percent_python": 1.0}
    file["functions"] = [{**function, "lineno": number, "line": text} for number, text in ((3, "waits"), (6, "computes"))]
    frames = [{**PY, "filename_or_module": name, "display_name": text, "line": number} for text, number in zip(NAMES, LINES)]
    known["files"] = {name: file}
    known["scalene_c"].update(
        call_frames=frames,
        call_tree=[[0, 0, 0.0, 0.0], [1, 1, 3.0, 0.0], [1, 2, 1.0, 0.0]],
        call_waiting_s=[0.0, 2.5, 0.0],
        call_timeline=[[0.0, 3.0, 2, 7], [3.0, 1.0, 3, 7]],
    )
    path = tmp_path / "waits.json"
    path.write_text(json.dumps(known))
    return path


def choose(page, name):
    page.get_by_role("radiogroup", name="Time to show").get_by_role("radio", name=name, exact=True).click()


def wait_for_share(page, line, text):
    """text: what the cell of the line's own time says; "" while it has none."""
    page.wait_for_function(
        """([line, text]) => {
            const row = document.querySelector(`.row[data-line="${line}"]`);
            return (row?.querySelector('.c-self')?.innerText.trim() ?? '') === text;
        }""",
        arg=[line, text],
    )


def wait_for_functions(page, names):
    page.wait_for_function(
        "names => JSON.stringify([...document.querySelectorAll('.row .function-name .link')].map(one => one.innerText)) === names",
        arg=json.dumps(names, separators=(",", ":")),
    )


def check_lines(page):
    wait_for_share(page, 4, "75%")
    choose(page, "CPU")
    wait_for_share(page, 4, "33%")
    wait_for_share(page, 7, "67%")
    assert "time on a CPU" in page.locator(".head-group.g-time").inner_text()
    choose(page, "Waiting")
    wait_for_share(page, 4, "100%")
    wait_for_share(page, 7, "")
    assert "waiting" in page.locator(".span-note").inner_text()


def test_lines_and_functions_follow(show, profile):
    shown = show(profile, "#/lines")
    page = shown.page
    check_lines(page)
    assert shown.place()[1]["time"] == "waiting"
    page.get_by_role("tab", name="Functions").click()
    wait_for_functions(page, ["waits"])
    choose(page, "All time")
    wait_for_functions(page, ["waits", "computes"])
    assert "time" not in shown.place()[1] and page.locator(".span-note").count() == 0


def test_a_unit_of_work_alone(show, profile):
    """The job has 1 s in waits() and 1 s in computes()."""
    known = json.loads(profile.read_text())
    unit = {"count": 1, "total_s": 2.0, "min_s": 2.0, "max_s": 2.0, "p50_s": 2.0, "p99_s": 2.0, "cpu_s": 1.0, "lines": []}
    known["scalene_c"].update(units=[{"name": "GET /a", **unit}], call_units=[[0, 3, 1.0]], call_unit_waits=[[0, 2, 1.0]])
    profile.write_text(json.dumps(known))
    shown = show(profile, "#/overview")
    page = shown.page
    page.get_by_role("button", name="Only GET /a").click()
    assert "unit GET /a" in page.locator(".span-note").inner_text()
    assert shown.place()[1]["unit"] == "GET /a"
    page.get_by_role("tab", name="Lines").click()
    wait_for_share(page, 4, "50%")
    wait_for_share(page, 7, "50%")
    choose(page, "Waiting")
    wait_for_share(page, 4, "100%")
    page.get_by_role("tab", name="Flame").click()
    page.get_by_role("application", name="Flame chart of waiting").wait_for()
    page.get_by_role("button", name="Whole run").click()
    page.get_by_role("tab", name="Lines").click()
    choose(page, "All time")
    wait_for_share(page, 4, "75%")


def test_a_bar_of_waiting_has_its_colour(show, made_profile):
    page = show(made_profile, "#/lines?file=shop.py&mode=hot&time=waiting").page
    page.locator(".row[data-line] .time-bar").first.wait_for()
    ends = page.locator(".row[data-line] .time-bar").first.get_attribute("style")
    assert "--system-end: 0.00%" in ends.replace(":0", ": 0") and "--time-end" in ends, ends


def test_it_is_kept_from_view_to_view_and_said_where_it_does_not_count(show, profile):
    shown = show(profile, "#/flame?time=waiting")
    page = shown.page
    page.get_by_role("application", name="Flame chart of waiting").wait_for()
    page.get_by_role("tab", name="Processes").click()
    assert "known of the whole run only" in page.locator(".span-note").inner_text()
    assert page.locator("#view.of-whole").count() == 1
    page.get_by_role("tab", name="Lines").click()
    wait_for_share(page, 4, "100%")
    page.get_by_role("button", name="All time").click()
    wait_for_share(page, 4, "75%")


def test_it_goes_with_a_span(show, profile):
    """In the last two seconds each function has one."""
    page = show(profile, "#/lines?time=cpu&from=2&to=4").page
    wait_for_share(page, 4, "14%")
    wait_for_share(page, 7, "86%")
    page.get_by_role("button", name="Whole run").click()
    wait_for_share(page, 4, "33%")


def test_a_file_without_a_server_has_it_too(show, profile, tmp_path):
    command = [showing.SCALENE, "view", "--html", "--no-browser", str(profile)]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, timeout=showing.TIMEOUT_S)
    page = show(None, "#/lines", file=tmp_path / "scalene-profile.html").page
    check_lines(page)
    page.get_by_role("tab", name="Functions").click()
    wait_for_functions(page, ["waits"])
    page.get_by_label("Functions of").select_option(index=1)
    page.wait_for_function("() => location.hash.includes('file=')")
    wait_for_functions(page, ["waits"])
    page.get_by_role("combobox", name="Search files").fill("waits")
    assert "100%" not in page.get_by_role("option").first.inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Flame").click()
    page.get_by_role("application", name="Flame chart of waiting").wait_for()


def test_a_file_without_a_server_shows_a_line_that_does_not_wait(show, profile, tmp_path):
    command = [showing.SCALENE, "view", "--html", "--no-browser", str(profile)]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, timeout=showing.TIMEOUT_S)
    file = tmp_path / "scalene-profile.html"
    name = next(iter(json.loads(profile.read_text())["files"])).rsplit("/", 1)[-1]
    page = show(None, "#/lines?file=%s&line=7&time=waiting" % name, file=file).page
    page.get_by_text("Shares are those of all time of the whole run.").wait_for()
    assert page.get_by_text("has no line").count() == 0


def test_what_never_waits_is_said_so(show, profile):
    page = show(profile, "#/flame?time=waiting&from=3.2&to=4").page
    page.get_by_text("Nothing waited here.").wait_for()
    assert page.get_by_text("whole run only").count() == 0


def test_without_waiting_apart_there_is_no_choice(show, data):
    page = show(data / "full.json", "#/lines?time=cpu").page
    page.locator(".row[data-line]").first.wait_for()
    assert page.get_by_role("radiogroup", name="Time to show").count() == 0
    assert "does not have waiting apart" in page.locator(".span-note").inner_text()
