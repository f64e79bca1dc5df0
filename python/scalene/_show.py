# python/scalene/_show.py - shows a profile inside a notebook.
#
# Everything that a notebook shows of a profile goes through show(): the page of `scalene view`, as a
# document of its own in a frame that can neither reach the notebook nor ask anything of a network; it is
# saved with the notebook and works without us. Where there is no HTML there is the terminal's view, which
# also stands in for the frame where a notebook that is not trusted has frames taken out.
#
# SPDX-License-Identifier: Apache-2.0
"""Shows a profile inside a notebook."""

from __future__ import annotations

import html
import os
import subprocess

from scalene import native_program

# The width of the terminal's view. Wider lines are scrolled.
COLUMNS = 130

# A page that is larger than the program makes pages is not put into a notebook.
PAGE_BYTES_MAX = 2 << 20

# The frame has a fixed height, since the page's is not known here; its lower edge can be dragged. The page cannot see
# whether the notebook's background is dark: TELL_THEME sends that when the page has been loaded.
OUTPUT = """<div class="scalene-output">
<style>
.scalene-output > .scalene-box { height: 560px; min-height: 200px; resize: vertical; overflow: hidden; border: 1px solid #8884; border-radius: 6px; }
.scalene-output > .scalene-box > iframe { display: block; width: 100%%; height: 100%%; border: 0; }
</style>
<div class="scalene-box"><iframe title="%(title)s" sandbox="allow-scripts" onload="%(onload)s" srcdoc='%(page)s'><pre>%(text)s</pre></iframe></div>
<div style="font-size: 12px; opacity: 0.75">%(path)s</div>
</div>"""

TELL_THEME = (
    "for (var e = this, c = null; e; e = e.parentElement) {"
    " var n = getComputedStyle(e).backgroundColor.match(/[\\d.]+/g);"
    " if (n && n[3] !== '0') { c = n; break; } }"
    " if (c) this.contentWindow.postMessage(+c[0] + +c[1] + +c[2] < 384 ? 'scalene:dark' : 'scalene:light', '*');"
)

TEXT_ONLY = '<pre style="line-height: 1.25; font-size: 12px; white-space: pre; overflow-x: auto;">%s</pre>'


def _view(path: str, *options: str) -> tuple[int, bytes, bytes]:
    """Status, output and errors of `scalene view`."""
    environment = dict(os.environ, COLUMNS=str(COLUMNS), NO_COLOR="1", LC_ALL="C.UTF-8")
    line = [native_program(), "view", *options, path]
    ended = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def text_of(path: str) -> str:
    """What `scalene view --cli` shows of a profile: a cell has few lines, and all are of interest."""
    _, text, errors = _view(path, "--cli", "--all-lines")
    return (text + errors).decode("utf-8", "replace")


def page_of(path: str) -> str | None:
    """The page of a profile as a document; None where there is none fit for a notebook."""
    status, page, _ = _view(path, "--notebook")
    if status != 0 or not page or len(page) > PAGE_BYTES_MAX:
        return None
    return page.decode("utf-8", "replace")


def _in_single_quotes(page: str) -> str:
    """Escapes a page for an attribute in single quotes, of which it has fewer than of double ones."""
    return page.replace("&", "&amp;").replace("'", "&#39;")


def html_of(path: str, text: str) -> str:
    """What a notebook shows. The text is what there is instead of the page."""
    page = page_of(path)
    if page is None:
        return TEXT_ONLY % html.escape("%s\nprofile: %s" % (text, path))
    return OUTPUT % {
        "onload": html.escape(TELL_THEME),
        "title": "Profile %s" % html.escape(os.path.basename(path)),
        "page": _in_single_quotes(page),
        "text": html.escape(text),
        "path": "profile: " + html.escape(path),
    }


def show(path: str) -> None:
    """Shows the profile at path in the cell that runs, as HTML where that can be shown."""
    from IPython.display import display

    text = text_of(path).rstrip("\n")
    display({"text/plain": "%s\nprofile: %s" % (text, path), "text/html": html_of(path, text)}, raw=True)
