# tests/notebook/test_notebook_page.py - what a cell has put out, in a browser, without kernel or profiler.
#
# SPDX-License-Identifier: Apache-2.0
"""The page in the output of a cell."""

import os

import executing
import pytest
from conftest import made_once

notebook = executing.notebook  # the fixture

LOAD = "%load_ext scalene"
HOSTILE = "</script></iframe><img src=x onerror='window.ran = 1'>&quot;"
CELL = """%%scalene
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        "{hostile}"
spin(0.4)
kept = [bytearray(1 << 20) for _ in range(20)]
time.sleep(0.2)
"""

NOTEBOOK = """<!DOCTYPE html><meta charset="utf-8"><title>notebook</title>
<body style="background: %s"><h1>A notebook</h1><div style="width: %dpx">%s</div></body>"""


class Opened:
    """A cell's output in a page that stands for a notebook, and what is wrong with it."""

    def __init__(self, browser, output, folder, width=960, ground="#ffffff", theme="light", script=""):
        path = folder / "notebook.html"
        path.write_text(NOTEBOOK % (ground, width, output), encoding="utf-8")
        self.context = browser.new_context(viewport={"width": 1100, "height": 800}, color_scheme=theme)
        self.context.set_default_timeout(300_000)
        self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.wrong = []
        self.requests = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append("exception: %s" % error))
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.frame = self.page.frame_locator("iframe")
        self.frame.locator(".shell").wait_for()

    def inside(self, script):
        return self.page.frames[1].evaluate(script)

    def tabs(self, last):
        """All tabs, once the one named last is there: a frame may be narrow while it is laid out."""
        self.frame.get_by_role("tab", name=last).wait_for()
        return self.frame.get_by_role("tab").all_inner_texts()

    def close(self):
        """After this nothing may have been wrong, or asked of anybody."""
        assert self.inside("window.ran") is None and self.page.evaluate("window.ran") is None
        assert self.wrong == []
        assert [url for url in self.requests[1:] if not url.startswith("data:")] == []
        self.context.close()


@pytest.fixture
def output(notebook, request, tmp_path_factory):
    """What the cell has put out; all tests look at the same."""

    def make():
        done = notebook(LOAD, CELL.format(hostile=HOSTILE))
        assert done.errors() == []
        return done.page(1)

    return made_once(tmp_path_factory, "cell-" + os.path.basename(request.node.callspec.params["notebook"] or "none"), make)


def test_a_cell_shows_the_page(browser, output, tmp_path):
    opened = Opened(browser, output, tmp_path)
    tabs = ["Overview", "Lines", "Functions", "Flame", "Sandwich", "Timeline", "Memory", "Processes"]
    assert opened.tabs("Processes") == tabs
    opened.frame.get_by_role("heading", name="Where does the time go?").wait_for()
    opened.frame.get_by_text("[2]:").first.wait_for()
    opened.frame.locator(".where .hot").first.click()
    opened.frame.locator(".row.chosen").wait_for()
    assert "onerror='window.ran = 1'" in opened.frame.locator(".list").inner_text()
    opened.frame.locator(".row.chosen [data-column]").first.hover()
    opened.frame.get_by_role("tooltip").get_by_text("samples").wait_for()
    for view in (*tabs[1:], "Overview"):
        opened.frame.get_by_role("tab", name=view).click()
        opened.frame.get_by_role("tab", name=view, selected=True).wait_for()
        assert opened.frame.get_by_role("alert").count() == 0
    opened.page.wait_for_timeout(300)
    opened.close()


def test_a_narrow_cell_has_overview_and_lines(browser, output, tmp_path):
    opened = Opened(browser, output, tmp_path, width=480)
    assert opened.tabs("Lines") == ["Overview", "Lines"]
    opened.frame.get_by_role("tab", name="Lines").click()
    opened.frame.locator(".row").first.wait_for()
    assert opened.inside("document.documentElement.scrollWidth <= innerWidth")
    opened.close()


# The first answer of matchMedia is "narrow"; then the width changes, before anything listens.
WIDENED_EARLY = """
const asked = window.matchMedia.bind(window);
window.matchMedia = (text) => {
  const query = asked(text);
  let isFirst = true;
  Object.defineProperty(query, "matches", { get: () => isFirst && !(isFirst = false) });
  return query;
};
"""


def test_a_cell_that_is_widened_while_it_is_first_drawn_has_all_views(browser, output, tmp_path):
    opened = Opened(browser, output, tmp_path, script=WIDENED_EARLY)
    opened.frame.get_by_role("tab", name="Functions").wait_for()
    opened.close()


@pytest.mark.parametrize(("ground", "system", "shown"), [("#111111", "light", "dark"), ("#ffffff", "dark", "light"), ("transparent", "dark", None)])
def test_the_page_is_dark_where_the_notebook_is(browser, output, tmp_path, ground, system, shown):
    opened = Opened(browser, output, tmp_path, ground=ground, theme=system)
    if shown:
        opened.page.frames[1].wait_for_function("shown => document.documentElement.dataset.theme === shown", arg=shown)
    assert opened.inside("document.documentElement.dataset.theme ?? null") == shown
    is_dark = opened.inside("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert is_dark == ((shown or system) == "dark")
    opened.close()


def test_the_page_cannot_reach_the_notebook_or_a_network(browser, output, tmp_path):
    opened = Opened(browser, output, tmp_path)
    assert opened.inside("origin") == "null"
    for script in ("parent.document.title", "localStorage.length"):
        assert opened.inside("() => { try { %s; return false } catch { return true } }" % script), script
    assert opened.inside("fetch('http://127.0.0.1:9/').then(() => false, () => true)")
    assert opened.inside("() => { const s = document.createElement('script'); s.textContent = 'window.ran = 2'; document.body.append(s); return window.ran ?? null }") is None
    assert any("Content Security Policy" in text for text in opened.wrong)
    opened.wrong.clear()
    opened.close()
