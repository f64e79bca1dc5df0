#!/usr/bin/env python3
# tools/embed_page.py OUT.c APP_JS APP_CSS INDEX_HTML - writes the page's files as C arrays (src/page/bundle.h).
#
# SPDX-License-Identifier: Apache-2.0
"""Makes the bytes of the page a part of the program."""

import base64
import hashlib
import pathlib
import sys


# What page/bundle.h says stands in the markup once, in this order.
MARKS = (b'<meta charset="utf-8">', b'<link rel="stylesheet" href="app.css">', b'<script src="app.js" defer></script>')


def array(data):
    """The bytes as lines of numbers, with a NUL behind them."""
    numbers = [str(byte) for byte in data + b"\0"]
    return ",\n".join(",".join(numbers[at : at + 40]) for at in range(0, len(numbers), 40))


def fail(text):
    sys.exit(f"tools/embed_page.py: {text}")


def main(arguments):
    if len(arguments) != 4:
        fail("usage: embed_page.py OUT.c APP_JS APP_CSS INDEX_HTML")
    lines = ['/* Written by tools/embed_page.py. */\n#include "page/bundle.h"\n']
    rows = []
    for part, path in zip(("SCRIPT", "STYLE", "MARKUP"), arguments[1:]):
        data = pathlib.Path(path).read_bytes()
        # in the standalone file only the closing tag may end the element
        if part != "MARKUP" and any(end in data.lower() for end in (b"</script", b"</style", b"<!--")):
            fail(f"{path} holds a text that would end its element in the standalone file")
        places = [data.find(mark) for mark in MARKS]
        if part == "MARKUP" and (min(places) < 0 or places != sorted(places)):
            fail(f"{path} must hold, in this order: {b', '.join(MARKS).decode()}")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        lines.append(f"static const unsigned char bytes_{part}[] = {{\n{array(data)}}};\n")
        rows.append(f'    [SC_BUNDLE_{part}] = {{(const char *)bytes_{part}, {len(data)}, "sha256-{digest}"}},\n')
    lines.append("const struct sc_bundle_part sc_bundle[SC_BUNDLE_COUNT_] = {\n" + "".join(rows) + "};\n")
    pathlib.Path(arguments[0]).write_text("".join(lines))


main(sys.argv[1:])
