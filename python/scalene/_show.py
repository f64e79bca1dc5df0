# python/scalene/_show.py - shows a profile inside a notebook.
#
# Everything that a notebook shows of a profile goes through show(). For now that is the terminal's
# view as text.
#
# SPDX-License-Identifier: Apache-2.0
"""Shows a profile inside a notebook."""

from __future__ import annotations

import html
import os
import subprocess

from scalene import native_program

# Wider lines are scrolled.
COLUMNS = 130

STYLE = "line-height: 1.25; font-size: 12px; white-space: pre; overflow-x: auto;"


def text_of(path: str) -> str:
    """What `scalene view --cli` shows of a profile."""
    environment = dict(os.environ, COLUMNS=str(COLUMNS), NO_COLOR="1", LC_ALL="C.UTF-8")
    line = [native_program(), "view", "--cli", path]
    ended = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
    return ended.stdout.decode("utf-8", "replace")


def show(path: str) -> None:
    """Shows the profile at path in the cell that runs, as HTML where that can be shown."""
    from IPython.display import display

    text = "%s\nprofile: %s" % (text_of(path).rstrip("\n"), path)
    page = '<pre style="%s">%s</pre>' % (STYLE, html.escape(text))
    display({"text/plain": text, "text/html": page}, raw=True)
