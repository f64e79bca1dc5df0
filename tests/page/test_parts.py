# tests/page/test_parts.py - parts of a run: a span, a thread; and a profile too large to be drawn at once.
#
# SPDX-License-Identifier: Apache-2.0
"""Times within a part of the run, and large profiles."""

import json
import subprocess

import pytest
import showing


def shares(page):
    """{line: share} of the rows that are drawn."""
    rows = page.locator(".row[data-line]").evaluate_all(
        "all => all.map(one => [Number(one.dataset.line), one.querySelector('.c-self')?.innerText ?? ''])"
    )
    return {line: int(text.strip("%")) for line, text in rows if text}


def test_span_makes_times_of_lines_shares_of_it(show, made_profile):
    elapsed = json.loads(made_profile.read_text())["elapsed_time_sec"]
    page = show(made_profile, "#/lines?file=prices.py&mode=all&from=0.2&to=0.8").page
    words = "0.20–0.80 s of %.1f s" % elapsed
    page.wait_for_function("text => document.querySelector('.head-group.g-time').innerText === text", arg=words)
    page.locator(".row[data-line] .c-self .number").first.wait_for()
    hot = shares(page)
    assert hot and 30 <= sum(hot.values()) <= 101
    assert "whole run" in page.locator(".head-group.g-memory").inner_text()
    assert words in page.locator(".span-note").inner_text()
    page.get_by_role("button", name="Whole run").click()
    page.wait_for_function("() => document.querySelector('.head-group.g-time').innerText === 'Time'")
    page.wait_for_function("() => document.querySelector('.row[data-line] .c-self .number')")
    assert shares(page) != hot


def test_thread_makes_times_of_functions_shares_of_it(show, made_profile):
    shown = show(made_profile, "#/processes")
    page = shown.page
    page.get_by_role("button", name="MainThread").first.click()
    assert "thread MainThread" in page.locator(".span-note").inner_text()
    page.get_by_role("tab", name="Functions").click()
    page.wait_for_function("() => document.querySelector('.head-group.g-time').innerText === 'thread MainThread'")
    first = page.locator(".row").first
    assert first.locator(".function-name .link").inner_text() == "total"
    assert int(first.locator(".c-self").inner_text().strip("%")) > 30
    page.get_by_role("button", name="Sort by Time total").click()
    page.wait_for_function("() => document.querySelector('.row .function-name .link').textContent === 'main'")
    assert int(first.locator(".c-total").inner_text().strip("%")) > 90
    assert "thread" in shown.place()[1]


def test_lines_of_a_span_are_those_with_time_in_it(show, made_profile, tmp_path):
    """A line of 0.1 % of a run may be all of a span of it."""
    profile = json.loads(made_profile.read_text())
    end = profile["elapsed_time_sec"]
    profile["elapsed_time_sec"] += 1.0  # in which nothing else runs
    extra = profile["scalene_c"]
    name = next(name for name in profile["files"] if name.endswith("shop.py"))
    frame = next(one for one in extra["call_frames"] if one["filename_or_module"] == name)
    extra["call_frames"].append({**frame, "line": 1})
    extra["call_tree"].append([0, len(extra["call_frames"]) - 1, 0.001, 0])
    tid = extra["call_timeline"][0][3]
    extra["call_timeline"].append([end + 0.5, 0.001, len(extra["call_tree"]), tid])
    path = tmp_path / "short.json"
    path.write_text(json.dumps(profile))
    place = "#/lines?file=shop.py&mode=hot"
    page = show(path, place).page
    page.locator(".row[data-line]").first.wait_for()
    assert 1 not in shares(page)
    page = show(path, "%s&from=%f&to=%f" % (place, end + 0.4, end + 0.6)).page
    page.locator('.row[data-line="1"]').wait_for()
    assert shares(page)[1] > 90


def numbers_of(page, panel):
    return [int(text.strip("%<")) for text in page.locator(panel + " .hot-number").all_inner_texts()]


def test_overview_and_side_bar_follow_a_span_and_dim_the_rest(show, made_profile):
    elapsed = json.loads(made_profile.read_text())["elapsed_time_sec"]
    whole = show(made_profile, "#/overview").page
    shown = show(made_profile, "#/overview?from=%f&to=%f" % (0.5 * elapsed, 0.6 * elapsed))
    page = shown.page
    page.get_by_text("in this part of the run").wait_for()
    assert numbers_of(page, ".where") and numbers_of(page, ".where") != numbers_of(whole, ".where")
    assert page.locator(".where.of-whole, .kind.of-whole").count() == 0 and whole.locator(".of-whole").count() == 0
    assert page.locator(".panel.do.of-whole").count() == 1 and page.locator(".footprint .of-whole").count() == 1
    page.get_by_role("combobox", name="Search files").fill("total")
    page.locator(".found.of-whole").get_by_text("of the whole run").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Lines").click()
    page.locator(".row[data-line] .c-self .number").first.wait_for()
    hot = page.locator(".side .places").nth(1)
    line = int(hot.locator(".place-name").first.inner_text().rsplit(":", 1)[1])
    assert shares(page)[line] == int(hot.locator(".place-share").first.inner_text().strip("%"))
    assert page.locator(".cell.of-whole.c-memory_peak").count() > 0 and page.locator(".cell.of-whole.c-self").count() == 0


def standalone(profile, folder):
    command = [showing.SCALENE, "view", "--html", "--no-browser", str(profile)]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=showing.TIMEOUT_S)
    return folder / "scalene-profile.html"


@pytest.mark.parametrize("time", ("", "&time=cpu"))
def test_file_without_a_server_has_the_nearest_span_and_says_which(show, made_profile, tmp_path, time):
    elapsed = json.loads(made_profile.read_text())["elapsed_time_sec"]
    file = standalone(made_profile, tmp_path)
    held = [elapsed * part / 8 for part in (3, 4)]
    near = "from=%f&to=%f%s" % (held[0] + 0.01 * elapsed, held[1], time)
    page = show(None, "#/lines?file=prices.py&mode=hot&" + near, file=file).page
    page.get_by_text("this file has the numbers of").wait_for()
    page.locator(".row[data-line] .c-self .number").first.wait_for()
    served = show(made_profile, "#/lines?file=prices.py&mode=hot&from=%f&to=%f%s" % (*held, time)).page
    served.locator(".row[data-line] .c-self .number").first.wait_for()
    assert shares(page) == shares(served)
    served.goto(served.url.replace("lines", "functions"))
    for name in ("Functions", "Flame", "Sandwich", "Overview", "Async", "Memory"):
        if page.get_by_role("tab", name=name).count():
            page.get_by_role("tab", name=name).click()
            showing.settle(page)
            assert page.get_by_role("alert").count() == 0, name


def test_a_part_that_a_file_without_a_server_has_not_is_dimmed(show, made_profile, tmp_path):
    page = show(None, "#/lines?file=prices.py&from=0.2&to=0.4&thread=1:1", file=standalone(made_profile, tmp_path)).page
    page.locator(".row[data-line] .c-self .number").first.wait_for()
    assert "scalene view shows it" in page.locator(".span-note").inner_text()
    assert page.locator("#view.of-whole").count() == 1 and page.locator(".side-body.of-whole").count() == 1


def test_a_thread_is_had_by_a_file_without_a_server(show, made_profile, tmp_path):
    shown = show(None, "#/processes", file=standalone(made_profile, tmp_path))
    page = shown.page
    page.get_by_role("button", name="MainThread").first.click()
    page.get_by_role("tab", name="Functions").click()
    page.wait_for_function("() => document.querySelector('.head-group.g-time').innerText === 'thread MainThread'")
    assert page.locator(".row .function-name .link").first.inner_text() == "total"


def test_large_profile_is_asked_and_drawn_in_pieces(show, made_profile, tmp_path):
    """50 files of 1,000 lines: what is in sight is drawn, what was in sight was asked for."""
    profile = json.loads(made_profile.read_text())
    file = max(profile["files"].values(), key=lambda file: file["percent_cpu_time"])
    hot = max(file["lines"], key=lambda line: line["n_cpu_percent_python"])
    lines = [{**hot, "lineno": i + 1, "line": "    value = compute(%d)\n" % i, "memory_samples": [], "cpu_samples_list": []} for i in range(1000)]
    large = json.dumps({**file, "lines": lines, "functions": [], "percent_cpu_time": 0.5})  # once for all files
    profile["files"] = {}
    path = tmp_path / "large.json"
    files = ", ".join('"/srv/pkg/mod%03d.py": %s' % (i, large) for i in range(50))
    path.write_text(json.dumps(profile).replace('"files": {}', '"files": {%s}' % files, 1))
    shown = show(path, "#/lines?mode=all")
    page = shown.page
    page.locator(".row .source").first.wait_for()
    page.get_by_role("button", name="Show all").click()
    showing.settle(page)
    height = page.locator(".scroller").evaluate("one => one.scrollHeight")
    assert height > 50 * 1000 * 20
    page.locator(".scroller").evaluate("one => { one.scrollTop = one.scrollHeight * 0.75 }")
    page.wait_for_function("() => [...document.querySelectorAll('.row .source')].some(one => one.innerText.includes('compute'))")
    showing.settle(page)
    assert page.locator(".scroller").evaluate("one => one.scrollHeight") == height, "the list jumped"
    assert 20 < page.locator(".row").count() < 120
    asked = [url for url in shown.requests if "api/file?" in url]
    assert 2 <= len(asked) <= 12, asked
