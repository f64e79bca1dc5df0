# tests/page/test_devices.py - what the page shows of devices, and which source each number comes from.
#
# SPDX-License-Identifier: Apache-2.0
"""GPUs and their like: overview, columns, boxes, timeline, memory, processes, the standalone file."""

import re
import subprocess

import showing


def section(page, name):
    found = page.get_by_role("region", name=name)
    found.wait_for()
    return found


def overview_shows_what_the_device_did(shown):
    text = section(shown.page, "What does the GPU do?").inner_text()
    for part in ("kernels 7.43 s", "copies 2.54 s", "busy 45%", "nothing to do for 10.80 s"):
        assert part in " ".join(text.split())
    assert "reported by the device (CUPTI 12.9)" in text
    assert "whole device" not in text  # the one that is so is not used


def header_shows_how_busy_the_device_was(shown):
    facts = shown.page.get_by_role("list", name="The run")
    assert "GPU busy 45%" in facts.inner_text()


def lines_behind_device_time_and_idle_time_are_links(shown):
    lists = section(shown.page, "What does the GPU do?").locator(".hot-list")
    assert lists.nth(0).locator(".hot").first.inner_text().split()[:3] == ["4.61", "s", "train.py:11"]
    idle = lists.nth(1).locator(".hot").first
    assert idle.inner_text().split()[:3] == ["9.84", "s", "train.py:19"]
    idle.click()
    assert shown.page.locator(".row.chosen").get_attribute("data-line") == "19"


def idle_device_is_the_first_finding(shown):
    first = shown.page.locator(".findings li").first
    assert "the GPU had nothing to do for 55% of the 19.50 s" in first.inner_text()
    first.locator(".link").first.click()
    assert shown.page.locator(".row.chosen").get_attribute("data-line") == "19"


def test_whole_devices_are_labelled(show, data):
    devices = section(show(data / "neuron.json").page, "What do the Neuron devices do?")
    rows = devices.locator("tbody tr")
    # of the first only memory is that of all who use it, of the second its load too
    assert [rows.nth(at).locator(".chip").count() for at in range(2)] == [1, 2]
    assert "by whoever used them" in devices.inner_text()


def test_columns_of_the_device(show, data):
    page = show(data / "gpu.json", "#/lines?mode=all", width=1920).page
    row = page.locator('.row[data-line="11"]')
    row.wait_for()
    cells = {"gpu": "97%", "gpu_time": "4.6s", "gpu_idle": "", "gpu_memory": "38.00G", "gpu_allocated": "8.00G"}
    assert {name: row.locator(".c-" + name).inner_text() for name in cells} == cells
    assert page.locator('.row[data-line="19"] .c-gpu_idle').inner_text() == "9.8s"


def what_launches_the_devices_work_is_a_hot_line(shown):
    """Line 17 takes 1 % of the time, and 2 % of the device's."""
    page = shown.page
    page.get_by_role("radio", name="Hot lines").click()
    page.locator('.row[data-line="17"]').wait_for()


def functions_sort_by_device_time(shown):
    page = shown.page
    names = page.locator(".function-name .link")
    names.first.wait_for()
    assert names.all_inner_texts() == ["main", "step"]
    page.get_by_role("button", name="Sort by GPU time").click()
    showing.settle(page)
    assert names.all_inner_texts() == ["step", "main"]


def test_box_says_what_is_exact(show, data):
    page = show(data / "gpu.json", "#/lines?mode=all", width=1920).page
    page.locator('.row[data-line="9"] .c-gpu_time').hover()
    box = page.get_by_role("tooltip")
    box.get_by_text("device time of what it launched").wait_for()
    text = " ".join(box.inner_text().split())
    assert text.index("GPU") < text.index("of the run's time")  # its group comes first
    for part in ("2.21 s", "12,240 kernels", "24.00 GB", "reported by the device itself (CUPTI 12.9)"):
        assert part in text
    assert "whole device" not in text


def test_box_says_what_is_of_the_whole_device(show, data):
    page = show(data / "neuron.json", "#/lines?mode=all", width=1920).page
    page.locator('.row[data-line="3"] .c-gpu').hover()
    box = page.get_by_role("tooltip")
    box.get_by_text("load of the device meanwhile").wait_for()
    assert "The load and memory in use are of the whole device, whoever used it." in " ".join(box.inner_text().split())


def load_is_a_track_of_the_timeline(shown):
    page = shown.page
    chart = page.get_by_role("application")
    chart.locator("canvas[data-range]").wait_for(state="attached")
    box = chart.bounding_box()
    # 4 s to 6 s of 20 s have a load of 31 %
    page.mouse.move(box["x"] + 148 + (box["width"] - 148) * 0.25, box["y"] + 34)
    page.get_by_text("Load of the GPU: 31%").wait_for()


def memory_of_the_device_has_its_own_curve(shown):
    panel = section(shown.page, "Memory of the GPU over the run")
    assert panel.locator("path.curve-line.gpu").get_attribute("d").startswith("M")
    assert panel.get_by_role("list", name="Lines of the chart").inner_text().startswith("in use on the devices, ")
    panel.locator(".chart").hover()
    assert re.search(r"on the device \d", panel.locator(".reading-text").inner_text())
    panel.locator(".hot").first.click()
    assert shown.page.locator(".row.chosen").get_attribute("data-line") == "9"


def devices_stand_beside_processes(shown):
    text = section(shown.page, "Which devices?").inner_text()
    assert "GPU 0 (NVIDIA A100-SXM4-40GB)" in text and "38.00 GB of 40.00 GB" in text and "not used" in text


def test_nothing_is_said_of_devices_without_any(show, made_profile):
    shown = show(made_profile)
    assert shown.page.locator(".panel.gpu").count() == 0
    shown.goto("#/processes")
    assert shown.page.get_by_role("region", name="Which devices?").count() == 0


def test_nothing_overflows(show, data):
    shown = show(data / "gpu.json")
    for view in ("overview", "lines", "functions", "timeline", "memory", "processes"):
        shown.goto("#/" + view)
        for width in (360, 800, 1280, 3840):
            shown.resize(width)
            assert shown.overflow() == [], (view, width)


def test_the_standalone_file_has_all_of_it(show, data, tmp_path):
    subprocess.run(
        [showing.SCALENE, "view", "--html", str(data / "gpu.json")], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        timeout=showing.TIMEOUT_S, check=True,
    )
    shown = show(None, file=tmp_path / "scalene-profile.html")
    assert "busy 45%" in " ".join(section(shown.page, "What does the GPU do?").inner_text().split())
    shown.goto("#/memory")
    section(shown.page, "Memory of the GPU over the run")
    shown.goto("#/timeline")
    chart = shown.page.get_by_role("application")
    chart.locator("canvas[data-range]").wait_for(state="attached")
    box = chart.bounding_box()
    shown.page.mouse.move(box["x"] + 148 + (box["width"] - 148) * 0.25, box["y"] + 34)
    shown.page.get_by_text("Load of the GPU: 31%").wait_for()


LOOKS = (
    (overview_shows_what_the_device_did, "#/overview"), (header_shows_how_busy_the_device_was, "#/overview"),
    (lines_behind_device_time_and_idle_time_are_links, "#/overview"), (idle_device_is_the_first_finding, "#/overview"),
    (memory_of_the_device_has_its_own_curve, "#/memory"), (devices_stand_beside_processes, "#/processes"),
    (load_is_a_track_of_the_timeline, "#/timeline"), (functions_sort_by_device_time, "#/functions"),
    (what_launches_the_devices_work_is_a_hot_line, "#/lines"),
)


def test_what_is_shown_of_a_device(show, data):
    """On one page, as most only read it."""
    shown = show(data / "gpu.json")
    for look, place in LOOKS:
        shown.goto(place)
        look(shown)
