# tests/page/test_sandwich.py - the view of a function between its callers and its callees.
#
# SPDX-License-Identifier: Apache-2.0
"""Functions by self and total, callers and callees."""

import json
import re
import subprocess

import calls
import pytest
import showing


def shares(profile, name):
    """Self and total of a function, in %, with native frames counted for themselves."""
    stacks = calls.stacks(json.loads(profile.read_text()))
    whole = sum(seconds for _, seconds in stacks)
    own = sum(seconds for frames, seconds in stacks if frames and frames[-1]["display_name"] == name)
    total = sum(seconds for frames, seconds in stacks if any(frame["display_name"] == name for frame in frames))
    return 100 * own / whole, 100 * total / whole


def table(shown):
    found = shown.page.get_by_role("table", name="Functions with self and total")
    found.wait_for()
    return found


def names(shown):
    return table(shown).locator("tbody .code").all_inner_texts()


def number(text):
    return float(text.rstrip("%"))


def test_functions_have_self_and_total(show, made_profile):
    shown = show(made_profile, "#/sandwich")
    row = table(shown).locator("tbody tr", has_text="total prices.py")
    own, total = (number(text) for text in row.locator(".number").all_inner_texts())
    expected = shares(made_profile, "total")
    assert own == pytest.approx(expected[0], abs=1) and total == pytest.approx(expected[1], abs=1)
    assert names(shown)[0] == "total"  # by self time, at first
    assert shown.page.get_by_role("region", name="Callers and callees of total").is_visible()


def test_a_heading_sorts_and_turns_around(show, made_profile):
    shown = show(made_profile, "#/sandwich")
    table(shown)
    shown.page.get_by_role("button", name="My code").click()
    heading = table(shown).get_by_role("columnheader", name="total")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    by_total = names(shown)
    assert by_total[:2] == ["<module>", "main"]
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert names(shown) == by_total[::-1]


def test_a_function_is_chosen_by_pointer_keys_and_address(show, made_profile):
    shown = show(made_profile, "#/sandwich?file=prices.py&fn=total")
    region = shown.page.get_by_role("region", name="Callers and callees of total")
    expected = shares(made_profile, "total")
    head = region.locator(".around-head").inner_text()
    assert float(re.search(r"total ([\d.]+)%", head).group(1)) == pytest.approx(expected[1], abs=1)
    callers = region.get_by_role("application").first
    callers.focus()
    for _ in range(3):
        shown.page.keyboard.press("ArrowDown")
    said = region.locator(".chart-heard").first
    said.get_by_text("row 3").wait_for()
    assert said.inner_text().startswith("<module>")
    shown.page.get_by_role("button", name="My code").click()
    table(shown).get_by_role("button", name="main").click()
    shown.page.get_by_role("region", name="Callers and callees of main").wait_for()
    assert shown.place()[1]["fn"] == "main"
    place = names(shown).index("main")
    shown.page.keyboard.press("ArrowUp")
    shown.page.get_by_role("region", name="Callers and callees of " + names(shown)[place - 1]).wait_for()
    assert shown.page.evaluate("document.activeElement.textContent").startswith(names(shown)[place - 1])


def test_functions_are_filtered_by_name_and_file(show, made_profile):
    shown = show(made_profile, "#/sandwich")
    table(shown)
    shown.page.get_by_label("Only functions with this").fill("prices.py")
    shown.page.wait_for_function("() => document.querySelectorAll('.function-list tbody tr').length === 1")
    assert names(shown) == ["total"]
    shown.page.get_by_label("Only functions with this").fill("no such function")
    shown.page.get_by_text("No function has this text").wait_for()


def test_the_file_without_a_server_has_it(show, made_profile, tmp_path):
    done = subprocess.run(
        [showing.SCALENE, "view", "--standalone", str(made_profile)], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=showing.TIMEOUT_S, encoding="utf-8", check=False,
    )
    pages = list(tmp_path.glob("*.html"))
    assert done.returncode == 0 and pages, done.stdout
    shown = show(None, "#/sandwich", file=pages[0])
    assert names(shown)[0] == "total"


def test_a_profile_without_stacks_says_so(show, data):
    shown = show(data / "cpu.json", "#/sandwich")
    shown.page.get_by_text("no call stacks").wait_for()
