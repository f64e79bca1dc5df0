# tests/page/test_parts.py - parts of a run: a span, a thread; and a profile too large to be drawn at once.
#
# SPDX-License-Identifier: Apache-2.0
"""Times within a part of the run, and large profiles."""

import json


def shares(page):
    """{line: share} of the rows that are drawn."""
    rows = page.locator(".row[data-line]").evaluate_all(
        "all => all.map(one => [Number(one.dataset.line), one.querySelector('.c-span')?.innerText ?? ''])"
    )
    return {line: int(text.strip("%")) for line, text in rows if text}


def test_span_makes_times_of_lines_shares_of_it(show, made_profile):
    elapsed = json.loads(made_profile.read_text())["elapsed_time_sec"]
    page = show(made_profile, "#/lines?file=prices.py&mode=all&from=0.2&to=%.3f" % (elapsed * 0.6)).page
    page.locator(".head.c-span").wait_for()
    hot = shares(page)
    assert hot and 30 <= sum(hot.values()) <= 101
    assert page.locator(".head.c-python").count() == 0
    page.get_by_role("button", name="Whole run").click()
    page.locator(".head.c-python").wait_for()


def test_thread_makes_times_of_functions_shares_of_it(show, made_profile):
    shown = show(made_profile, "#/processes")
    page = shown.page
    page.get_by_role("button", name="MainThread").first.click()
    assert "thread MainThread" in page.locator(".span-note").inner_text()
    page.get_by_role("tab", name="Functions").click()
    page.locator(".head.c-span").wait_for()
    first = page.locator(".row").first
    assert first.locator(".function-name .link").inner_text() == "total"
    assert int(first.locator(".c-span").inner_text().strip("%")) > 30
    assert "thread" in shown.place()[1]


def test_large_profile_is_asked_and_drawn_in_pieces(show, made_profile, tmp_path):
    """200 files of 1,000 lines: what is in sight is drawn, what was in sight was asked for."""
    profile = json.loads(made_profile.read_text())
    file = max(profile["files"].values(), key=lambda file: file["percent_cpu_time"])
    hot = max(file["lines"], key=lambda line: line["n_cpu_percent_python"])
    lines = [{**hot, "lineno": i + 1, "line": "    value = compute(%d)\n" % i, "memory_samples": []} for i in range(1000)]
    large = json.dumps({**file, "lines": lines, "functions": [], "percent_cpu_time": 0.5})  # once for all files
    profile["files"] = {}
    path = tmp_path / "large.json"
    files = ", ".join('"/srv/pkg/mod%03d.py": %s' % (i, large) for i in range(200))
    path.write_text(json.dumps(profile).replace('"files": {}', '"files": {%s}' % files, 1))
    shown = show(path, "#/lines?mode=all")
    page = shown.page
    page.locator(".row .source").first.wait_for()
    page.get_by_role("button", name="Show all").click()
    page.wait_for_timeout(300)
    height = page.locator(".scroller").evaluate("one => one.scrollHeight")
    assert height > 200 * 1000 * 20
    page.locator(".scroller").evaluate("one => { one.scrollTop = one.scrollHeight * 0.75 }")
    page.wait_for_function("() => [...document.querySelectorAll('.row .source')].some(one => one.innerText.includes('compute'))")
    page.wait_for_timeout(300)
    assert page.locator(".scroller").evaluate("one => one.scrollHeight") == height, "the list jumped"
    assert 20 < page.locator(".row").count() < 120
    asked = [url for url in shown.requests if "api/file?" in url]
    assert 2 <= len(asked) <= 12, asked
