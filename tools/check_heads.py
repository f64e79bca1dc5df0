#!/usr/bin/env python3
# tools/check_heads.py - every source file begins with what it is and its licence, and is of readable length.
#
# C: the first comment starts "folder/name - one sentence" (the folder as in its #include, from the
# root outside src/) and holds the SPDX line; a .c file beside its header may refer to that. Scripts and Python: the SPDX line within the head.
#
# SPDX-License-Identifier: Apache-2.0
"""Checks file heads and file lengths."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (".ci", "bench", "debian", "docs", "editor", "examples", "gui", "python", "src", "tests", "tools")
SPDX = "SPDX-License-Identifier: Apache-2.0"
LINES_MAX = 600
HEAD_LINES = 30


def is_script(path):
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if not path.is_file() or "node_modules" in parts or "corpus" in parts or "__pycache__" in parts:
                continue
            if path.suffix in (".c", ".h", ".py", ".ts", ".tsx", ".sh") or (not path.suffix and is_script(path)):
                yield path


def complaints(path):
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    lines = text.splitlines()
    if len(lines) > LINES_MAX:
        yield f"{len(lines)} lines: more than {LINES_MAX}, more than one idea"
    if not lines:
        return
    head = "\n".join(lines[:HEAD_LINES])
    if path.suffix in (".c", ".h"):
        comment = re.match(r"/\*(?:\n \*)? (\S+) - .*?\*/", text, re.DOTALL)
        own_name = re.sub(r"^src/", "", name)
        if not comment or comment[1] != own_name:
            yield f'does not begin with a comment "{own_name} - what it is"'
        elif SPDX not in comment[0]:
            yield f'has no line "{SPDX}" in its first comment'
        if path.suffix == ".h" and "#pragma once" not in lines:
            yield "has no #pragma once"
    elif SPDX not in head:
        yield f'has no line "{SPDX}" in its first {HEAD_LINES} lines'
    if not text.endswith("\n"):
        yield "does not end with a newline"


def main():
    files = list(sources())
    bad = [f"{path.relative_to(ROOT)}: {why}" for path in files for why in complaints(path)]
    print("\n".join(bad) or f"{len(files)} files have their heads")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
