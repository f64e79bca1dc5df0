# tests/page/test_async.py - the view of an asyncio program, on the recorded profile of one.
#
# SPDX-License-Identifier: Apache-2.0
"""What blocks the event loop, and where tasks wait."""

import subprocess

import showing


def test_what_blocks_the_loop_is_named_with_its_call(show, async_profile):
    shown = show(async_profile, "#/async")
    rows = shown.page.get_by_role("region", name="What blocks the event loop?").locator("tbody tr")
    rows.first.wait_for()
    sleeping = rows.filter(has_text="time.sleep(0.05)").first
    said = sleeping.inner_text()
    assert "Instead: await asyncio.sleep(...)" in said, said
    # a function with several lines has a row of its own above them
    assert "sleeps_badly" in "".join(rows.all_inner_texts()), rows.all_inner_texts()
    computing = rows.filter(has_text="in computes").first.inner_text()
    assert "compute" in computing and "tasks.py:" in computing
    assert not [row for row in rows.all_inner_texts()[:2] if "fetch" in row]
    assert shown.page.get_by_text("Event loops took").count() == 1
    sleeping.locator(".link").click()
    shown.page.locator(".row.chosen").wait_for()
    assert shown.place()[1]["line"] == "16"


def test_waits_tell_how_many_tasks_and_sort(show, async_profile):
    shown = show(async_profile, "#/async")
    panel = shown.page.get_by_role("region", name="Where do tasks wait?")
    rows = panel.locator("tbody tr")
    rows.first.wait_for()
    first = rows.first.inner_text()
    assert "fetch" in first and "await asyncio.sleep(0.6)" in first and "50" in first.split()
    assert "Task-" in first and " to Task-" in first
    panel.get_by_role("button", name="function").click()
    names = [name.strip() for name in panel.locator(".async-function .code").all_inner_texts()]
    assert names == sorted(names) and len(names) >= 3
    panel.get_by_role("button", name="at most").click()
    assert "fetch" in rows.first.inner_text()
    panel.get_by_role("button", name="at most").click()
    assert "fetch" in rows.last.inner_text()
    assert panel.locator("th[aria-sort='ascending']").inner_text().startswith("at most")


def test_the_view_has_a_key_and_stands_in_a_file(show, async_profile, tmp_path):
    shown = show(async_profile)
    heading = shown.page.get_by_role("heading", name="What blocks the event loop?")
    shown.page.get_by_role("tab", name="Async").wait_for()
    shown.page.keyboard.press("0")
    heading.wait_for()
    shown.page.keyboard.press("1")
    shown.page.get_by_role("button", name="and what blocks the event loop").click()
    heading.wait_for()
    subprocess.run([showing.SCALENE, "view", "--standalone", str(async_profile)], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    alone = show(async_profile, "#/async", file=tmp_path / "scalene-profile.html")
    alone.page.get_by_role("region", name="Where do tasks wait?").locator("tbody tr").first.wait_for()


def test_a_profile_without_awaits_has_no_tab(show, data):
    page = show(data / "threads.json").page
    page.get_by_role("tab", name="Lines").wait_for()
    assert page.get_by_role("tab", name="Async").count() == 0


def test_lanes_tell_when_each_task_waited(show, async_profile):
    shown = show(async_profile, "#/async")
    panel = shown.page.get_by_role("region", name="When did tasks wait?")
    rows = panel.locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == 53
    fetching = rows.filter(has_text="Task-40").first
    assert "1 wait from" in fetching.get_by_role("img").get_attribute("aria-label")
    assert "fetch (tasks.py:27)" in fetching.get_by_role("img").get_attribute("aria-label")
    assert fetching.locator("rect title").text_content().startswith("fetch (tasks.py:27): ")
    panel.get_by_role("button", name="fetch (tasks.py:27)").click()
    shown.page.locator(".row.chosen").wait_for()
    assert shown.place()[1]["line"] == "27"
    cut = show(async_profile, "#/async?from=0&to=0.0001")
    cut.page.get_by_text("No task was seen to wait in this span of time.").wait_for()
