# tests/layout/programs/cells.py - keeps the texts of cells as IPython and marimo do, and parks.
#
# IPython itself has them so: In, a list of the user's names, and linecache.cache. marimo has the latter alone.
#
# SPDX-License-Identifier: Apache-2.0
"""Cells of many kinds, and some that are not to be found."""

import linecache
import sys

from parking import park

KERNEL = "/tmp/ipykernel_17/%d.py"
MARIMO = "/tmp/marimo_17/__marimo__cell_%s_.py"
LIMIT_BYTES = 1 << 20

In = [""]


def run(name, text):
    """What happens to a cell before it runs."""
    In.append(text)
    lines = [line + "\n" for line in text.rstrip("\n").split("\n")]
    linecache.cache[name] = (len(text), None, lines, name)


def fill(lines):
    run(KERNEL % 1, "x = 1")
    run(KERNEL % 2, "def f(a):\n    return a\n\n\nf(2)\n\n\n")
    run(KERNEL % 3, "s = 'é'\n# Grüße")  # one byte per character, but not ASCII
    run(KERNEL % 4, "s = '漢字'\n# and ASCII")  # two
    run(KERNEL % 5, "s = '🐍'\n# and é")  # four
    run("<ipython-input-6-0a1b2c3d>", "y = 6\ny")
    run(KERNEL % 7, "again()")
    run(KERNEL % 8, "between()")
    run(KERNEL % 7, "again()")  # the same text has the same name
    for i in range(1000):  # a dict that has grown
        run(KERNEL % (100 + i), "z = %d\n" % i)
    run(KERNEL % 9, "\n".join("line_%d = 1" % i for i in range(lines)))
    # not to be found: too long, not among In, no lines yet, of another kind
    run(KERNEL % 20, "x = '%s'" % ("x" * LIMIT_BYTES))
    linecache.cache[KERNEL % 21] = (4, None, ["only here\n"], KERNEL % 21)
    linecache.cache[KERNEL % 22] = (lambda: "later",)
    linecache.cache[KERNEL % 23] = (4, None, [b"bytes\n"], KERNEL % 23)
    linecache.cache[KERNEL % 24] = None
    linecache.cache[KERNEL % 26] = (None, ["z = 1\n"])  # found if its length were not looked at
    linecache.cache[KERNEL % 27] = (0, None, [], KERNEL % 27)  # as empty as In[0]
    for name, text in (("Hbol", "x = 1\n"), ("MJUe2", "not in In\n"), ("a.b", "no name\n"), ("", "no name\n")):
        linecache.cache[MARIMO % name] = (len(text), None, [text], MARIMO % name)
    linecache.cache["/tmp/17/1.py"] = linecache.cache[KERNEL % 1]  # the name of no cell


fill(int(sys.argv[3]) if len(sys.argv) > 3 else 60000)
park("cells")
if sys.argv[1:3] == ["then", "none"]:
    del In
    for name in ("Hbol", "MJUe2"):
        del linecache.cache[MARIMO % name]
    park("no cells")
