# tests/page/test_parts.py - parts of a run: a span, a thread; and a profile too large to be drawn at once.
#
# SPDX-License-Identifier: Apache-2.0
"""Times within a part of the run, and large profiles."""

import json
import subprocess

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


def test_file_without_a_server_says_that_it_has_no_span(show, made_profile, tmp_path):
    command = [showing.SCALENE, "view", "--html", "--no-browser", str(made_profile)]
    subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, timeout=showing.TIMEOUT_S)
    file = tmp_path / "scalene-profile.html"
    whole = show(None, "#/lines?file=prices.py", file=file).page
    whole.locator(".row[data-line] .c-self .number").first.wait_for()
    page = show(None, "#/lines?file=prices.py&from=0.2&to=0.4", file=file).page
    page.locator(".row[data-line] .c-self .number").first.wait_for()
    assert "whole run only" in page.locator(".span-note").inner_text()
    assert page.locator(".head-group.g-time").inner_text() == "Time"
    assert shares(page) == shares(whole)


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
